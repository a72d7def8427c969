// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// server.hpp: the sockets that programs under libumad2sim.so use.
//
// Behaviour   blocks in Serve only, and there for the given time at most; keeps a limited number of packets for a client that reads
//             slowly. Clients that end without Disconnect are found by their socket names, which end with their process, in every
//             process and network name space
// Data        belongs to the thread that calls Serve; any thread may call Wake
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
  std::uint32_t timeout_ms = 200;                // time-out of lost requests
  std::uint32_t client_timeout_ms = 4000;        // time-out of requests to other clients
  std::function<void(const std::string&)> warn;  // called for each refused client; nullptr: write to standard error
};

struct ClientSummary {
  std::uint32_t id = 0;
  std::uint32_t pid = 0;  // as the client sees it
  Place at{};
  bool is_sm = false;
};

class Server {
 public:
  // Binds NAME:ctl. Throws std::system_error if the name is in use, std::invalid_argument if it is empty or too long.
  Server(Subnet& subnet, ServerOptions options);
  ~Server();

  // Serves what has arrived and what is due. If nothing is, waits for `wait_ms` at most (-1: without limit) or until Wake. It must not
  // be called from what it calls.
  void Serve(int wait_ms);
  void Wake();

  std::vector<ClientSummary> clients();

 private:
  static constexpr std::size_t kPacketsAtOnce = 64;
  // Buffers for a client's packets.
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
  std::int64_t next_census_ns_ = INT64_MAX;  // when the server looks for clients that have ended
};

}  // namespace ccsim::emulator
