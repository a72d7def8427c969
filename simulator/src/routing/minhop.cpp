// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "minhop.hpp"

#include <vector>

namespace ccsim {
namespace {

// Hops from every switch (by ordinal) to the switch `root`; kNone where it cannot be reached.
std::vector<std::uint32_t> DistancesTo(const Fabric& fabric, std::uint32_t root) {
  std::vector<std::uint32_t> distance(fabric.num_switches(), kNone);
  std::vector<std::uint32_t> frontier{root};
  distance[fabric.switch_ordinal(root)] = 0;
  for (std::size_t i = 0; i < frontier.size(); ++i) {
    const std::uint32_t here = frontier[i];
    for (const Port& port : fabric.nodes()[here].ports) {
      if (!port.connected()) continue;
      const std::uint32_t next = fabric.switch_ordinal(port.peer_node);
      if (next == kNone || distance[next] != kNone) continue;
      distance[next] = distance[fabric.switch_ordinal(here)] + 1;
      frontier.push_back(port.peer_node);
    }
  }
  return distance;
}

}  // namespace

void RouteMinhop(Fabric& fabric) {
  fabric.ClearForwarding();
  std::vector<std::vector<std::uint32_t>> load;  // by switch ordinal and port: destinations sent that way
  for (const std::uint32_t s : fabric.switches()) load.emplace_back(fabric.nodes()[s].ports.size(), 0);

  std::vector<std::vector<std::uint32_t>> distance_cache(fabric.num_switches());
  for (std::uint32_t endport = 0; endport < fabric.endports().size(); ++endport) {
    const Endport dst = fabric.endports()[endport];
    const Port& link = fabric.nodes()[dst.node].ports[dst.port];
    const std::uint32_t leaf = link.peer_node;
    if (fabric.switch_ordinal(leaf) == kNone) continue;  // back to back
    auto& distance = distance_cache[fabric.switch_ordinal(leaf)];
    if (distance.empty()) distance = DistancesTo(fabric, leaf);
    fabric.SetForward(leaf, endport, static_cast<std::uint8_t>(link.peer_port));
    for (const std::uint32_t s : fabric.switches()) {
      const std::uint32_t ordinal = fabric.switch_ordinal(s);
      if (s == leaf || distance[ordinal] == kNone) continue;
      std::size_t best = 0;
      const auto& ports = fabric.nodes()[s].ports;
      for (std::size_t p = 1; p < ports.size(); ++p) {
        if (!ports[p].connected()) continue;
        const std::uint32_t next = fabric.switch_ordinal(ports[p].peer_node);
        if (next == kNone || distance[next] + 1 != distance[ordinal]) continue;
        if (best == 0 || load[ordinal][p] < load[ordinal][best]) best = p;
      }
      ++load[ordinal][best];
      fabric.SetForward(s, endport, static_cast<std::uint8_t>(best));
    }
  }
}

}  // namespace ccsim
