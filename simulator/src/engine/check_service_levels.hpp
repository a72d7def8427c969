// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// check_service_levels.hpp: whether packets of all flows, and their answers, get through by their service levels.
#pragma once

#include <span>

#include "engine/service_levels.hpp"
#include "fabric.hpp"
#include "flow.hpp"

namespace ccsim {

// Throws std::invalid_argument with a sentence that begins with "flow N: " on an SL that the routing leaves no room for, and on a
// packet that would come to a port whose VL arbitration never serves its VL. REQUIRES: CheckFlows(fabric, flows) passes.
void CheckServiceLevels(const Fabric& fabric, const ServiceLevels& levels, unsigned num_vls, std::span<const Flow> flows);

}  // namespace ccsim
