// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// client.hpp: a program that is attached to a port, and the packets that it has not read yet.
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

#include "emulator/abstract_socket.hpp"
#include "emulator/ibsim_protocol.hpp"

namespace ccsim::emulator {

// Names a client while its connection lasts: ids are reused, serials are not.
struct ClientRef {
  std::uint32_t id = 0;
  std::uint64_t serial = 0;
  friend bool operator==(const ClientRef&, const ClientRef&) = default;
};

class Client {
 public:
  // Packets that a client may leave unread, beyond those that the system keeps for it.
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
  bool wants_room = false;        // the server waits until the socket accepts more
  bool paused = false;            // the server does not read from it
  std::uint32_t pending = 0;      // packets that it will get later: replies in flight and deferred packets
  bool subscribed = false;        // has asked the SA for Reports
  std::bitset<256> used_classes;  // management classes in which it has sent: umad2sim crashes on others
  std::uint64_t sm_since = 0;     // order in which clients became SM

  // Returns false if too much is unread; the packet is then dropped.
  bool Enqueue(const ibsim::Packet& packet);
  bool has_unsent() const { return first_ < unsent_.size(); }

  enum class Sent : std::uint8_t { All, NoRoom, Dead };
  Sent Flush();

  // False once no socket has the client's name.
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
