// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ccpolicy/cct.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "support.hpp"

namespace {

using ccpolicy_test::Document;
using ccpolicy_test::Read;
using ccpolicy_test::Refusal;

std::vector<ccp_cct_row> Evaluate(const std::string& cct) {
  const auto profile = Read(Document("", cct));
  if (!profile) return {};
  std::vector<ccp_cct_row> rows(profile->cct.ccti_limit + 1u);
  ccp_error error{};
  EXPECT_EQ(ccp_cct_evaluate(&profile->cct, ccp_packet_time_ns(profile->rate_gbps, profile->mtu_bytes), rows.data(), &error), 0)
      << error.message;
  return rows;
}

// Looks at every entry there is.
ccp_cct_entry BestByExhaustion(double packet_times) {
  ccp_cct_entry best{0, 0};
  double least = INFINITY;
  for (std::uint8_t shift = 0; shift <= CCP_SHIFT_MAX; ++shift) {
    for (std::uint32_t multiplier = 0; multiplier <= CCP_MULTIPLIER_MAX; ++multiplier) {
      const ccp_cct_entry entry{shift, static_cast<std::uint16_t>(multiplier)};
      const double error = std::fabs(ccp_cct_entry_packet_times(entry) - packet_times);
      if (error < least) {
        least = error;
        best = entry;
      }
    }
  }
  return best;
}

TEST(Cct, PacketTimeIsMtuAndHeadersAtTheDataRate) {
  EXPECT_DOUBLE_EQ(ccp_packet_time_ns(16, 2048), 1037.0);  // 2074 bytes at 2 bytes/ns
  EXPECT_DOUBLE_EQ(ccp_packet_time_ns(400, 4096), 82.44);
}

TEST(Cct, EntryDelaysByShiftedPacketTimes) {
  EXPECT_DOUBLE_EQ(ccp_cct_entry_ird_ns({0, 3}, 1000), 3000);
  EXPECT_DOUBLE_EQ(ccp_cct_entry_ird_ns({3, 3}, 1000), 375);
}

TEST(Cct, DelaysThatFitHaveOneEncodingWithTheSmallestShift) {
  for (unsigned eighths = 0; eighths <= CCP_MULTIPLIER_MAX * 8; ++eighths) {
    const ccp_cct_entry entry = ccp_cct_encode(eighths / 8.0);
    const double held = ccp_cct_entry_packet_times(entry);
    if (eighths <= CCP_MULTIPLIER_MAX) {
      ASSERT_EQ(held, eighths / 8.0);
      ASSERT_TRUE(entry.shift == 0 || entry.multiplier % 2 == 1) << eighths;
    }
    // Encoding what an entry holds gives that entry again.
    const ccp_cct_entry again = ccp_cct_encode(held);
    ASSERT_EQ(again.shift, entry.shift) << eighths;
    ASSERT_EQ(again.multiplier, entry.multiplier) << eighths;
  }
}

TEST(Cct, TiesTakeTheSmallestShift) {
  const struct {
    double packet_times;
    ccp_cct_entry entry;
  } cases[] = {
      {0, {0, 0}},
      {0.0624, {0, 0}},  // below half of the finest step, 1/8
      {0.0625, {0, 0}},  // the tie itself
      {0.0626, {3, 1}},  // just above
      {0.125, {3, 1}},
      {0.1875, {2, 1}},        // between 1/8 (shift 3) and 2/8 (shift 2)
      {0.9375, {0, 1}},        // between 7/8 (shift 3) and 1 (shift 0)
      {2047.875, {3, 16383}},  // the last with a shift of 3
      {2048.0, {0, 2048}},
      {2048.125, {0, 2048}},  // between 2048 and 2048.25
      {8191.75, {0, 8192}},   // between 8191.5 (shift 1) and 8192
      {16380.5, {0, 16380}},  // one shift only: the smaller delay
      {16383.0, {0, 16383}},
  };
  for (const auto& c : cases) {
    const ccp_cct_entry entry = ccp_cct_encode(c.packet_times);
    EXPECT_EQ(entry.shift, c.entry.shift) << c.packet_times;
    EXPECT_EQ(entry.multiplier, c.entry.multiplier) << c.packet_times;
  }
}

TEST(Cct, EncodingIsTheNearestOfAllEntries) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200; ++i) {
    const double scale = std::exp2(std::uniform_real_distribution<double>(-5, 14)(random));
    const double packet_times = std::min(scale, double{CCP_MULTIPLIER_MAX});
    const ccp_cct_entry expected = BestByExhaustion(packet_times);
    const ccp_cct_entry entry = ccp_cct_encode(packet_times);
    EXPECT_EQ(entry.shift, expected.shift) << packet_times;
    EXPECT_EQ(entry.multiplier, expected.multiplier) << packet_times;
  }
}

TEST(Cct, LargerDelaysNeverGetSmallerEntries) {
  double held = 0;
  for (double packet_times = 0; packet_times <= CCP_MULTIPLIER_MAX; packet_times += 0.01 + packet_times * 1e-5) {
    const double next = ccp_cct_entry_packet_times(ccp_cct_encode(packet_times));
    ASSERT_GE(next, held) << packet_times;
    held = next;
  }
}

