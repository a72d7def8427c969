// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// levels_from_below.hpp: levels of a tree whose top switches are not equally far from nearly all hosts, found from its leaves upward.
//
// Two trees whose spines are joined, pods of a sister building, or a leaf for the management that is connected to the core: seen from
// the top no distance is that of most hosts, but from the leaves each switch has its level.
#pragma once

#include <cstdint>
#include <vector>

#include "tree_levels.hpp"

namespace ccsim {

struct LevelsFromBelow {
  std::vector<std::uint32_t> level;  // by switch: 1 for leaves; kNone where no leaf is in reach
  std::vector<std::uint32_t> tops;   // switches above level 1 with no neighbour on a higher level, ascending
  // By part: whether nearly all leaves reach each other by climbing, at most one link between switches of a level, and descending.
  std::vector<char> climbs;
};

// `part`: by switch, the lowest switch that it hangs together with. Leaves have larger shares of hosts among what they are connected to than
// switches above, and there is a gap between; of the widest gaps, the one that leaves the least where no tree has it.
LevelsFromBelow FindLevelsFromBelow(const HostGraph& graph, const std::vector<std::uint32_t>& part);

}  // namespace ccsim
