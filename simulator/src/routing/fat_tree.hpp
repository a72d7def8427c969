// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// fat_tree.hpp: finds the tree in a fabric: the levels of its switches, their parents and children, and the hosts in tree order.
//
// A tree here is a parallel-ports generalised fat tree in the sense of Zahavi et al. (2010), found by its links alone: most hosts on the
// lowest level, links between adjacent levels only, on each level as many parents and parallel links to each for every switch,
// from each switch one way down to each leaf below it, and each leaf below every switch of the top. k-ary n-trees and XGFTs are such
// trees, with any over-subscription; places for hosts and leaves may be empty. Hosts on higher levels are no part of `hosts`.
#pragma once

#include <cstdint>
#include <vector>

#include "switch_graph.hpp"
#include "tree_levels.hpp"

namespace ccsim {

// The links between a switch and one other of the next level, up or down, in the order of the lower switch's ports: both ends number
// parallel links alike.
struct Bundle {
  std::uint32_t to;
  std::vector<std::uint8_t> ports;  // of the switch that the bundle belongs to
};

struct TreeHost {
  Attached attached;
  std::uint32_t leaf;
};

struct FatTree {
  std::uint32_t num_levels = 0;
  std::vector<std::uint32_t> level;       // by switch: 1 for leaves, kNone for switches without links
  std::vector<std::vector<Bundle>> up;    // by switch; parents in the order that all switches have
  std::vector<std::vector<Bundle>> down;  // by switch, by ascending child
  std::vector<std::uint32_t> parents;     // by level: how many each switch has
  std::vector<std::vector<std::uint16_t>>
      child;                              // by switch and leaf_index: position in `down`, or kNoChild if the leaf is not below
  std::vector<std::uint32_t> leaf_index;  // by switch: position of a leaf among leaves, kNone for others
  std::vector<TreeHost> hosts;            // neighbours in the tree are neighbours here

  static constexpr std::uint16_t kNoChild = UINT16_MAX;
};

// Throws std::invalid_argument with the reason if the fabric is not such a tree.
FatTree FindFatTree(const SwitchGraph& graph, const TreeLevels& levels);

}  // namespace ccsim
