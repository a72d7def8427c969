// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// client.hpp: a program that is attached to a port, and what waits to be read by it.
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

#include "emulator/abstract_socket.hpp"
#include "emulator/ibsim_protocol.hpp"

namespace ccsim::emulator {

// Names a client for as long as its connection lasts: numbers are used again, serials are not.
struct ClientRef {
  std::uint32_t id = 0;
  std::uint64_t serial = 0;
  friend bool operator==(const ClientRef&, const ClientRef&) = default;
};

class Client {
 public:
  // What a client may leave unread, beyond what the system keeps for it.
  static constexpr std::size_t kMaxUnsent = 16384;

  Client(ClientRef ref, std::uint32_t pid, Place at, FileDescriptor socket, AbstractAddress peer, AbstractAddress control);

  ClientRef ref() const { return ref_; }
  std::uint32_t pid() const { return pid_; }
  Place at() const { return at_; }
  const FileDescriptor& socket() const { return socket_; }
  const AbstractAddress& control() const { return control_; }  // where its control messages come from

  bool is_sm = false;
  FileDescriptor process;         // readable once the process has ended; may be none
  bool listed = false;            // among the server's clients with something to send
  bool wants_room = false;        // the server waits until the socket takes more
  bool paused = false;            // the server does not read from it
  std::uint32_t owed = 0;         // packets that it will get when a time has come
  bool subscribed = false;        // has asked the SA for Reports
  std::bitset<256> used_classes;  // management classes in which it has sent: umad2sim crashes on others
  std::uint64_t sm_since = 0;     // order in which clients became SM

  // False if it has too much unread: the packet is dropped.
  bool Enqueue(const ibsim::Packet& packet);
  bool has_unsent() const { return first_ < unsent_.size(); }

  enum class Sent : std::uint8_t { All, NoRoom, Dead };
  Sent Flush();

  // False once nobody has the socket's name any more.
  bool Alive() const { return ConnectTo(socket_, peer_) == 0; }

 private:
  int SendSome();

  ClientRef ref_;
  std::uint32_t pid_;
  Place at_;
  FileDescriptor socket_;
  AbstractAddress peer_;
  AbstractAddress control_;
  std::vector<ibsim::Packet> unsent_;
  std::size_t first_ = 0;  // of unsent_
};

}  // namespace ccsim::emulator
