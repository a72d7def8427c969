// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// deadlock.hpp: what Engine::FindDeadlock reports.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric.hpp"
#include "units.hpp"

namespace ccsim {

// A cycle of buffers that wait for each other for ever.
struct Deadlock {
  std::vector<Channel> cycle;  // each waits for the next, the last for the first
  Time since = 0;              // since when all of its ports have been idle for want of credits
};

}  // namespace ccsim
