// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "congestion/check_nvidia.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "ccpolicy/nvidia.h"

namespace ccsim {

void CheckNoPpcc(const Fabric& fabric, const ccp_tables& tables) {
  for (std::uint32_t i = 0; i < tables.num_cas; ++i) {
    const ccp_ca_tables& ca = tables.cas[i];
    if (ca.nvidia == nullptr || !ca.nvidia->general.en_react || ca.node >= fabric.nodes().size()) continue;
    const Node& node = fabric.nodes()[ca.node];
    if (!KnowsNvidia(node.dialect) || (ca.nvidia->type == CCP_NVIDIA_DCQCN && KnowsDcqcn(node.dialect))) continue;
    throw std::invalid_argument("adapter '" + node.name + "' (" + std::string(NameOf(node.dialect)) +
                                ") would react by an algorithm of its firmware (PPCC), which is not public and cannot be "
                                "simulated; give the profile `type: dcqcn`, and the adapter `congestion_control: nvidia-dcqcn`");
  }
}

void CheckNvidia(const Fabric& fabric, const ccp_tables& tables) {
  if (!tables.enable || !tables.has_nvidia) return;
  if (std::ranges::none_of(fabric.nodes(), [](const Node& node) { return KnowsNvidia(node.dialect); })) {
    throw std::invalid_argument(
        "the profile has the section nvidia, and no device of the fabric has NVIDIA's congestion control; leave the section out, "
        "or give devices `congestion_control: nvidia-dcqcn` in the fabric document");
  }
  CheckNoPpcc(fabric, tables);
}

}  // namespace ccsim
