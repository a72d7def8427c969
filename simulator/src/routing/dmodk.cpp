// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dmodk: D-mod-K routing of fat trees (Zahavi, Johnson, Kerbyson and Lang: Optimized InfiniBand fat-tree routing for shift all-to-all
// communication patterns, 2010). On a tree of constant bisection bandwidth every shift permutation of the hosts is free of contention.
//
// With W(l) the product of the numbers of parents below level l, a switch of level l sends destination j up by parent
// floor(j / W(l)) mod w and by parallel link floor(j / (W(l) w)) mod p, w and p being its own; so of the destinations that share a
// switch, each link takes every so-manieth. On the way down the parallel link is the one that j would have taken up.
#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

#include "balance.hpp"
#include "fat_tree.hpp"
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

// Routes to aggregation nodes, routers and hosts above the leaves, which the order of the hosts leaves out.
void RouteOthers(Fabric& fabric, const SwitchGraph& graph, const TreeLevels& levels) {
  UpDownOrder order(graph, FindRanks(graph, levels, levels.tops));
  Balance balance(fabric, graph);
  std::vector<Attached> others;
  for (std::uint32_t s = 0; s < graph.size(); ++s) {
    others.clear();
    for (const Attached& attached : graph.attached(s)) {
      if (!attached.host || levels.level[s] != 1) others.push_back(attached);
    }
    RouteUpDown(balance, graph, order, s, others);
  }
}

// Routes of a tree in which links or switches are missing. As D-mod-K, they lead to each destination down one way from one top switch,
// and destinations share these ways evenly: the way grows from the destination's leaf upwards, over the link that the fewest others come
// down by. Elsewhere packets take, of the shortest ways up and down, the one that meets that way soonest, by the link with the fewest
// destinations.
class DamagedTree {
 public:
  DamagedTree(Fabric& fabric, const SwitchGraph& graph, const TreeLevels& levels)
      : fabric_(fabric),
        graph_(graph),
        order_(graph, FindRanks(graph, levels, levels.tops)),
        up_load_(graph.size()),
        down_load_(graph.size()),
        ports_(graph.size()),
        met_(graph.size()) {}

  void Route() {
    Balance balance(fabric_, graph_);
    for (const std::uint32_t leaf : graph_.ByLoad()) {
      if (graph_.attached(leaf).empty()) continue;
      Aim(leaf);
      balance.Deliver(leaf, graph_.attached(leaf));
      for (const Attached& destination : graph_.attached(leaf)) RouteTo(leaf, destination.endport);
    }
  }

 private:
  void Aim(std::uint32_t leaf) {
    order_.Aim(leaf);
    by_hops_.clear();
    for (std::uint32_t s = 0; s < graph_.size(); ++s) {
      if (s != leaf && order_.hops(s) != kNone) by_hops_.push_back(s);
      order_.Ports(s, ports_[s]);
    }
    std::stable_sort(by_hops_.begin(), by_hops_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return order_.hops(a) < order_.hops(b); });
  }

  void RouteTo(std::uint32_t leaf, std::uint32_t endport) {
    std::fill(met_.begin(), met_.end(), 0);
    way_.clear();
    std::uint32_t here = leaf;
    for (;;) {
      way_.push_back(here);
      const SwitchLink* best = nullptr;
      for (const SwitchLink& link : graph_.links(here)) {
        if (!order_.IsUp(here, link.to) || order_.hops(link.to) != order_.hops(here) + 1) continue;
        if (best == nullptr || down_load_[link.to][link.to_port] < down_load_[best->to][best->to_port]) best = &link;
      }
      if (best == nullptr) break;
      ++down_load_[best->to][best->to_port];
      fabric_.SetForward(graph_.node(best->to), endport, best->to_port);
      here = best->to;
    }
    for (const std::uint32_t s : way_) met_[s] = 1;
    for (std::size_t i = 1; i < way_.size(); ++i) met_[way_[i]] += met_[way_[i - 1]];
    for (const std::uint32_t s : by_hops_) {
      if (met_[s] > 0) continue;
      const SwitchLink* best = nullptr;
      for (const SwitchLink& link : graph_.links(s)) {
        if (std::find(ports_[s].begin(), ports_[s].end(), link.port) == ports_[s].end()) continue;
        if (best == nullptr ||
            std::pair(met_[best->to], up_load_[s][link.port]) < std::pair(met_[link.to], up_load_[s][best->port])) {
          best = &link;
        }
      }
      if (best == nullptr) continue;
      met_[s] = met_[best->to];
      ++up_load_[s][best->port];
      fabric_.SetForward(graph_.node(s), endport, best->port);
    }
  }

  Fabric& fabric_;
  const SwitchGraph& graph_;
  UpDownOrder order_;
  std::vector<std::array<std::uint32_t, kMaxPorts + 1>> up_load_, down_load_;  // by switch and port: destinations sent that way
  std::vector<PortSet> ports_;      // by switch: those that begin a shortest way to the leaf aimed at
  std::vector<std::uint32_t> met_;  // by switch: how many of `way_` a packet from there passes
  std::vector<std::uint32_t> by_hops_, way_;
};

void RouteDmodk(Fabric& fabric, const RoutingOptions&) {
  const SwitchGraph graph(fabric);
  const TreeLevels levels = graph.Levels();
  try {
    const FatTree tree = FindFatTree(graph, levels);
    RouteHosts(fabric, graph, tree);
    RouteOthers(fabric, graph, levels);
  } catch (const std::invalid_argument&) {
    for (std::uint32_t s = 0; s < graph.size(); ++s) {
      if (!levels.in_tree[s] && !graph.attached(s).empty()) throw;
    }
    DamagedTree(fabric, graph, levels).Route();
  }
}

const RoutingRegistration kRegistered("dmodk", RouteDmodk);

}  // namespace
}  // namespace ccsim
