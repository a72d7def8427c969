// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// round_trip_times.hpp: how long the round trips of each flow took, as counts by time.
//
// A run may make tens of millions of round trips, and what is asked of them is a percentile: they are counted in bins whose width is
// at most a 64th of their lower end, so that a percentile is known to 1.6 %. Only a flow that has made one takes memory.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "units.hpp"

namespace ccsim {

class RoundTripTimes {
 public:
  // Bins in each doubling of the time, and the first and last doubling: from 0.134 us to 288 s. What is beyond is in the outermost.
  static constexpr unsigned kBinBits = 6;
  static constexpr unsigned kFirst = 27, kLast = 57;
  static constexpr std::size_t kNumBins = std::size_t{kLast - kFirst + 1} << kBinBits;

  // REQUIRES: bin <= kNumBins, whose lower end is the upper end of the last bin.
  static Time LowerEnd(std::size_t bin) {
    const unsigned doubling = kFirst + static_cast<unsigned>(bin >> kBinBits);
    const Time step = Time{1} << (doubling - kBinBits);
    return (Time{1} << doubling) + static_cast<Time>(bin & ((1u << kBinBits) - 1)) * step;
  }

  static std::size_t BinOf(Time time) {
    const auto inside = static_cast<std::uint64_t>(std::clamp(time, LowerEnd(0), LowerEnd(kNumBins) - 1));
    const auto doubling = static_cast<unsigned>(std::bit_width(inside)) - 1;
    const std::size_t place = (inside >> (doubling - kBinBits)) & ((1u << kBinBits) - 1);
    return (std::size_t{doubling - kFirst} << kBinBits) + place;
  }

  void Add(std::uint32_t flow, Time time) {
    if (flow >= counts_.size()) counts_.resize(std::size_t{flow} + 1);
    std::vector<std::uint32_t>& counts = counts_[flow];
    if (counts.empty()) counts.resize(kNumBins);
    ++counts[BinOf(time)];
  }

  // By flow, then by bin. A flow without any has no bins; those behind the last that has some may be missing.
  const std::vector<std::vector<std::uint32_t>>& counts() const { return counts_; }

 private:
  std::vector<std::vector<std::uint32_t>> counts_;
};

}  // namespace ccsim
