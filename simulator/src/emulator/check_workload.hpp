// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// check_workload.hpp: checks whether a workload can run under the tables of the devices.
#pragma once

#include <cstdint>
#include <span>

#include "emulator/subnet.hpp"
#include "flow.hpp"

namespace ccsim::emulator {

// Bit per SL that a flow uses.
std::uint16_t UsedSls(std::span<const Flow> flows);

// Throws std::invalid_argument if an endport of a flow does not exist, has no LID, has no Active link, or has no route to the other
// end; the sentence names host and LID. `fabric` is FabricOf(subnet). The engine checks the routes of flows with many destinations.
void CheckReachable(const Subnet& subnet, const Fabric& fabric, std::span<const Flow> flows);

// Throws std::invalid_argument with the cycle if buffers on the routes of the flows and their ACKs can wait for each other.
void CheckCreditLoops(const Fabric& fabric, std::span<const Flow> flows);

}  // namespace ccsim::emulator
