// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/round_trip_times.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <numeric>

#include "units.hpp"

namespace ccsim {
namespace round_trip_times_test {

TEST(RoundTripTimes, EveryBinHoldsItsEndsAndIsNarrow) {
  for (std::size_t bin = 0; bin < RoundTripTimes::kNumBins; ++bin) {
    SCOPED_TRACE(bin);
    const Time low = RoundTripTimes::LowerEnd(bin), high = RoundTripTimes::LowerEnd(bin + 1);
    ASSERT_LT(low, high);
    EXPECT_LE(high - low, low / 64);
    EXPECT_EQ(RoundTripTimes::BinOf(low), bin);
    EXPECT_EQ(RoundTripTimes::BinOf(high - 1), bin);
  }
}

TEST(RoundTripTimes, WhatIsBeyondTheBinsIsInTheOutermost) {
  EXPECT_EQ(RoundTripTimes::BinOf(0), 0u);
  EXPECT_EQ(RoundTripTimes::BinOf(RoundTripTimes::LowerEnd(0) - 1), 0u);
  EXPECT_EQ(RoundTripTimes::BinOf(kNever - 1), RoundTripTimes::kNumBins - 1);
  EXPECT_LT(RoundTripTimes::LowerEnd(0), kFsPerUs / 5);
  EXPECT_GT(RoundTripTimes::LowerEnd(RoundTripTimes::kNumBins), 200 * kFsPerSecond);
}

TEST(RoundTripTimes, FlowsAreCountedApart) {
  RoundTripTimes times;
  EXPECT_TRUE(times.counts().empty());
  times.Add(2, 3 * kFsPerUs);
  times.Add(2, 3 * kFsPerUs);
  times.Add(0, 700 * kFsPerUs);
  ASSERT_EQ(times.counts().size(), 3u);
  EXPECT_TRUE(times.counts()[1].empty());
  EXPECT_EQ(times.counts()[2][RoundTripTimes::BinOf(3 * kFsPerUs)], 2u);
  EXPECT_EQ(std::accumulate(times.counts()[2].begin(), times.counts()[2].end(), 0u), 2u);
  EXPECT_EQ(times.counts()[0][RoundTripTimes::BinOf(700 * kFsPerUs)], 1u);
}

}  // namespace round_trip_times_test
}  // namespace ccsim
