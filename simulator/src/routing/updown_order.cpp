// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "updown_order.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace ccsim {

UpDownOrder::UpDownOrder(const SwitchGraph& graph, std::vector<std::uint32_t> rank)
    : graph_(graph), place_(graph.size(), kNone), hops_(graph.size(), kNone), only_down_(graph.size(), 0) {
  std::vector<std::uint32_t> from_top(graph.size());
  std::iota(from_top.begin(), from_top.end(), 0u);
  const auto key = [&](std::uint32_t s) { return std::tuple(rank[s], graph.fabric().nodes()[graph.node(s)].guid, s); };
  std::sort(from_top.begin(), from_top.end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  for (std::uint32_t i = 0; i < from_top.size(); ++i) {
    if (rank[from_top[i]] != kNone) place_[from_top[i]] = i;
  }
}

void UpDownOrder::Reach(std::uint32_t s, std::uint32_t hops, bool down, std::vector<std::uint32_t>& frontier) {
  hops_[s] = hops;
  only_down_[s] = down;
  frontier.push_back(s);
}

// A breadth-first search from the destination, against the packets' way. Where a switch is reached by both kinds of route with
// equally many hops, the one that only goes down wins, since others can use it too. With one root all of a connected fabric is
// reached: the ancestors of the destination up to the root come down on shortest routes, and everything else can go up to the root.
void UpDownOrder::Aim(std::uint32_t destination) {
  std::fill(hops_.begin(), hops_.end(), kNone);
  downs_.clear();
  ups_.clear();
  if (place_[destination] == kNone) return;
  Reach(destination, 0, true, downs_);
  for (std::uint32_t hops = 1; !downs_.empty() || !ups_.empty(); ++hops) {
    next_downs_.clear();
    next_ups_.clear();
    const auto usable = [this](std::uint32_t s) { return hops_[s] == kNone && place_[s] != kNone; };
    for (const std::uint32_t here : downs_) {
      for (const SwitchLink& link : graph_.links(here)) {
        if (usable(link.to) && IsUp(here, link.to)) Reach(link.to, hops, true, next_downs_);
      }
    }
    for (const auto* frontier : {&downs_, &ups_}) {
      for (const std::uint32_t here : *frontier) {
        for (const SwitchLink& link : graph_.links(here)) {
          if (usable(link.to) && IsUp(link.to, here)) Reach(link.to, hops, false, next_ups_);
        }
      }
    }
    std::swap(downs_, next_downs_);
    std::swap(ups_, next_ups_);
  }
}

void UpDownOrder::Ports(std::uint32_t s, PortSet& ports) const {
  ports.clear();
  for (const SwitchLink& link : graph_.links(s)) {
    if (hops_[link.to] == kNone || hops_[link.to] + 1 != hops_[s]) continue;
    if (only_down_[s] ? only_down_[link.to] && !IsUp(s, link.to) : IsUp(s, link.to)) ports.push_back(link.port);
  }
}

void RouteUpDown(Balance& balance, const SwitchGraph& graph, UpDownOrder& order, std::uint32_t to,
                 std::span<const Attached> destinations) {
  if (destinations.empty()) return;
  order.Aim(to);
  balance.Deliver(to, destinations);
  PortSet ports;
  for (std::uint32_t s = 0; s < graph.size(); ++s) {
    if (s == to || order.hops(s) == kNone) continue;
    order.Ports(s, ports);
    balance.Forward(s, destinations, ports);
  }
}

}  // namespace ccsim
