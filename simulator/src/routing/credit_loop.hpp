// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// credit_loop.hpp: finds credit loops: routes of a fabric that can deadlock.
//
// A packet that waits in a buffer for credits of the next link makes the VL of the one link depend on the VL of the other. If such
// dependencies form a cycle, all buffers along it can be full and wait for each other without end; without a cycle this cannot happen
// (Dally and Seitz, 1987).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "../fabric.hpp"

namespace ccsim {

// A cycle among the channels that the routes between all hosts use, on all SLs: the shortest through one of its channels. Each channel
// waits for the next, and the last for the first. Empty if there is no cycle. Where no SL-to-VL table is set, an SL travels on VL (SL
// modulo `num_vls`), or modulo the fabric's least number of VLs if that is larger.
std::vector<Channel> FindCreditLoop(const Fabric& fabric, unsigned num_vls = 0);

// Traffic on an SL from each source to each destination, both endports.
struct Demand {
  std::vector<std::uint32_t> sources;
  std::vector<std::uint32_t> destinations;  // a source among them does not send to itself
  std::uint8_t sl = 0;                      // SL of the packets, path SL included
};
// As above, for the channels that this traffic uses.
std::vector<Channel> FindCreditLoop(const Fabric& fabric, std::span<const Demand> demands);

}  // namespace ccsim
