// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// check_flows.hpp: whether flows make sense on a fabric.
#pragma once

#include <span>

#include "fabric.hpp"
#include "flow.hpp"

namespace ccsim {

// Throws std::invalid_argument with a sentence that begins with "flow N: ". Every destination of every flow must be reachable, and
// its source from there, as answers go back.
void CheckFlows(const Fabric& fabric, std::span<const Flow> flows);

}  // namespace ccsim
