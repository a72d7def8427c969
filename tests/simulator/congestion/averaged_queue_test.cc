// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "congestion/averaged_queue.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace ccsim {
namespace averaged_queue_test {

// Many samples at once are what one after the other would be.
TEST(AveragedQueue, SamplesOfAConstantLevelAreTakenTogether) {
  const AveragingSetting s{.period = 1024 * kFsPerNs, .weight = 1.0 / 8};
  AveragedQueue together, apart;
  for (int i = 1; i <= 20; ++i) AverageUpTo(s, apart, 1000, i * s.period);
  AverageUpTo(s, together, 1000, 20 * s.period + s.period / 2);
  EXPECT_NEAR(together.bytes, apart.bytes, 1e-9);
  EXPECT_NEAR(together.bytes, 1000 * (1 - std::pow(7.0 / 8, 20)), 1e-9);
  EXPECT_EQ(together.sampled_at, 20 * s.period);
}

TEST(AveragedQueue, WithWeightOneTheAverageIsTheLastSample) {
  const AveragingSetting s{};
  AveragedQueue q;
  AverageUpTo(s, q, 500, 63 * kFsPerNs);
  EXPECT_EQ(q.bytes, 0);
  AverageUpTo(s, q, 500, 64 * kFsPerNs);
  EXPECT_EQ(q.bytes, 500);
}

TEST(AveragedQueue, TheShareRisesFromMinToMax) {
  const ThresholdProfile p{.min_bytes = 1000, .max_bytes = 3000, .share = 0.2};
  for (const MarkAboveMax above : {MarkAboveMax::None, MarkAboveMax::Percent, MarkAboveMax::All}) {
    EXPECT_EQ(MarkingShare(p, 999, above), 0);
    EXPECT_EQ(MarkingShare(p, 1000, above), 0);
    EXPECT_DOUBLE_EQ(MarkingShare(p, 2000, above), 0.1);
    EXPECT_EQ(MarkingShare(p, 3000, above), 0.2);
    EXPECT_EQ(MarkingShare(ThresholdProfile{}, 1e9, above), 0);
    EXPECT_EQ(MarkingShare({.min_bytes = 10, .max_bytes = 10, .share = 0.5}, 10, above), 0.5);
  }
  EXPECT_EQ(MarkingShare(p, 3001, MarkAboveMax::All), 1);
  EXPECT_EQ(MarkingShare(p, 3001, MarkAboveMax::Percent), 0.2);
  EXPECT_EQ(MarkingShare(p, 3001, MarkAboveMax::None), 0);
}

TEST(Power, IsThatOfTheLibraryAndEndsAtZero) {
  for (const std::uint64_t exponent : {0ull, 1ull, 2ull, 7ull, 1000ull, 123456ull})
    EXPECT_NEAR(Power(0.999, exponent), std::pow(0.999, static_cast<double>(exponent)), 1e-12 + 1e-10 * Power(0.999, exponent));
  EXPECT_EQ(Power(0, 0), 1);
  EXPECT_EQ(Power(0, 5), 0);
  EXPECT_EQ(Power(0.5, UINT64_MAX), 0);
}

}  // namespace averaged_queue_test
}  // namespace ccsim
