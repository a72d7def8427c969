// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// sma/power_on.hpp: what a subnet management agent holds when its node is switched on.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/agents/sma/state.hpp"
#include "fabric.hpp"

namespace ccsim::emulator {

// By node, the GUID of its port 0: a port p to which the fabric gives no GUID has this + p. It is the node's own, and thus ibsim's
// numbering, unless one of its ports would then have the GUID of another port or switch.
std::vector<std::uint64_t> PortGuidBases(const Fabric& fabric);

// No LIDs, no tables, all links down.
SmaNode PowerOnSma(const Fabric& fabric, std::uint32_t node, std::uint64_t port_guid_base);

}  // namespace ccsim::emulator
