// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tree_levels.hpp: the level of each switch, for routings, and for all that draws, counts or advises on levels.
//
// In a tree, leaves are the switches that most hosts are on. Hosts elsewhere, such as storage, gateways and servers of the management on
// spines, do not make leaves of their switches, and a tenth of the links and hosts may be missing or stand where no tree has them.
#pragma once

#include <cstdint>
#include <vector>

namespace ccsim {

// Percent of the links between switches, and of the hosts, that may be where no tree has them.
constexpr std::uint64_t kOddLinksPercent = 10, kOddHostsPercent = 25;

// Switches by number, for the search for levels.
struct HostGraph {
  std::vector<std::vector<std::uint32_t>> links;  // by switch: the other end of each link to a switch, parallel links each
  std::vector<std::uint32_t> hosts;               // by switch: ports of hosts on it
};

// Share of hosts among what a switch is connected to, as a fraction: leaves have the most of them, whatever number of ports a site uses.
struct HostShare {
  std::uint64_t hosts, ends;

  double value() const { return static_cast<double>(hosts) / static_cast<double>(ends); }
  friend bool operator<(const HostShare& a, const HostShare& b) { return a.hosts * b.ends < b.hosts * a.ends; }
};

inline HostShare ShareOfHosts(const HostGraph& graph, std::uint32_t s) {
  return {graph.hosts[s], graph.hosts[s] + graph.links[s].size()};
}

struct TreeLevels {
  std::vector<std::uint32_t> part;   // by switch: the lowest switch that it hangs together with
  std::vector<std::uint32_t> level;  // by switch: 1 for leaves, kNone where no host is in reach
  std::vector<char> in_tree;         // by switch: its part is a tree; elsewhere levels count from the nearest switch with hosts
  std::vector<std::uint32_t> tops;   // switches at the top of the trees, and elsewhere as `full_tops`; ascending
  // Switches from which nearly all hosts of the part are equally far, by OpenSM's test for roots, and nearest to these; ascending. Of a
  // tree's tops, those that miss few cables.
  std::vector<std::uint32_t> full_tops;
  std::vector<std::uint32_t> centre;  // by part: the switch whose farthest host is nearest; kNone where `part` has no such number
};

TreeLevels FindTreeLevels(const HostGraph& graph);

}  // namespace ccsim
