// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// fabric.hpp: switches, channel adapters, the links between them, and the forwarding tables.
//
// A Fabric is built once (add nodes, connect, route) and then read by any number of simulations at once. Node descriptions need
// not be unique, as on real fabrics; nodes are known by their index, endports by theirs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "link_rate.hpp"
#include "units.hpp"

namespace ccsim {

enum class NodeKind : std::uint8_t { Switch, Host, Aggregation, Router };

inline constexpr std::uint32_t kNone = UINT32_MAX;
inline constexpr std::uint16_t kMaxPorts = 254;  // IBA: a switch has at most 254 external ports
inline constexpr std::uint8_t kNoRoute = 0xFF;   // as in a LinearForwardingTable

// One external port. Port numbers start at 1; element 0 of Node::ports is the unused management port.
struct Port {
  std::uint32_t peer_node = kNone;
  std::uint16_t peer_port = 0;
  LinkRate rate{};
  Time propagation = 0;
  bool connected() const { return peer_node != kNone; }
};

struct Node {
  std::string name;
  std::uint64_t guid = 0;
  NodeKind kind = NodeKind::Host;
  std::vector<Port> ports;  // num_ports + 1
  // What the host's bus lets through, in Gb/s of payload, each direction on its own; none: the link is the limit.
  std::optional<double> inject_gbps;
  std::optional<double> receive_gbps;
  std::uint16_t num_ports() const { return static_cast<std::uint16_t>(ports.size() - 1); }
};

// One port of a channel adapter (host, aggregation node or router) that has a link: what a LID names.
struct Endport {
  std::uint32_t node;
  std::uint16_t port;
};

// One hop of a route: the node left, and the port it is left by.
struct Hop {
  std::uint32_t node;
  std::uint16_t port;
};

class Fabric {
 public:
  explicit Fabric(std::uint32_t mtu_bytes = 2048);

  // Adds a node with ports 1..num_ports and returns its index. Throws std::invalid_argument on a port count outside 1..254.
  std::uint32_t AddNode(std::string name, NodeKind kind, std::uint64_t guid, std::uint16_t num_ports);
  // Throws std::invalid_argument if a port does not exist, is in use, or is connected to itself.
  void Connect(std::uint32_t node_a, std::uint16_t port_a, std::uint32_t node_b, std::uint16_t port_b, LinkRate rate,
               Time propagation);
  void SetHostLimits(std::uint32_t node, std::optional<double> inject_gbps, std::optional<double> receive_gbps);

  const std::vector<Node>& nodes() const { return nodes_; }
  std::uint32_t mtu_bytes() const { return mtu_bytes_; }
  std::uint32_t num_switches() const { return static_cast<std::uint32_t>(switches_.size()); }
  const std::vector<std::uint32_t>& switches() const { return switches_; }           // node indices, ascending
  const std::vector<Endport>& endports() const { return endports_; }                 // in the order in which they were connected
  std::uint32_t switch_ordinal(std::uint32_t node) const { return ordinal_[node]; }  // position in switches()
  std::uint32_t endport_index(std::uint32_t node, std::uint16_t port) const;         // kNone if it has no link

  // Forwarding: by switch and destination endport, the port to leave by, or kNoRoute. Connecting more nodes clears it.
  std::uint8_t forward(std::uint32_t switch_ordinal, std::uint32_t endport) const {
    return forwarding_.empty() ? kNoRoute : forwarding_[std::size_t{switch_ordinal} * endports_.size() + endport];
  }
  void SetForward(std::uint32_t switch_node, std::uint32_t endport, std::uint8_t port);
  void ClearForwarding();
  // The hops from one endport to another along the forwarding tables, the source's own first. Throws std::runtime_error with
  // the place where it stops if a table has no entry or the route loops.
  std::vector<Hop> Route(std::uint32_t src_endport, std::uint32_t dst_endport) const;

 private:
  void CheckPort(std::uint32_t node, std::uint16_t port) const;

  std::uint32_t mtu_bytes_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> switches_;
  std::vector<std::uint32_t> ordinal_;  // by node: ordinal among switches, or kNone
  std::vector<Endport> endports_;
  std::vector<std::vector<std::uint32_t>> endport_by_port_;  // by node, then port
  std::vector<std::uint8_t> forwarding_;
};

}  // namespace ccsim
