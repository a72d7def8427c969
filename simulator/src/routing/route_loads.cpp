// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "route_loads.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace ccsim {
namespace {

constexpr std::uint32_t kArrived = kNone - 1;

// By switch ordinal and port: the switch at the other end as an ordinal, or kNone.
std::vector<std::uint32_t> PeerSwitches(const Fabric& fabric) {
  std::vector<std::uint32_t> peers(fabric.num_switches() * kLoadsOfSwitch, kNone);
  for (std::uint32_t s = 0; s < fabric.num_switches(); ++s) {
    const Node& node = fabric.nodes()[fabric.switches()[s]];
    for (std::uint16_t port = 1; port <= node.num_ports(); ++port) {
      if (node.ports[port].connected()) peers[s * kLoadsOfSwitch + port] = fabric.switch_ordinal(node.ports[port].peer_node);
    }
  }
  return peers;
}

bool IsHost(const Fabric& fabric, const Endport& endport) { return fabric.nodes()[endport.node].kind == NodeKind::Host; }

// The switch that an endport's link leads to, as an ordinal; kNone if it leads to another adapter.
std::uint32_t SwitchOf(const Fabric& fabric, const Endport& endport) {
  return fabric.switch_ordinal(fabric.nodes()[endport.node].ports[endport.port].peer_node);
}

std::uint16_t SwitchPortOf(const Fabric& fabric, const Endport& endport) {
  return fabric.nodes()[endport.node].ports[endport.port].peer_port;
}

// Adds the routes of all hosts to one after the other. The routes to a destination form a tree, whose root is the destination's switch.
class TreeLoads {
 public:
  explicit TreeLoads(const Fabric& fabric)
      : fabric_(fabric),
        peers_(PeerSwitches(fabric)),
        hosts_at_(fabric.num_switches(), 0),
        next_(fabric.num_switches()),
        first_child_(fabric.num_switches()),
        next_child_(fabric.num_switches()),
        passing_(fabric.num_switches()) {
    for (const Endport& endport : fabric.endports()) {
      const std::uint32_t s = SwitchOf(fabric, endport);
      if (s != kNone && IsHost(fabric, endport)) ++hosts_at_[s];
    }
  }

  void Add(std::uint32_t destination, std::vector<std::uint64_t>& loads) {
    const Endport endport = fabric_.endports()[destination];
    const std::uint32_t root = SwitchOf(fabric_, endport);
    if (root == kNone) return;
    FindNext(destination, root, SwitchPortOf(fabric_, endport));
    if (next_[root] != kArrived) return;
    order_.assign(1, root);
    for (std::size_t i = 0; i < order_.size(); ++i) {  // switches whose routes arrive, those nearer to the destination first
      for (std::uint32_t c = first_child_[order_[i]]; c != kNone; c = next_child_[c]) order_.push_back(c);
    }
    for (const std::uint32_t s : order_) passing_[s] = hosts_at_[s];
    --passing_[root];  // the destination itself
    for (std::size_t i = order_.size(); i-- > 0;) {
      const std::uint32_t s = order_[i];
      loads[s * kLoadsOfSwitch + fabric_.forward(s, destination)] += passing_[s];
      if (s != root) passing_[next_[s]] += passing_[s];
    }
  }

 private:
  // Fills in where each switch sends what is for the destination, and the switches that send to each.
  void FindNext(std::uint32_t destination, std::uint32_t root, std::uint16_t port_of_destination) {
    std::fill(first_child_.begin(), first_child_.end(), kNone);
    for (std::uint32_t s = 0; s < fabric_.num_switches(); ++s) {
      const std::uint8_t out = fabric_.forward(s, destination);
      next_[s] = out == kNoRoute ? kNone : peers_[s * kLoadsOfSwitch + out];
      if (s == root && out == port_of_destination) next_[s] = kArrived;
      if (next_[s] >= kArrived || s == root) continue;
      next_child_[s] = first_child_[next_[s]];
      first_child_[next_[s]] = s;
    }
  }

  const Fabric& fabric_;
  std::vector<std::uint32_t> peers_;
  std::vector<std::uint64_t> hosts_at_;
  std::vector<std::uint32_t> next_, first_child_, next_child_;  // by switch
  std::vector<std::uint64_t> passing_;
  std::vector<std::uint32_t> order_;
};

}  // namespace

std::vector<std::uint64_t> PairLoads(const Fabric& fabric) {
  std::vector<std::uint64_t> loads(fabric.num_switches() * kLoadsOfSwitch, 0);
  TreeLoads trees(fabric);
  for (std::uint32_t destination = 0; destination < fabric.endports().size(); ++destination) {
    if (IsHost(fabric, fabric.endports()[destination])) trees.Add(destination, loads);
  }
  return loads;
}

std::vector<std::uint64_t> FlowLoads(const Fabric& fabric, std::span<const std::uint32_t> sources,
                                     std::span<const std::uint32_t> destinations) {
  if (sources.size() != destinations.size()) {
    throw std::invalid_argument("there are " + std::to_string(sources.size()) + " sources and " +
                                std::to_string(destinations.size()) + " destinations; each source needs one");
  }
  const auto require = [&](std::uint32_t endport) {
    if (endport < fabric.endports().size()) return;
    throw std::invalid_argument("endport " + std::to_string(endport) + " does not exist; the fabric has " +
                                std::to_string(fabric.endports().size()));
  };
  const std::vector<std::uint32_t> peers = PeerSwitches(fabric);
  std::vector<std::uint64_t> loads(fabric.num_switches() * kLoadsOfSwitch, 0);
  std::vector<std::size_t> passed;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    require(sources[i]);
    require(destinations[i]);
    if (sources[i] == destinations[i]) continue;
    const Endport to = fabric.endports()[destinations[i]];
    const std::uint32_t last = SwitchOf(fabric, to);
    std::uint32_t here = SwitchOf(fabric, fabric.endports()[sources[i]]);
    passed.clear();
    while (here != kNone && passed.size() <= fabric.num_switches()) {  // more hops are a circle
      const std::uint8_t out = fabric.forward(here, destinations[i]);
      if (out == kNoRoute) break;
      passed.push_back(here * kLoadsOfSwitch + out);
      if (here == last && out == SwitchPortOf(fabric, to)) {
        for (const std::size_t port : passed) ++loads[port];
        break;
      }
      here = peers[passed.back()];
    }
  }
  return loads;
}

}  // namespace ccsim
