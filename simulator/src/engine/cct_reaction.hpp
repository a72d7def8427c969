// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cct_reaction.hpp: the policy `Reaction` of annex A10: a CCTI rises with each BECN and selects the injection rate delay after a packet
// (congestion/reaction.hpp).
//
// Data        ThrottleState; for a flow that draws its destinations, a ReactionRecord for each that has lately reacted
#pragma once

#include "engine/core.hpp"

namespace ccsim {

struct CctReaction {
  // An ACK or CNP with BECN has come to the source of its flow.
  static void OnBecn(EngineCore& e, const Packet& k);

  // A packet of the throttle is being sent: delays what the throttle sends next.
  static void AfterPacket(EngineCore& e, std::uint32_t throttle, const SentPacket& sent) {
    if (e.throttles_[throttle].setting != kNoIndex) DelayThrottle(e, throttle, sent.wire_time);
  }
  // The same for a packet that a drawing queue pair has sent for the one to its destination. If that is delayed, it gets the rest of
  // the message, and the flow goes on to the next.
  static void AfterDrawnPacket(EngineCore& e, const SentPacket& sent);

 private:
  static void DelayThrottle(EngineCore& e, std::uint32_t throttle, Time packet_time);
};

}  // namespace ccsim
