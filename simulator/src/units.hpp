// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// units.hpp: simulated time and the conversions into it.
//
// Time is a 64-bit count of femtoseconds: fine enough that the byte time of every InfiniBand rate (FDR 4x: 146,666.67 fs) loses
// under one part in 10^5 of one byte and nothing measurable over a packet, wide enough for two and a half hours.
#pragma once

#include <cmath>
#include <cstdint>

namespace ccsim {

using Time = std::int64_t;  // femtoseconds since the start of the run

inline constexpr Time kFsPerNs = 1'000'000;
inline constexpr Time kFsPerUs = 1'000 * kFsPerNs;
inline constexpr Time kFsPerSecond = 1'000'000 * kFsPerUs;
inline constexpr Time kNever = INT64_MAX;

inline Time FromSeconds(double seconds) { return static_cast<Time>(std::llround(seconds * 1e15)); }
inline Time FromNs(double ns) { return static_cast<Time>(std::llround(ns * 1e6)); }
inline double AsSeconds(Time t) { return static_cast<double>(t) * 1e-15; }

}  // namespace ccsim
