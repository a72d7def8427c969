// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/subnet_fabric.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/agents/sma/vl_arbitration.hpp"

namespace ccsim::emulator {
namespace {

// A port that packets leave by, with what does not depend on the port that they came in by.
struct Leaving {
  std::uint32_t node;
  std::uint16_t port;
  unsigned vls;
  std::optional<VlArbitrationTables> arbitration;
};

SlToVl TableOf(const SlToVlBytes& bytes, const Leaving& by) {
  const unsigned served = by.arbitration ? by.arbitration->served_vls() : 0xFFFFu;
  SlToVl table;
  for (unsigned sl = 0; sl < kNumSls; ++sl) {
    const auto vl = static_cast<std::uint8_t>(bytes[sl / 2] >> (sl % 2 == 0 ? 4 : 0) & 0x0F);
    table[sl] = vl < by.vls && (served >> vl & 1) != 0 ? vl : kNoVl;
  }
  return table;
}

// Calls `visit(leaving, in_port, table)` for each way through a node with a cable at both ends, in port 0 at adapters.
template <typename Visit>
void ForEachWay(const Subnet& subnet, Visit visit) {
  const Fabric& fabric = subnet.fabric();
  for (std::uint32_t n = 0; n < fabric.nodes().size(); ++n) {
    const Node& node = fabric.nodes()[n];
    const SmaNode& sma = subnet.device(n).sma;
    const bool is_switch = node.kind == NodeKind::Switch;
    const std::uint16_t first_in = is_switch ? 1 : 0, last_in = is_switch ? node.num_ports() : std::uint16_t{0};
    for (std::uint16_t out = 1; out <= node.num_ports(); ++out) {
      if (!node.ports[out].connected()) continue;
      const Leaving by{n, out, OperationalVls(sma.ports[out]), VlArbitrationOf(sma.ports[out])};
      std::optional<std::pair<SlToVlBytes, SlToVl>> latest;  // most ways out of a port have the same table
      for (std::uint16_t in = first_in; in <= last_in; ++in) {
        if (in > 0 && !node.ports[in].connected()) continue;
        const SlToVlBytes& bytes = sma.SlToVlOf(in, out);
        if (!latest || latest->first != bytes) latest = {bytes, TableOf(bytes, by)};
        visit(by, in, latest->second);
      }
    }
  }
}

}  // namespace

unsigned OperationalVls(const SmaPort& port) {
  constexpr std::array<std::uint8_t, 6> kVls{1, 1, 2, 4, 8, 15};
  return kVls[std::min<std::size_t>(port.operational_vls, kVls.size() - 1)];
}

bool Carries(const Subnet& subnet, std::uint32_t node, std::uint16_t port) {
  const Port& own = subnet.fabric().nodes()[node].ports[port];
  return subnet.LinkUp(node, port) && subnet.device(node).sma.ports[port].state == PortState::Active &&
         subnet.device(own.peer_node).sma.ports[own.peer_port].state == PortState::Active;
}

std::uint16_t LidOf(const Subnet& subnet, std::uint32_t endport) {
  const Endport& at = subnet.fabric().endports()[endport];
  return subnet.device(at.node).sma.ports[at.port].lid;
}

std::uint8_t ForwardOf(const Subnet& subnet, std::uint32_t node, std::uint32_t endport) {
  const std::uint16_t lid = LidOf(subnet, endport);
  const std::uint8_t port = lid == 0 ? kNoRoute : subnet.device(node).sma.Forward(lid);
  const Node& at = subnet.fabric().nodes()[node];
  return port >= 1 && port <= at.num_ports() && at.ports[port].connected() ? port : kNoRoute;
}

void SetServiceLevels(const Subnet& subnet, std::uint16_t used, const Model& model, Fabric& fabric) {
  fabric.ClearServiceLevels();
  unsigned vls = model.num_vls, operational = 1;
  ForEachWay(subnet, [&](const Leaving& by, std::uint16_t, const SlToVl& table) {
    operational = std::max(operational, by.vls);
    for (unsigned sl = 0; sl < kNumSls; ++sl) {
      if ((used >> sl & 1) != 0 && table[sl] != kNoVl) vls = std::max(vls, table[sl] + 1u);
    }
  });
  // A shared buffer is divided among VLs when the engine is built.
  if (model.switches.buffer_sharing == BufferSharing::Shared) vls = operational;
  fabric.SetMinVls(vls);

  // SLs that no flow uses get the default. Most tables are then alike, and become the fabric's default.
  const auto normal = [&](SlToVl table) {
    for (unsigned sl = 0; sl < kNumSls; ++sl) {
      if ((used >> sl & 1) == 0) table[sl] = static_cast<std::uint8_t>(sl % vls);
    }
    return table;
  };
  std::map<SlToVl, std::size_t> ways;
  ForEachWay(subnet, [&](const Leaving&, std::uint16_t, const SlToVl& table) { ++ways[normal(table)]; });
  SlToVl usual;
  for (unsigned sl = 0; sl < kNumSls; ++sl) usual[sl] = static_cast<std::uint8_t>(sl % vls);
  const bool plain = ways.empty() || (ways.size() == 1 && ways.begin()->first == usual);
  if (!plain) {
    const auto more = [](const auto& a, const auto& b) { return a.second < b.second; };
    usual = std::max_element(ways.begin(), ways.end(), more)->first;
    fabric.SetDefaultSlToVl(usual);
  }
  ForEachWay(subnet, [&](const Leaving& by, std::uint16_t in, const SlToVl& table) {
    const SlToVl wanted = normal(table);
    if (!plain && wanted != usual) fabric.SetSlToVl(by.node, in, by.port, wanted);
  });
  if (vls == 1) return;
  for (std::uint32_t n = 0; n < fabric.nodes().size(); ++n) {
    for (std::uint16_t port = 1; port <= fabric.nodes()[n].num_ports(); ++port) {
      if (!fabric.nodes()[n].ports[port].connected()) continue;
      auto tables = VlArbitrationOf(subnet.device(n).sma.ports[port]);
      if (tables && tables->served_vls() != 0) fabric.SetVlArbitration(n, port, std::move(*tables));
    }
  }
}

Fabric FabricOf(const Subnet& subnet, std::uint16_t used_sls, const Model& model) {
  Fabric fabric = subnet.fabric();
  fabric.ClearForwarding();
  for (const std::uint32_t node : fabric.switches()) {
    std::vector<std::uint8_t> carries(fabric.nodes()[node].ports.size(), 0);
    for (std::uint16_t p = 1; p <= fabric.nodes()[node].num_ports(); ++p) carries[p] = Carries(subnet, node, p);
    for (std::uint32_t e = 0; e < fabric.endports().size(); ++e) {
      const std::uint8_t port = ForwardOf(subnet, node, e);
      if (port != kNoRoute && carries[port] != 0) fabric.SetForward(node, e, port);
    }
  }
  SetServiceLevels(subnet, used_sls, model, fabric);
  return fabric;
}

}  // namespace ccsim::emulator
