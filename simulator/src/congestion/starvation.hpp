// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// starvation.hpp: credit starvation, by which a switch slows down a neighbour that does not support FECN and BECN (IBA annex A10).
//
// Parameters  a Starvation for each port, from the switch's tables: Credit_Mask, CS_Threshold, CS_ReturnDelay
// State       by input port and VL, the time at which the last withheld credit is returned
// Behaviour   when a packet that came in by a port of the mask leaves by a port VL filled to CS_Threshold, its credits are returned no
//             sooner than its own time on the wire and CS_ReturnDelay after the credits withheld before them. This slows the
//             neighbour as the IRD of a CCT entry of that value slows an adapter
//
// The annex is not public. This is an interpretation of what is public (docs/research/simulator.md lists the sources): it exists
// "to support legacy devices", ports of the mask "apply" it, CS_Threshold sets how aggressively, 0 to 15 like Threshold, and
// CS_ReturnDelay has the form of a CCT entry, which is relative to a packet's time.
#pragma once

#include <algorithm>
#include <cstdint>

#include "ccpolicy/tables.h"
#include "congestion/detection.hpp"
#include "model.hpp"
#include "units.hpp"

namespace ccsim {

struct Starvation {
  std::uint32_t level_bytes = UINT32_MAX;  // never reached: the port returns credits at once
  ccp_cct_entry return_delay{};

  bool applies() const { return level_bytes != UINT32_MAX; }
};

// The parameters of an input port. A SwitchPortCongestionSetting of control type 1 has the port's CS_Threshold as its Threshold, and its
// CS_ReturnDelay as its Cong_Parm (2 bits of shift above 14 of multiplier).
inline Starvation MakeStarvation(const SwitchModel& model, const ccp_switch_tables& tables, unsigned port) {
  const ccp_switch_port_setting& own = (tables.starvation_ports != nullptr ? tables.starvation_ports : tables.ports)[port];
  const bool use_own = own.valid && own.control_type == 1;
  const unsigned threshold = use_own ? own.threshold : tables.setting.cs_threshold;
  Starvation s;
  if (threshold == 0 || !ccp_port_mask_test(tables.setting.credit_mask, port)) return s;
  s.level_bytes = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(ThresholdFillBytes(model, threshold)));
  s.return_delay = use_own ? ccp_cct_entry{.shift = static_cast<std::uint8_t>(own.marking_rate >> 14),
                                           .multiplier = static_cast<std::uint16_t>(own.marking_rate & 0x3FFF)}
                           : tables.setting.cs_return_delay;
  return s;
}

// The time at which a packet's credits are returned, if they would be returned at `at` without starvation and the last withheld credits
// are at `last`. `packet_time`: the packet's time on the input's link. The result is the next `last`.
inline Time HeldCredit(const Starvation& s, Time at, Time last, Time packet_time) {
  return std::max(at, last + packet_time + (packet_time >> s.return_delay.shift) * s.return_delay.multiplier);
}

}  // namespace ccsim
