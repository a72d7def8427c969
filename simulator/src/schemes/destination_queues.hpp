// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// destination_queues.hpp: how many queues a switch fabric has in a run that gives each pair of input port and destination one.
#pragma once

#include <cstdint>
#include <span>

#include "fabric.hpp"
#include "flow.hpp"

namespace ccsim {

// The pairs of a switch's input port and a destination that packets of the flows, or the ACKs and CNPs that answer them, can come by on
// the fabric's routes: one at the first switch for each host that sends to the destination, and one for each link between switches that
// its tree of routes crosses. Sources and destinations that the fabric does not have, and routes that end on the way, count as far as they
// lead. Takes a bit of memory for each pair of hosts.
std::uint64_t CountDestinationQueues(const Fabric& fabric, std::span<const Flow> flows);

}  // namespace ccsim
