// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// fabric.hpp: switches, channel adapters, the links between them, and the forwarding tables.
//
// A Fabric is built once (add nodes, connect, route) and then read by any number of simulations at once. Nodes and endports are known
// by their indices: node descriptions need not be unique, as on real fabrics.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cc_dialect.hpp"
#include "host/host_model.hpp"
#include "link_rate.hpp"
#include "units.hpp"
#include "vl_arbitration_tables.hpp"

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
  std::uint64_t guid = 0;  // GUID of a channel adapter's port; 0: none was given
  bool connected() const { return peer_node != kNone; }
};

struct Node {
  std::string name;
  std::uint64_t guid = 0;
  NodeKind kind = NodeKind::Host;
  CcDialect dialect = CcDialect::A10;
  std::vector<Port> ports;  // num_ports + 1
  // Limits of the host's bus in each direction, in Gb/s of payload; none: the link is the limit.
  std::optional<double> inject_gbps;
  std::optional<double> receive_gbps;
  // How fast the host takes what its adapter receives, instead of receive_gbps; null: as fast as the bus.
  std::shared_ptr<const HostModel> host_model;
  std::uint16_t num_ports() const { return static_cast<std::uint16_t>(ports.size() - 1); }
};

// SLtoVLMappingTable: the data VL of each SL.
inline constexpr unsigned kNumSls = 16;
inline constexpr unsigned kMaxVls = 15;      // data VLs; VL 15 is for management
inline constexpr std::uint8_t kNoVl = 0xFF;  // in place of a VL: packets of the SL are discarded
using SlToVl = std::array<std::uint8_t, kNumSls>;

inline constexpr std::size_t kMaxDimensions = 16;  // of a grid of switches

// A port of a channel adapter (host, aggregation node or router) that has a link. A LID names an endport.
struct Endport {
  std::uint32_t node;
  std::uint16_t port;
};

// One hop of a route: a node, and the port by which the route leaves it.
struct Hop {
  std::uint32_t node;
  std::uint16_t port;
};

// One VL of one direction of a link: the sending node and its port.
struct Channel {
  std::uint32_t node;
  std::uint16_t port;
  std::uint8_t vl;
  friend bool operator==(const Channel&, const Channel&) = default;
};

class Fabric {
 public:
  explicit Fabric(std::uint32_t mtu_bytes = 2048);

  // Adds a node with ports 1..num_ports and returns its index. Throws std::invalid_argument on a port count outside 1..254.
  std::uint32_t AddNode(std::string name, NodeKind kind, std::uint64_t guid, std::uint16_t num_ports);
  // Throws std::invalid_argument if a port does not exist, is in use, or is connected to itself.
  void Connect(std::uint32_t node_a, std::uint16_t port_a, std::uint32_t node_b, std::uint16_t port_b, LinkRate rate,
               Time propagation);
  // Throws std::invalid_argument if the node is a switch, whose ports have its GUID, or the port does not exist.
  void SetPortGuid(std::uint32_t node, std::uint16_t port, std::uint64_t guid);
  // Throws std::invalid_argument if the node does not exist.
  void SetDialect(std::uint32_t node, CcDialect dialect);
  void SetHostLimits(std::uint32_t node, std::optional<double> inject_gbps, std::optional<double> receive_gbps);

  // Throws std::invalid_argument if the node is not a host, has receive_gbps, or a value is out of range.
  void SetHostModel(std::uint32_t node, std::shared_ptr<const HostModel> model);

  // Sets a switch's place in a torus, mesh or hypercube, one number from 0 for each dimension. Throws std::invalid_argument if the node
  // is not a switch, or there are no numbers or more than kMaxDimensions.
  void SetCoordinates(std::uint32_t switch_node, std::vector<std::uint16_t> at);
  // The coordinates of a switch, by its ordinal; empty if none were set.
  const std::vector<std::uint16_t>& coordinates(std::uint32_t ordinal) const { return coordinates_[ordinal]; }

  const std::vector<Node>& nodes() const { return nodes_; }
  std::uint32_t mtu_bytes() const { return mtu_bytes_; }
  std::uint32_t num_switches() const { return static_cast<std::uint32_t>(switches_.size()); }
  const std::vector<std::uint32_t>& switches() const { return switches_; }           // node indices, ascending
  const std::vector<Endport>& endports() const { return endports_; }                 // in the order in which they were connected
  std::uint32_t switch_ordinal(std::uint32_t node) const { return ordinal_[node]; }  // position in switches()
  std::uint32_t endport_index(std::uint32_t node, std::uint16_t port) const;         // kNone if it has no link

