// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The algorithm, as far as it decides which entries the tables have. Switches have ranks, 0 at the top, and indices, which a
// breadth-first search from one leaf gives them. Leaves come in the order of indices, and the adapters of a leaf in that of its ports. The
// way to an adapter climbs from its leaf, each time over the link that the fewest others come down by; from each switch on that way,
// routes spread down to all other leaves, over the links that the fewest others go up by. All other ways up are explored after the main
// one, for switches that it has not reached. A leaf with fewer adapters than the fullest one counts as if it had as many, so that the
// counters of links stay in step. Routes to I/O nodes may go down and up again as often as there are credits.
#include "opensm_ftree.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ccsim {
namespace {

constexpr unsigned kIndexLength = 8;  // digits of an index, the rank among them
constexpr std::uint64_t kNoIndex = UINT64_MAX, kIndexOfAdapters = kNoIndex - 1;
constexpr std::uint8_t kFar = UINT8_MAX;
// Steps down of the search for routes that go down and up again, of one destination. On trees of many levels OpenSM may take more; what it
// finds after so many changes few routes.
constexpr std::uint32_t kMostReverseSteps = 20'000;

class OpensmFtree {
 public:
  OpensmFtree(Fabric& fabric, const SwitchGraph& graph, const TreeLevels& levels, std::uint32_t part)
      : fabric_(fabric),
        graph_(graph),
        levels_(levels),
        switches_(graph.size()),
        hops_(graph.size(), kFar),
        out_(graph.size(), kNoRoute) {
    std::vector<std::uint32_t> roots;
    for (const std::uint32_t top : levels.tops) {
      if (levels.part[top] == part) roots.push_back(top);
    }
    const std::vector<std::uint32_t> rank = graph.DistancesTo(roots);
    for (std::uint32_t s = 0; s < graph.size(); ++s) {
      if (rank[s] == kNone) continue;
      switches_[s].rank = rank[s];
      in_order_.push_back(s);
    }
    std::sort(in_order_.begin(), in_order_.end(),
              [&](std::uint32_t a, std::uint32_t b) { return graph.OrderKey(a) < graph.OrderKey(b); });
    FindLeaves();
    for (const std::uint32_t s : in_order_) FindGroups(s);
    FindIndices();
  }

  void Route() {
    RouteToLeaves();
    RouteToOthers();
  }

 private:
  struct Link {
    std::uint8_t port, remote_port;
    std::uint32_t up = 0, down = 0;  // routes over the link
  };
  // All links of a switch to one other, or its link to one adapter.
  struct Group {
    std::uint32_t to;  // kNone: an adapter
    Attached adapter;
    std::vector<Link> links;
    std::uint32_t up = 0, down = 0;
  };
  using Groups = std::vector<std::size_t>;  // positions in groups_
  struct Switch {
    std::uint32_t rank = kNone;
    std::uint64_t index = kNoIndex;
    bool leaf = false;
    Groups below, beside, above;
    bool up_changed = false;  // since `below` was sorted
    std::size_t turn = 0;
  };

  bool IsCompute(std::uint32_t s, const Attached& attached) const { return attached.host && levels_.level[s] == 1; }

  void FindLeaves() {
    std::uint32_t first = kNone;
    for (const std::uint32_t s : in_order_) {
      const auto attached = graph_.attached(s);
      if (std::none_of(attached.begin(), attached.end(), [&](const Attached& one) { return IsCompute(s, one); })) continue;
      switches_[s].leaf = true;
      if (first == kNone) first = s;
      if (switches_[s].rank == switches_[first].rank) continue;
      throw std::invalid_argument("OpenSM's ftree refuses the tree: hosts are on switch " + graph_.Name(first) + ", " +
                                  std::to_string(switches_[first].rank) + " links below the top, and on " + graph_.Name(s) +
                                  ", " + std::to_string(switches_[s].rank) + " below it");
    }
    leaf_rank_ = first == kNone ? 0 : switches_[first].rank;
    if (leaf_rank_ < 1 || leaf_rank_ >= kIndexLength) {
      throw std::invalid_argument("OpenSM's ftree refuses the tree: it has " + std::to_string(leaf_rank_ + 1) +
                                  " levels; 2 to 8 can be routed");
    }
  }

