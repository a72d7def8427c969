// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cnp_by_timer.hpp: the policy `Notification` of fabrics on which adapters may have NVIDIA's congestion control: those that hold its
// parameters answer packets with FECN by CNPs at least min_time_between_cnps apart, on the SL that is set; others answer as
// cnp_or_ack.hpp says, or not at all.
//
// Data        as CnpOrAck; the time of the next CNP of a port, where all its queue pairs share the timer (model.ca.cnp_limit)
#pragma once

#include "engine/cnp_or_ack.hpp"
#include "engine/core.hpp"

namespace ccsim {

struct CnpByTimer {
  static void OnFecn(EngineCore& e, std::uint32_t host, const Packet& k, Time tail_there);
  static bool TakeBecn(EngineCore& e, const Packet& k) { return CnpOrAck::TakeBecn(e, k); }
};

}  // namespace ccsim
