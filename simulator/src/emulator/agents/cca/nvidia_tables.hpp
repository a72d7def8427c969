// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cca/nvidia_tables.hpp: what a device holds of NVIDIA's attributes, in the form in which ccpolicy makes it from a profile.
#pragma once

#include <cstdlib>
#include <deque>
#include <memory>
#include <vector>

#include "ccpolicy/nvidia.h"
#include "emulator/agents/cca/nvidia_state.hpp"
#include "fabric.hpp"

namespace ccsim::emulator {

// Owns what it has made.
class NvidiaTables {
 public:
  // VLs with the same thresholds are one element, in the order of their lowest VL; VLs whose thresholds are all 0 are in none.
  ccp_nvidia_switch_tables* Add(const Node& node, const NvidiaSwitchTables& held);
  // Slots that are enabled on no SL are left out. Parameters are by index. An adapter of both types has PPCC if a slot is enabled.
  ccp_nvidia_ca_tables* Add(const Node& node, const NvidiaCaTables& held, const NvidiaFirmware& firmware);

 private:
  struct Free {
    void operator()(ccp_nvidia_switch_tables* tables) const { std::free(tables); }
  };
  std::vector<std::unique_ptr<ccp_nvidia_switch_tables, Free>> switches_;
  std::deque<ccp_nvidia_ca_tables> cas_;
  std::deque<std::vector<ccp_congestion_port_profile_settings>> profiles_;
  std::deque<std::vector<ccp_ppcc_slot>> slots_;
};

// True if two hold the same thresholds, whatever their vl_mask.
bool SameThresholds(const ccp_congestion_port_profile_settings& a, const ccp_congestion_port_profile_settings& b);

}  // namespace ccsim::emulator
