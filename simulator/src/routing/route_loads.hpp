// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// route_loads.hpp: counts the routes that each port of a switch carries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "../fabric.hpp"

namespace ccsim {

inline constexpr std::size_t kLoadsOfSwitch = kMaxPorts + 1;

// By switch ordinal times kLoadsOfSwitch plus port: pairs of hosts, one of which sends to the other, whose route leaves the switch by that
// port, the host's own port included. Routes that do not arrive count nowhere. Reads each forwarding entry once.
std::vector<std::uint64_t> PairLoads(const Fabric& fabric);

// The same for one flow from each of `sources` to the destination that stands at the same place in `destinations`, all endports; a source
// that is its own destination sends nothing. Throws std::invalid_argument if one list is longer, or names an endport that does not exist.
std::vector<std::uint64_t> FlowLoads(const Fabric& fabric, std::span<const std::uint32_t> sources,
                                     std::span<const std::uint32_t> destinations);

}  // namespace ccsim
