// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agents/cca/tables.hpp"

#include <algorithm>
#include <utility>

#include "ccpolicy/tables.h"

namespace ccsim::emulator {
namespace {

constexpr ccp_cct_entry kNoDelay{};
const SwitchTables kNoSwitchTables;
const CaTables kNoCaTables;
const NvidiaSwitchTables kNoNvidiaSwitchTables;
const NvidiaCaTables kNoNvidiaCaTables;

}  // namespace

SubnetCcTables::SubnetCcTables(const Subnet& subnet) {
  for (std::uint32_t n = 0; n < subnet.num_devices(); ++n) {
    const CcaNode& cca = subnet.device(n).cca;
    if (!cca.ever_set) continue;
    const Node& node = subnet.fabric().nodes()[n];
    if (node.kind == NodeKind::Switch) {
      AddSwitch(n, node, cca.tables_ignored ? kNoSwitchTables : cca.switch_tables,
                cca.tables_ignored ? kNoNvidiaSwitchTables : cca.nvidia);
      continue;
    }
    for (std::uint16_t port = 1; port <= node.num_ports(); ++port) {
      if (!node.ports[port].connected()) continue;
      AddCa(n, port, node, cca.tables_ignored ? kNoCaTables : cca.ports[port].tables, cca.tables_ignored || cca.forgot);
      if (!KnowsNvidia(node.dialect)) continue;
      cas_.back().nvidia =
          nvidia_.Add(node, cca.tables_ignored ? kNoNvidiaCaTables : cca.ports[port].nvidia, cca.firmware.nvidia);
    }
  }
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    switches_[i].ports = ports_[i].data();
    switches_[i].starvation_ports = starvation_[i].data();
  }
  tables_.enable = true;
  tables_.has_nvidia = std::any_of(switches_.begin(), switches_.end(), [](const auto& one) { return one.nvidia != nullptr; }) ||
                       std::any_of(cas_.begin(), cas_.end(), [](const auto& one) { return one.nvidia != nullptr; });
  tables_.num_switches = static_cast<std::uint32_t>(switches_.size());
  tables_.switches = switches_.data();
  tables_.num_cas = static_cast<std::uint32_t>(cas_.size());
  tables_.cas = cas_.data();
}

// Fields that were never set are 0, as in a new device.
void SubnetCcTables::AddSwitch(std::uint32_t index, const Node& node, const SwitchTables& held,
                               const NvidiaSwitchTables& nvidia) {
  ccp_switch_tables tables{};
  tables.node = index;
  tables.guid = node.guid;
  tables.setting = held.setting;
  tables.setting.control_map = CCP_CONTROL_MAP_ALL;
  tables.num_ports = node.num_ports();
  if (KnowsNvidia(node.dialect)) tables.nvidia = nvidia_.Add(node, nvidia);
  switches_.push_back(tables);
  auto& ports = ports_.emplace_back(node.num_ports() + 1u);
  auto& starvation = starvation_.emplace_back(node.num_ports() + 1u);
  for (std::size_t port = 0; port < held.ports.size(); ++port) {
    ports[port] = held.ports[port].congestion;
    starvation[port] = held.ports[port].starvation;
  }
}

// HeldTables distinguishes an SL that was never set, which is not under congestion control, from one that was set to zeros. It cannot
// return to the first state, so a port that has lost its tables gets the second.
void SubnetCcTables::AddCa(std::uint32_t index, std::uint16_t port, const Node& node, const CaTables& held, bool forgot) {
  ccp_ca_tables tables{};
  tables.node = index;
  tables.guid = node.guid;
  tables.port = port;
  tables.setting = held.setting;
  if (forgot) tables.setting.control_map = CCP_ALL_SLS;
  if (held.has_cct) {
    tables.cct.ccti_limit = held.ccti_limit;
    tables.cct.entries = held.cct.data();
  } else if (forgot) {
    tables.cct.entries = &kNoDelay;
  }
  cas_.push_back(tables);
}

}  // namespace ccsim::emulator
