// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// check_workload.hpp: whether a workload can get through under the tables of the devices.
#pragma once

#include <cstdint>
#include <span>

#include "emulator/subnet.hpp"
#include "flow.hpp"

namespace ccsim::emulator {

// Bit per SL that a flow uses.
std::uint16_t UsedSls(std::span<const Flow> flows);

// Throws std::invalid_argument with a sentence on a flow from or to an endport that does not exist, has no LID or no Active link, or
// that has no route to the other end; it names host and LID. `fabric` is FabricOf(subnet). Routes of flows with many destinations are
// left to the engine to check.
void CheckReachable(const Subnet& subnet, const Fabric& fabric, std::span<const Flow> flows);

// Throws std::invalid_argument that names the cycle if the buffers on the flows' routes, and on those of their ACKs, can come to wait
// for each other.
void CheckCreditLoops(const Fabric& fabric, std::span<const Flow> flows);

}  // namespace ccsim::emulator
