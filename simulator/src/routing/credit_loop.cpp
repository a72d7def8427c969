// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "credit_loop.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "switch_graph.hpp"

namespace ccsim {
namespace {

// The VL of every packet on every turn: SL-to-VL tables, packed for fast look-up.
class Vls {
 public:
  Vls(const SwitchGraph& graph, unsigned num_vls) : graph_(graph) {
    const Fabric& fabric = graph.fabric();
    SlToVl usual;
    for (unsigned sl = 0; sl < kNumSls; ++sl) usual[sl] = static_cast<std::uint8_t>(sl % num_vls);
    tables_.push_back(usual);
    if (fabric.has_sl_to_vl()) ReadTables();
    for (const SlToVl& table : tables_) {
      for (const std::uint8_t vl : table) count_ = vl == kNoVl ? count_ : std::max(count_, vl + 1u);
    }
  }

  // Highest VL in use, plus one.
  unsigned count() const { return count_; }

  unsigned Of(std::uint32_t s, std::uint8_t in_port, std::uint8_t out_port, unsigned sl) const {
    return turn_.empty() ? tables_[0][sl] : tables_[turn_[s][in_port * width_[s] + out_port]][sl];
  }
  // The VLs, one bit each, of packets that come from hosts.
  unsigned FromHosts(std::uint32_t s, std::uint8_t out_port, unsigned sl) const {
    return turn_.empty() ? 1u << tables_[0][sl] : from_hosts_[s][out_port * kNumSls + sl];
  }
  // SLs of flows, one for each way in which they can be treated. A path SL of `bits` bits comes below them.
  std::vector<unsigned> DistinctFlowSls(unsigned bits) const {
    if (turn_.empty() && bits == 0) return {0};  // each VL is as the others
    std::map<std::string, unsigned> by_treatment;
    for (unsigned sl = 0; sl < kNumSls >> bits; ++sl) {
      std::string treatment;
      for (const SlToVl& table : tables_) {
        for (unsigned path_sl = 0; path_sl < 1u << bits; ++path_sl) treatment += static_cast<char>(table[sl << bits | path_sl]);
      }
      by_treatment.emplace(std::move(treatment), sl);
    }
    std::vector<unsigned> sls;
    sls.reserve(by_treatment.size());
    for (const auto& [treatment, sl] : by_treatment) sls.push_back(sl);
    return sls;
  }

 private:
  void ReadTables() {
    const Fabric& fabric = graph_.fabric();
    std::map<SlToVl, std::uint16_t> number;
    for (std::uint32_t s = 0; s < graph_.size(); ++s) {
      const std::uint32_t node = graph_.node(s);
      const auto width = static_cast<std::uint16_t>(fabric.nodes()[node].ports.size());
      width_.push_back(width);
      auto& turn = turn_.emplace_back(std::size_t{width} * width, 0);
      for (std::uint16_t in = 1; in < width; ++in) {
        for (std::uint16_t out = 1; out < width; ++out) {
          const SlToVl* table = fabric.sl_to_vl(node, in, out);
          if (table == nullptr) continue;
          const auto [found, is_new] = number.emplace(*table, static_cast<std::uint16_t>(tables_.size()));
          if (is_new) tables_.push_back(*table);
          turn[in * width + out] = found->second;
        }
      }
      auto& from_hosts = from_hosts_.emplace_back(std::size_t{width} * kNumSls, 0);
      for (const Attached& in : graph_.attached(s)) {
        for (std::uint16_t out = 1; in.host && out < width; ++out) {
          for (unsigned sl = 0; sl < kNumSls; ++sl) {
            const std::uint8_t vl = tables_[turn[in.port * width + out]][sl];
            auto& mask = from_hosts[out * kNumSls + sl];
            if (vl != kNoVl) mask = static_cast<std::uint16_t>(mask | 1u << vl);
          }
        }
      }
    }
  }

  const SwitchGraph& graph_;
  std::vector<SlToVl> tables_;  // the distinct ones; first what holds where none is set
  unsigned count_ = 0;
  std::vector<std::size_t> width_;                // by switch: ports, plus one
  std::vector<std::vector<std::uint16_t>> turn_;  // by switch, in port and out port: number in tables_; empty if none is set
  std::vector<std::vector<std::uint16_t>> from_hosts_;  // by switch, out port and SL
};

// The channels that each channel waits for. A channel is (link, VL), numbered link * VLs + VL; a channel's row has a bit for each link
// and VL of the switch that it leads to.
class Dependencies {
 public:
  Dependencies(const SwitchGraph& graph, unsigned num_vls) : graph_(graph), num_vls_(num_vls) {
    row_.reserve(graph.num_links() * num_vls + 1);
    row_.push_back(0);
    for (std::size_t link = 0; link < graph.num_links(); ++link) {
      const std::size_t words = (graph.links(graph.link(link).to).size() * num_vls + 63) / 64;
      for (unsigned vl = 0; vl < num_vls; ++vl) row_.push_back(row_.back() + words);
    }
    bits_.resize(row_.back());
  }

