// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dmodk: D-mod-K routing of fat trees (Zahavi, Johnson, Kerbyson and Lang: Optimized InfiniBand fat-tree routing for shift all-to-all
// communication patterns, 2010). On a tree of constant bisection bandwidth every shift permutation of the hosts is free of contention.
//
// With W(l) the product of the numbers of parents below level l, a switch of level l sends destination j up by parent
// floor(j / W(l)) mod w and by parallel link floor(j / (W(l) w)) mod p, w and p being its own; so of the destinations that share a
// switch, each link takes every so-manieth. On the way down the parallel link is the one that j would have taken up.
//
// Trees in which links or switches are missing, or with hosts on several switches above the leaves, get the routes of OpenSM's ftree,
// which agrees with D-mod-K on whole ones.
#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "balance.hpp"
#include "fat_tree.hpp"
#include "opensm_ftree.hpp"
#include "registry.hpp"
#include "tree_ranks.hpp"
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

// Routes to adapters that the routing itself leaves out.
template <typename IsLeftOut>
void RouteOthers(Fabric& fabric, const SwitchGraph& graph, const TreeLevels& levels, IsLeftOut is_left_out) {
  UpDownOrder order(graph, FindRanks(graph, levels, levels.tops));
  Balance balance(fabric, graph);
  std::vector<Attached> others;
  for (std::uint32_t s = 0; s < graph.size(); ++s) {
    others.clear();
    for (const Attached& attached : graph.attached(s)) {
      if (is_left_out(s, attached)) others.push_back(attached);
    }
    RouteUpDown(balance, graph, order, s, others);
  }
}

std::size_t CountAboveLeavesWithHosts(const SwitchGraph& graph, const TreeLevels& levels) {
  std::size_t count = 0;
  for (std::uint32_t s = 0; s < graph.size(); ++s) {
    count += levels.level[s] != 1 && std::ranges::any_of(graph.attached(s), &Attached::host);
  }
  return count;
}

void RouteDmodk(Fabric& fabric, const RoutingOptions& options) {
  const SwitchGraph graph(fabric, options.order_seed);
  const TreeLevels levels = graph.Levels();
  try {
    const FatTree tree = FindFatTree(graph, levels);
    if (CountAboveLeavesWithHosts(graph, levels) > 1)
      throw std::invalid_argument("hosts above the leaves reach each other otherwise");
    RouteHosts(fabric, graph, tree);
    // Aggregation nodes, routers and hosts above the leaves are no part of the order of the hosts.
    RouteOthers(fabric, graph, levels, [&](std::uint32_t s, const Attached& one) { return !one.host || levels.level[s] != 1; });
  } catch (const std::invalid_argument&) {
    for (std::uint32_t s = 0; s < graph.size(); ++s) {
      if (!levels.in_tree[s] && !graph.attached(s).empty()) throw;
    }
    RouteAsOpensmFtree(fabric, graph, levels);
    RouteOthers(fabric, graph, levels, [&](std::uint32_t, const Attached& one) {
      return fabric.nodes()[fabric.endports()[one.endport].node].kind == NodeKind::Router;
    });
  }
}

const RoutingRegistration kRegistered("dmodk", RouteDmodk);

}  // namespace
}  // namespace ccsim
