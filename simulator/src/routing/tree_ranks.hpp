// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tree_ranks.hpp: ranks of switches for up*/down* routes by which all hosts of a part reach each other.
#pragma once

#include <cstdint>
#include <vector>

#include "switch_graph.hpp"
#include "tree_levels.hpp"
#include "updown_order.hpp"

namespace ccsim {

// Two switches with hosts, in one part of the fabric, that have no up*/down* route in this order; empty if all have one. Aggregation
// nodes and routers do not count: those at the top of a tree have no such route from every leaf.
std::vector<std::uint32_t> Unreached(const SwitchGraph& graph, const std::vector<std::uint32_t>& part, UpDownOrder& order);

// By switch, its rank for UpDownOrder. In each part ranks count from its `tops`. Hosts on several tops do not reach each other then, and in
// a tree one leaf and all that is above it get ranks above the other tops': packets between tops go down to that leaf and up again, and
// since they turn nowhere else, no buffers wait for each other. Where that does not work either, ranks count from the one switch nearest
// to the hosts.
std::vector<std::uint32_t> FindRanks(const SwitchGraph& graph, const TreeLevels& levels, const std::vector<std::uint32_t>& tops);

}  // namespace ccsim