  // `next_link` leaves the switch that `link` leads to.
  void Add(std::size_t link, unsigned vl, std::size_t next_link, unsigned next_vl) {
    const std::size_t bit = (next_link - graph_.first_link(graph_.link(link).to)) * num_vls_ + next_vl;
    bits_[row_[link * num_vls_ + vl] + bit / 64] |= std::uint64_t{1} << bit % 64;
  }

  std::vector<std::size_t> Next(std::size_t channel) const {
    std::vector<std::size_t> next;
    const std::size_t first = graph_.first_link(graph_.link(channel / num_vls_).to) * num_vls_;
    for (std::size_t word = row_[channel]; word < row_[channel + 1]; ++word) {
      for (std::uint64_t bits = bits_[word]; bits != 0; bits &= bits - 1) {
        next.push_back(first + (word - row_[channel]) * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
      }
    }
    return next;
  }

  std::size_t num_channels() const { return row_.size() - 1; }

  // A channel on a cycle, or num_channels(): a depth-first search that returns to a channel on its path.
  std::size_t FindOnCycle() const {
    enum State : char { New, Open, Done };
    std::vector<State> state(num_channels(), New);
    struct Step {
      std::size_t channel;
      std::vector<std::size_t> next;
    };
    std::vector<Step> path;
    for (std::size_t start = 0; start < num_channels(); ++start) {
      if (state[start] != New) continue;
      state[start] = Open;
      path.push_back({start, Next(start)});
      while (!path.empty()) {
        if (path.back().next.empty()) {
          state[path.back().channel] = Done;
          path.pop_back();
          continue;
        }
        const std::size_t next = path.back().next.back();
        path.back().next.pop_back();
        if (state[next] == Open) return next;
        if (state[next] == Done) continue;
        state[next] = Open;
        path.push_back({next, Next(next)});
      }
    }
    return num_channels();
  }

  // The shortest cycle through a channel that is on one.
  std::vector<std::size_t> ShortestCycle(std::size_t start) const {
    constexpr std::size_t kUnseen = SIZE_MAX;
    std::vector<std::size_t> before(num_channels(), kUnseen);
    std::vector<std::size_t> queue{start};
    for (std::size_t i = 0; i < queue.size() && before[start] == kUnseen; ++i) {
      for (const std::size_t next : Next(queue[i])) {
        if (before[next] != kUnseen) continue;
        before[next] = queue[i];
        queue.push_back(next);
      }
    }
    std::vector<std::size_t> cycle{start};
    for (std::size_t channel = before[start]; channel != start; channel = before[channel]) cycle.push_back(channel);
    std::reverse(cycle.begin(), cycle.end());
    return cycle;
  }

 private:
  const SwitchGraph& graph_;
  unsigned num_vls_;
  std::vector<std::size_t> row_;  // by channel: where its words begin
  std::vector<std::uint64_t> bits_;
};

// Follows the routes between all hosts. A part that several routes share is followed once.
class Routes {
 public:
  Routes(const SwitchGraph& graph, const Vls& vls, Dependencies& dependencies)
      : graph_(graph), vls_(vls), dependencies_(dependencies), followed_(std::size_t{graph.size()} * vls.count(), 0) {
    const Fabric& fabric = graph.fabric();
    for (std::uint32_t s = 0; s < graph.size(); ++s) {
      auto& link_of = link_of_.emplace_back(kNoRoute + 1, kNone);
      for (std::size_t i = 0; i < graph.links(s).size(); ++i) {
        link_of[graph.links(s)[i].port] = static_cast<std::uint32_t>(graph.first_link(s) + i);
      }
      if (graph.num_hosts(s) > 0) leaves_.push_back(s);
    }
    flow_sls_ = vls.DistinctFlowSls(fabric.path_sl_bits());
  }

  void FollowAll() {
    std::vector<std::uint8_t> previous;
    for (const std::uint32_t leaf : leaves_) {
      GroupSources(leaf);
      previous.clear();
      for (const Attached& destination : graph_.attached(leaf)) {
        if (!destination.host) continue;
        ReadTables(destination.endport);
        forward_[leaf] = kNoRoute;  // the last hop is to the host, where nothing waits
        if (forward_ == previous) continue;
        for (const unsigned flow_sl : flow_sls_) FollowTo(flow_sl);
        previous = forward_;
      }
    }
  }

