// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// fake_subnet.hpp: a subnet database with whatever nodes a test puts there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "devices/subnet.h"

namespace ibcc_test {

// Nodes in the order of the list, which is OpenSM's in that it need not be that of GUIDs.
class FakeSubnet {
 public:
  ibcc_subnet subnet() {
    return {
        .owner = this,
        .routing = [](void* self) { return static_cast<FakeSubnet*>(self)->routing; },
        .next = [](void* self, ibcc_subnet_part part, std::uint64_t after,
                   ibcc_subnet_node* node) { return static_cast<FakeSubnet*>(self)->Next(part, after, node); },
        .find = [](void* self, ibcc_subnet_part part, std::uint64_t guid,
                   ibcc_subnet_node* node) { return static_cast<FakeSubnet*>(self)->Copy(part, guid, node); },
    };
  }

  std::vector<ibcc_subnet_node> nodes;
  ibcc_routing routing{.engine = nullptr, .sl_by_path = false};
  std::function<void()> on_copy = [] {};  // after the copy of each node

 private:
  static bool Has(ibcc_subnet_part part, const ibcc_subnet_node& node) {
    return part == IBCC_SUBNET_LINKS || node.kind == IBCC_SUBNET_SWITCH;
  }
  bool Next(ibcc_subnet_part part, std::uint64_t after, ibcc_subnet_node* node) {
    auto at = nodes.begin();
    if (after != 0) {
      at = std::find_if(at, nodes.end(), [&](const auto& one) { return one.guid == after; });
      if (at != nodes.end()) ++at;
    }
    at = std::find_if(at, nodes.end(), [&](const auto& one) { return Has(part, one); });
    return at != nodes.end() && Copy(part, at->guid, node);
  }
  bool Copy(ibcc_subnet_part part, std::uint64_t guid, ibcc_subnet_node* node) {
    const auto at = std::find_if(nodes.begin(), nodes.end(), [&](const auto& one) { return one.guid == guid && Has(part, one); });
    if (at == nodes.end()) return false;
    *node = *at;
    on_copy();
    return true;
  }
};

}  // namespace ibcc_test
