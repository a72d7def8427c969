// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// control_map.hpp: what a device holds after a Set, whose Control_Map says which of the fields count (IBA annex A10.4.3.6, .8).
//
// Sources disagree on the order of the switch's five bits. This is that of OpenSM and of Intel's headers for Omni-Path, which
// inherited the attribute; Mellanox' ibis of 2011 has them the other way round. Profiles always set all five.
#pragma once

#include <cstdint>
#include <cstring>

#include "ccpolicy/tables.h"

namespace ccsim {

inline constexpr std::uint32_t kVictimMaskValid = 1u << 0;
inline constexpr std::uint32_t kCreditMaskValid = 1u << 1;
inline constexpr std::uint32_t kThresholdValid = 1u << 2;   // Threshold and Packet_Size
inline constexpr std::uint32_t kStarvationValid = 1u << 3;  // CS_Threshold and CS_ReturnDelay
inline constexpr std::uint32_t kMarkingRateValid = 1u << 4;

// SwitchCongestionSetting: takes the fields that `set` names into `held`, whose own Control_Map gathers what has ever been set.
inline void ApplySet(ccp_switch_setting& held, const ccp_switch_setting& set) {
  held.control_map |= set.control_map;
  if (set.control_map & kVictimMaskValid) std::memcpy(held.victim_mask, set.victim_mask, sizeof held.victim_mask);
  if (set.control_map & kCreditMaskValid) std::memcpy(held.credit_mask, set.credit_mask, sizeof held.credit_mask);
  if (set.control_map & kThresholdValid) {
    held.threshold = set.threshold;
    held.packet_size = set.packet_size;
  }
  if (set.control_map & kStarvationValid) {
    held.cs_threshold = set.cs_threshold;
    held.cs_return_delay = set.cs_return_delay;
  }
  if (set.control_map & kMarkingRateValid) held.marking_rate = set.marking_rate;
}

// CACongestionSetting: takes the elements of the SLs that `set` names. Port_Control counts always.
inline void ApplySet(ccp_ca_setting& held, const ccp_ca_setting& set) {
  held.port_control = set.port_control;
  held.control_map |= set.control_map;
  for (unsigned sl = 0; sl < CCP_NUM_SLS; ++sl) {
    if ((set.control_map >> sl & 1) != 0) held.sls[sl] = set.sls[sl];
  }
}

}  // namespace ccsim
