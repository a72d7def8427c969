// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/subnet_fabric.hpp"

namespace ccsim::emulator {

Fabric FabricOf(const Subnet& subnet) {
  Fabric fabric = subnet.fabric();
  fabric.ClearForwarding();
  for (const std::uint32_t node : fabric.switches()) {
    const std::vector<std::uint8_t>& lft = subnet.device(node).sma.forwarding;
    for (std::uint32_t e = 0; e < fabric.endports().size(); ++e) {
      const Endport& at = fabric.endports()[e];
      const std::uint16_t lid = subnet.device(at.node).sma.ports[at.port].lid;
      if (lid == 0 || lid >= lft.size()) continue;
      const std::uint8_t port = lft[lid];
      if (port >= 1 && port <= fabric.nodes()[node].num_ports() && fabric.nodes()[node].ports[port].connected()) {
        fabric.SetForward(node, e, port);
      }
    }
  }
  return fabric;
}

}  // namespace ccsim::emulator
