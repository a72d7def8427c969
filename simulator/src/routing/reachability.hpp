// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// reachability.hpp: finds destinations that the forwarding tables do not reach.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "../fabric.hpp"

namespace ccsim {

// For each destination endport that one of `sources` (endports other than itself) has no route to: (source, destination), the first
// such source in their order; destinations ascending. Finds the same routes as Fabric::Route, but reads each forwarding entry once: an
// entry leads on, or not, for all sources alike.
std::vector<std::pair<std::uint32_t, std::uint32_t>> Unreachable(const Fabric& fabric, const std::vector<std::uint32_t>& sources);

}  // namespace ccsim
