// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// host_load.hpp: memory-bound work on a host for a time.
#pragma once

#include <cstdint>

#include "units.hpp"

namespace ccsim {

struct HostLoad {
  std::uint32_t endport = 0;
  Time start = 0;
  Time stop = kNever;
  double cores = 0;         // memory-bound; each keeps its lines in flight
  double gbytes_per_s = 0;  // or a fixed bandwidth
  bool remote = false;      // at the memory node that is not the adapter's
};

}  // namespace ccsim
