// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Pauses, cancelled requests, and owners that call the window when they are told of a result.
#include "mad/window.h"

#include <gtest/gtest.h>

#include <array>

#include "window_bench.hpp"

namespace {

using namespace window_bench;

TEST(Window, NothingIsSentOrGivenUpWithoutAPort) {
  Bench bench(kSettings);
  bench.Send(1);
  ibcc_window_set_port(bench.window, nullptr);
  EXPECT_FALSE(bench.HasRoom());
  EXPECT_EQ(bench.Next(), INT64_MAX);
  bench.Run(bench.now + 100 * kSecond);
  EXPECT_EQ(bench.sent.size(), 1u);
  EXPECT_TRUE(bench.told.empty());
  ibcc_window_set_port(bench.window, &bench.port);
  EXPECT_FALSE(bench.HasRoom()) << "the try that was lost with the port goes first";
  bench.Run(bench.now + 10 * kSecond);
  EXPECT_EQ(bench.sent.size(), 5u) << "and does not count";
  EXPECT_EQ(bench.told.at(0).outcome, IBCC_TIMED_OUT);
}

TEST(Window, APauseSendsNothingAndTakesAnswers) {
  Bench bench(kSettings);
  bench.Send(1);
  bench.Send(2);
  ibcc_window_pause(bench.window);
  EXPECT_FALSE(bench.HasRoom());
  EXPECT_EQ(bench.Next(), INT64_MAX);
  bench.now += 100 * kSecond;
  ibcc_window_tick(bench.window, bench.now);
  EXPECT_EQ(bench.sent.size(), 2u);
  EXPECT_TRUE(bench.told.empty());
  bench.Answer(bench.sent[0]);
  EXPECT_EQ(bench.told.size(), 1u);
  ibcc_window_resume(bench.window, bench.now);
  const std::int64_t resumed = bench.now;
  EXPECT_GT(bench.Next(), resumed + 100 * kMs);  // its time begins anew
  EXPECT_TRUE(bench.HasRoom());
  bench.Run(resumed + 180 * kMs);
  EXPECT_EQ(bench.sent.size(), 3u);
  ibcc_window_resume(bench.window, bench.now);  // was not paused: nothing happens
  EXPECT_LT(bench.Next(), bench.now + 275 * kMs);
}

// The fabric was being rearranged: that is not the device's fault.
TEST(Window, TimeOutsInAPauseDoNotCount) {
  Bench bench(With(&ibcc_window_settings::retries, 0));
  bench.Send(1);
  ibcc_window_pause(bench.window);
  bench.now += 100 * kMs;
  bench.TimeOut(bench.sent[0]);
  EXPECT_TRUE(bench.told.empty());
  bench.now += 10 * kSecond;
  ibcc_window_resume(bench.window, bench.now);
  bench.Run(bench.now + 30 * kMs);  // soon, but scattered
  ASSERT_EQ(bench.sent.size(), 2u);
  EXPECT_EQ(bench.sent[1].timeout_ms, 100u);
  bench.TimeOut(bench.sent[1]);
  EXPECT_EQ(bench.told.at(0).outcome, IBCC_TIMED_OUT);
  EXPECT_EQ(bench.told[0].tries, 2u);
}

TEST(Window, CancelTellsAllAndLeavesNothing) {
  Bench bench(kSettings);
  for (std::uint32_t tag = 0; tag < 3; ++tag) bench.Send(tag);
  bench.TimeOut(bench.sent[1]);  // waits for its retry
  ibcc_window_cancel(bench.window, nullptr);
  ASSERT_EQ(bench.told.size(), 3u);
  for (const Told& told : bench.told) EXPECT_EQ(told.outcome, IBCC_CANCELLED);
  EXPECT_EQ(bench.Outstanding(), 0u);
  EXPECT_EQ(bench.Next(), INT64_MAX);
  bench.Answer(bench.sent[0]);
  EXPECT_EQ(bench.Counts().unexpected, 1u);
  EXPECT_EQ(bench.told.size(), 3u);
}

TEST(Window, CancelOfAContextSparesTheOthers) {
  Bench bench(kSettings);
  int mine = 0, other = 0;
  for (std::uint32_t tag = 0; tag < 3; ++tag) {
    ibcc_request request = Bench::Request(tag);
    request.context = tag == 1 ? &other : &mine;
    bench.Send(request);
  }
  ibcc_window_cancel(bench.window, &mine);
  ASSERT_EQ(bench.told.size(), 2u);
  for (const Told& told : bench.told) EXPECT_EQ(told.request.context, &mine);
  bench.Answer(bench.sent[1]);
  ASSERT_EQ(bench.told.size(), 3u);
  EXPECT_EQ(bench.told[2].outcome, IBCC_ANSWERED);
  EXPECT_EQ(bench.Outstanding(), 0u);
}

TEST(Window, WhoIsToldMaySendMore) {
  Bench bench(With(&ibcc_window_settings::max_outstanding, 1));
  std::uint32_t tag = 1;
  bench.then = [&](const Told&) {
    if (tag < 6) bench.Send(tag++);
  };
  bench.Send(0u);
  bench.Answer(bench.sent.back());     // from take
  bench.Run(bench.now + 5 * kSecond);  // from tick
  ASSERT_GE(bench.told.size(), 3u);
  EXPECT_EQ(bench.told[0].outcome, IBCC_ANSWERED);
  EXPECT_EQ(bench.told[1].outcome, IBCC_TIMED_OUT);
  EXPECT_EQ(bench.told[1].request.tag, 1u);
  const std::size_t before = bench.told.size();
  ibcc_window_cancel(bench.window, nullptr);  // from cancel: only what was there is cancelled
  EXPECT_EQ(bench.told.size(), before + 1);
  EXPECT_EQ(bench.Outstanding(), 1u);
}

TEST(Window, CancelSparesWhatIsSentMeanwhileInWhateverSlot) {
  Bench bench(kSettings);
  for (std::uint32_t tag = 0; tag < 4; ++tag) bench.Send(tag);
  for (const int i : {3, 2, 1}) bench.Answer(bench.sent[i]);
  bench.told.clear();
  bench.then = [&](const Told& told) {
    if (told.request.tag != 0) return;
    for (std::uint32_t tag = 10; tag < 14; ++tag) bench.Send(tag);
  };
  ibcc_window_cancel(bench.window, nullptr);
  ASSERT_EQ(bench.told.size(), 1u);
  EXPECT_EQ(bench.Outstanding(), 4u);
}

TEST(Window, WhoIsToldMayPauseAndCancel) {
  Bench bench(With(&ibcc_window_settings::retries, 0));
  for (std::uint32_t tag = 0; tag < 4; ++tag) bench.Send(tag);
  bench.then = [&](const Told& told) {
    if (told.outcome != IBCC_TIMED_OUT) return;
    ibcc_window_pause(bench.window);
    ibcc_window_cancel(bench.window, nullptr);
  };
  bench.Run(bench.now + kSecond);
  ASSERT_EQ(bench.told.size(), 4u);
  EXPECT_EQ(bench.told[0].outcome, IBCC_TIMED_OUT);
  for (int i = 1; i < 4; ++i) EXPECT_EQ(bench.told[i].outcome, IBCC_CANCELLED);
}

}  // namespace
