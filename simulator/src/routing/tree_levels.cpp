// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "tree_levels.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "../fabric.hpp"
#include "levels_from_below.hpp"

namespace ccsim {
namespace {

// Number of hosts at each distance in hops from one switch, and the sums of these.
struct HostDistances {
  std::vector<std::uint32_t> hosts_by_hops;
  std::uint32_t hosts = 0;
  std::uint64_t total_hops = 0;
};

std::vector<std::uint32_t> HopsFrom(const HostGraph& graph, std::span<const std::uint32_t> sources) {
  std::vector<std::uint32_t> hops(graph.links.size(), kNone);
  std::vector<std::uint32_t> queue(sources.begin(), sources.end());
  queue.reserve(hops.size());
  for (const std::uint32_t source : sources) hops[source] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (const std::uint32_t next : graph.links[queue[i]]) {
      if (hops[next] != kNone) continue;
      hops[next] = hops[queue[i]] + 1;
      queue.push_back(next);
    }
  }
  return hops;
}

std::vector<HostDistances> DistancesToHosts(const HostGraph& graph) {
  std::vector<HostDistances> result(graph.links.size());
  for (std::uint32_t from = 0; from < graph.links.size(); ++from) {
    const std::uint32_t hosts = graph.hosts[from];
    if (hosts == 0) continue;
    const std::vector<std::uint32_t> hops = HopsFrom(graph, {&from, 1});
    for (std::uint32_t s = 0; s < hops.size(); ++s) {
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

std::vector<std::uint32_t> PartsOf(const HostGraph& graph) {
  std::vector<std::uint32_t> part(graph.links.size(), kNone);
  for (std::uint32_t s = 0; s < part.size(); ++s) {
    if (part[s] != kNone) continue;
    const std::vector<std::uint32_t> hops = HopsFrom(graph, {&s, 1});
    for (std::uint32_t t = s; t < part.size(); ++t) {
      if (hops[t] != kNone) part[t] = s;
    }
  }
  return part;
}

// In a tree of more than 20 leaves, leaves pass the test for a top too, as all hosts but their own few are equally far.
std::vector<std::uint32_t> TopsOf(const std::vector<HostDistances>& distances, const std::vector<std::uint32_t>& part) {
  std::vector<std::uint32_t> nearest(part.size(), kNone);  // by part
  for (std::uint32_t s = 0; s < part.size(); ++s) nearest[part[s]] = std::min(nearest[part[s]], DistanceOfTop(distances[s]));
  std::vector<std::uint32_t> tops;
  for (std::uint32_t s = 0; s < part.size(); ++s) {
    const std::uint32_t hops = DistanceOfTop(distances[s]);
    if (hops != kNone && hops == nearest[part[s]]) tops.push_back(s);
  }
  return tops;
}

// By switch, its level if its part were a tree with these tops; kNone in parts that have none. Leaves are the switches with hosts at
// the distance from the tops that most hosts have. A switch that no leaf is near, such as a line card without cables, has the level that
// its distance from the tops gives.
std::vector<std::uint32_t> LevelsBelow(const HostGraph& graph, const std::vector<std::uint32_t>& part,
                                       const std::vector<std::uint32_t>& tops) {
  const std::vector<std::uint32_t> depth = HopsFrom(graph, tops);
  std::vector<std::vector<std::uint64_t>> hosts_at(part.size());  // by part and depth
  for (std::uint32_t s = 0; s < part.size(); ++s) {
    if (depth[s] == kNone) continue;
    auto& here = hosts_at[part[s]];
    if (here.size() <= depth[s]) here.resize(depth[s] + 1);
    here[depth[s]] += graph.hosts[s];
  }
  std::vector<std::uint32_t> bottom(part.size(), kNone);  // by part
  for (std::uint32_t p = 0; p < part.size(); ++p) {
    if (hosts_at[p].empty()) continue;
    bottom[p] = static_cast<std::uint32_t>(std::max_element(hosts_at[p].begin(), hosts_at[p].end()) - hosts_at[p].begin());
  }
  std::vector<std::uint32_t> leaves;
  for (std::uint32_t s = 0; s < part.size(); ++s) {
    if (depth[s] != kNone && graph.hosts[s] > 0 && depth[s] == bottom[part[s]]) leaves.push_back(s);
  }
  std::vector<std::uint32_t> level = HopsFrom(graph, leaves);
  for (std::uint32_t s = 0; s < part.size(); ++s) {
    if (level[s] == kNone) continue;
    const std::uint32_t height = bottom[part[s]] + 1;
    ++level[s];
    if (level[s] > height) level[s] = depth[s] < height ? height - depth[s] : 1;
  }
  return level;
}

// By part, true if it has at least two levels and nearly all links and hosts are where a tree has them.
std::vector<char> TreesAmong(const HostGraph& graph, const std::vector<std::uint32_t>& part,
                             const std::vector<std::uint32_t>& level) {
  struct Counts {
    std::uint64_t links = 0, odd_links = 0, hosts = 0, odd_hosts = 0;
    std::uint32_t height = 0;
  };
  std::vector<Counts> counts(part.size());
  for (std::uint32_t s = 0; s < part.size(); ++s) {
    Counts& of = counts[part[s]];
    of.hosts += graph.hosts[s];
    if (level[s] != 1) of.odd_hosts += graph.hosts[s];
    if (level[s] != kNone) of.height = std::max(of.height, level[s]);
    for (const std::uint32_t t : graph.links[s]) {
      ++of.links;
      const bool next = level[s] != kNone && (level[s] + 1 == level[t] || level[t] + 1 == level[s]);
      if (!next) ++of.odd_links;
    }
  }
  std::vector<char> is_tree(part.size(), 0);
  for (std::uint32_t p = 0; p < part.size(); ++p) {
    const Counts& of = counts[p];
    is_tree[p] =
        of.height > 1 && of.odd_links * 100 <= of.links * kOddLinksPercent && of.odd_hosts * 100 <= of.hosts * kOddHostsPercent;
  }
  return is_tree;
}

std::vector<std::uint32_t> CentresOf(const std::vector<HostDistances>& distances, const std::vector<std::uint32_t>& part) {
  std::vector<std::uint32_t> centre(part.size(), kNone);
  for (std::uint32_t s = 0; s < part.size(); ++s) {
    std::uint32_t& best = centre[part[s]];
    const auto key = [&](std::uint32_t t) { return std::tuple(distances[t].hosts_by_hops.size(), distances[t].total_hops, t); };
    if (best == kNone || key(s) < key(best)) best = s;
  }
  return centre;
}

// The fabric without the hosts of switches that have at most half as many as the switch of the middle host of their part: in a tree
// with much storage on its spines, that leaves the leaves.
HostGraph WithoutFewHosts(const HostGraph& graph, const std::vector<std::uint32_t>& part) {
  std::vector<std::uint32_t> order(part.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return graph.hosts[a] < graph.hosts[b]; });
  std::vector<std::uint64_t> all(part.size(), 0), seen(part.size(), 0);
  std::vector<std::uint32_t> usual(part.size(), 0);  // by part
  for (const std::uint32_t s : order) all[part[s]] += graph.hosts[s];
  for (const std::uint32_t s : order) {
    const std::uint64_t before = seen[part[s]];
    seen[part[s]] += graph.hosts[s];
    if (2 * before < all[part[s]]) usual[part[s]] = graph.hosts[s];
  }
  HostGraph kept = graph;
  for (const std::uint32_t s : order) {
    if (2 * graph.hosts[s] <= usual[part[s]]) kept.hosts[s] = 0;
  }
  return kept;
}

// The fabric without the hosts of the switches that have the lowest shares of hosts: as many switches as have at most `percent` of the
// hosts of their part, and none of several with one share alone. In a small tree, a spine may have as many hosts as a leaf.
HostGraph WithoutLowShares(const HostGraph& graph, const std::vector<std::uint32_t>& part, std::uint64_t percent) {
  const auto share = [&](std::uint32_t s) { return ShareOfHosts(graph, s); };
  std::vector<std::uint64_t> all(part.size(), 0);              // by part
  std::vector<std::vector<std::uint32_t>> order(part.size());  // by part: switches with hosts
  for (std::uint32_t s = 0; s < part.size(); ++s) {
    all[part[s]] += graph.hosts[s];
    if (graph.hosts[s] > 0) order[part[s]].push_back(s);
  }
  HostGraph kept = graph;
  for (std::uint32_t p = 0; p < part.size(); ++p) {
    auto& switches = order[p];
    std::sort(switches.begin(), switches.end(), [&](std::uint32_t a, std::uint32_t b) { return share(a) < share(b); });
    std::uint64_t dropped = 0;
    for (auto first = switches.begin(); first != switches.end();) {
      const auto last = std::find_if(first, switches.end(), [&](std::uint32_t s) { return share(*first) < share(s); });
      std::for_each(first, last, [&](std::uint32_t s) { dropped += graph.hosts[s]; });
      if (dropped * 100 > all[p] * percent) break;
      std::for_each(first, last, [&](std::uint32_t s) { kept.hosts[s] = 0; });
      first = last;
    }
  }
  return kept;
}

// The switches at the top if `full_tops` are some of them: those with few hosts or none from which three fifths of the hosts of leaves are
// as far as from `full_tops`, and none nearer. `most`: without few hosts.
std::vector<std::uint32_t> AllTops(const HostGraph& most, const std::vector<HostDistances>& to_most,
                                   const std::vector<std::uint32_t>& part, const std::vector<std::uint32_t>& full_tops) {
  std::vector<std::uint32_t> nearest(part.size(), kNone);  // by part
  for (const std::uint32_t top : full_tops) nearest[part[top]] = DistanceOfTop(to_most[top]);
  std::vector<std::uint32_t> tops;
  for (std::uint32_t s = 0; s < part.size(); ++s) {
    bool is_top = std::binary_search(full_tops.begin(), full_tops.end(), s);
    const auto& hosts = to_most[s].hosts_by_hops;
    const std::uint32_t hops = nearest[part[s]];
    if (!is_top && most.hosts[s] == 0 && hops != kNone && hops < hosts.size()) {
      const bool none_nearer = std::all_of(hosts.begin(), hosts.begin() + hops, [](std::uint32_t count) { return count == 0; });
      is_top = none_nearer && std::uint64_t{hosts[hops]} * 5 > std::uint64_t{to_most[s].hosts} * 3;
    }
    if (is_top) tops.push_back(s);
  }
  return tops;
}

// What the fabric would be if the hosts that are `counted` decided which switches are at the top. `most`: without those of switches that
// may be above the leaves.
struct Attempt {
  Attempt(const HostGraph& graph, const std::vector<HostDistances>& counted, const HostGraph& most,
          const std::vector<HostDistances>& to_most, const std::vector<std::uint32_t>& part)
      : full_tops(TopsOf(counted, part)),
        tops(AllTops(most, to_most, part, full_tops)),
        level(LevelsBelow(graph, part, tops)),
        is_tree(TreesAmong(graph, part, level)) {}

  // From the leaves upward.
  Attempt(const HostGraph& graph, LevelsFromBelow below, const std::vector<std::uint32_t>& part)
      : tops(std::move(below.tops)), level(std::move(below.level)), is_tree(TreesAmong(graph, part, level)) {
    for (std::size_t p = 0; p < is_tree.size(); ++p) is_tree[p] = is_tree[p] && below.climbs[p];
  }

  std::vector<std::uint32_t> full_tops, tops, level;
  std::vector<char> is_tree;  // by part
};

}  // namespace

TreeLevels FindTreeLevels(const HostGraph& graph) {
  TreeLevels found;
  const std::vector<HostDistances> distances = DistancesToHosts(graph);
  found.part = PartsOf(graph);
  found.centre = CentresOf(distances, found.part);
  const HostGraph most = WithoutFewHosts(graph, found.part);
  const std::vector<HostDistances> to_most = DistancesToHosts(most);
  std::vector<Attempt> attempts{{graph, distances, most, to_most, found.part}, {graph, to_most, most, to_most, found.part}};
  std::vector<std::size_t> chosen(graph.links.size(), 0);  // by part: the first attempt that finds a tree; else the first
  const auto some_part_is_no_tree = [&] {
    bool left = false;
    for (const std::uint32_t p : found.part) {
      const auto tree =
          std::find_if(attempts.begin(), attempts.end(), [&](const Attempt& attempt) { return attempt.is_tree[p]; });
      chosen[p] = tree == attempts.end() ? 0 : static_cast<std::size_t>(tree - attempts.begin());
      left |= tree == attempts.end();
    }
    return left;
  };
  std::vector<std::uint32_t> counted = graph.hosts;
  for (std::uint64_t percent = 5; some_part_is_no_tree() && percent <= kOddHostsPercent; percent += 5) {
    const HostGraph kept = WithoutLowShares(graph, found.part, percent);
    if (kept.hosts == counted) continue;
    counted = kept.hosts;
    const std::vector<HostDistances> to_kept = DistancesToHosts(kept);
    attempts.emplace_back(graph, to_kept, kept, to_kept, found.part);
  }
  if (some_part_is_no_tree()) attempts.emplace_back(graph, FindLevelsFromBelow(graph, found.part), found.part);
  some_part_is_no_tree();
  std::vector<std::uint32_t> with_hosts;
  for (std::uint32_t s = 0; s < graph.links.size(); ++s) {
    if (graph.hosts[s] > 0) with_hosts.push_back(s);
  }
  found.level = HopsFrom(graph, with_hosts);
  for (std::uint32_t s = 0; s < graph.links.size(); ++s) {
    const Attempt& attempt = attempts[chosen[found.part[s]]];
    const auto& full_tops = attempt.full_tops;
    found.in_tree.push_back(attempt.is_tree[found.part[s]]);
    const auto& tops = found.in_tree[s] ? attempt.tops : full_tops;
    if (std::binary_search(full_tops.begin(), full_tops.end(), s)) found.full_tops.push_back(s);
    if (std::binary_search(tops.begin(), tops.end(), s)) found.tops.push_back(s);
    if (found.in_tree[s]) {
      found.level[s] = attempt.level[s];
    } else if (found.level[s] != kNone) {
      ++found.level[s];
    }
  }
  return found;
}

}  // namespace ccsim