TEST(Cct, Gran2010) {
  const auto rows = Evaluate("ccti_limit: 127\n  curve: {kind: power, full_scale_us: 7, at_index: 106, exponent: 2}");
  ASSERT_EQ(rows.size(), 128u);
  for (unsigned i = 0; i < 128; ++i) EXPECT_NEAR(rows[i].wanted * 1.037, 7.0 * i * i / (106.0 * 106.0), 1e-12);
  EXPECT_EQ(rows[0].entry.multiplier, 0);
  EXPECT_EQ(rows[10].entry.multiplier, 0);  // 62.3 ns, 0.060 packet times: below half a step
  EXPECT_EQ(rows[11].entry.shift, 3);       // 75.4 ns
  EXPECT_EQ(rows[11].entry.multiplier, 1);
  EXPECT_EQ(rows[106].ird, 6.75);  // 7000 / 1037 = 6.7502
  EXPECT_EQ(rows[106].entry.shift, 2);
  EXPECT_EQ(rows[106].entry.multiplier, 27);
  EXPECT_EQ(rows[127].ird, 9.75);  // 10.048 us / 1037 = 9.6896
}

TEST(Cct, PowerCurveEndsAtItsLimitByDefault) {
  const auto rows = Evaluate("ccti_limit: 100\n  curve: {kind: power, full_scale_packet_times: 50, exponent: 1}");
  ASSERT_EQ(rows.size(), 101u);
  for (unsigned i = 0; i <= 100; ++i) EXPECT_EQ(rows[i].wanted, i / 100.0 * 50.0);
}

TEST(Cct, TwoPiecesMeetAtTheKnee) {
  const auto rows = Evaluate(
      "ccti_limit: 120\n"
      "  curve: {kind: power, full_scale_packet_times: 50, at_index: 100, exponent: 1, knee_at: 0.2, end_exponent: 3}");
  ASSERT_EQ(rows.size(), 121u);
  const double at_knee = 50 * 0.2 * 0.2 * 0.2;
  for (unsigned i = 0; i <= 20; ++i) EXPECT_NEAR(rows[i].wanted, at_knee * i / 20, 1e-12);
  for (unsigned i = 20; i <= 120; ++i) EXPECT_NEAR(rows[i].wanted, 50 * std::pow(i / 100.0, 3), 1e-12);
}

TEST(Cct, TheKneeIsInTheMiddleByDefaultAndBendsNothingAlone) {
  const std::string curve = "ccti_limit: 100\n  curve: {kind: power, full_scale_packet_times: 64, exponent: 2";
  const auto plain = Evaluate(curve + "}");
  const auto knee = Evaluate(curve + ", knee_at: 0.3}");
  const auto bent = Evaluate(curve + ", end_exponent: 4}");
  for (unsigned i = 0; i <= 100; ++i) EXPECT_EQ(knee[i].wanted, plain[i].wanted);
  EXPECT_NEAR(bent[50].wanted, 64 / 16.0, 1e-12);
  EXPECT_NEAR(bent[25].wanted, 64 / 16.0 / 4, 1e-12);
  EXPECT_EQ(bent[100].wanted, 64);
}

TEST(Cct, GeometricCurveGrowsByAFactorFromIndexOne) {
  const auto rows = Evaluate("ccti_limit: 4\n  curve: {kind: geometric, first: 0.5, last: 4}");
  ASSERT_EQ(rows.size(), 5u);
  const double wanted[] = {0, 0.5, 1, 2, 4};
  for (unsigned i = 0; i < 5; ++i) EXPECT_NEAR(rows[i].wanted, wanted[i], 1e-12);
  EXPECT_EQ(rows[4].wanted, 4.0);
}

TEST(Cct, CurvesOfAnyLengthRise) {
  for (const unsigned limit : {0u, 1u, 63u, 64u, 127u, 128u, CCP_CCTI_LIMIT_MAX}) {
    for (const std::string curve :
         {"{kind: power, full_scale_packet_times: 16383, exponent: 0.3}", "{kind: power, full_scale_us: 16000, exponent: 16}",
          "{kind: power, full_scale_packet_times: 16383, exponent: 0.1, knee_at: 0.01, end_exponent: 9}",
          "{kind: power, full_scale_packet_times: 16383, exponent: 16, knee_at: 1, end_exponent: 0.3}",
          "{kind: geometric, first: 0.001, last: 16383}", "{kind: geometric, first: 3, last: 3}"}) {
      const auto rows = Evaluate("ccti_limit: " + std::to_string(limit) + "\n  curve: " + curve);
      ASSERT_EQ(rows.size(), limit + 1);
      EXPECT_EQ(rows[0].ird, 0.0);
      for (unsigned i = 1; i <= limit; ++i) {
        ASSERT_GE(rows[i].wanted, rows[i - 1].wanted);
        ASSERT_GE(rows[i].ird, rows[i - 1].ird) << curve << " at " << i;
      }
    }
  }
}

TEST(Cct, EntriesStandAsGiven) {
  const auto rows = Evaluate("entries: [{shift: 2, multiplier: 4}, {shift: 0, multiplier: 0}]");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].entry.shift, 2);  // not canonical, and kept: it is what the device holds
  EXPECT_EQ(rows[0].ird, 1.0);
  EXPECT_EQ(rows[0].wanted, 1.0);
}

TEST(Cct, RefusesWhatNoEntryCanHold) {
  const std::string above = "ccti_limit: 10\n  curve: {kind: power, full_scale_packet_times: 16383.001, exponent: 1}";
  EXPECT_EQ(
      Refusal(Document("", above)),
      "8:10: cct.curve asks for 16383 packet times at index 10, and an entry can hold at most 16383 packet times: lower the "
      "curve or ccti_limit (10)");
}

}  // namespace
