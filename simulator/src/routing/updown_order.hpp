// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// updown_order.hpp: the up direction of each link, and the shortest routes that never go up after they have gone down.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "balance.hpp"
#include "switch_graph.hpp"

namespace ccsim {

class UpDownOrder {
 public:
  // `rank`: by switch, 0 at the top, as SwitchGraph::DistancesTo gives it for the roots; kNone: not to be routed through. Up is to the
  // lower rank; between equal ranks to the lower GUID, as in OpenSM, and with equal GUIDs to the lower node.
  UpDownOrder(const SwitchGraph& graph, std::vector<std::uint32_t> rank);

  bool IsUp(std::uint32_t from, std::uint32_t to) const { return place_[to] < place_[from]; }

  // Prepares the routes to one switch. Each other switch either goes only down from there on, or goes up next; the former are those
  // through which others may come down, so that no packet turns from down to up whatever the next switches choose.
  void Aim(std::uint32_t destination);
  // Hops from a switch to the one aimed at; kNone if no legal route exists.
  std::uint32_t hops(std::uint32_t s) const { return hops_[s]; }
  // The ports of `s` that begin a shortest legal route.
  void Ports(std::uint32_t s, PortSet& ports) const;

 private:
  void Reach(std::uint32_t s, std::uint32_t hops, bool down, std::vector<std::uint32_t>& frontier);

  const SwitchGraph& graph_;
  std::vector<std::uint32_t> place_;  // by switch: in the order from the top down, kNone if not ranked
  std::vector<std::uint32_t> hops_;
  std::vector<char> only_down_;
  std::vector<std::uint32_t> downs_, ups_, next_downs_, next_ups_;  // frontiers of the search
};

// Writes the routes to `destinations`, all of them attached to the switch `to`.
void RouteUpDown(Balance& balance, const SwitchGraph& graph, UpDownOrder& order, std::uint32_t to,
                 std::span<const Attached> destinations);

}  // namespace ccsim
