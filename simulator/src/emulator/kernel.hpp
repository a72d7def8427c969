// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// kernel.hpp: does what the kernels of the clients' hosts do: it gives each program the MADs that are for it, and returns a program's
// requests that time out. The client library does neither: it waits without limit, and drops what it does not expect.
//
// Transaction IDs   a kernel puts the number of the sending agent into the upper 32 bits, by which it finds the receiver of a response.
//                   libumad2sim.so uses bits 32 to 47, which distinguish the agents of a process; bits 48 to 63 distinguish clients
//                   while a request is in flight to another client, as in ibsim. A response has all 64 bits as they were sent
// Time-outs         a request that is lost, or that no agent answers, returns after timeout_ms, and one to another client after
//                   client_timeout_ms. A response that arrives later, or twice, is dropped. Only requests that ask for an answer
//                   return: the sender of a response or a trap does not learn of its loss
#pragma once

#include <cstdint>

#include "emulator/clients.hpp"
#include "emulator/deferred_packets.hpp"
#include "emulator/requests_in_flight.hpp"
#include "emulator/subnet.hpp"

namespace ccsim::emulator {

inline constexpr std::int64_t kNsPerMs = 1'000'000;

class Kernel {
 public:
  static constexpr std::int64_t kNever = INT64_MAX;
  // The server does not read from a client while this many packets are pending for it.
  static constexpr std::uint32_t kMaxPending = 8192;

  Kernel(Subnet& subnet, Clients& clients, std::uint32_t timeout_ms, std::uint32_t client_timeout_ms);

  // Carries a packet that a client has sent.
  void Send(Client& from, const ibsim::Packet& packet, std::int64_t now_ns);
  // Carries the notices that nodes send.
  void CarryOutbox();
  void SetIsSm(Client& client, bool is_sm);
  // Detaches a client. Requests in flight to it are lost.
  void Remove(Client& client, std::int64_t now_ns);

  // The time at which RunTimers has work; kNever if it has none.
  std::int64_t next_deadline_ns() const;
  void RunTimers(std::int64_t now_ns);

 private:
  void Answered(Client& from, const ibsim::Packet& request, const Datagram& response, std::uint32_t delay_ms,
                std::int64_t now_ns);
  bool Forward(Client& from, const ibsim::Packet& request, Datagram& datagram, const Delivery& delivery, std::int64_t now_ns);
  void Respond(const Client& from, const ibsim::Packet& sent, Datagram& response, const Delivery& delivery, std::int64_t now_ns);
  void TimeOut(Client& from, const ibsim::Packet& request, std::int64_t now_ns);
  // Returns false if the client has no room; the packet is then dropped.
  bool SendOrDefer(Client& to, const ibsim::Packet& packet, std::uint32_t delay_ms, std::int64_t now_ns);
  void Defer(Client& to, const ibsim::Packet& packet, std::int64_t due_ns);

  Subnet& subnet_;
  Clients& clients_;
  std::int64_t timeout_ns_;
  std::int64_t client_timeout_ns_;
  DeferredPackets deferred_;
  RequestsInFlight in_flight_;
};

}  // namespace ccsim::emulator
