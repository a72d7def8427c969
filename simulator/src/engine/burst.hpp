// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// burst.hpp: lengths of bursts and of the pauses between them.
#pragma once

#include <algorithm>
#include <cmath>

#include "rng.hpp"
#include "units.hpp"

namespace ccsim {

// `mean`, or drawn from the exponential distribution of that mean; never 0, so that bursts and pauses alternate.
inline Time BurstLength(Time mean, bool random, Rng& rng) {
  if (!random) return mean;
  const double uniform = (static_cast<double>(rng.Next() >> 11) + 0.5) * 0x1p-53;
  return std::max<Time>(1, static_cast<Time>(-std::log(uniform) * static_cast<double>(mean)));
}

}  // namespace ccsim