  void FindGroups(std::uint32_t s) {
    Switch& here = switches_[s];
    std::vector<std::pair<std::uint8_t, std::size_t>> by_port;
    const auto add = [&](Group group) {
      by_port.emplace_back(group.links[0].port, groups_.size());
      groups_.push_back(std::move(group));
    };
    for (const SwitchLink& link : graph_.links(s)) {
      if (link.to == s) continue;
      const auto same =
          std::find_if(by_port.begin(), by_port.end(), [&](const auto& one) { return groups_[one.second].to == link.to; });
      if (same == by_port.end()) {
        add({link.to, {}, {{link.port, link.to_port}}});
      } else {
        groups_[same->second].links.push_back({link.port, link.to_port});
      }
    }
    for (const Attached& adapter : graph_.attached(s)) {
      if (KindOf(adapter) != NodeKind::Router) add({kNone, adapter, {{adapter.port, 0}}});
    }
    std::sort(by_port.begin(), by_port.end());
    for (const auto& [port, group] : by_port) {
      const std::uint32_t to = groups_[group].to;
      const bool is_above = to != kNone && switches_[to].rank < here.rank,
                 is_beside = to != kNone && switches_[to].rank == here.rank;
      (is_above ? here.above : is_beside ? here.beside : here.below).push_back(group);
    }
  }

  NodeKind KindOf(const Attached& adapter) const { return fabric_.nodes()[fabric_.endports()[adapter.endport].node].kind; }

  std::uint64_t IndexBehind(std::size_t group) const {
    return groups_[group].to == kNone ? kIndexOfAdapters : switches_[groups_[group].to].index;
  }

  void SortByIndex(Groups& groups) const {
    std::stable_sort(groups.begin(), groups.end(), [&](std::size_t a, std::size_t b) { return IndexBehind(a) < IndexBehind(b); });
  }

  // An index has the rank as its first digit; a neighbour's differs from it in that and in one more digit, which is the lowest free one.
  void FindIndices() {
    using Digits = std::array<std::uint8_t, kIndexLength>;
    std::vector<Digits> digits(graph_.size());
    const auto value = [](const Digits& of) {
      std::uint64_t all = 0;
      for (const std::uint8_t digit : of) all = all << 8 | digit;
      return all;
    };
    std::vector<std::uint64_t> taken;  // sorted
    const auto give = [&](std::uint32_t s, const Digits& to) {
      digits[s] = to;
      switches_[s].index = value(to);
      taken.insert(std::lower_bound(taken.begin(), taken.end(), switches_[s].index), switches_[s].index);
    };
    const auto give_next = [&](std::uint32_t s, Digits to, std::size_t digit) {
      for (unsigned i = 0; i < UINT8_MAX; ++i) {
        to[digit] = static_cast<std::uint8_t>(i);
        if (std::binary_search(taken.begin(), taken.end(), value(to))) continue;
        give(s, to);
        return true;
      }
      return false;
    };
    const auto first = std::find_if(in_order_.begin(), in_order_.end(), [&](std::uint32_t s) { return switches_[s].leaf; });
    Digits of_first{};
    of_first[0] = static_cast<std::uint8_t>(leaf_rank_);
    give(*first, of_first);
    std::vector<std::uint32_t> queue{*first};
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const std::uint32_t s = queue[i];
      Switch& here = switches_[s];
      const auto visit = [&](Groups& groups, std::size_t digit, int step) {
        Digits next = digits[s];
        next[0] = static_cast<std::uint8_t>(next[0] + step);
        for (const std::size_t group : groups) {
          const std::uint32_t to = groups_[group].to;
          if (to != kNone && switches_[to].index == kNoIndex && give_next(to, next, digit)) queue.push_back(to);
        }
        SortByIndex(groups);
      };
      if (here.rank < leaf_rank_) visit(here.below, here.rank + 1, 1);
      if (here.rank > 0) visit(here.above, here.rank, -1);
    }
  }

  void RouteToLeaves() {
    std::vector<std::uint32_t> leaves;
    for (const std::uint32_t s : in_order_) {
      if (switches_[s].rank == leaf_rank_) leaves.push_back(s);
    }
    std::stable_sort(leaves.begin(), leaves.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return switches_[a].index < switches_[b].index; });
    const auto is_leaf = [&](std::uint32_t s) { return switches_[s].leaf; };
    leaves.erase(leaves.begin(), std::find_if(leaves.begin(), leaves.end(), is_leaf));
    leaves.erase(std::find_if(leaves.rbegin(), leaves.rend(), is_leaf).base(), leaves.end());
    if (leaves.size() < 2) throw std::invalid_argument("OpenSM's ftree refuses the tree: it needs two leaves with hosts");

