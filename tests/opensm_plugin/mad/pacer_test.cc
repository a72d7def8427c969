// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "mad/pacer.h"
#include "base/ns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <random>

namespace {

TEST(Pacer, NoLimit) {
  ibcc_pacer pacer;
  ibcc_pacer_init(&pacer, 0);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(ibcc_pacer_next_ns(&pacer), INT64_MIN);
    ibcc_pacer_take(&pacer, 5);
  }
}

TEST(Pacer, OneASecond) {
  ibcc_pacer pacer;
  ibcc_pacer_init(&pacer, 1);
  EXPECT_EQ(ibcc_pacer_next_ns(&pacer), INT64_MIN);
  ibcc_pacer_take(&pacer, 7);
  EXPECT_EQ(ibcc_pacer_next_ns(&pacer), 7 + NS_PER_S);
}

// Whatever was asked when: half-open seconds that begin with any event hold at most the rate, and a greedy sender gets nearly it.
TEST(Pacer, NoSecondHasMoreThanTheRateAndAGreedySenderGetsNearlyIt) {
  std::mt19937_64 random(1);
  for (const std::uint32_t rate : {1u, 2u, 7u, 99u, 100u, 199u, 200u, 1000u, 20'000u, 99'999u}) {
    for (const bool greedy : {true, false}) {
      ibcc_pacer pacer;
      ibcc_pacer_init(&pacer, rate);
      std::deque<std::int64_t> last_second;
      std::int64_t now = 0;
      const std::int64_t end = 3 * NS_PER_S;
      std::uint64_t sent = 0;
      while (now < end) {
        now = std::max(now, ibcc_pacer_next_ns(&pacer));
        // Sometimes nobody wants to send for a while.
        if (!greedy && random() % (rate / 4 + 2) == 0) now += static_cast<std::int64_t>(random() % (NS_PER_S / 3));
        ibcc_pacer_take(&pacer, now);
        while (!last_second.empty() && last_second.front() <= now - NS_PER_S) last_second.pop_front();
        last_second.push_back(now);
        ASSERT_LE(last_second.size(), rate) << "at " << now << " greedy " << greedy;
        ++sent;
      }
      if (greedy) {
        EXPECT_GE(sent, 3 * rate * 0.98);
      }
    }
  }
}

// A pause does not earn more than a hundredth of a second's worth.
TEST(Pacer, ABurstIsSmall) {
  for (const std::uint32_t rate : {50u, 100u, 500u, 10'000u}) {
    ibcc_pacer pacer;
    ibcc_pacer_init(&pacer, rate);
    const std::int64_t now = 1000 * NS_PER_S;
    std::uint32_t at_once = 0;
    for (; ibcc_pacer_next_ns(&pacer) <= now; ++at_once) ibcc_pacer_take(&pacer, now);
    EXPECT_EQ(at_once, std::max(1u, rate / 100)) << rate;
  }
}

TEST(Pacer, TheLargestRateDoesNotOverflow) {
  ibcc_pacer pacer;
  ibcc_pacer_init(&pacer, UINT32_MAX);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_LE(ibcc_pacer_next_ns(&pacer), 0);
    ibcc_pacer_take(&pacer, 0);
  }
}

}  // namespace
