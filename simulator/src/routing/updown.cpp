// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// updown: up*/down* routing (Schroeder et al., Autonet, 1991): each link has an up direction towards the roots, and a packet that has
// gone down never goes up again, so no cycle of links can wait for each other. Routes are balanced over equally short legal ones.
#include <algorithm>
#include <stdexcept>
#include <tuple>

#include "registry.hpp"
#include "updown_order.hpp"

namespace ccsim {
namespace {

// Number of hosts at each distance in hops from one switch, and the sums of these.
struct HostDistances {
  std::vector<std::uint32_t> hosts_by_hops;
  std::uint32_t hosts = 0;
  std::uint64_t total_hops = 0;
};

std::vector<HostDistances> DistancesToHosts(const SwitchGraph& graph) {
  std::vector<HostDistances> result(graph.size());
  for (std::uint32_t leaf = 0; leaf < graph.size(); ++leaf) {
    const std::uint32_t hosts = graph.num_hosts(leaf);
    if (hosts == 0) continue;
    const std::vector<std::uint32_t> hops = graph.DistancesTo({&leaf, 1});
    for (std::uint32_t s = 0; s < graph.size(); ++s) {
      if (hops[s] == kNone) continue;
      HostDistances& here = result[s];
      if (here.hosts_by_hops.size() <= hops[s]) here.hosts_by_hops.resize(hops[s] + 1);
      here.hosts_by_hops[hops[s]] += hosts;
      here.hosts += hosts;
      here.total_hops += std::uint64_t{hops[s]} * hosts;
    }
  }
  return result;
}

// OpenSM's test: over 90 % of the hosts at one distance, and nowhere else over 5 %. The top switches of trees pass it, even where a few
// hosts are connected elsewhere. Returns that distance; kNone if the switch does not pass.
std::uint32_t DistanceOfTop(const HostDistances& distances) {
  const auto above = [&](std::uint32_t percent) {
    return std::count_if(distances.hosts_by_hops.begin(), distances.hosts_by_hops.end(), [&](std::uint32_t hosts) {
      return std::uint64_t{hosts} * 100 > std::uint64_t{distances.hosts} * percent;
    });
  };
  if (above(90) != 1 || above(5) != 1) return kNone;
  const auto most = std::max_element(distances.hosts_by_hops.begin(), distances.hosts_by_hops.end());
  return static_cast<std::uint32_t>(most - distances.hosts_by_hops.begin());
}

// The switches of each part of the fabric that pass OpenSM's test and are nearest to the hosts. In a tree of more than 20 leaves, leaves
// pass it too, as all hosts but their own few are equally far; as roots they would leave the order of levels to GUIDs.
std::vector<std::uint32_t> Tops(const std::vector<HostDistances>& distances, const std::vector<std::uint32_t>& part) {
  std::vector<std::uint32_t> nearest(part.size(), kNone);  // by part
  for (std::uint32_t s = 0; s < part.size(); ++s) nearest[part[s]] = std::min(nearest[part[s]], DistanceOfTop(distances[s]));
  std::vector<std::uint32_t> tops;
  for (std::uint32_t s = 0; s < part.size(); ++s) {
    const std::uint32_t hops = DistanceOfTop(distances[s]);
    if (hops != kNone && hops == nearest[part[s]]) tops.push_back(s);
  }
  return tops;
}

// Returns for each switch a number of the part of the fabric that it is in.
std::vector<std::uint32_t> Parts(const SwitchGraph& graph) {
  std::vector<std::uint32_t> part(graph.size(), kNone);
  for (std::uint32_t s = 0; s < graph.size(); ++s) {
    if (part[s] != kNone) continue;
    const std::vector<std::uint32_t> hops = graph.DistancesTo({&s, 1});
    for (std::uint32_t t = 0; t < graph.size(); ++t) {
      if (hops[t] != kNone) part[t] = s;
    }
  }
  return part;
}

// Two switches with hosts, in one part of the fabric, that have no up*/down* route with these roots; empty if all have one. Aggregation
// nodes and routers do not count: those at the top of a tree have no such route from every leaf.
std::vector<std::uint32_t> Unreached(const SwitchGraph& graph, const std::vector<std::uint32_t>& part, UpDownOrder& order) {
  for (std::uint32_t to = 0; to < graph.size(); ++to) {
    if (graph.num_hosts(to) == 0) continue;
    order.Aim(to);
    for (std::uint32_t from = 0; from < graph.size(); ++from) {
      if (part[from] == part[to] && graph.num_hosts(from) > 0 && order.hops(from) == kNone) return {from, to};
    }
  }
  return {};
}

// The top switches of each part of the fabric; if they do not work as roots, the one switch nearest to the hosts.
std::vector<std::uint32_t> FindRoots(const SwitchGraph& graph, const std::vector<std::uint32_t>& part) {
  const std::vector<HostDistances> distances = DistancesToHosts(graph);
  const std::vector<std::uint32_t> tops = Tops(distances, part);
  std::vector<std::uint32_t> centre(graph.size(), kNone);  // by part
  for (std::uint32_t s = 0; s < graph.size(); ++s) {
    std::uint32_t& best = centre[part[s]];
    const auto key = [&](std::uint32_t t) { return std::tuple(distances[t].hosts_by_hops.size(), distances[t].total_hops, t); };
    if (best == kNone || key(s) < key(best)) best = s;
  }
  std::vector<char> has_top(graph.size(), 0);
  for (const std::uint32_t top : tops) has_top[part[top]] = 1;
  std::vector<std::uint32_t> roots = tops;
  for (std::uint32_t p = 0; p < graph.size(); ++p) {
    if (centre[p] != kNone && !has_top[p]) roots.push_back(centre[p]);
  }
  for (;;) {
    UpDownOrder order(graph, graph.DistancesTo(roots));
    const std::vector<std::uint32_t> pair = Unreached(graph, part, order);
    if (pair.empty()) return roots;
    std::erase_if(roots, [&](std::uint32_t root) { return part[root] == part[pair[0]]; });
    roots.push_back(centre[part[pair[0]]]);
  }
}

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
  const std::vector<std::uint32_t> part = Parts(graph);
  const std::vector<std::uint32_t> roots =
      options.roots.empty() ? FindRoots(graph, part) : GivenRoots(graph, part, options.roots);
  UpDownOrder order(graph, graph.DistancesTo(roots));
  Balance balance(fabric, graph);
  for (std::uint32_t to = 0; to < graph.size(); ++to) RouteUpDown(balance, graph, order, to, graph.attached(to));
}

const RoutingRegistration kRegistered("updown", RouteUpdown, TakesRoots::Yes);

}  // namespace
}  // namespace ccsim
