// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// detection.hpp: decides when an output port and VL is in the congestion state, and which packets it marks (IBA annex A10.2.1).
//
// Parameters  a Detection, from the switch's tables and the model's mapping of Threshold to a fill level
// State       in the LaneState of each output port and VL (engine/state.hpp)
// Behaviour   a port VL enters the state when its fill level reaches `high` while it counts as a root, and leaves it when the level
//             falls below `low`. In the state, each packet of at least `min_bytes` is marked with probability 1/(marking_rate + 1)
#pragma once

#include <algorithm>
#include <cstdint>

#include "ccpolicy/tables.h"
#include "model.hpp"
#include "rng.hpp"

namespace ccsim {

struct Detection {
  std::uint32_t high_bytes = UINT32_MAX;  // never reached: marking is off
  std::uint32_t low_bytes = 0;
  std::uint16_t marking_rate = 0;
  std::uint16_t min_bytes : 15 = 0;
  bool victim_mask : 1 = false;  // the port counts as a root whether it has credits or not

  bool marks() const { return high_bytes != UINT32_MAX; }
  friend bool operator==(const Detection&, const Detection&) = default;
};

// The fill level in bytes of a Threshold of 1 to 15: (16 - threshold)/16 of the reference.
inline double ThresholdFillBytes(const SwitchModel& model, unsigned threshold) {
  const double reference = model.threshold_reference_bytes > 0 ? model.threshold_reference_bytes : model.input_buffer_bytes;
  return reference * (16.0 - threshold) / 16.0;
}

inline Detection MakeDetection(const SwitchModel& model, const ccp_switch_tables& tables, unsigned port) {
  const ccp_switch_port_setting& own = tables.ports[port];
  const bool use_own = own.valid && own.control_type == 0;
  const unsigned threshold = use_own ? own.threshold : tables.setting.threshold;
  Detection d;
  if (threshold == 0) return d;
  d.high_bytes = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(ThresholdFillBytes(model, threshold)));
  d.low_bytes = d.high_bytes > model.hysteresis_bytes ? d.high_bytes - model.hysteresis_bytes : 1;
  d.marking_rate = use_own ? own.marking_rate : tables.setting.marking_rate;
  d.min_bytes = static_cast<std::uint16_t>(64u * (use_own ? own.packet_size : tables.setting.packet_size)) & 0x7FFF;
  d.victim_mask = ccp_port_mask_test(tables.setting.victim_mask, port);
  return d;
}

// True with probability 1/(marking_rate + 1).
inline bool DrawMark(std::uint32_t marking_rate, Rng& rng) { return marking_rate == 0 || rng.Below(marking_rate + 1ull) == 0; }

}  // namespace ccsim
