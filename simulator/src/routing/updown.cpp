// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// updown: up*/down* routing (Schroeder et al., Autonet, 1991): each link has an up direction towards the roots, and a packet that has
// gone down never goes up again, so no cycle of links can wait for each other. Routes are balanced over equally short legal ones.
#include <algorithm>
#include <stdexcept>

#include "registry.hpp"
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

void RouteUpdown(Fabric& fabric, const RoutingOptions& options) {
  const SwitchGraph graph(fabric);
  const TreeLevels levels = graph.Levels();
  UpDownOrder order(
      graph, options.roots.empty() ? FindRanks(graph, levels) : graph.DistancesTo(GivenRoots(graph, levels.part, options.roots)));
  Balance balance(fabric, graph);
  for (const std::uint32_t to : graph.ByLoad()) RouteUpDown(balance, graph, order, to, graph.attached(to));
}

const RoutingRegistration kRegistered("updown", RouteUpdown, TakesRoots::Yes);

}  // namespace
}  // namespace ccsim
