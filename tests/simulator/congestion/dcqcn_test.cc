// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dcqcn_test.cc: rates and alpha after CNPs, computed by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "congestion/dcqcn.hpp"
#include "congestion/nvidia_settings.hpp"
#include "rng.hpp"

namespace ccsim {
namespace dcqcn_test {

constexpr Time kUs = kFsPerUs;

DcqcnSetting Paper() {
  DcqcnSetting s;
  s.machine = DcqcnMachine::Paper;
  s.line_gbps = 40;
  s.g = 1.0 / 256;
  s.ai_gbps = 0.04;
  s.hai_gbps = 0.2;
  s.least_kept = 0;
  s.alpha_period = 55 * kUs;
  s.increase_period = 55 * kUs;
  s.increase_bytes = 10'000'000;
  s.threshold = 5;
  return s;
}

DcqcnSetting Timers() {
  DcqcnSetting s;
  s.line_gbps = 100;
  return s;
}

TEST(Dcqcn, WithoutACnpTheRateIsTheLinks) {
  const DcqcnSetting s = Paper();
  DcqcnState q;
  EXPECT_EQ(DcqcnRate(s, q, 1000 * kUs), 40);
  OnSentBytes(s, q, 4096, 1001 * kUs);
  EXPECT_EQ(DcqcnRate(s, q, 2000 * kUs), 40);
}

// Rc 40 -> 20 at alpha 1; Rt = 40; five timer expiries halve the distance: 30, 35, 37.5, 38.75 by fast recovery.
TEST(Dcqcn, ASingleCnpOfThePaperHalvesTheRateAndFastRecoveryHalvesTheDistance) {
  const DcqcnSetting s = Paper();
  DcqcnState q;
  OnCnp(s, q, 100 * kUs);
  EXPECT_DOUBLE_EQ(DcqcnRate(s, q, 100 * kUs), 20);
  EXPECT_DOUBLE_EQ(q.target, 40);
  EXPECT_DOUBLE_EQ(q.alpha, 1);  // (1 - g) * 1 + g
  EXPECT_DOUBLE_EQ(DcqcnRate(s, q, 154 * kUs), 20);
  EXPECT_DOUBLE_EQ(DcqcnRate(s, q, 155 * kUs), 30);
  EXPECT_DOUBLE_EQ(q.alpha, 255.0 / 256);
  EXPECT_DOUBLE_EQ(DcqcnRate(s, q, 210 * kUs), 35);
  EXPECT_DOUBLE_EQ(DcqcnRate(s, q, 265 * kUs), 37.5);
  EXPECT_DOUBLE_EQ(DcqcnRate(s, q, 320 * kUs), 38.75);
  EXPECT_NEAR(q.alpha, std::pow(255.0 / 256, 4), 1e-12);
}

// The second CNP cuts by an alpha that has decayed once: 30 * (1 - 255/256/2).
TEST(Dcqcn, ASecondCnpOfThePaperCutsByTheDecayedAlpha) {
  const DcqcnSetting s = Paper();
  DcqcnState q;
  OnCnp(s, q, 0);
  OnCnp(s, q, 55 * kUs);
  EXPECT_DOUBLE_EQ(q.rate, 30 * (1 - 255.0 / 512));
  EXPECT_DOUBLE_EQ(q.target, 30);
  EXPECT_DOUBLE_EQ(q.alpha, 255.0 / 256 * 255.0 / 256 + 1.0 / 256);
}

TEST(Dcqcn, ThePapersStagesAreRecoveryThenAdditiveThenHyper) {
  DcqcnSetting s = Paper();
  s.threshold = 2;
  DcqcnState q;
  OnCnp(s, q, 0);
  q.rate = q.target = 10;
  EXPECT_DOUBLE_EQ(DcqcnRate(s, q, 55 * kUs), 10);      // stage 1: recovery
  EXPECT_DOUBLE_EQ(DcqcnRate(s, q, 110 * kUs), 10.02);  // 2: target 10.04
  OnSentBytes(s, q, 10'000'000, 120 * kUs);             // bytes' stage 1: additive, target 10.08
  EXPECT_DOUBLE_EQ(q.target, 10.08);
  OnSentBytes(s, q, 10'000'000, 130 * kUs);  // both at 2: hyper, i = 1
  EXPECT_DOUBLE_EQ(q.target, 10.28);
  DcqcnRate(s, q, 165 * kUs);  // the least is still 2
  EXPECT_DOUBLE_EQ(q.target, 10.48);
  OnSentBytes(s, q, 10'000'000, 166 * kUs);  // the least is 3: i = 2
  EXPECT_DOUBLE_EQ(q.target, 10.88);
}

// NVIDIA's defaults but for alpha, which is 1 at the first CNP: at most one cut in 4 us; alpha updated each us.
TEST(Dcqcn, TimersCutAPeriodAfterTheFirstCnpAndThenAtMostOnceAPeriod) {
  const DcqcnSetting s = Timers();
  const double kept = 1 - s.g;
  DcqcnState q;
  OnCnp(s, q, 10 * kUs);
  EXPECT_DOUBLE_EQ(DcqcnRate(s, q, 13 * kUs), 100);
  // The first CNP itself does not count for alpha: it decays four times.
  const double first = 100 * (1 - std::pow(kept, 4) / 2);
  EXPECT_NEAR(DcqcnRate(s, q, 14 * kUs), first, 1e-9);
  OnCnp(s, q, 15 * kUs);
  EXPECT_NEAR(DcqcnRate(s, q, 17 * kUs), first, 1e-9);
  // At 18 us the cut that is pending comes. Alpha decays at 15 us, is raised at 16, and decays twice.
  const double alpha = (std::pow(kept, 6) + s.g) * kept * kept;
  EXPECT_NEAR(DcqcnRate(s, q, 18 * kUs), first * (1 - alpha / 2), 1e-9);
  EXPECT_DOUBLE_EQ(q.target, 100);  // not clamped: nothing has increased since the first cut
  OnCnp(s, q, 30 * kUs);            // long after: at once
  EXPECT_LT(DcqcnRate(s, q, 30 * kUs), first * (1 - alpha / 2));
}

// Neither the timer nor the byte counter runs until then.
TEST(Dcqcn, TimersOfIncreasesBeginWithTheFirstCut) {
  DcqcnSetting s = Timers();
  s.first_gbps = 40;
  s.cut_period = 500 * kUs;
  s.increase_bytes = 4096;
  DcqcnState q;
  OnCnp(s, q, 0);
  OnSentBytes(s, q, 40960, 100 * kUs);
  EXPECT_DOUBLE_EQ(DcqcnRate(s, q, 499 * kUs), 40);
  EXPECT_EQ(q.time_stages + q.byte_stages, 0u);
  const double cut = DcqcnRate(s, q, 500 * kUs);
  EXPECT_LT(cut, 40);
  EXPECT_DOUBLE_EQ(DcqcnRate(s, q, 799 * kUs), cut);
  EXPECT_DOUBLE_EQ(DcqcnRate(s, q, 800 * kUs), (cut + 40) / 2);
}

// As HPCC's simulator: `threshold` increases go halfway to the target before one adds to it.
TEST(Dcqcn, TimersIncreaseByTheTimerFirstHalfwayThenByAiThenByHai) {
  DcqcnSetting s = Timers();
  s.threshold = 2;
  DcqcnState q;
  OnCnp(s, q, 0);
  DcqcnRate(s, q, 4 * kUs);
  q.rate = 50;
  q.target = 60;
  EXPECT_DOUBLE_EQ(DcqcnRate(s, q, 304 * kUs), 55);
  EXPECT_DOUBLE_EQ(DcqcnRate(s, q, 604 * kUs), 57.5);
  EXPECT_DOUBLE_EQ(DcqcnRate(s, q, 904 * kUs), (57.5 + 60.005) / 2);
  DcqcnRate(s, q, 1204 * kUs);
  EXPECT_DOUBLE_EQ(q.target, 60.055);
}

// A device may be told a time of 0, which a profile cannot name: cuts come all the same, and a time that is set later counts from then on.
TEST(Dcqcn, WithoutATimerCutsThatArePendingCome) {
  DcqcnSetting s = Timers();
  s.increase_period = 0;
  DcqcnState q;
  OnCnp(s, q, 0);
  OnCnp(s, q, 5 * kUs);
  const double twice = DcqcnRate(s, q, 8 * kUs);
  EXPECT_LT(twice, 30);
  EXPECT_DOUBLE_EQ(DcqcnRate(s, q, 10'000 * kUs), twice);
  OnProgrammed(s, Timers(), q, 10'000 * kUs);
  EXPECT_DOUBLE_EQ(DcqcnRate(Timers(), q, 10'299 * kUs), twice);
  EXPECT_DOUBLE_EQ(DcqcnRate(Timers(), q, 10'300 * kUs), (twice + 100) / 2);
}

TEST(Dcqcn, FlagsOfTheTargetAndBoundsOfACut) {
  DcqcnSetting s = Timers();
  s.clamps_after_time = false;
  DcqcnState q;
  OnCnp(s, q, 0);
  DcqcnRate(s, q, 304 * kUs);  // an increase by the timer does not count
  OnCnp(s, q, 305 * kUs);
  EXPECT_DOUBLE_EQ(q.target, 100);
  s.clamps_target = true;
  const double before = q.rate;
  OnCnp(s, q, 310 * kUs);
  EXPECT_DOUBLE_EQ(q.target, before);
  s.least_kept = 1;
  const double kept = q.rate;
  OnCnp(s, q, 320 * kUs);
  EXPECT_DOUBLE_EQ(q.rate, kept);
  s.least_kept = 0;
  s.min_gbps = 30;
  q.rate = 31;
  q.alpha = 1;
  OnCnp(s, q, 330 * kUs);
  EXPECT_DOUBLE_EQ(q.rate, 30);
}

TEST(Dcqcn, TheRateOfTheFirstCnpAndTheLargestRate) {
  DcqcnSetting s = Timers();
  s.first_gbps = 40;
  s.max_gbps = 80;
  DcqcnState q;
  EXPECT_EQ(DcqcnRate(s, q, 0), 80);
  OnCnp(s, q, 0);
  EXPECT_DOUBLE_EQ(DcqcnRate(s, q, 0), 40);
  EXPECT_NEAR(DcqcnRate(s, q, 4 * kUs), 40 * (1 - std::pow(1 - s.g, 4) / 2), 1e-9);
  EXPECT_DOUBLE_EQ(q.target, 40);
}

// 9 MB sent of 10 MB, then a byte counter of 4 kB: the next packet is one increase, from 20 halfway to 40.
TEST(Dcqcn, ASmallerByteCounterBringsOneIncrease) {
  const DcqcnSetting before = Paper();
  DcqcnSetting after = before;
  after.increase_bytes = 4096;
  DcqcnState q;
  OnCnp(before, q, 0);
  OnSentBytes(before, q, 9'000'000, kUs);
  OnProgrammed(before, after, q, 2 * kUs);
  OnSentBytes(after, q, 4096, 3 * kUs);
  EXPECT_DOUBLE_EQ(DcqcnRate(after, q, 3 * kUs), 30);
}

// rate_to_set_on_first_cnp 100 Mb/s is below rpg_min_rate 1000 Mb/s: the floor holds, and increases do not lower the rate.
TEST(Dcqcn, TheFirstRateIsNotBelowTheLeast) {
  ccp_congestion_hca_rp_parameters rp{};
  rp.rpg_min_rate = 1000;
  rp.rate_to_set_on_first_cnp = 100;
  rp.rpg_gd = 11;
  rp.rpg_time_reset = 300;
  rp.initial_alpha_value = 1023;
  const DcqcnSetting s = MakeDcqcnSetting(CaModel{}, rp, 100);
  DcqcnState q;
  OnCnp(s, q, 0);
  EXPECT_DOUBLE_EQ(DcqcnRate(s, q, 0), 1);
  EXPECT_GE(DcqcnRate(s, q, 301 * kUs), 1);
}

// Whatever comes, in whatever order, rates stay within their bounds, and a queue pair that hears no more comes back to the top.
TEST(Dcqcn, RatesStayInBoundsAndRecover) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed, 9);
    DcqcnSetting s = rng.Below(2) == 0 ? Paper() : Timers();
    s.threshold = 1 + static_cast<std::uint32_t>(rng.Below(6));
    s.increase_bytes = rng.Below(2) == 0 ? 0 : 1 + rng.Below(1'000'000);
    s.clamps_target = rng.Below(2) == 0;
    s.clamps_after_time = rng.Below(2) == 0;
    s.min_gbps = 0.1;
    s.hai_gbps = 1;
    DcqcnState q;
    Time now = 0;
    for (int i = 0; i < 300; ++i) {
      now += static_cast<Time>(rng.Below(40)) * kUs / 3;
      if (rng.Below(3) == 0) OnCnp(s, q, now);
      OnSentBytes(s, q, 4096, now);
      const double rate = DcqcnRate(s, q, now);
      ASSERT_GE(rate, s.min_gbps);
      ASSERT_LE(rate, s.top_gbps());
      ASSERT_GE(q.alpha, 0);
      ASSERT_LE(q.alpha, 1);
      ASSERT_EQ(rate, DcqcnRate(s, q, now)) << "reading changes it";
    }
    ASSERT_EQ(DcqcnRate(s, q, now + 10'000'000 * kUs), s.top_gbps());
  }
}

}  // namespace dcqcn_test
}  // namespace ccsim
