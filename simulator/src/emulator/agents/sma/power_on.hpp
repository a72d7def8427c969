// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// sma/power_on.hpp: the state of a subnet management agent after power-on.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/agents/sma/state.hpp"
#include "fabric.hpp"

namespace ccsim::emulator {

// Returns the base of each node's port GUIDs: a port p without a GUID in the fabric has base + p. The base is the node's GUID, as
// in ibsim, unless one of its ports would then have the GUID of another port or switch.
std::vector<std::uint64_t> PortGuidBases(const Fabric& fabric);

// Returns a node as it powers on: no LIDs, no tables, all links down. `vl_cap`: of its ports.
SmaNode PowerOnSma(const Fabric& fabric, std::uint32_t node, std::uint64_t port_guid_base, std::uint8_t vl_cap = kVlCap);

}  // namespace ccsim::emulator
