// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// server.hpp: the sockets that programs under libumad2sim.so speak to.
//
// Behaviour   never blocks but in Serve, and there for no longer than it is told; what a slow client does not read is kept for it up
//             to a bound. Clients that die without a word are found by their socket names: those of a process go with it, in every
//             process and network name space
// Data        belongs to the thread that calls Serve; Wake may be called by any
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "emulator/kernel.hpp"

namespace ccsim::emulator {

struct ServerOptions {
  std::string name = "sim";                      // of the sockets
  std::uint32_t timeout_ms = 200;                // until a lost request comes back to its sender
  std::uint32_t client_timeout_ms = 4000;        // until one that another client leaves unanswered does
  std::function<void(const std::string&)> warn;  // of clients that are turned away; nullptr: to standard error
};

struct ClientSummary {
  std::uint32_t id = 0;
  std::uint32_t pid = 0;  // as the client sees it
  Place at{};
  bool is_sm = false;
};

class Server {
 public:
  // Binds NAME:ctl. Throws std::system_error if that name is taken, std::invalid_argument if it is empty or too long.
  Server(Subnet& subnet, ServerOptions options);
  ~Server();

  // Serves what has come, and what is due; waits for that no longer than so many milliseconds (-1: for ever), or until Wake. May be
  // called again by whatever runs between two calls, never by what it calls itself.
  void Serve(int wait_ms);
  void Wake();

  std::vector<ClientSummary> clients();

 private:
  static constexpr std::size_t kPacketsAtOnce = 64;
  // What a client's packets are read into.
  struct PacketBuffer {
    std::array<ibsim::Packet, kPacketsAtOnce> packets;
    std::array<iovec, kPacketsAtOnce> parts;
    std::array<mmsghdr, kPacketsAtOnce> messages{};
    PacketBuffer();
  };

  void Watch(int fd, std::uint64_t what, std::uint32_t events, int operation);
  int WaitTime(int wait_ms) const;
  void OnEvent(std::uint64_t what, std::uint32_t events);

  void ReadControl();
  void OnControl(ibsim::Control& control, const AbstractAddress& from, int pid);
  void Connect(ibsim::Control& control, const AbstractAddress& from, int pid);
  void ReadPackets(Client& client);

  void FlushAll();
  void Flush(Client& client);
  void SetPaused(Client& client, bool paused);
  void UpdateWatch(const Client& client);
  void ResumePaused();
  void RemoveDead();
  void Remove(Client& client);

  Subnet& subnet_;
  ServerOptions options_;
  Clients clients_;
  Kernel kernel_;
  FileDescriptor poll_;
  FileDescriptor wake_;
  FileDescriptor control_;
  std::unique_ptr<PacketBuffer> buffer_;
  std::vector<ClientRef> to_flush_;
  std::uint32_t num_paused_ = 0;
  std::int64_t next_census_ns_ = INT64_MAX;  // when clients are looked for that are no more
};

}  // namespace ccsim::emulator
