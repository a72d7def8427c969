// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// drawn_fabric.hpp: fabrics for tests of the topology: nodes and cables as a test or chance has them, and snapshots of these.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "devices/snapshot_support.hpp"

namespace ibcc_test {

struct DrawnFabric {
  using End = std::pair<std::uint64_t, unsigned>;  // a node's GUID and a port
  struct Node {
    ccp_node_kind kind = CCP_NODE_HOST;
    unsigned num_ports = 1;
    std::string description;
    std::uint16_t lid = 1;
  };
  struct Cable {
    std::uint8_t state = 4, width = 2, speed = IBCC_SPEED_NDR, mtu = 5;
    bool operator==(const Cable& other) const {
      return state == other.state && width == other.width && speed == other.speed && mtu == other.mtu;
    }
  };
  std::map<std::uint64_t, Node> nodes;
  std::map<std::pair<End, End>, Cable> cables;  // the lower end first

  void Connect(End one, End other, const Cable& cable) {
    cables[one <= other ? std::pair(one, other) : std::pair(other, one)] = cable;
  }
  bool IsFree(End end) const {
    for (const auto& [ends, cable] : cables)
      if (ends.first == end || ends.second == end) return false;
    return true;
  }
  void Remove(std::uint64_t guid) {
    nodes.erase(guid);
    for (auto at = cables.begin(); at != cables.end();)
      at = at->first.first.first == guid || at->first.second.first == guid ? cables.erase(at) : std::next(at);
  }

  // `one_sided`: OpenSM knows each link from its first end alone.
  Snapshot Copy(bool one_sided = false) const {
    std::uint32_t ports = 0;
    for (const auto& [guid, node] : nodes) ports += node.num_ports;
    Snapshot copy(ibcc_snapshot_create(static_cast<std::uint32_t>(nodes.size()), ports, ports));
    std::map<std::uint64_t, std::uint32_t> index;
    for (const auto& [guid, node] : nodes) {
      index[guid] =
          ibcc_snapshot_add_node(copy.get(), guid, node.kind, node.num_ports, node.description.data(), node.description.size());
      const bool is_switch = node.kind == CCP_NODE_SWITCH;
      for (unsigned port = is_switch ? 0 : 1; port <= node.num_ports; ++port) {
        ibcc_subnet_port one{};
        one.number = static_cast<std::uint8_t>(port);
        one.guid = is_switch && port != 0 ? 0 : guid + port;
        one.lid = is_switch && port != 0 ? 0 : node.lid;
        one.state = port == 0 ? 0 : 1;
        one.physical = port == 0 ? 0 : 2;
        ibcc_snapshot_set_port(copy.get(), index[guid], &one);
      }
    }
    for (const auto& [ends, cable] : cables) {
      const auto set = [&, &cable = cable](End end, End peer, bool knows_peer) {
        const bool is_switch = nodes.at(end.first).kind == CCP_NODE_SWITCH;
        ibcc_subnet_port one{};
        one.number = static_cast<std::uint8_t>(end.second);
        one.guid = is_switch ? 0 : end.first + end.second;
        one.lid = is_switch ? 0 : nodes.at(end.first).lid;
        one.state = cable.state;
        one.physical = 5;
        one.width = cable.width;
        one.speed = cable.speed;
        one.mtu = cable.mtu;
        if (knows_peer) {
          one.peer_guid = peer.first;
          one.peer_port = static_cast<std::uint8_t>(peer.second);
          ibcc_snapshot_connect(copy.get(), index[end.first], end.second, index[peer.first]);
        }
        ibcc_snapshot_set_port(copy.get(), index[end.first], &one);
      };
      set(ends.first, ends.second, true);
      if (ends.first != ends.second) set(ends.second, ends.first, !one_sided);
    }
    return copy;
  }
};

// Two hosts of the same name on a switch of six ports.
inline DrawnFabric TwoHosts() {
  DrawnFabric fabric;
  fabric.nodes[10] = {.description = "H1"};
  fabric.nodes[20] = {.description = "H1"};
  fabric.nodes[30] = {.kind = CCP_NODE_SWITCH, .num_ports = 6, .description = "S1"};
  fabric.Connect({10, 1}, {30, 4}, {});
  fabric.Connect({20, 1}, {30, 2}, {});
  return fabric;
}

}  // namespace ibcc_test
