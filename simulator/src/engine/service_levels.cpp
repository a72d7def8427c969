// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/service_levels.hpp"

#include <algorithm>
#include <map>

namespace ccsim {

unsigned ServiceLevels::NumVls(const Fabric& fabric, unsigned model_vls) {
  return std::max({model_vls, fabric.min_vls(), fabric.sl_to_vl_vls()});
}

ServiceLevels::ServiceLevels(const Fabric& fabric, unsigned num_vls) : path_sl_bits_(fabric.path_sl_bits()) {
  SlToVl modulo;
  for (unsigned sl = 0; sl < kNumSls; ++sl) modulo[sl] = static_cast<std::uint8_t>(sl % num_vls);
  tables_.push_back(modulo);
  for (const Endport& e : fabric.endports()) of_endport_.push_back(IndexOf(fabric.sl_to_vl(e.node, 0, e.port)));
  for (const std::uint32_t node : fabric.switches()) {
    std::vector<std::uint16_t> ports;
    for (std::uint16_t p = 1; p <= fabric.nodes()[node].num_ports(); ++p) {
      if (fabric.nodes()[node].ports[p].connected()) ports.push_back(p);
    }
    OfSwitch& s = of_switch_.emplace_back(OfSwitch{static_cast<std::uint32_t>(ports.size()), {}});
    if (!fabric.has_sl_to_vl()) continue;
    for (const std::uint16_t in : ports) {
      for (const std::uint16_t out : ports) s.table.push_back(IndexOf(fabric.sl_to_vl(node, in, out)));
    }
  }
  if (path_sl_bits_ == 0) return;
  std::map<std::uint32_t, std::uint32_t> leaf_of;  // by the node that an endport is connected to
  std::vector<std::uint32_t> first;                // an endport of each leaf
  for (std::uint32_t e = 0; e < fabric.endports().size(); ++e) {
    const Endport& at = fabric.endports()[e];
    const auto [place, is_new] = leaf_of.try_emplace(fabric.nodes()[at.node].ports[at.port].peer_node, num_leaves_);
    if (is_new) {
      first.push_back(e);
      ++num_leaves_;
    }
    leaf_.push_back(place->second);
  }
  for (const std::uint32_t src : first) {
    for (const std::uint32_t dst : first) path_sls_.push_back(fabric.path_sl(src, dst));
  }
}

bool ServiceLevels::discards() const {
  return std::any_of(tables_.begin(), tables_.end(), [](const SlToVl& table) { return std::ranges::count(table, kNoVl) > 0; });
}

std::uint16_t ServiceLevels::IndexOf(const SlToVl* table) {
  if (table == nullptr) return 0;
  auto found = std::find(tables_.begin(), tables_.end(), *table);
  if (found == tables_.end()) found = tables_.insert(found, *table);
  return static_cast<std::uint16_t>(found - tables_.begin());
}

}  // namespace ccsim
