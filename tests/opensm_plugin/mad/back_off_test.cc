// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "mad/back_off.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace {

constexpr std::int64_t kMs = 1'000'000;

ibcc_back_off Make(std::uint32_t timeout_ms, std::uint32_t max_timeout_ms) {
  ibcc_back_off back_off;
  ibcc_back_off_init(&back_off, timeout_ms, max_timeout_ms);
  return back_off;
}

TEST(BackOff, TwiceAsLongEachTimeUpToTheMost) {
  const ibcc_back_off back_off = Make(100, 1000);
  const std::vector<std::uint32_t> expected = {100, 100, 200, 400, 800, 1000, 1000};
  for (std::uint32_t n = 0; n < expected.size(); ++n) EXPECT_EQ(ibcc_back_off_timeout_ms(&back_off, n), expected[n]) << n;
  for (const std::uint32_t n : {32u, 33u, 64u, 65u, UINT32_MAX}) EXPECT_EQ(ibcc_back_off_timeout_ms(&back_off, n), 1000u) << n;
}

TEST(BackOff, RangesAreKept) {
  const ibcc_back_off none = Make(0, 0), less = Make(100, 50), most = Make(UINT32_MAX, UINT32_MAX);
  EXPECT_EQ(ibcc_back_off_timeout_ms(&none, 5), 1u);
  EXPECT_EQ(ibcc_back_off_timeout_ms(&less, 5), 100u);
  EXPECT_EQ(ibcc_back_off_timeout_ms(&most, 32), UINT32_MAX);
  EXPECT_GE(ibcc_back_off_jitter_ns(&most, 32, 1), 0);
}

TEST(BackOff, JitterIsSpreadOverAQuarterOfTheTimeOut) {
  const ibcc_back_off back_off = Make(100, 200);
  for (const std::uint32_t n : {1u, 2u, 9u}) {
    const std::int64_t range = ibcc_back_off_timeout_ms(&back_off, n) * kMs / 4;
    std::vector<int> tenths(10);
    for (std::uint32_t seed = 0; seed < 10'000; ++seed) {
      const std::int64_t jitter = ibcc_back_off_jitter_ns(&back_off, n, seed << 12);  // as transaction IDs of one slot are
      ASSERT_GE(jitter, 0);
      ASSERT_LT(jitter, range);
      ++tenths[jitter * 10 / range];
      ASSERT_EQ(jitter, ibcc_back_off_jitter_ns(&back_off, n, seed << 12));
    }
    EXPECT_GT(*std::min_element(tenths.begin(), tenths.end()), 850);
    EXPECT_LT(*std::max_element(tenths.begin(), tenths.end()), 1150);
  }
}

}  // namespace
