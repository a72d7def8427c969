// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// power.hpp: whole powers by multiplications alone, so that they are the same on every machine; std::pow is not.
#pragma once

#include <cstdint>

namespace ccsim {

inline double Power(double base, std::uint64_t exponent) {
  double power = 1;
  for (; exponent != 0 && power != 0; exponent >>= 1, base *= base) {
    if ((exponent & 1) != 0) power *= base;
  }
  return power;
}

}  // namespace ccsim
