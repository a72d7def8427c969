// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// kernel.hpp: what the kernels of the clients' hosts do: give each program the MADs that are for it, and its own requests back when no
// answer comes. The client library does none of that: it waits for ever, or drops what it does not expect.
//
// Transaction IDs   a kernel puts the number of the sending agent into the upper 32 bits and finds by them whom a response is for.
//                   libumad2sim.so does so in bits 32 to 47, which thus tell a process' agents apart; bits 48 to 63 tell clients apart
//                   while a request is with another client, as ibsim has it. A response comes back with what was sent in all 64
// Timeouts          a request that is lost, or that nobody answers, comes back after timeout_ms; one that went to another client after
//                   client_timeout_ms. A response that comes later, or twice, is dropped. Only requests to which an answer belongs
//                   come back: the loss of a response or of a trap is not told to its sender
#pragma once

#include <cstdint>

#include "emulator/clients.hpp"
#include "emulator/deferred_packets.hpp"
#include "emulator/outstanding_requests.hpp"
#include "emulator/subnet.hpp"

namespace ccsim::emulator {

class Kernel {
 public:
  static constexpr std::int64_t kNever = INT64_MAX;
  // A client that is owed so many packets is not read until it has got some.
  static constexpr std::uint32_t kMaxOwed = 8192;

  Kernel(Subnet& subnet, Clients& clients, std::uint32_t timeout_ms, std::uint32_t client_timeout_ms);

  // What a client has sent.
  void Send(Client& from, const ibsim::Packet& packet, std::int64_t now_ns);
  // What nodes send of their own accord.
  void CarryOutbox();
  void SetIsSm(Client& client, bool is_sm);
  // Takes a client off: what others have asked of it is lost.
  void Remove(Client& client, std::int64_t now_ns);

  // When RunTimers has something to do; kNever if nothing waits.
  std::int64_t next_deadline_ns() const;
  void RunTimers(std::int64_t now_ns);

 private:
  void Answered(Client& from, const ibsim::Packet& request, const Datagram& response, std::uint32_t delay_ms,
                std::int64_t now_ns);
  bool Forward(Client& from, const ibsim::Packet& request, Datagram& datagram, const Delivery& delivery, std::int64_t now_ns);
  void Respond(const Client& from, const ibsim::Packet& sent, Datagram& response, const Delivery& delivery, std::int64_t now_ns);
  void TimeOut(Client& from, const ibsim::Packet& request, std::int64_t now_ns);
  // False if the client has no room: the packet is dropped.
  bool SendOrDefer(Client& to, const ibsim::Packet& packet, std::uint32_t delay_ms, std::int64_t now_ns);
  void Defer(Client& to, const ibsim::Packet& packet, std::int64_t due_ns);

  Subnet& subnet_;
  Clients& clients_;
  std::int64_t timeout_ns_;
  std::int64_t client_timeout_ns_;
  DeferredPackets deferred_;
  OutstandingRequests outstanding_;
};

}  // namespace ccsim::emulator
