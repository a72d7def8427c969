// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cca/switch_port_congestion_setting.cpp: SwitchPortCongestionSetting (IBA A10.4.3.7): what single ports of a switch do, a block of
// 32 ports from port 32 times the attribute modifier.
//
// An element that is not valid makes its port follow the switch's own setting again, for what its Control_Type names; a port holds
// an element of each type, and a Get shows the one that was set last. Elements of ports that the switch does not have are not kept.
#include <algorithm>

#include "emulator/agents/cca/attribute.hpp"

namespace ccsim::emulator {
namespace {

void SetBlock(SwitchTables& tables, std::size_t num_ports, std::size_t first, const ccp_switch_port_block& block) {
  tables.ports.resize(num_ports + 1);
  for (std::size_t port = first; port < first + CCP_PORTS_PER_BLOCK && port <= num_ports; ++port) {
    const ccp_switch_port_setting& element = block.ports[port - first];
    SwitchPortTables& own = tables.ports[port];
    (element.control_type == 0 ? own.congestion : own.starvation) = element;
    own.latest_control_type = element.control_type;
  }
}

ccp_switch_port_block Block(const SwitchTables& tables, std::size_t first) {
  ccp_switch_port_block block{};
  const std::size_t end = std::min<std::size_t>(tables.ports.size(), first + CCP_PORTS_PER_BLOCK);
  for (std::size_t port = first; port < end; ++port) {
    const SwitchPortTables& own = tables.ports[port];
    block.ports[port - first] = own.latest_control_type == 0 ? own.congestion : own.starvation;
  }
  return block;
}

MadStatus HandleSwitchPortCongestionSetting(Request& request) {
  if (!IsSwitch(request)) return kUnsupportedMethodAttribute;
  const std::size_t num_ports = NodeOf(request).num_ports();
  if (request.modifier() >= ccp_switch_port_num_blocks(static_cast<unsigned>(num_ports))) return kInvalidField;
  const std::size_t first = std::size_t{request.modifier()} * CCP_PORTS_PER_BLOCK;
  SwitchTables& tables = CcaOf(request).switch_tables;
  if (request.is_set()) {
    NoteSet(request);
    SetBlock(tables, num_ports, first, Unpacked<ccp_switch_port_block>(CCP_SWITCH_PORT_CONGESTION_SETTING, request.data));
  }
  PackInto(request.data, CCP_SWITCH_PORT_CONGESTION_SETTING, Block(tables, first));
  return kOk;
}

const CcaRegistration kRegistered(CCP_SWITCH_PORT_CONGESTION_SETTING, kGetAndSet,
                                  ForDialect<KnowsA10, HandleSwitchPortCongestionSetting>);

}  // namespace
}  // namespace ccsim::emulator
