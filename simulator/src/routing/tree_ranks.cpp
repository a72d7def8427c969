// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "tree_ranks.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace ccsim {
namespace {

// Leaves that are tried as the one by which tops reach each other.
constexpr std::size_t kMostPivots = 4;

// By switch, true for a leaf and all that is above it.
std::vector<char> Above(const SwitchGraph& graph, const TreeLevels& levels, std::uint32_t leaf) {
  std::vector<char> above(graph.size(), 0);
  std::vector<std::uint32_t> queue{leaf};
  above[leaf] = 1;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const std::uint32_t here = queue[i];
    for (const SwitchLink& link : graph.links(here)) {
      if (above[link.to] || levels.level[link.to] != levels.level[here] + 1) continue;
      above[link.to] = 1;
      queue.push_back(link.to);
    }
  }
  return above;
}

// Leaves of a part that is a tree, those below the most tops first.
std::vector<std::uint32_t> Pivots(const SwitchGraph& graph, const TreeLevels& levels, std::uint32_t part) {
  std::vector<std::pair<std::ptrdiff_t, std::uint32_t>> found;
  for (std::uint32_t s = 0; s < graph.size(); ++s) {
    if (levels.part[s] != part || !levels.in_tree[s] || levels.level[s] != 1) continue;
    const std::vector<char> above = Above(graph, levels, s);
    found.emplace_back(-std::count_if(levels.tops.begin(), levels.tops.end(), [&](std::uint32_t top) { return above[top] != 0; }),
                       s);
  }
  std::sort(found.begin(), found.end());
  found.resize(std::min(found.size(), kMostPivots));
  std::vector<std::uint32_t> pivots;
  pivots.reserve(found.size());
  for (const auto& [tops, leaf] : found) pivots.push_back(leaf);
  return pivots;
}

}  // namespace

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

std::vector<std::uint32_t> FindRanks(const SwitchGraph& graph, const TreeLevels& levels, const std::vector<std::uint32_t>& tops) {
  std::vector<char> has_top(graph.size(), 0);  // by part
  for (const std::uint32_t top : tops) has_top[levels.part[top]] = 1;
  std::vector<std::uint32_t> roots = tops;
  for (std::uint32_t p = 0; p < graph.size(); ++p) {
    if (levels.centre[p] != kNone && !has_top[p]) roots.push_back(levels.centre[p]);
  }
  const std::vector<std::uint32_t> from_tops = graph.DistancesTo(roots);
  std::vector<std::uint32_t> rank = from_tops;
  const auto reaches = [&](std::uint32_t part) {
    UpDownOrder order(graph, rank);
    const std::vector<std::uint32_t> pair = Unreached(graph, levels.part, order);
    return pair.empty() || levels.part[pair[0]] != part;
  };
  for (;;) {
    UpDownOrder order(graph, rank);
    const std::vector<std::uint32_t> pair = Unreached(graph, levels.part, order);
    if (pair.empty()) return rank;
    const std::uint32_t part = levels.part[pair[0]];
    std::uint32_t height = 0;
    for (std::uint32_t s = 0; s < graph.size(); ++s) {
      if (levels.part[s] == part && levels.level[s] != kNone) height = std::max(height, levels.level[s]);
    }
    bool found = false;
    for (const std::uint32_t pivot : Pivots(graph, levels, part)) {
      const std::vector<char> above = Above(graph, levels, pivot);
      for (std::uint32_t s = 0; s < graph.size(); ++s) {
        if (levels.part[s] == part) rank[s] = above[s] ? levels.level[s] - 1 : height - 1 + from_tops[s];
      }
      found = reaches(part);
      if (found) break;
    }
    if (found) continue;
    const std::vector<std::uint32_t> from_centre = graph.DistancesTo({&levels.centre[part], 1});
    for (std::uint32_t s = 0; s < graph.size(); ++s) {
      if (levels.part[s] == part) rank[s] = from_centre[s];
    }
  }
}

}  // namespace ccsim
