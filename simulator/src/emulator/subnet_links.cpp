// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// subnet_links.cpp: switches nodes on and off, trains links and takes them down (IBA vol. 1, 7.2.7; vol. 2, 5.4).
#include <utility>

#include "emulator/agents/sma/link.hpp"
#include "emulator/agents/sma/power_on.hpp"
#include "emulator/subnet.hpp"

namespace ccsim::emulator {

void Subnet::PowerOn(std::uint32_t node) {
  Device& device = devices_[node];
  const std::size_t ports = fabric_.nodes()[node].ports.size();
  SmaNode sma = PowerOnSma(fabric_, node, port_guid_bases_[node], vl_cap_);
  // Programs run on while their node is off, and so does a subnet manager.
  for (std::size_t p = 0; p < device.sma.ports.size(); ++p) sma.ports[p].is_sm = device.sma.ports[p].is_sm;
  device.sma = std::move(sma);
  device.pma.PowerOn(ports);
  device.cca.PowerOn(ports);
  traps_.Forget(node);
  ++versions_.forwarding;
  ++versions_.service_levels;
  ++versions_.congestion;
  ++versions_.links;
}

bool Subnet::Cabled(std::uint32_t node, std::uint16_t port) const {
  const Port& own = fabric_.nodes()[node].ports[port];
  if (!own.connected() || !devices_[node].present || devices_[node].cable_pulled[port] != 0) return false;
  return devices_[own.peer_node].present && devices_[own.peer_node].cable_pulled[own.peer_port] == 0;
}

void Subnet::TakeDown(std::uint32_t node, std::uint16_t port, bool news) {
  SmaPort& own = devices_[node].sma.ports[port];
  if (own.state == PortState::Down) return;
  own.state = PortState::Down;
  ++devices_[node].pma.ports[port].link_downed;
  if (own.physical_state == PhysicalState::LinkUp) own.physical_state = own.link_down_default;
  if (!news || !is_switch(node) || !devices_[node].present) return;
  devices_[node].sma.port_state_change = true;
  traps_.LinkState(*this, node);
}

void Subnet::Train(std::uint32_t node, std::uint16_t port, std::uint32_t by_set_at) {
  const Port& cable = fabric_.nodes()[node].ports[port];
  if (!cable.connected()) return;
  SmaPort& own = devices_[node].sma.ports[port];
  SmaPort& peer = devices_[cable.peer_node].sma.ports[cable.peer_port];
  const bool was_up = own.state != PortState::Down;  // both or none
  const bool up = Cabled(node, port) && NegotiateLink(own, peer);
  if (up == was_up) return;
  ++versions_.links;
  if (!up) {
    TakeDown(node, port, node != by_set_at);
    TakeDown(cable.peer_node, cable.peer_port, cable.peer_node != by_set_at);
    return;
  }
  for (const Place end :
       {Place{node, static_cast<std::uint8_t>(port)}, Place{cable.peer_node, static_cast<std::uint8_t>(cable.peer_port)}}) {
    SmaPort& p = sma_port(end);
    p.physical_state = PhysicalState::LinkUp;
    p.state = PortState::Init;
    if (!is_switch(end.node)) continue;
    devices_[end.node].sma.port_state_change = true;
    traps_.LinkState(*this, end.node);
  }
}

void Subnet::Bounce(std::uint32_t node, std::uint16_t port, std::uint32_t by_set_at) {
  const Port& cable = fabric_.nodes()[node].ports[port];
  TakeDown(node, port, node != by_set_at);
  TakeDown(cable.peer_node, cable.peer_port, cable.peer_node != by_set_at);
  ++versions_.links;
  Train(node, port, by_set_at);
}

void Subnet::SetLink(std::uint32_t node, std::uint16_t port, bool up) {
  devices_[node].cable_pulled[port] = up ? 0 : 1;
  // Either end of the cable may have been used to pull it.
  const Port& cable = fabric_.nodes()[node].ports[port];
  if (up && cable.connected()) devices_[cable.peer_node].cable_pulled[cable.peer_port] = 0;
  Train(node, port);
}

void Subnet::SetPresent(std::uint32_t node, bool present) {
  if (devices_[node].present == present) return;
  devices_[node].present = present;
  if (present) PowerOn(node);
  for (std::uint16_t port = 1; port <= fabric_.nodes()[node].num_ports(); ++port) Train(node, port);
  if (!present) traps_.Forget(node);
}

void Subnet::Reboot(std::uint32_t node) {
  SetPresent(node, false);
  SetPresent(node, true);
}

void Subnet::SetDescription(std::uint32_t node, std::string text) {
  devices_[node].sma.description = std::move(text);
  // A switch sends notices from its management port, an adapter from each of its ports.
  const std::uint16_t first = is_switch(node) ? 0 : 1;
  const std::uint16_t last = is_switch(node) ? 0 : fabric_.nodes()[node].num_ports();
  for (std::uint16_t port = first; port <= last; ++port) {
    traps_.LocalChange(*this, {node, static_cast<std::uint8_t>(port)}, kDescriptionChange);
  }
}

void Subnet::SetIsSm(Place at, bool is_sm) {
  SmaPort& port = sma_port(endport(at));
  if (port.is_sm == is_sm) return;
  port.is_sm = is_sm;
  traps_.LocalChange(*this, endport(at), 0);
}

}  // namespace ccsim::emulator
