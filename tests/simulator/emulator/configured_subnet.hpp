// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// configured_subnet.hpp: a fabric as a subnet manager leaves it, without one.
#pragma once

#include <cstdint>

#include "emulator/subnet.hpp"

namespace ccsim::emulator::testing {

inline std::uint16_t LidOf(std::uint32_t endport) { return static_cast<std::uint16_t>(endport + 1); }

// Every endport of a channel adapter has its index and 1 for a LID, all links are active, and the switches forward as the fabric does.
// REQUIRES: the fabric is routed.
inline void Configure(Subnet& subnet, std::uint16_t sm_lid) {
  const Fabric& fabric = subnet.fabric();
  for (std::uint32_t n = 0; n < subnet.num_devices(); ++n) {
    for (SmaPort& port : subnet.device(n).sma.ports) {
      if (port.state == PortState::Init) port.state = PortState::Active;
    }
  }
  for (std::uint32_t e = 0; e < fabric.endports().size(); ++e) {
    SmaPort& port = subnet.device(fabric.endports()[e].node).sma.ports[fabric.endports()[e].port];
    port.lid = LidOf(e);
    port.sm_lid = sm_lid;
  }
  for (std::uint32_t s = 0; s < fabric.num_switches(); ++s) {
    SmaNode& node = subnet.device(fabric.switches()[s]).sma;
    node.forwarding.assign(fabric.endports().size() + 1, kNoRoute);
    for (std::uint32_t e = 0; e < fabric.endports().size(); ++e) node.forwarding[LidOf(e)] = fabric.forward(s, e);
    node.forwarding_top = static_cast<std::uint16_t>(fabric.endports().size());
  }
}

}  // namespace ccsim::emulator::testing
