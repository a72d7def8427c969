// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "switch_graph.hpp"

#include <algorithm>
#include <cstddef>

namespace ccsim {

SwitchGraph::SwitchGraph(const Fabric& fabric) : fabric_(&fabric), num_hosts_(fabric.num_switches(), 0) {
  link_begin_.push_back(0);
  attached_begin_.push_back(0);
  for (std::uint32_t s = 0; s < fabric.num_switches(); ++s) {
    const auto& ports = fabric.nodes()[fabric.switches()[s]].ports;
    for (std::size_t p = 1; p < ports.size(); ++p) {
      if (!ports[p].connected()) continue;
      const std::uint32_t peer = ports[p].peer_node;
      if (fabric.switch_ordinal(peer) != kNone) {
        links_.push_back(
            {fabric.switch_ordinal(peer), static_cast<std::uint8_t>(p), static_cast<std::uint8_t>(ports[p].peer_port)});
      } else {
        const bool host = fabric.nodes()[peer].kind == NodeKind::Host;
        attached_.push_back({fabric.endport_index(peer, ports[p].peer_port), static_cast<std::uint8_t>(p), host});
        num_hosts_[s] += host;
      }
    }
    std::sort(attached_.begin() + static_cast<std::ptrdiff_t>(attached_begin_.back()), attached_.end(),
              [](const Attached& a, const Attached& b) { return a.endport < b.endport; });
    link_begin_.push_back(links_.size());
    attached_begin_.push_back(attached_.size());
  }
}

std::vector<std::uint32_t> SwitchGraph::DistancesTo(std::span<const std::uint32_t> roots) const {
  std::vector<std::uint32_t> distance(size(), kNone);
  std::vector<std::uint32_t> queue(roots.begin(), roots.end());
  queue.reserve(size());
  for (const std::uint32_t root : roots) distance[root] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const std::uint32_t here = queue[i];
    for (const SwitchLink& link : links(here)) {
      if (distance[link.to] != kNone) continue;
      distance[link.to] = distance[here] + 1;
      queue.push_back(link.to);
    }
  }
  return distance;
}

}  // namespace ccsim
