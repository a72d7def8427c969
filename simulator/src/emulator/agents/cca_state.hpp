// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cca_state.hpp: what a node's congestion control agent holds.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ccpolicy/tables.h"

namespace ccsim::emulator {

// Of a channel adapter's port.
struct CcaPort {
  ccp_ca_setting setting{};
  std::uint16_t ccti_limit = 0;
  std::vector<ccp_cct_entry> cct;
};

struct CcaNode {
  std::uint64_t key = 0;
  ccp_switch_setting switch_setting{};
  std::vector<ccp_switch_port_setting> switch_ports;  // num_ports + 1
  std::vector<CcaPort> ca_ports;                      // num_ports + 1
  bool tables_ignored = false;                        // by a fault: traffic runs as if congestion control were off
};

}  // namespace ccsim::emulator
