// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// credit_loop.hpp: whether the routes of a fabric can deadlock.
//
// A packet that waits in a buffer for credits of the next link makes the one link's VL depend on the other's. Where such dependencies
// form a cycle, all buffers along it can be full and wait for each other for ever; where there is none, this cannot happen (Dally and
// Seitz, 1987).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "../fabric.hpp"

namespace ccsim {

// A cycle among the channels that the routes between all hosts use, on all SLs, the shortest through one of its channels; each waits for the next and the last for the first. Empty if there is none. Where no SL-to-VL table is set, an SL travels on
// VL (SL modulo `num_vls`); at least the fabric's least number
// of VLs is taken.
std::vector<Channel> FindCreditLoop(const Fabric& fabric, unsigned num_vls = 0);

// Traffic on an SL from each of some endports to each of others.
struct Demand {
  std::vector<std::uint32_t> sources;
  std::vector<std::uint32_t> destinations;  // a source among them does not send to itself
  std::uint8_t sl = 0;                      // that packets have, path SL included
};
// The same among the channels that this traffic uses.
std::vector<Channel> FindCreditLoop(const Fabric& fabric, std::span<const Demand> demands);

}  // namespace ccsim
