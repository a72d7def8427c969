// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// rng.hpp: a small generator whose sequence depends on the seed alone, on every machine and compiler.
#pragma once

#include <cstdint>

namespace ccsim {

// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): one addition and two multiplications a number.
class Rng {
 public:
  // `stream` separates generators of one seed from each other.
  Rng(std::uint64_t seed, std::uint64_t stream) : state_(Mix(seed) ^ Mix(stream + 0x5851F42D4C957F2DULL)) {}

  std::uint64_t Next() { return Mix(state_ += kGolden); }
  std::uint32_t Next32() { return static_cast<std::uint32_t>(Next() >> 32); }
  // Uniform in [0, bound); bound > 0.
  std::uint64_t Below(std::uint64_t bound) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(Next()) * bound) >> 64);
  }
  // Uniform in [0, 1).
  double Uniform() { return static_cast<double>(Next() >> 11) * 0x1p-53; }

 private:
  static constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ULL;
  static std::uint64_t Mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

}  // namespace ccsim
