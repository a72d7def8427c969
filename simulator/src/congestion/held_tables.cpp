// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "congestion/held_tables.hpp"

#include <algorithm>
#include <stdexcept>

#include "congestion/control_map.hpp"

namespace ccsim {

HeldTables::HeldTables(const Fabric& fabric) : num_endports_(fabric.endports().size()) {
  for (std::uint32_t n = 0; n < fabric.nodes().size(); ++n) {
    const Node& node = fabric.nodes()[n];
    ordinal_.push_back(fabric.switch_ordinal(n));
    auto& ports = endport_.emplace_back();
    if (node.kind == NodeKind::Switch) {
      const std::vector<ccp_switch_port_setting> none(node.num_ports() + 1u);
      switches_.push_back({n, node.guid, node.name, {}, none, none, node.dialect, {}});
    } else {
      for (std::uint16_t p = 0; p <= node.num_ports(); ++p) ports.push_back(fabric.endport_index(n, p));
    }
  }
  for (const Endport& at : fabric.endports()) dialects_.push_back(fabric.nodes()[at.node].dialect);
  if (std::ranges::all_of(dialects_, [](CcDialect dialect) { return dialect == CcDialect::A10; })) return;
  for (std::uint32_t e = 0; e < num_endports_; ++e) acts_.push_back(ActsOf(e));
}

// A device of annex A10 notifies, whatever it holds, and reacts by tables without delay before they are set.
HeldTables::Acts HeldTables::ActsOf(std::uint32_t endport) const {
  const CcDialect dialect = dialects_[endport];
  const ActsBy otherwise = KnowsA10(dialect) ? ActsBy::A10 : ActsBy::Nothing;
  if (cas_.empty()) return {otherwise, otherwise};
  const ccp_nvidia_ca_tables& nvidia = cas_[endport].nvidia;
  const bool has_dcqcn = nvidia.type == CCP_NVIDIA_DCQCN && KnowsDcqcn(dialect);
  const ActsBy enabled = has_dcqcn ? ActsBy::Nvidia : ActsBy::Nothing;  // nobody but the firmware knows PPCC's algorithms
  return {nvidia.general.en_notify ? ActsBy::Nvidia : otherwise, nvidia.general.en_react ? enabled : otherwise};
}

void HeldTables::Check(const ccp_tables& tables) const {
  for (std::uint32_t i = 0; i < tables.num_switches; ++i) {
    const ccp_switch_tables& t = tables.switches[i];
    const std::uint32_t ordinal = OrdinalOf(t.node);
    if (ordinal == kNone) {
      throw std::invalid_argument("the tables name node " + std::to_string(t.node) +
                                  " as a switch; they belong to another fabric");
    }
    const OneSwitch& held = switches_[ordinal];
    if (t.num_ports + 1 != held.ports.size() || t.guid != held.guid) {
      throw std::invalid_argument("the tables of node " + std::to_string(t.node) + " are for a switch of " +
                                  std::to_string(t.num_ports) + " ports, and not for '" + held.name +
                                  "'; they belong to another fabric");
    }
  }
}

void HeldTables::Set(const ccp_tables& tables) {
  ever_set_ = true;
  for (std::uint32_t i = 0; i < tables.num_switches; ++i) {
    const ccp_switch_tables& t = tables.switches[i];
    OneSwitch& held = switches_[OrdinalOf(t.node)];
    if (t.nvidia != nullptr && KnowsNvidia(held.dialect)) SetNvidia(held.nvidia, t);
    if (!KnowsA10(held.dialect)) continue;
    ApplySet(held.setting, t.setting);
    for (std::size_t port = 0; port < held.ports.size(); ++port) {
      (t.ports[port].control_type == 0 ? held.ports : held.starvation)[port] = t.ports[port];
    }
    if (t.starvation_ports != nullptr) std::copy_n(t.starvation_ports, held.ports.size(), held.starvation.begin());
  }
  cas_.resize(num_endports_);
  for (std::uint32_t i = 0; i < tables.num_cas; ++i) {
    const ccp_ca_tables& t = tables.cas[i];
    if (t.node >= endport_.size() || t.port >= endport_[t.node].size() || endport_[t.node][t.port] == kNone) continue;
    const std::uint32_t endport = endport_[t.node][t.port];
    OneCa& held = cas_[endport];
    if (t.nvidia != nullptr && KnowsNvidia(dialects_[endport])) {
      held.nvidia = *t.nvidia;
      held.nvidia.num_slots = 0;
      held.nvidia.slots = nullptr;
    }
    if (!KnowsA10(dialects_[endport])) continue;
    ApplySet(held.setting, t.setting);
    if (t.cct.entries != nullptr) held.cct = Interned(t.cct);
  }
  for (std::uint32_t e = 0; e < acts_.size(); ++e) acts_[e] = ActsOf(e);
}

void HeldTables::SetNvidia(NvidiaSwitch& held, const ccp_switch_tables& tables) {
  held.general = tables.nvidia->general;
  held.ports.resize(tables.num_ports + 1u);
  for (std::size_t p = 1; p < held.ports.size(); ++p) {
    const ccp_nvidia_switch_port& port = tables.nvidia->ports[p];
    held.ports[p].profiles.assign(port.profiles, port.profiles + port.num_profiles);
    held.ports[p].sl_mapping = port.sl_mapping;
  }
}

ccp_switch_tables HeldTables::OfSwitch(std::uint32_t ordinal) const {
  const OneSwitch& held = switches_[ordinal];
  return {.node = held.node,
          .guid = held.guid,
          .setting = held.setting,
          .num_ports = static_cast<std::uint32_t>(held.ports.size() - 1),
          .ports = held.ports.data(),
          .starvation_ports = held.starvation.data(),
          .nvidia = nullptr};
}

const HeldTables::Cct* HeldTables::Interned(const ccp_cct& cct) {
  const std::size_t size = std::size_t{cct.ccti_limit} + 1;
  const auto same = [](const ccp_cct_entry& a, const ccp_cct_entry& b) {
    return a.shift == b.shift && a.multiplier == b.multiplier;
  };
  for (const Cct& known : ccts_) {
    if (known.size() == size && std::equal(known.begin(), known.end(), cct.entries, same)) return &known;
  }
  return &ccts_.emplace_back(cct.entries, cct.entries + size);
}

}  // namespace ccsim
