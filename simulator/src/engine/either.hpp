// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// either.hpp: a choice that costs no branch, for conditions that nobody can foresee.
#pragma once

namespace ccsim {

// As `first ? a : b` of integers, for which compilers may take a branch.
template <typename T>
inline T Either(bool first, T a, T b) {
  return static_cast<T>(b ^ ((a ^ b) & -static_cast<T>(first)));
}

}  // namespace ccsim
