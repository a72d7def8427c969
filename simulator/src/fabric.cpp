// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <utility>

namespace ccsim {
namespace {

void CheckVl(unsigned vl) {
  if (vl >= kMaxVls) throw std::invalid_argument("VL " + std::to_string(vl) + " is not a data VL; there are 0 to 14");
}

void CheckVls(const SlToVl& vls) {
  for (const std::uint8_t vl : vls) {
    if (vl != kNoVl) CheckVl(vl);
  }
}

void CheckVlArbitration(const VlArbitrationTables& tables) {
  for (const auto* table : {&tables.high, &tables.low}) {
    if (table->size() > kMaxVlArbitrationEntries) {
      throw std::invalid_argument("a VL arbitration table has " + std::to_string(table->size()) + " entries; 64 are possible");
    }
    for (const VlArbitrationEntry& entry : *table) CheckVl(entry.vl);
  }
  if (tables.served_vls() == 0) {
    throw std::invalid_argument("VL arbitration without an entry of a weight above 0 would never send anything");
  }
}

}  // namespace

Fabric::Fabric(std::uint32_t mtu_bytes) : mtu_bytes_(mtu_bytes) {
  for (const std::uint32_t mtu : {256u, 512u, 1024u, 2048u, 4096u}) {
    if (mtu == mtu_bytes) return;
  }
  throw std::invalid_argument("mtu_bytes " + std::to_string(mtu_bytes) + " is not one of 256, 512, 1024, 2048, 4096");
}

std::uint32_t Fabric::AddNode(std::string name, NodeKind kind, std::uint64_t guid, std::uint16_t num_ports) {
  if (num_ports < 1 || num_ports > kMaxPorts) {
    throw std::invalid_argument("node '" + name + "' has " + std::to_string(num_ports) + " ports; 1 to 254 are possible");
  }
  const auto index = static_cast<std::uint32_t>(nodes_.size());
  Node node;
  node.name = std::move(name);
  node.kind = kind;
  node.guid = guid;
  node.ports.resize(std::size_t{num_ports} + 1);
  nodes_.push_back(std::move(node));
  ordinal_.push_back(kNone);
  endport_by_port_.emplace_back(std::size_t{num_ports} + 1, kNone);
  if (kind == NodeKind::Switch) {
    ordinal_[index] = num_switches();
    switches_.push_back(index);
    coordinates_.emplace_back();
  }
  ClearForwarding();
  return index;
}

void Fabric::CheckPort(std::uint32_t node, std::uint16_t port) const {
  if (node >= nodes_.size()) {
    throw std::invalid_argument("node index " + std::to_string(node) + " does not exist; the fabric has " +
                                std::to_string(nodes_.size()) + " nodes");
  }
  const Node& n = nodes_[node];
  if (port < 1 || port > n.num_ports()) {
    throw std::invalid_argument("port " + std::to_string(port) + " of '" + n.name + "' does not exist; it has ports 1 to " +
                                std::to_string(n.num_ports()));
  }
  if (n.ports[port].connected()) {
    throw std::invalid_argument("port " + std::to_string(port) + " of '" + n.name +
                                "' is used twice; it is already connected to '" + nodes_[n.ports[port].peer_node].name + "'");
  }
}

void Fabric::Connect(std::uint32_t node_a, std::uint16_t port_a, std::uint32_t node_b, std::uint16_t port_b, LinkRate rate,
                     Time propagation) {
  CheckPort(node_a, port_a);
  CheckPort(node_b, port_b);
  if (node_a == node_b) {
    throw std::invalid_argument("ports " + std::to_string(port_a) + " and " + std::to_string(port_b) + " of '" +
                                nodes_[node_a].name + "' are connected to each other; a link joins two nodes");
  }
  if (propagation < 0) throw std::invalid_argument("propagation delay is below 0");
  nodes_[node_a].ports[port_a] = Port{node_b, port_b, rate, propagation, nodes_[node_a].ports[port_a].guid};
  nodes_[node_b].ports[port_b] = Port{node_a, port_a, rate, propagation, nodes_[node_b].ports[port_b].guid};
  for (const auto& [node, port] : {Endport{node_a, port_a}, Endport{node_b, port_b}}) {
    if (nodes_[node].kind == NodeKind::Switch) continue;
    endport_by_port_[node][port] = static_cast<std::uint32_t>(endports_.size());
    endports_.push_back(Endport{node, port});
  }
  ClearForwarding();
}

void Fabric::SetPortGuid(std::uint32_t node, std::uint16_t port, std::uint64_t guid) {
  if (node >= nodes_.size() || port < 1 || port > nodes_[node].num_ports()) {
    throw std::invalid_argument("port " + std::to_string(port) + " of node index " + std::to_string(node) + " does not exist");
  }
  if (nodes_[node].kind == NodeKind::Switch) {
    throw std::invalid_argument("'" + nodes_[node].name + "' is a switch; its ports have no GUIDs of their own");
  }
  nodes_[node].ports[port].guid = guid;
}

void Fabric::SetDialect(std::uint32_t node, CcDialect dialect) {
  if (node >= nodes_.size()) {
    throw std::invalid_argument("node index " + std::to_string(node) + " does not exist; the fabric has " +
                                std::to_string(nodes_.size()) + " nodes");
  }
  nodes_[node].dialect = dialect;
}

void Fabric::SetHostLimits(std::uint32_t node, std::optional<double> inject_gbps, std::optional<double> receive_gbps) {
  if (node >= nodes_.size() || nodes_[node].kind == NodeKind::Switch) {
    throw std::invalid_argument("node index " + std::to_string(node) +
                                " is not a host; only hosts have inject and receive limits");
  }
  for (const auto& limit : {inject_gbps, receive_gbps}) {
    if (limit && !(*limit >= 0.001 && *limit <= 1e6)) {
      throw std::invalid_argument("a host limit of " + std::to_string(*limit) + " Gb/s on '" + nodes_[node].name +
                                  "' is out of range; it must be 0.001 to 1000000");
    }
  }
  nodes_[node].inject_gbps = inject_gbps;
  nodes_[node].receive_gbps = receive_gbps;
}

void Fabric::SetHostModel(std::uint32_t node, std::shared_ptr<const HostModel> model) {
  if (node >= nodes_.size() || nodes_[node].kind != NodeKind::Host) {
    throw std::invalid_argument("node index " + std::to_string(node) + " is not a host; only hosts have host models");
  }
  if (model && nodes_[node].receive_gbps) {
    throw std::invalid_argument("'" + nodes_[node].name + "' has receive_gbps and a host model; one of them is enough");
  }
  if (model) model->Validate(nodes_[node].name);
  nodes_[node].host_model = std::move(model);
}

void Fabric::SetCoordinates(std::uint32_t switch_node, std::vector<std::uint16_t> at) {
  if (switch_node >= nodes_.size() || ordinal_[switch_node] == kNone) {
    throw std::invalid_argument("node index " + std::to_string(switch_node) + " is not a switch; only switches have coordinates");
  }
  if (at.empty() || at.size() > kMaxDimensions) {
    throw std::invalid_argument("'" + nodes_[switch_node].name + "' is given " + std::to_string(at.size()) +
                                " coordinates; 1 to " + std::to_string(kMaxDimensions) + " are possible");
  }
  coordinates_[ordinal_[switch_node]] = std::move(at);
}

std::uint32_t Fabric::endport_index(std::uint32_t node, std::uint16_t port) const {
  if (node >= nodes_.size() || port >= endport_by_port_[node].size()) return kNone;
  return endport_by_port_[node][port];
}

void Fabric::ClearForwarding() {
  forwarding_.clear();
  path_sl_bits_ = 0;
  path_sls_.clear();
  sl_to_vl_.clear();
  default_sl_to_vl_.reset();
  min_vls_ = 1;
}

std::uint8_t Fabric::path_sl(std::uint32_t src_endport, std::uint32_t dst_endport) const {
  if (path_sls_.empty()) return 0;
  const auto leaf = [this](std::uint32_t endport) {
    const Endport& e = endports_.at(endport);
    return ordinal_[nodes_[e.node].ports[e.port].peer_node];
  };
  const std::uint32_t from = leaf(src_endport);
  const std::uint32_t to = leaf(dst_endport);
  return from == kNone || to == kNone ? std::uint8_t{0} : path_sls_[std::size_t{from} * switches_.size() + to];
}

void Fabric::SetPathSls(unsigned bits, std::vector<std::uint8_t> by_switches) {
  if (bits > 4) throw std::invalid_argument("a path SL of " + std::to_string(bits) + " bits does not fit; an SL has 4");
  if (by_switches.size() != (bits == 0 ? 0 : switches_.size() * switches_.size())) {
    throw std::invalid_argument("there are " + std::to_string(by_switches.size()) + " path SLs for " +
                                std::to_string(switches_.size()) + " switches; one for each pair of them is wanted");
  }
  for (const std::uint8_t sl : by_switches) {
    if (sl >> bits != 0) {
      throw std::invalid_argument("path SL " + std::to_string(sl) + " needs more than " + std::to_string(bits) + " bits");
    }
  }
  path_sl_bits_ = bits;
  path_sls_ = std::move(by_switches);
}

void Fabric::ClearServiceLevels() {
  sl_to_vl_.clear();
  default_sl_to_vl_.reset();
  vl_arbitration_.clear();
  default_vl_arbitration_.reset();
}

void Fabric::SetSlToVl(std::uint32_t node, std::uint16_t in_port, std::uint16_t out_port, const SlToVl& vls) {
  const auto has_port = [&](std::uint16_t port) { return port >= 1 && port <= nodes_[node].num_ports(); };
  if (node >= nodes_.size() || !has_port(out_port) || (in_port != 0 && !has_port(in_port))) {
    throw std::invalid_argument("node " + std::to_string(node) + " has no ports " + std::to_string(in_port) + " and " +
                                std::to_string(out_port) + " to map SLs between");
  }
  CheckVls(vls);
  sl_to_vl_[{node, in_port, out_port}] = vls;
}

const SlToVl* Fabric::sl_to_vl(std::uint32_t node, std::uint16_t in_port, std::uint16_t out_port) const {
  const auto found = sl_to_vl_.find({node, in_port, out_port});
  if (found != sl_to_vl_.end()) return &found->second;
  return default_sl_to_vl_ ? &*default_sl_to_vl_ : nullptr;
}

void Fabric::SetDefaultSlToVl(const SlToVl& vls) {
  CheckVls(vls);
  default_sl_to_vl_ = vls;
}

unsigned Fabric::sl_to_vl_vls() const {
  unsigned vls = 1;
  const auto count = [&vls](const SlToVl& table) {
    for (const std::uint8_t vl : table) vls = vl == kNoVl ? vls : std::max(vls, vl + 1u);
  };
  for (const auto& [ports, table] : sl_to_vl_) count(table);
  if (default_sl_to_vl_) count(*default_sl_to_vl_);
  return vls;
}

void Fabric::SetVlArbitration(std::uint32_t node, std::uint16_t port, VlArbitrationTables tables) {
  if (node >= nodes_.size() || port < 1 || port > nodes_[node].num_ports()) {
    throw std::invalid_argument("node " + std::to_string(node) + " has no port " + std::to_string(port) + " to arbitrate VLs at");
  }
  CheckVlArbitration(tables);
  vl_arbitration_[{node, port}] = std::move(tables);
}

void Fabric::SetDefaultVlArbitration(VlArbitrationTables tables) {
  CheckVlArbitration(tables);
  default_vl_arbitration_ = std::move(tables);
}

const VlArbitrationTables* Fabric::vl_arbitration(std::uint32_t node, std::uint16_t port) const {
  const auto found = vl_arbitration_.find({node, port});
  if (found != vl_arbitration_.end()) return &found->second;
  return default_vl_arbitration_ ? &*default_vl_arbitration_ : nullptr;
}

void Fabric::SetMinVls(unsigned vls) {
  if (vls < 1 || vls > kMaxVls) throw std::invalid_argument(std::to_string(vls) + " VLs are not possible; there are 1 to 15");
  min_vls_ = vls;
}

void Fabric::SetForward(std::uint32_t switch_node, std::uint32_t endport, std::uint8_t port) {
  if (switch_node >= nodes_.size() || ordinal_[switch_node] == kNone) {
    throw std::invalid_argument("node index " + std::to_string(switch_node) + " is not a switch; only switches forward");
  }
  if (endport >= endports_.size()) {
    throw std::invalid_argument("endport " + std::to_string(endport) + " does not exist; the fabric has " +
                                std::to_string(endports_.size()));
  }
  const Node& node = nodes_[switch_node];
  if (port != kNoRoute && (port < 1 || port > node.num_ports() || !node.ports[port].connected())) {
    throw std::invalid_argument("port " + std::to_string(port) + " of '" + node.name +
                                "' has no link; it cannot be forwarded to");
  }
  if (forwarding_.empty()) forwarding_.assign(switches_.size() * endports_.size(), kNoRoute);
  forwarding_[std::size_t{ordinal_[switch_node]} * endports_.size() + endport] = port;
}

std::vector<Hop> Fabric::Route(std::uint32_t src_endport, std::uint32_t dst_endport) const {
  const Endport src = endports_.at(src_endport);
  const Endport dst = endports_.at(dst_endport);
  std::vector<Hop> hops{Hop{src.node, src.port}};
  Port link = nodes_[src.node].ports[src.port];
  while (link.peer_node != dst.node || link.peer_port != dst.port) {
    const Node& here = nodes_[link.peer_node];
    const std::uint32_t ordinal = ordinal_[link.peer_node];
    const std::uint8_t out = ordinal == kNone ? kNoRoute : forward(ordinal, dst_endport);
    if (out == kNoRoute) {
      throw std::runtime_error("no route from '" + nodes_[src.node].name + "' to '" + nodes_[dst.node].name + "': it ends at '" +
                               here.name + "'");
    }
    if (hops.size() > switches_.size()) {
      throw std::runtime_error("the route from '" + nodes_[src.node].name + "' to '" + nodes_[dst.node].name + "' loops at '" +
                               here.name + "'");
    }
    hops.push_back(Hop{link.peer_node, out});
    link = here.ports[out];
  }
  return hops;
}

const Node* FirstModelledHost(const Fabric& fabric) {
  const auto found =
      std::find_if(fabric.nodes().begin(), fabric.nodes().end(), [](const Node& node) { return node.host_model != nullptr; });
  return found == fabric.nodes().end() ? nullptr : &*found;
}

const Node* FirstOfOtherDialect(const Fabric& fabric) {
  for (const Node& node : fabric.nodes()) {
    // Aggregation nodes have no congestion control and carry no flows.
    if (node.dialect != CcDialect::A10 && node.kind != NodeKind::Aggregation) return &node;
  }
  return nullptr;
}

}  // namespace ccsim
