// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// rng_streams.hpp: who draws random numbers in a run, and from which streams.
//
// A generator is Rng(seed, stream). Two of one seed and stream give the same numbers, so that what they decide would be correlated; each
// user therefore has streams that nobody else has. Their numbers are frozen: with others, stored results would change.
//
#pragma once

#include <cstdint>

namespace ccsim {

// The streams from `first` on, one for each index below `count`.
struct RngStreams {
  std::uint64_t first;
  std::uint64_t count;

  constexpr std::uint64_t operator[](std::uint64_t index) const { return first + index; }
};

namespace rng_streams {

inline constexpr std::uint64_t kIndices = 0xFFFFFFFF;  // of flows or endports: below kNoIndex

// All switches: which packets a Marking_Rate marks.
inline constexpr RngStreams kMarks{1, 1};
// Each adapter's port and SL, by endport * 256 + SL: where its CCTI_Timer stands in its period.
inline constexpr RngStreams kTimerPhases{2, kIndices << 8};
// Each flow: its destinations and the lengths of its bursts.
inline constexpr RngStreams kFlows{std::uint64_t{1} << 40, kIndices};
// Each flow, and a generator by its first flow, with seed 0: when its first message begins.
inline constexpr RngStreams kFlowPhases{std::uint64_t{2} << 40, kIndices};
// Each generator, by its first flow: the flow whose message is next.
inline constexpr RngStreams kGenerators{std::uint64_t{3} << 40, kIndices};
// All switches with NVIDIA's congestion control: which packets an averaged queue marks.
inline constexpr RngStreams kAveragedMarks{std::uint64_t{4} << 40, 1};

inline constexpr RngStreams kAll[] = {kMarks, kTimerPhases, kFlows, kFlowPhases, kGenerators, kAveragedMarks};

constexpr bool AllDiffer() {
  for (const RngStreams& a : kAll) {
    for (const RngStreams& b : kAll) {
      if (&a != &b && a.first < b.first + b.count && b.first < a.first + a.count) return false;
    }
  }
  return true;
}
static_assert(AllDiffer(), "two users of random numbers share a stream");

}  // namespace rng_streams
}  // namespace ccsim