  void Follow(const Demand& demand) {
    for (const std::uint32_t destination : demand.destinations) {
      ++now_;
      ReadTables(destination);
      for (const std::uint32_t source : demand.sources) {
        const Fabric& fabric = graph_.fabric();
        const Endport& at = fabric.endports()[source];
        const Port& link = fabric.nodes()[at.node].ports[at.port];
        const std::uint32_t s = fabric.switch_ordinal(link.peer_node);
        if (source == destination || s == kNone || forward_[s] == kNoRoute) continue;
        const unsigned vl = vls_.Of(s, static_cast<std::uint8_t>(link.peer_port), forward_[s], demand.sl);
        if (vl != kNoVl) FollowFrom(s, vl, demand.sl);
      }
    }
  }

 private:
  void GroupSources(std::uint32_t to) {
    const Fabric& fabric = graph_.fabric();
    sources_.assign(std::size_t{1} << fabric.path_sl_bits(), {});
    const std::uint32_t to_endport = graph_.attached(to)[0].endport;
    for (const std::uint32_t from : leaves_) {
      if (from != to) sources_[fabric.path_sl(graph_.attached(from)[0].endport, to_endport)].push_back(from);
    }
  }

  void ReadTables(std::uint32_t endport) {
    forward_.resize(graph_.size());
    for (std::uint32_t s = 0; s < graph_.size(); ++s) forward_[s] = graph_.fabric().forward(s, endport);
  }

  void FollowTo(unsigned flow_sl) {
    for (unsigned path_sl = 0; path_sl < sources_.size(); ++path_sl) {
      const unsigned sl = flow_sl << graph_.fabric().path_sl_bits() | path_sl;
      ++now_;
      for (const std::uint32_t source : sources_[path_sl]) {
        if (forward_[source] == kNoRoute) continue;
        unsigned vls = vls_.FromHosts(source, forward_[source], sl);
        for (; vls != 0; vls &= vls - 1) FollowFrom(source, static_cast<unsigned>(std::countr_zero(vls)), sl);
      }
    }
  }

  void FollowFrom(std::uint32_t s, unsigned vl, unsigned sl) {
    std::uint32_t link = link_of_[s][forward_[s]];
    while (link != kNone) {
      std::uint32_t& followed = followed_[std::size_t{s} * vls_.count() + vl];
      if (followed == now_) return;
      followed = now_;
      const SwitchLink& in = graph_.link(link);
      s = in.to;
      const std::uint32_t next_link = link_of_[s][forward_[s]];
      if (next_link == kNone) return;
      const unsigned next_vl = vls_.Of(s, in.to_port, forward_[s], sl);
      if (next_vl == kNoVl) return;
      dependencies_.Add(link, vl, next_link, next_vl);
      link = next_link;
      vl = next_vl;
    }
  }

  const SwitchGraph& graph_;
  const Vls& vls_;
  Dependencies& dependencies_;
  std::vector<std::uint32_t> leaves_;                // switches with hosts
  std::vector<unsigned> flow_sls_;                   // to look at
  std::vector<std::vector<std::uint32_t>> link_of_;  // by switch and port, kNone if there is no other switch
  // For the current destination:
  std::vector<std::vector<std::uint32_t>> sources_;  // by path SL
  std::vector<std::uint8_t> forward_;                // by switch
  // For the current destination and SL, by switch and VL by which it is left: equal to now_ if that was followed already.
  std::vector<std::uint32_t> followed_;
  std::uint32_t now_ = 0;
};

std::vector<Channel> CycleOf(const SwitchGraph& graph, const Vls& vls, const Dependencies& dependencies) {
  const std::size_t start = dependencies.FindOnCycle();
  if (start == dependencies.num_channels()) return {};
  std::vector<std::size_t> cycle = dependencies.ShortestCycle(start);
  std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
  std::vector<Channel> channels;
  for (const std::size_t channel : cycle) {
    const std::size_t link = channel / vls.count();
    const std::uint32_t from = graph.link(link).to;
    const Port& back = graph.fabric().nodes()[graph.node(from)].ports[graph.link(link).to_port];
    channels.push_back({back.peer_node, back.peer_port, static_cast<std::uint8_t>(channel % vls.count())});
  }
  return channels;
}

}  // namespace

std::vector<Channel> FindCreditLoop(const Fabric& fabric, unsigned num_vls) {
  const SwitchGraph graph(fabric);
  const Vls vls(graph, std::max({num_vls, fabric.min_vls(), fabric.sl_to_vl_vls()}));
  Dependencies dependencies(graph, vls.count());
  Routes(graph, vls, dependencies).FollowAll();
  return CycleOf(graph, vls, dependencies);
}

std::vector<Channel> FindCreditLoop(const Fabric& fabric, std::span<const Demand> demands) {
  const SwitchGraph graph(fabric);
  const Vls vls(graph, std::max(fabric.min_vls(), fabric.sl_to_vl_vls()));
  Dependencies dependencies(graph, vls.count());
  Routes routes(graph, vls, dependencies);
  for (const Demand& demand : demands) routes.Follow(demand);
  return CycleOf(graph, vls, dependencies);
}

}  // namespace ccsim
