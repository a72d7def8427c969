// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agents/cca/nvidia_tables.hpp"

#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

namespace ccsim::emulator {
namespace {

using Settings = ccp_congestion_port_profile_settings;

const NvidiaSwitchPort kPowerOnPort;

bool IsCleared(const Settings& settings) {
  return std::all_of(std::begin(settings.profiles), std::end(settings.profiles),
                     [](const ccp_congestion_threshold_profile& p) { return p.min == 0 && p.max == 0 && p.percent == 0; });
}

std::vector<Settings> ByVlMask(const std::array<Settings, CCP_NVIDIA_NUM_VLS>& by_vl) {
  std::vector<Settings> found;
  for (unsigned vl = 0; vl < CCP_NVIDIA_NUM_VLS; ++vl) {
    if (IsCleared(by_vl[vl])) continue;
    auto same = std::find_if(found.begin(), found.end(), [&](const Settings& one) { return SameThresholds(one, by_vl[vl]); });
    if (same == found.end()) {
      same = found.insert(found.end(), by_vl[vl]);
      same->vl_mask = 0;
    }
    same->vl_mask = static_cast<std::uint16_t>(same->vl_mask | 1u << vl);
  }
  return found;
}

ccp_ppcc_slot SlotOf(const PpccSlot& held, const ccp_ppcc_algorithm& id) {
  ccp_ppcc_slot slot{};
  slot.id = id;
  slot.sls = held.sls;
  slot.parameters.count = static_cast<std::uint32_t>(held.parameters.size());
  for (std::size_t i = 0; i < held.parameters.size(); ++i) {
    slot.parameters.list[i].index = static_cast<std::uint8_t>(i);
    slot.parameters.list[i].value = held.parameters[i];
  }
  return slot;
}

}  // namespace

bool SameThresholds(const Settings& a, const Settings& b) {
  const auto same = [](const ccp_congestion_threshold_profile& x, const ccp_congestion_threshold_profile& y) {
    return x.min == y.min && x.max == y.max && x.percent == y.percent;
  };
  return a.mode == b.mode && a.granularity == b.granularity &&
         std::equal(std::begin(a.profiles), std::end(a.profiles), std::begin(b.profiles), same);
}

ccp_nvidia_switch_tables* NvidiaTables::Add(const Node& node, const NvidiaSwitchTables& held) {
  const std::size_t size = sizeof(ccp_nvidia_switch_tables) + node.ports.size() * sizeof(ccp_nvidia_switch_port);
  auto* tables = static_cast<ccp_nvidia_switch_tables*>(std::calloc(1, size));
  if (tables == nullptr) throw std::bad_alloc();
  switches_.emplace_back(tables);
  tables->general = held.general;
  for (std::size_t port = 1; port < node.ports.size(); ++port) {
    const NvidiaSwitchPort& own = held.ports.empty() ? kPowerOnPort : held.ports[port];
    const std::vector<Settings>& profiles = profiles_.emplace_back(ByVlMask(own.profiles));
    tables->ports[port] = {
        .num_profiles = static_cast<std::uint32_t>(profiles.size()), .profiles = profiles.data(), .sl_mapping = own.sl_mapping};
  }
  return tables;
}

ccp_nvidia_ca_tables* NvidiaTables::Add(const Node& node, const NvidiaCaTables& held, const NvidiaFirmware& firmware) {
  std::vector<ccp_ppcc_slot>& slots = slots_.emplace_back();
  for (std::size_t i = 0; i < held.slots.size() && KnowsPpcc(node.dialect); ++i) {
    if (held.slots[i].sls != 0) slots.push_back(SlotOf(held.slots[i], firmware.algorithms[i].id));
  }
  ccp_nvidia_ca_tables& tables = cas_.emplace_back();
  tables.type = KnowsDcqcn(node.dialect) && slots.empty() ? CCP_NVIDIA_DCQCN : CCP_NVIDIA_PPCC;
  tables.general = held.general;
  if (tables.type == CCP_NVIDIA_DCQCN) tables.rp = held.rp;
  tables.np = held.np;
  tables.num_slots = static_cast<std::uint32_t>(slots.size());
  tables.slots = slots.data();
  return &tables;
}

}  // namespace ccsim::emulator
