// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "levels_from_below.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "../fabric.hpp"

namespace ccsim {
namespace {

// Percent of a switch's links to other switches that lead down, at least: fewer are cables that no tree has, such as that of a leaf
// which is connected to the core.
constexpr std::uint64_t kDownPercent = 20;
// Percent of the pairs of leaves that need not reach each other by climbing and descending.
constexpr std::uint64_t kOddPairsPercent = 10;
// Gaps between the shares of hosts of leaves and of switches above that are tried, the widest first.
constexpr std::size_t kGaps = 4;

// What speaks against levels, the strongest first: switches with much the same neighbours, of which one is a leaf and the other is not;
// then no gap of a factor of two between the shares of hosts; then links and hosts that are where no tree has them.
struct Odd {
  std::uint64_t unlike_twins = 0;
  bool narrow = false;
  std::uint64_t others = 0;

  friend bool operator<(const Odd& a, const Odd& b) {
    return std::tie(a.unlike_twins, a.narrow, a.others) < std::tie(b.unlike_twins, b.narrow, b.others);
  }
};

struct Leaves {
  HostShare least;  // share of hosts that a leaf has at least
  bool narrow;      // no switch above has hosts, or one has more than half of that share
};

// The least shares of hosts that leaves of a part may have: what follows one of the widest gaps between the shares of its switches, or the
// least of all. Switches below it have few of the hosts together. `shares`: those of the part's switches with hosts, ascending.
std::vector<Leaves> LeavesByShare(const std::vector<HostShare>& shares) {
  struct Gap {
    double ratio;
    std::size_t first;  // leaf
  };
  std::uint64_t all = 0, above = 0;
  for (const HostShare& share : shares) all += share.hosts;
  std::vector<Gap> gaps;
  for (std::size_t i = 1; i < shares.size(); ++i) {
    above += shares[i - 1].hosts;
    if (above * 100 > all * kOddHostsPercent) break;
    if (shares[i - 1] < shares[i]) gaps.push_back({shares[i].value() / shares[i - 1].value(), i});
  }
  std::stable_sort(gaps.begin(), gaps.end(), [](const Gap& a, const Gap& b) { return a.ratio > b.ratio; });
  gaps.resize(std::min(gaps.size(), kGaps));
  std::vector<Leaves> found;
  found.reserve(gaps.size() + 1);
  for (const Gap& gap : gaps) found.push_back({shares[gap.first], gap.ratio < 2.0});
  if (!shares.empty()) found.push_back({shares[0], true});
  return found;
}

// Gives the next level to the switches that have enough links to lower ones; where none has, to all that have any. False at the end.
bool Climb(const HostGraph& graph, const std::vector<std::uint32_t>& members, std::vector<std::uint32_t>& level,
           std::uint32_t next) {
  std::vector<std::uint32_t> enough, any;
  for (const std::uint32_t s : members) {
    if (level[s] != kNone) continue;
    const auto down = static_cast<std::uint64_t>(
        std::count_if(graph.links[s].begin(), graph.links[s].end(), [&](std::uint32_t t) { return level[t] != kNone; }));
    if (down > 0) any.push_back(s);
    if (down * 100 >= graph.links[s].size() * kDownPercent && down > 0) enough.push_back(s);
  }
  for (const std::uint32_t s : enough.empty() ? any : enough) level[s] = next;
  return !any.empty();
}

std::vector<std::uint32_t> Tops(const HostGraph& graph, const std::vector<std::uint32_t>& level) {
  std::vector<std::uint32_t> tops;
  for (std::uint32_t s = 0; s < level.size(); ++s) {
    if (level[s] == kNone || level[s] == 1) continue;
    const auto higher = [&](std::uint32_t t) { return level[t] != kNone && level[t] > level[s]; };
    if (std::none_of(graph.links[s].begin(), graph.links[s].end(), higher)) tops.push_back(s);
  }
  return tops;
}

// Number of leaves, besides itself, that a leaf reaches by climbing, at most one link between switches of a level, and descending.
std::uint64_t Reached(const HostGraph& graph, const std::vector<std::uint32_t>& level, std::uint32_t leaf) {
  enum : char { kUnseen, kDescending, kClimbing };
  std::vector<char> state(level.size(), kUnseen);
  std::vector<std::pair<std::uint32_t, char>> queue{{leaf, kClimbing}};
  state[leaf] = kClimbing;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const auto [here, way] = queue[i];
    if (state[here] != way) continue;  // it was reached while climbing too, which leads further
    for (const std::uint32_t next : graph.links[here]) {
      if (level[next] == kNone || (way == kDescending && level[next] >= level[here])) continue;
      const char arriving = level[next] > level[here] ? kClimbing : kDescending;
      if (state[next] >= arriving) continue;
      state[next] = arriving;
      queue.emplace_back(next, arriving);
    }
  }
  std::uint64_t reached = 0;
  for (std::uint32_t s = 0; s < level.size(); ++s) reached += s != leaf && level[s] == 1 && state[s] != kUnseen;
  return reached;
}

// By switch, the other switches with much the same neighbours: more than half of those that either has.
std::vector<std::vector<std::uint32_t>> Twins(const HostGraph& graph) {
  std::vector<std::vector<std::uint32_t>> peers = graph.links;
  for (auto& of_switch : peers) {
    std::sort(of_switch.begin(), of_switch.end());
    of_switch.erase(std::unique(of_switch.begin(), of_switch.end()), of_switch.end());
  }
  std::vector<std::vector<std::uint32_t>> twins(peers.size());
  std::vector<std::uint32_t> common(peers.size(), 0), seen;
  for (std::uint32_t s = 0; s < peers.size(); ++s) {
    for (const std::uint32_t peer : peers[s]) {
      for (const std::uint32_t t : peers[peer]) {
        if (common[t]++ == 0) seen.push_back(t);
      }
    }
    for (const std::uint32_t t : seen) {
      if (t != s && 3 * common[t] > peers[s].size() + peers[t].size()) twins[s].push_back(t);
      common[t] = 0;
    }
    seen.clear();
  }
  return twins;
}

Odd OddOf(const HostGraph& graph, const std::vector<std::uint32_t>& members, const std::vector<std::uint32_t>& level,
          const std::vector<std::vector<std::uint32_t>>& twins) {
  Odd odd;
  for (const std::uint32_t s : members) {
    odd.unlike_twins += static_cast<std::uint64_t>(
        std::count_if(twins[s].begin(), twins[s].end(), [&](std::uint32_t t) { return level[s] == 1 && level[t] != 1; }));
    if (level[s] != 1) odd.others += graph.hosts[s];
    for (const std::uint32_t t : graph.links[s]) odd.others += s < t && level[s] + 1 != level[t] && level[t] + 1 != level[s];
  }
  return odd;
}

// True if nearly all leaves of a part reach each other.
bool AllClimb(const HostGraph& graph, const std::vector<std::uint32_t>& members, const std::vector<std::uint32_t>& level) {
  std::uint64_t leaves = 0, pairs = 0;
  for (const std::uint32_t s : members) {
    if (level[s] != 1) continue;
    ++leaves;
    pairs += Reached(graph, level, s);
  }
  return leaves > 1 && pairs * 100 >= leaves * (leaves - 1) * (100 - kOddPairsPercent);
}

}  // namespace

