// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// switch_graph.hpp: the switches of a fabric and their links, packed for algorithms that traverse them many times.
//
// Switches are known by their ordinals here (Fabric::switch_ordinal).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "../fabric.hpp"
#include "tree_levels.hpp"

namespace ccsim {

// One direction of a link between two switches, as its sender sees it.
struct SwitchLink {
  std::uint32_t to;
  std::uint8_t port;
  std::uint8_t to_port;
};

// A channel adapter's port, as its switch sees it.
struct Attached {
  std::uint32_t endport;
  std::uint8_t port;
  bool host;
};

class SwitchGraph {
 public:
  // `order_seed`: 0 for the order in which OpenSM has switches and adapters; others for random orders.
  explicit SwitchGraph(const Fabric& fabric, std::uint64_t order_seed = 0);

  std::uint32_t size() const { return static_cast<std::uint32_t>(link_begin_.size() - 1); }
  // Returns a switch's links by ascending port.
  std::span<const SwitchLink> links(std::uint32_t s) const {
    return {links_.data() + link_begin_[s], links_.data() + link_begin_[s + 1]};
  }
  // The links of all switches are numbered consecutively; those of `s` start at first_link(s).
  std::size_t num_links() const { return links_.size(); }
  std::size_t first_link(std::uint32_t s) const { return link_begin_[s]; }
  const SwitchLink& link(std::size_t number) const { return links_[number]; }
  // Returns what is attached to a switch, by ascending port of the switch.
  std::span<const Attached> attached(std::uint32_t s) const {
    return {attached_.data() + attached_begin_[s], attached_.data() + attached_begin_[s + 1]};
  }
  std::uint32_t num_hosts(std::uint32_t s) const { return num_hosts_[s]; }
  // OpenSM has nodes by GUID, which it compares as x86 processors do its bytes, the last of them first.
  std::uint64_t OrderKeyOf(std::uint64_t guid) const;
  std::uint64_t OrderKey(std::uint32_t s) const { return OrderKeyOf(fabric_->nodes()[node(s)].guid); }
  // The switches in the order in which OpenSM routes to what is attached to them: those with the most adapters first, then by OrderKey.
  std::vector<std::uint32_t> ByLoad() const;
  // Levels, parts and tops of the fabric.
  TreeLevels Levels() const;
  // Hops from every switch to the nearest of `roots`; kNone where there is no way.
  std::vector<std::uint32_t> DistancesTo(std::span<const std::uint32_t> roots) const;

  const Fabric& fabric() const { return *fabric_; }
  std::uint32_t node(std::uint32_t s) const { return fabric_->switches()[s]; }
  // The switch's description in quotes, for sentences.
  std::string Name(std::uint32_t s) const { return "'" + fabric_->nodes()[node(s)].name + "'"; }

 private:
  const Fabric* fabric_;
  std::uint64_t order_seed_;
  std::vector<SwitchLink> links_;
  std::vector<std::size_t> link_begin_;
  std::vector<Attached> attached_;
  std::vector<std::size_t> attached_begin_;
  std::vector<std::uint32_t> num_hosts_;
};

}  // namespace ccsim