    std::vector<std::vector<Attached>> compute;  // by position in `leaves`
    std::size_t most = 0;
    for (const std::uint32_t s : leaves) {
      auto& here = compute.emplace_back();
      for (const std::size_t group : switches_[s].below) {
        if (groups_[group].to == kNone && IsCompute(s, groups_[group].adapter)) here.push_back(groups_[group].adapter);
      }
      most = std::max(most, here.size());
    }
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      for (const Attached& host : compute[i]) RouteTo(leaves[i], host, 0);
      for (std::size_t dummy = compute[i].size(); dummy < most; ++dummy) {
        real_ = false;
        hops_[leaves[i]] = 1;
        Climb(leaves[i], kNone, true, 0, 1);
        Forget();
      }
    }
  }

  void RouteToOthers() {
    struct Other {
      std::uint64_t key;
      std::uint16_t port;
      std::uint32_t at;
      Attached adapter;
    };
    std::vector<Other> others;
    std::uint32_t height = 1;
    for (std::uint32_t s = 0; s < graph_.size(); ++s) {
      if (levels_.level[s] != kNone) height = std::max(height, levels_.level[s]);
    }
    for (const std::uint32_t s : in_order_) {
      for (const Attached& adapter : graph_.attached(s)) {
        if (IsCompute(s, adapter) || KindOf(adapter) == NodeKind::Router) continue;
        const Endport& endport = fabric_.endports()[adapter.endport];
        others.push_back({graph_.OrderKeyOf(fabric_.nodes()[endport.node].guid), endport.port, s, adapter});
      }
    }
    std::sort(others.begin(), others.end(),
              [](const Other& a, const Other& b) { return std::tuple(a.key, a.port) < std::tuple(b.key, b.port); });
    for (const Other& other : others) RouteTo(other.at, other.adapter, other.adapter.host ? height - 1 : 0);
  }

  void RouteTo(std::uint32_t s, const Attached& adapter, unsigned credits) {
    real_ = true;
    reverse_steps_ = kMostReverseSteps;
    hops_[s] = 1;
    out_[s] = adapter.port;
    Climb(s, kNone, true, credits, 1);
    for (const std::uint32_t from : in_order_) {
      if (out_[from] != kNoRoute) fabric_.SetForward(graph_.node(from), adapter.endport, out_[from]);
    }
    Forget();
  }

  void Forget() {
    std::fill(hops_.begin(), hops_.end(), kFar);
    std::fill(out_.begin(), out_.end(), kNoRoute);
  }

  // Groups are nearly sorted each time.
  template <typename Load>
  void SortByLoad(Groups& groups, Load load) const {
    const auto less = [&](std::size_t a, std::size_t b) {
      return std::pair(groups_[a].*load, IndexBehind(a)) < std::pair(groups_[b].*load, IndexBehind(b));
    };
    for (std::size_t i = 1; i < groups.size(); ++i) {
      for (std::size_t j = i; j > 0 && less(groups[j], groups[j - 1]); --j) std::swap(groups[j], groups[j - 1]);
    }
  }

  template <typename Load>
  Link& LeastLoaded(Group& group, Load load) const {
    return *std::min_element(group.links.begin(), group.links.end(),
                             [&](const Link& a, const Link& b) { return a.*load < b.*load; });
  }

  // True if a route of `hops` to the switch is worth taking: it has none, or a longer one.
  bool Takes(std::uint32_t s, std::uint8_t hops) const { return out_[s] == kNoRoute || hops < hops_[s]; }

  void Lead(std::uint32_t s, const Link& by, std::uint8_t hops) {
    out_[s] = by.remote_port;
    hops_[s] = hops;
  }

  // Leads all switches below to `s`, from where it is `hops` to the destination. True if some adapter is reached.
  bool Spread(std::uint32_t s, std::uint32_t came_from, std::uint8_t hops) {
    Switch& here = switches_[s];
    if (here.below.empty()) return false;
    if (here.up_changed) {
      SortByLoad(here.below, &Group::up);
      here.up_changed = false;
    }
    SortByLoad(here.beside, &Group::up);
    const auto next = static_cast<std::uint8_t>(hops + 1);
    bool reached = false;
    for (std::size_t i = 0; i < here.below.size() + (real_ ? here.beside.size() : 0); ++i) {
      Group& group = groups_[i < here.below.size() ? here.below[i] : here.beside[i - here.below.size()]];
      if (group.to == kNone) {
        reached = true;
        continue;
      }
      if (group.to == came_from || (hops_[group.to] != kFar && next >= hops_[group.to])) continue;
      Link& link = LeastLoaded(group, &Link::up);
      Lead(group.to, link, next);
      if (!Spread(group.to, kNone, next)) continue;
      reached = true;
      ++link.up;
      ++group.up;
      here.up_changed = true;
    }
    if (reached) here.turn = (here.turn + 1) % here.below.size();
    return reached;
  }

  // Leads the switches below, beside and above to `s`. `main`: links that are taken count. True if some adapter is reached.
  bool Climb(std::uint32_t s, std::uint32_t came_from, bool main, unsigned credits, std::uint8_t hops) {
    Switch& here = switches_[s];
    bool reached = Spread(s, came_from, hops);
    const auto next = static_cast<std::uint8_t>(hops + 1);
    if (here.rank == 0) {
      if (credits == 0 || here.below.empty() || reverse_steps_ == 0) return reached;
      here.turn = (here.turn + 1) % here.below.size();
      std::size_t turn = here.turn;
      for (std::size_t i = 0; i < here.below.size(); ++i, turn = (turn + 1) % here.below.size()) {
        const std::uint32_t to = groups_[here.below[turn]].to;
        if (to == kNone || reverse_steps_ == 0) continue;
        --reverse_steps_;
        reached |= Climb(to, s, main, credits - 1, next);
      }
      return reached;
    }
    SortByLoad(here.above, &Group::down);
    Group& least = groups_[here.above[0]];
    if (main) {
      Link& link = LeastLoaded(least, &Link::down);
      ++least.down;
      ++link.down;
      if (Takes(least.to, next)) Lead(least.to, link, next);
      reached |= Climb(least.to, s, true, credits, next);
    }
    for (std::size_t i = main ? 1 : 0; i < here.above.size(); ++i) {
      Group& group = groups_[here.above[i]];
      if (!Takes(group.to, next)) continue;
      Lead(group.to, LeastLoaded(group, &Link::down), next);
      reached |= Climb(group.to, s, false, credits, next);
    }
    SortByLoad(here.beside, &Group::down);
    for (std::size_t i = 0; i < here.beside.size(); ++i) {
      Group& group = groups_[here.beside[i]];
      if (!Takes(group.to, next)) continue;
      Link& link = LeastLoaded(group, &Link::down);
      Lead(group.to, link, next);
      if (!Climb(group.to, s, false, credits, next)) continue;
      reached = true;
      ++least.down;  // the group's own counter stays, as in OpenSM
      ++link.down;
    }
    if (credits == 0 || here.leaf) return reached;
    for (std::size_t i = 0; i < here.below.size(); ++i) {
      const std::uint32_t to = groups_[here.below[i]].to;
      if (to == kNone || reverse_steps_ == 0) continue;
      --reverse_steps_;
      reached |= Climb(to, s, true, credits - 1, next);
    }
    return reached;
  }

  Fabric& fabric_;
  const SwitchGraph& graph_;
  const TreeLevels& levels_;
  std::vector<Switch> switches_;
  std::vector<Group> groups_;
  std::vector<std::uint32_t> in_order_;  // ranked switches, in OpenSM's order
  std::uint32_t leaf_rank_ = 0;
  // Of the destination that is routed to: by switch, hops to it and the port by which to send.
  std::vector<std::uint8_t> hops_, out_;
  bool real_ = true;                 // false: it is none, but counts
  std::uint32_t reverse_steps_ = 0;  // left
};

}  // namespace

void RouteAsOpensmFtree(Fabric& fabric, const SwitchGraph& graph, const TreeLevels& levels) {
  for (std::uint32_t part = 0; part < graph.size(); ++part) {
    if (levels.part[part] == part && levels.in_tree[part]) OpensmFtree(fabric, graph, levels, part).Route();
  }
}

}  // namespace ccsim
