// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// control_map.hpp: what a device holds after a Set, whose Control_Map says which of the fields count (IBA annex A10.4.3.6, .8).
// Profiles always set all five of a switch.
#pragma once

#include <cstdint>
#include <cstring>

#include "ccpolicy/tables.h"

namespace ccsim {

// SwitchCongestionSetting: takes the fields that `set` names into `held`, whose own Control_Map gathers what has ever been set.
inline void ApplySet(ccp_switch_setting& held, const ccp_switch_setting& set) {
  held.control_map |= set.control_map;
  if (set.control_map & CCP_CONTROL_MAP_VICTIM_MASK) std::memcpy(held.victim_mask, set.victim_mask, sizeof held.victim_mask);
  if (set.control_map & CCP_CONTROL_MAP_CREDIT_MASK) std::memcpy(held.credit_mask, set.credit_mask, sizeof held.credit_mask);
  if (set.control_map & CCP_CONTROL_MAP_THRESHOLD) {
    held.threshold = set.threshold;
    held.packet_size = set.packet_size;
  }
  if (set.control_map & CCP_CONTROL_MAP_STARVATION) {
    held.cs_threshold = set.cs_threshold;
    held.cs_return_delay = set.cs_return_delay;
  }
  if (set.control_map & CCP_CONTROL_MAP_MARKING_RATE) held.marking_rate = set.marking_rate;
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
