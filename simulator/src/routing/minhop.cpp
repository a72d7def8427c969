// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// minhop: shortest paths, balanced over equal ones, as OpenSM's engine of that name. If the fabric has rings of four or more switches,
// these routes have credit loops.
#include "balance.hpp"
#include "registry.hpp"
#include "switch_graph.hpp"

namespace ccsim {
namespace {

void RouteMinhop(Fabric& fabric, const RoutingOptions& options) {
  const SwitchGraph graph(fabric, options.order_seed);
  Balance balance(fabric, graph);
  PortSet ports;
  // All destinations at one switch have the same routes, which are computed once.
  for (const std::uint32_t leaf : graph.ByLoad()) {
    if (graph.attached(leaf).empty()) continue;
    const std::vector<std::uint32_t> distance = graph.DistancesTo({&leaf, 1});
    balance.Deliver(leaf, graph.attached(leaf));
    for (std::uint32_t s = 0; s < graph.size(); ++s) {
      if (s == leaf || distance[s] == kNone) continue;
      ports.clear();
      for (const SwitchLink& link : graph.links(s)) {
        if (distance[link.to] + 1 == distance[s]) ports.push_back(link.port);
      }
      balance.Forward(s, graph.attached(leaf), ports);
    }
  }
}

const RoutingRegistration kRegistered("minhop", RouteMinhop);

}  // namespace
}  // namespace ccsim
