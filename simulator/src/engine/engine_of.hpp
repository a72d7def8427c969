// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// engine_of.hpp: an engine, composed of policies. What is done for each packet is compiled here as one, once for each combination.
//
// A combination is a struct P that names a policy for each part; a scheme's file (schemes/) has it and instantiates EngineOf<P>:
//
//   Ports         what ports may have                     ports.hpp
//   Queueing      the queues of a switch's inputs         voq_queues.hpp
//   Arbiter       who is next at an output and an input   round_robin.hpp
//   Detection     which output is congested               port_vl_detection.hpp
//   Notification  how the source learns of it             cnp_or_ack.hpp
//   Reaction      what the source does then               cct_reaction.hpp
//   HostSink      when a host has taken a packet          bus_drain.hpp
//   Transport     what a host must not inject now         open_transport.hpp
//
// The functions that each must have are those of the file named, which is today's behaviour; docs/inside/simulator-internals.md
// explains them. A policy's functions get the engine as `e` and read and write its state (core.hpp) freely, but leave other
// policies' data alone.
//
// A packet's way: its queue pair has a message to send (core_traffic.cpp), is taken from the host's ready queue (engine_host.hpp) and the
// packet sent into the link; the head reaches the switch's input, and after the routing latency the packet stands in a queue there
// (engine_switch.hpp); the output's arbiter picks it when the link is idle, the far end has room and the input a free read port; its
// tail leaving gives room back upstream. At the receiving host (engine_host.hpp) the tail enters the receive buffer, which drains at the
// host's own rate, and the packet is delivered. Virtual cut-through: a packet may leave a switch before its tail has come, but on a
// faster link only so late that the tail is there in time.
#pragma once

#include <memory>
#include <utility>

#include "engine/core.hpp"
#include "engine/engine_class.hpp"
#include "engine/engine_host.hpp"
#include "engine/engine_switch.hpp"
#include "engine/ports.hpp"
#include "engine/prefetch.hpp"

namespace ccsim {

// For Scheme::make.
template <typename P>
std::unique_ptr<EngineCore> MakeEngineOf(const Setup& setup) {
  return std::make_unique<EngineOf<P>>(setup);
}
// Makes it on PlainPorts where these suffice.
template <typename P>
struct OnPlainPorts : P {
  using Ports = PlainPorts;
  using Disturbed = P;
};
template <typename P, bool kPlainCompiled = kPlainPortsOfEveryScheme>
std::unique_ptr<EngineCore> MakePlainOrAny(const Setup& setup) {
  auto engine = std::make_unique<EngineOf<P>>(setup);
  if constexpr (kPlainCompiled) {
    if (PlainPorts::Suffice(*engine)) return std::make_unique<EngineOf<OnPlainPorts<P>>>(std::move(*engine));
  }
  return engine;
}

}  // namespace ccsim
