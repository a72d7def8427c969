// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dmodk: D-mod-K routing of fat trees (Zahavi, Johnson, Kerbyson and Lang: Optimized InfiniBand fat-tree routing for shift all-to-all
// communication patterns, 2010). On a tree of constant bisection bandwidth every shift permutation of the hosts is free of contention.
//
// With W(l) the product of the numbers of parents below level l, a switch of level l sends destination j up by parent
// floor(j / W(l)) mod w and by parallel link floor(j / (W(l) w)) mod p, w and p being its own; so of the destinations that share a
// switch, each link takes every so-manieth. On the way down the parallel link is the one that j would have taken up.
#include <cstddef>
#include <utility>

#include "balance.hpp"
#include "fat_tree.hpp"
#include "registry.hpp"
#include "updown_order.hpp"

namespace ccsim {
namespace {

std::uint8_t ParallelLink(const Bundle& bundle, std::size_t number) { return bundle.ports[number % bundle.ports.size()]; }

void RouteHosts(Fabric& fabric, const SwitchGraph& graph, const FatTree& tree) {
  std::vector<std::size_t> below(tree.num_levels + 1, 1);  // W by level
  for (std::uint32_t level = 2; level <= tree.num_levels; ++level) below[level] = below[level - 1] * tree.parents[level - 1];

  for (std::uint32_t s = 0; s < graph.size(); ++s) {
    const std::uint32_t level = tree.level[s];
    if (level == kNone) continue;
    const std::uint32_t node = graph.node(s);
    for (std::size_t j = 0; j < tree.hosts.size(); ++j) {
      const auto& [host, leaf] = tree.hosts[j];
      std::uint8_t port = host.port;
      if (s != leaf) {
        const std::uint16_t child = tree.child[s][tree.leaf_index[leaf]];
        if (child != FatTree::kNoChild) {
          port = ParallelLink(tree.down[s][child], j / below[level]);
        } else {
          const std::size_t parents = tree.parents[level];
          port = ParallelLink(tree.up[s][j / below[level] % parents], j / below[level] / parents);
        }
      }
      fabric.SetForward(node, host.endport, port);
    }
  }
}

// Aggregation nodes and routers, which may sit on any level and are no part of the order of the hosts.
void RouteOthers(Fabric& fabric, const SwitchGraph& graph, const FatTree& tree) {
  std::vector<std::uint32_t> rank = tree.level;
  for (std::uint32_t& r : rank) r = r == kNone ? kNone : tree.num_levels - r;
  UpDownOrder order(graph, std::move(rank));
  Balance balance(fabric, graph);
  std::vector<Attached> others;
  for (std::uint32_t s = 0; s < graph.size(); ++s) {
    others.clear();
    for (const Attached& attached : graph.attached(s)) {
      if (!attached.host) others.push_back(attached);
    }
    RouteUpDown(balance, graph, order, s, others);
  }
}

void RouteDmodk(Fabric& fabric, const RoutingOptions&) {
  const SwitchGraph graph(fabric);
  const FatTree tree = FindFatTree(graph);
  RouteHosts(fabric, graph, tree);
  RouteOthers(fabric, graph, tree);
}

const RoutingRegistration kRegistered("dmodk", RouteDmodk);

}  // namespace
}  // namespace ccsim