LevelsFromBelow FindLevelsFromBelow(const HostGraph& graph, const std::vector<std::uint32_t>& part) {
  LevelsFromBelow found{std::vector<std::uint32_t>(part.size(), kNone), {}, std::vector<char>(part.size(), 0)};
  std::map<std::uint32_t, std::vector<std::uint32_t>> parts;
  for (std::uint32_t s = 0; s < part.size(); ++s) parts[part[s]].push_back(s);
  const std::vector<std::vector<std::uint32_t>> twins = Twins(graph);
  for (const auto& [p, members] : parts) {
    std::vector<HostShare> shares;
    for (const std::uint32_t s : members) {
      if (graph.hosts[s] > 0) shares.push_back(ShareOfHosts(graph, s));
    }
    std::sort(shares.begin(), shares.end());
    std::optional<Odd> fewest;
    for (const Leaves& leaves : LeavesByShare(shares)) {
      std::vector<std::uint32_t> level(part.size(), kNone);
      for (const std::uint32_t s : members) {
        if (graph.hosts[s] > 0 && !(ShareOfHosts(graph, s) < leaves.least)) level[s] = 1;
      }
      for (std::uint32_t next = 2; Climb(graph, members, level, next); ++next) {
      }
      Odd odd = OddOf(graph, members, level, twins);
      odd.narrow = leaves.narrow;
      const auto leaf_count = static_cast<std::uint64_t>(
          std::count_if(members.begin(), members.end(), [&](std::uint32_t s) { return level[s] == 1; }));
      const bool better = !fewest || odd < *fewest;
      if (!better || odd.unlike_twins * 100 > leaf_count * kOddLinksPercent || !AllClimb(graph, members, level)) continue;
      fewest = odd;
      for (const std::uint32_t s : members) found.level[s] = level[s];
    }
    found.climbs[p] = fewest.has_value();
  }
  found.tops = Tops(graph, found.level);
  return found;
}

}  // namespace ccsim
