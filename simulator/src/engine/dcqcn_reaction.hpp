// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dcqcn_reaction.hpp: the policy `Reaction` of fabrics on which adapters may have NVIDIA's congestion control: those that hold its
// parameters set rates by DCQCN (congestion/dcqcn.hpp); others react as cct_reaction.hpp says, or not at all.
//
// Behaviour   a queue pair's next packet begins no earlier than its rate allows at the moment at which the one before it begins. An SL
//             has no rate: each queue pair has its own
// Data        Rates
#pragma once

#include "engine/cct_reaction.hpp"
#include "engine/core.hpp"

namespace ccsim {

struct DcqcnReaction {
  static void OnBecn(EngineCore& e, const Packet& k);
  static void AfterPacket(EngineCore& e, std::uint32_t throttle, const SentPacket& sent);
  static void AfterDrawnPacket(EngineCore& e, const SentPacket& sent);
};

}  // namespace ccsim
