// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// updown: up*/down* routing (Schroeder et al., Autonet, 1991): each link has an up direction towards the roots, and a packet that has
// gone down never goes up again, so no cycle of links can wait for each other. Routes are balanced over equally short legal ones.
#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

#include "registry.hpp"
#include "route_loads.hpp"
#include "tree_ranks.hpp"
#include "updown_order.hpp"

namespace ccsim {
namespace {

std::vector<std::uint32_t> GivenRoots(const SwitchGraph& graph, const std::vector<std::uint32_t>& part,
                                      const std::vector<std::uint32_t>& nodes) {
  std::vector<std::uint32_t> roots;
  roots.reserve(nodes.size());
  for (const std::uint32_t node : nodes) roots.push_back(graph.fabric().switch_ordinal(node));
  for (std::uint32_t s = 0; s < graph.size(); ++s) {
    if (graph.attached(s).empty()) continue;
    if (std::none_of(roots.begin(), roots.end(), [&](std::uint32_t root) { return part[root] == part[s]; })) {
      throw std::invalid_argument("no root can be reached from switch " + graph.Name(s) + "; each part of the fabric needs one");
    }
  }
  UpDownOrder order(graph, graph.DistancesTo(roots));
  const std::vector<std::uint32_t> pair = Unreached(graph, part, order);
  if (!pair.empty()) {
    throw std::invalid_argument("with these roots there is no up*/down* route from switch " + graph.Name(pair[0]) + " to " +
                                graph.Name(pair[1]) + "; give fewer roots, or such as every switch can climb to");
  }
  return roots;
}

void RouteByRanks(Fabric& fabric, const SwitchGraph& graph, std::vector<std::uint32_t> rank) {
  fabric.ClearForwarding();
  UpDownOrder order(graph, std::move(rank));
  Balance balance(fabric, graph);
  for (const std::uint32_t to : graph.ByLoad()) RouteUpDown(balance, graph, order, to, graph.attached(to));
}

// Pairs of hosts on the busiest direction of a link between switches.
std::uint64_t Busiest(const Fabric& fabric, const SwitchGraph& graph) {
  const std::vector<std::uint64_t> loads = PairLoads(fabric);
  std::uint64_t busiest = 0;
  for (std::uint32_t s = 0; s < graph.size(); ++s) {
    for (const SwitchLink& link : graph.links(s)) busiest = std::max(busiest, loads[s * kLoadsOfSwitch + link.port]);
  }
  return busiest;
}

// Roots are the switches at the top of a tree, or only those of them that miss few cables, as OpenSM finds them: of the two, those by
// which the busiest link carries less.
void RouteUpdown(Fabric& fabric, const RoutingOptions& options) {
  const SwitchGraph graph(fabric, options.order_seed);
  const TreeLevels levels = graph.Levels();
  if (!options.roots.empty()) {
    RouteByRanks(fabric, graph, graph.DistancesTo(GivenRoots(graph, levels.part, options.roots)));
    return;
  }
  RouteByRanks(fabric, graph, FindRanks(graph, levels, levels.full_tops));
  if (levels.tops == levels.full_tops) return;
  const std::uint64_t by_full_tops = Busiest(fabric, graph);
  RouteByRanks(fabric, graph, FindRanks(graph, levels, levels.tops));
  if (Busiest(fabric, graph) > by_full_tops) RouteByRanks(fabric, graph, FindRanks(graph, levels, levels.full_tops));
}

const RoutingRegistration kRegistered("updown", RouteUpdown, TakesRoots::Yes);

}  // namespace
}  // namespace ccsim
