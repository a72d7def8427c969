// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Which requests are overdue, and that late ones take no place of others.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "mad/window.h"
#include "window_bench.hpp"

namespace {

using namespace window_bench;

ibcc_window_settings Late(std::uint32_t max_late) {
  ibcc_window_settings settings = kSettings;
  settings.max_late = max_late;
  return settings;
}

std::uint32_t TakeOverdue(Bench& bench) {
  return ibcc_window_take_overdue(bench.window, bench.now, [](void*, const ibcc_request*) { return true; });
}
std::int64_t OverdueNs(const Bench& bench) { return ibcc_window_overdue_ns(bench.window, bench.now); }
std::uint32_t NumLate(const Bench& bench) { return ibcc_window_late(bench.window); }

TEST(WindowLate, OneIsOverdueSoonAfterOthersWereAnswered) {
  Bench bench(Late(4));
  bench.Send(1);
  bench.Send(2);
  EXPECT_EQ(OverdueNs(bench), bench.now + 100 * kMs) << "while nobody has answered, it may be this host's fault";
  bench.now += kMs;
  bench.Answer(bench.sent[1]);
  const std::int64_t due_ns = OverdueNs(bench);
  EXPECT_LT(due_ns, bench.now + 20 * kMs);
  bench.now = due_ns - 1;
  EXPECT_EQ(TakeOverdue(bench), 0u);
  bench.now = due_ns;
  EXPECT_EQ(TakeOverdue(bench), 1u);
  EXPECT_EQ(TakeOverdue(bench), 0u) << "it is late already";
  EXPECT_EQ(OverdueNs(bench), INT64_MAX);
  EXPECT_EQ(bench.Outstanding(), 0u);
  EXPECT_EQ(NumLate(bench), 1u);
  bench.Answer(bench.sent[0]);
  EXPECT_EQ(NumLate(bench), 0u);
  EXPECT_EQ(bench.told.size(), 2u);
}

TEST(WindowLate, WhereAnswersAreSlowOneIsOverdueLater) {
  Bench bench(Late(4));
  bench.Send(1);
  bench.now += 30 * kMs;
  bench.Answer(bench.sent[0]);
  bench.Send(2);
  bench.Send(3);
  const std::int64_t sent_ns = bench.now;
  bench.now += 2 * kMs;
  bench.Answer(bench.sent[2]);
  EXPECT_GE(OverdueNs(bench), sent_ns + 50 * kMs);
  EXPECT_LE(OverdueNs(bench), sent_ns + 100 * kMs) << "the first time-out";
}

TEST(WindowLate, APauseIsNotCounted) {
  Bench bench(Late(4));
  bench.Send(1);
  ibcc_window_pause(bench.window);
  bench.now += 10 * kSecond;
  EXPECT_EQ(TakeOverdue(bench), 0u);
  EXPECT_EQ(OverdueNs(bench), INT64_MAX);
  ibcc_window_resume(bench.window, bench.now);
  EXPECT_EQ(TakeOverdue(bench), 0u);
  EXPECT_EQ(OverdueNs(bench), bench.now + 100 * kMs);
}

TEST(WindowLate, WhatThePortHasRefusedIsNoDevicesFault) {
  Bench bench(Late(4));
  bench.refuse = [] { return true; };
  bench.Send(1);
  bench.now += 150 * kMs;
  EXPECT_EQ(TakeOverdue(bench), 0u);
}

TEST(WindowLate, LateOnesTakeNoPlaceOfOthers) {
  Bench bench(Late(2));
  for (std::uint32_t i = 0; i < 4; ++i) bench.Send(i);
  EXPECT_FALSE(bench.HasRoom());
  bench.now += 100 * kMs;
  EXPECT_EQ(TakeOverdue(bench), 2u) << "as many as may be late";
  EXPECT_FALSE(ibcc_window_has_late_room(bench.window, bench.now));
  EXPECT_TRUE(bench.HasRoom());
  bench.Send(4);
  bench.Send(5);
  EXPECT_FALSE(bench.HasRoom());
  bench.Run(bench.now + 100 * kSecond);
  EXPECT_EQ(bench.told.size(), 6u);
  EXPECT_EQ(NumLate(bench), 0u);
  EXPECT_EQ(bench.Outstanding(), 0u);
}

TEST(WindowLate, ARequestMayBeLateFromItsBeginning) {
  Bench bench(Late(1));
  ibcc_request request = Bench::Request(1);
  request.late = true;
  request.tries = 2;
  ASSERT_TRUE(ibcc_window_has_late_room(bench.window, bench.now));
  ibcc_window_send(bench.window, &request, bench.now);
  EXPECT_FALSE(ibcc_window_has_late_room(bench.window, bench.now));
  EXPECT_EQ(bench.Outstanding(), 0u);
  ibcc_window_cancel(bench.window, nullptr);
  EXPECT_EQ(NumLate(bench), 0u);
  EXPECT_EQ(bench.told.at(0).outcome, IBCC_CANCELLED);
}

TEST(WindowLate, AllFourThousandSlotsMayBeShared) {
  ibcc_window_settings settings = Late(UINT32_MAX);
  settings.max_outstanding = 4096;
  Bench bench(settings);
  EXPECT_TRUE(bench.HasRoom());
  EXPECT_FALSE(ibcc_window_has_late_room(bench.window, bench.now));
}

}  // namespace
