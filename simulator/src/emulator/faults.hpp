// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// faults.hpp: what an emulated device does wrong on purpose.
#pragma once

#include <cstdint>

namespace ccsim::emulator {

class Faults {
 public:
  explicit Faults(std::uint64_t seed) : seed_(seed) {}

 private:
  std::uint64_t seed_;
};

}  // namespace ccsim::emulator
