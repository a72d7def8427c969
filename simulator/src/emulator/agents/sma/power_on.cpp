// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agents/sma/power_on.hpp"

#include <optional>
#include <unordered_set>

#include "emulator/agents/sma/link.hpp"

namespace ccsim::emulator {
namespace {

// 1: 256 bytes … 5: 4,096. An MTU between two of these needs the larger.
std::uint8_t MtuCode(std::uint32_t mtu_bytes) {
  std::uint8_t code = 1;
  while (code < 5 && 128u << code < mtu_bytes) ++code;
  return code;
}

// A port without a cable could do what the fastest port with one does.
LinkRate FastestRate(const Node& node) {
  std::optional<LinkRate> fastest;
  for (const Port& port : node.ports) {
    if (port.connected() && (!fastest || port.rate.data_gbps() > fastest->data_gbps())) fastest = port.rate;
  }
  return fastest.value_or(LinkRate{});
}

}  // namespace

std::vector<std::uint64_t> PortGuidBases(const Fabric& fabric) {
  std::unordered_set<std::uint64_t> taken;
  for (const Node& node : fabric.nodes()) {
    if (node.kind == NodeKind::Switch) taken.insert(node.guid);
    for (const Port& port : node.ports) taken.insert(port.guid);
  }
  std::vector<std::uint64_t> bases;
  bases.reserve(fabric.nodes().size());
  for (const Node& node : fabric.nodes()) {
    std::uint64_t base = node.guid;
    const auto collides = [&] {
      for (std::uint16_t port = 1; port <= node.num_ports(); ++port) {
        if (node.ports[port].guid == 0 && taken.count(base + port) != 0) return true;
      }
      return false;
    };
    if (node.kind != NodeKind::Switch) {
      constexpr std::uint64_t kStep = std::uint64_t{1} << 48;  // changes the vendor's part, which nobody else here shares
      while (collides()) base += kStep;
      for (std::uint16_t port = 1; port <= node.num_ports(); ++port) taken.insert(base + port);
    }
    bases.push_back(base);
  }
  return bases;
}

SmaNode PowerOnSma(const Fabric& fabric, std::uint32_t node_index, std::uint64_t port_guid_base, std::uint8_t vl_cap) {
  const Node& node = fabric.nodes()[node_index];
  const bool is_switch = node.kind == NodeKind::Switch;
  const LinkRate spare = FastestRate(node);
  SmaNode sma;
  sma.ports.resize(node.ports.size());
  for (std::size_t p = 0; p < sma.ports.size(); ++p) {
    SmaPort& port = sma.ports[p];
    SetRate(port, node.ports[p].connected() ? node.ports[p].rate : spare);
    const std::uint64_t given = node.ports[p].guid;
    port.guid = is_switch ? node.guid : given != 0 ? given : port_guid_base + p;
    port.vl_cap = port.operational_vls = vl_cap;
    port.mtu_cap = MtuCode(fabric.mtu_bytes());
    port.neighbor_mtu = port.mtu_cap;
  }
  if (is_switch) {
    // The management port is inside the switch, and always there.
    sma.ports[0].physical_state = PhysicalState::LinkUp;
    sma.ports[0].state = PortState::Active;
  }
  return sma;
}

}  // namespace ccsim::emulator