  // Forwarding: the port by which a switch sends to a destination endport, or kNoRoute. Connect() clears it, with path SLs, SL-to-VL
  // tables and the least number of VLs.
  std::uint8_t forward(std::uint32_t switch_ordinal, std::uint32_t endport) const {
    return forwarding_.empty() ? kNoRoute : forwarding_[std::size_t{switch_ordinal} * endports_.size() + endport];
  }
  void SetForward(std::uint32_t switch_node, std::uint32_t endport, std::uint8_t port);
  void ClearForwarding();
  // Service levels. A routing that selects paths by the SL (a torus's datelines) uses its `path_sl_bits` low bits: a packet of a flow
  // of SL s has the SL (s << path_sl_bits) | path_sl(source, destination).
  unsigned path_sl_bits() const { return path_sl_bits_; }
  std::uint8_t path_sl(std::uint32_t src_endport, std::uint32_t dst_endport) const;
  // `by_switches`: [switch ordinal of the source][switch ordinal of the destination]; empty with 0 bits. Throws
  // std::invalid_argument if the size is another, there are more than 4 bits, or a value needs more than `bits`.
  void SetPathSls(unsigned bits, std::vector<std::uint8_t> by_switches);

  // SL-to-VL of packets that come in by one port and leave by another (in port 0: packets that the node sends). sl_to_vl() returns
  // nullptr where none is set: the VL is then SL modulo the number of VLs. Throws std::invalid_argument if a VL is above 14 and not
  // kNoVl, or a port does not exist.
  void SetSlToVl(std::uint32_t node, std::uint16_t in_port, std::uint16_t out_port, const SlToVl& vls);
  const SlToVl* sl_to_vl(std::uint32_t node, std::uint16_t in_port, std::uint16_t out_port) const;
  // The table where none is set for the two ports. Throws std::invalid_argument if a VL is above 14.
  void SetDefaultSlToVl(const SlToVl& vls);
  bool has_sl_to_vl() const { return default_sl_to_vl_ || !sl_to_vl_.empty(); }
  // The highest VL in an SL-to-VL table plus one; 1 without tables.
  unsigned sl_to_vl_vls() const;

  // VL arbitration of a sending port; nullptr: VLs take turns, packet by packet. Connect() and routings do not change it. Throws
  // std::invalid_argument if a VL is above 14, a table has more than 64 entries, or the port does not exist.
  void SetVlArbitration(std::uint32_t node, std::uint16_t port, VlArbitrationTables tables);
  void SetDefaultVlArbitration(VlArbitrationTables tables);
  const VlArbitrationTables* vl_arbitration(std::uint32_t node, std::uint16_t port) const;
  // Removes all SL-to-VL and VL arbitration tables.
  void ClearServiceLevels();
  bool has_vl_arbitration() const { return default_vl_arbitration_ || !vl_arbitration_.empty(); }
  // The least number of data VLs that the routing needs; 1 unless the routing has set it.
  unsigned min_vls() const { return min_vls_; }
  void SetMinVls(unsigned vls);

  // The hops from one endport to another along the forwarding tables, starting at the source. Throws std::runtime_error with the place
  // where the route ends if a table has no entry, or where it loops.
  std::vector<Hop> Route(std::uint32_t src_endport, std::uint32_t dst_endport) const;

 private:
  void CheckPort(std::uint32_t node, std::uint16_t port) const;

  std::uint32_t mtu_bytes_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> switches_;
  std::vector<std::uint32_t> ordinal_;                   // by node: ordinal among switches, or kNone
  std::vector<std::vector<std::uint16_t>> coordinates_;  // by switch ordinal
  std::vector<Endport> endports_;
  std::vector<std::vector<std::uint32_t>> endport_by_port_;  // by node, then port
  std::vector<std::uint8_t> forwarding_;
  unsigned path_sl_bits_ = 0;
  std::vector<std::uint8_t> path_sls_;                       // [source's switch][destination's switch]
  std::map<std::array<std::uint32_t, 3>, SlToVl> sl_to_vl_;  // by node, in port, out port
  std::optional<SlToVl> default_sl_to_vl_;
  std::map<std::array<std::uint32_t, 2>, VlArbitrationTables> vl_arbitration_;  // by node, port
  std::optional<VlArbitrationTables> default_vl_arbitration_;
  unsigned min_vls_ = 1;
};

// The first host that has a model; nullptr if none has.
const Node* FirstModelledHost(const Fabric& fabric);

// The first node whose congestion control is not annex A10's; nullptr if all have that.
const Node* FirstOfOtherDialect(const Fabric& fabric);

}  // namespace ccsim
