// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "switch_graph.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "../rng.hpp"

namespace ccsim {

SwitchGraph::SwitchGraph(const Fabric& fabric, std::uint64_t order_seed)
    : fabric_(&fabric), order_seed_(order_seed), num_hosts_(fabric.num_switches(), 0) {
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
    link_begin_.push_back(links_.size());
    attached_begin_.push_back(attached_.size());
  }
}

std::uint64_t SwitchGraph::OrderKeyOf(std::uint64_t guid) const {
  return order_seed_ == 0 ? __builtin_bswap64(guid) : Rng(order_seed_, guid).Next();
}

std::vector<std::uint32_t> SwitchGraph::ByLoad() const {
  std::vector<std::uint32_t> order(size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const std::size_t adapters_a = attached(a).size(), adapters_b = attached(b).size();
    return adapters_a != adapters_b ? adapters_a > adapters_b : OrderKey(a) < OrderKey(b);
  });
  return order;
}

TreeLevels SwitchGraph::Levels() const {
  HostGraph graph{std::vector<std::vector<std::uint32_t>>(size()), num_hosts_};
  for (std::uint32_t s = 0; s < size(); ++s) {
    for (const SwitchLink& link : links(s)) graph.links[s].push_back(link.to);
  }
  return FindTreeLevels(graph);
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
