// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Time-outs, further tries and how often they go out.
#include "mad/window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "refused_memory.hpp"
#include "window_bench.hpp"

namespace {

using namespace window_bench;

TEST(Window, ARequestMayHaveFewerTries) {
  Bench bench(kSettings);
  ibcc_request request = Bench::Request(1);
  request.tries = 2;
  bench.Send(request);
  for (int i = 0; i < 100 && bench.told.empty(); ++i) {
    bench.now += 1'000'000'000;
    ibcc_window_tick(bench.window, bench.now);
  }
  EXPECT_EQ(bench.sent.size(), 2u);
  ASSERT_EQ(bench.told.size(), 1u);
  EXPECT_EQ(bench.told[0].outcome, IBCC_TIMED_OUT);
}

// Time-outs go by our own clock alone if the port reports none: it is given some time to do so.
TEST(Window, TriedAgainWithBackOffThenTimedOut) {
  Bench bench(kSettings);
  const std::int64_t start = bench.now;
  bench.Send(1);
  bench.Run(start + 10 * kSecond);
  ASSERT_EQ(bench.sent.size(), 4u);
  const std::vector<std::uint32_t> timeouts = {100, 200, 300, 300};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(bench.sent[i].timeout_ms, timeouts[i]);
    const std::int64_t end = i < 3 ? bench.sent[i + 1].at_ns : bench.told.at(0).at_ns;
    EXPECT_GT(end - bench.sent[i].at_ns, timeouts[i] * kMs + 10 * kMs);
    EXPECT_LT(end - bench.sent[i].at_ns, timeouts[i] * kMs * 3 / 2 + 25 * kMs);
    EXPECT_TRUE(std::equal(bench.sent[i].mad.begin() + 16, bench.sent[i].mad.end(), bench.sent[0].mad.begin() + 16));
  }
  ASSERT_EQ(bench.told.size(), 1u);
  EXPECT_EQ(bench.told[0].outcome, IBCC_TIMED_OUT);
  EXPECT_EQ(bench.told[0].tries, 4u);
  EXPECT_EQ(bench.Counts().sent, 4u);
  EXPECT_EQ(bench.Counts().retried, 3u);
  EXPECT_EQ(bench.Counts().timed_out, 1u);
  EXPECT_EQ(bench.Counts().gets, 1u);
}

TEST(Window, WhenThePortSaysThatTimeIsUpItIs) {
  Bench bench(With(&ibcc_window_settings::retries, 1));
  bench.Send(1);
  const std::int64_t first = bench.now;
  bench.now += 100 * kMs;
  bench.TimeOut(bench.sent[0]);
  bench.TimeOut(bench.sent[0]);  // once more counts no more
  EXPECT_LE(bench.Next(), first + 125 * kMs);
  bench.Run(first + 126 * kMs);
  ASSERT_EQ(bench.sent.size(), 2u);
  bench.TimeOut(bench.sent[0]);  // nor when it is late
  EXPECT_TRUE(bench.told.empty());
  bench.now += 200 * kMs;
  bench.TimeOut(bench.sent[1]);
  ASSERT_EQ(bench.told.size(), 1u);
  EXPECT_EQ(bench.told[0].outcome, IBCC_TIMED_OUT);
  EXPECT_EQ(bench.told[0].at_ns, bench.now);
  bench.TimeOut(bench.sent[1]);
  EXPECT_EQ(bench.told.size(), 1u);
  EXPECT_EQ(bench.Counts().unexpected, 0u);  // these are not answers
}

// A port that gives up at once must not make us hammer at it.
TEST(Window, TheBackOffHoldsEvenIfThePortGivesUpEarly) {
  Bench bench(kSettings);
  bench.Send(1);
  bench.TimeOut(bench.sent[0]);
  EXPECT_GE(bench.Next(), bench.now + 100 * kMs);
}

TEST(Window, RetriesOfWhatWasLostTogetherAreScattered) {
  Bench bench({.max_outstanding = 1000, .max_mads_per_s = 0, .timeout_ms = 100, .max_timeout_ms = 100, .retries = 1});
  for (std::uint32_t tag = 0; tag < 1000; ++tag) bench.Send(tag);
  const std::int64_t start = bench.now;
  bench.now += 100 * kMs;
  for (int i = 0; i < 1000; ++i) bench.TimeOut(bench.sent[i]);
  bench.Run(start + 200 * kMs);
  ASSERT_EQ(bench.sent.size(), 2000u);
  std::vector<int> per_ms(200);
  for (int i = 1000; i < 2000; ++i) ++per_ms.at((bench.sent[i].at_ns - start) / kMs);
  EXPECT_LT(*std::max_element(per_ms.begin(), per_ms.end()), 100);  // 25 ms of them: 40 each
  EXPECT_EQ(std::count_if(per_ms.begin(), per_ms.end(), [](int n) { return n > 0; }), 25);
}

TEST(Window, TheSameRunIsTheSame) {
  const auto run = [] {
    Bench bench(kSettings);
    for (std::uint32_t tag = 0; tag < 4; ++tag) bench.Send(tag);
    bench.Run(20 * kSecond);
    std::vector<std::int64_t> times;
    for (const SentMad& sent : bench.sent) times.push_back(sent.at_ns);
    return times;
  };
  EXPECT_EQ(run(), run());
}

TEST(Window, BusyIsWaitedForAsIfNothingHadCome) {
  Bench bench(With(&ibcc_window_settings::retries, 1));
  const std::int64_t start = bench.now;
  bench.Send(1);
  bench.now += kMs;
  bench.Answer(bench.sent[0], IBCC_STATUS_BUSY);
  EXPECT_TRUE(bench.told.empty());
  EXPECT_GE(bench.Next(), start + 100 * kMs);
  bench.Run(start + 130 * kMs);
  ASSERT_EQ(bench.sent.size(), 2u);
  bench.Answer(bench.sent[0], IBCC_STATUS_BUSY);  // again, to the try before: means nothing
  bench.Answer(bench.sent[1], IBCC_STATUS_BUSY);
  EXPECT_TRUE(bench.told.empty());
  const std::int64_t second = bench.sent[1].at_ns;
  bench.Run(second + 199 * kMs);
  EXPECT_TRUE(bench.told.empty());
  bench.Run(second + kSecond);
  ASSERT_EQ(bench.told.size(), 1u);
  EXPECT_EQ(bench.told[0].outcome, IBCC_TIMED_OUT);
  EXPECT_EQ(bench.Counts().unexpected, 0u);
}

TEST(Window, NotSentIfThePortRefusesEveryTry) {
  Bench bench(kSettings);
  int asked = 0;
  bench.refuse = [&] { return ++asked > 0; };
  const std::int64_t start = bench.now;
  bench.Send(1);
  EXPECT_TRUE(bench.told.empty());
  bench.Run(start + 10 * kSecond);
  ASSERT_EQ(bench.told.size(), 1u);
  EXPECT_EQ(bench.told[0].outcome, IBCC_NOT_SENT);
  EXPECT_EQ(bench.told[0].tries, 4u);
  EXPECT_EQ(asked, 4);
  EXPECT_GE(bench.told[0].at_ns - start, 900 * kMs);  // each refusal waits for the back-off
  EXPECT_EQ(bench.Counts().sent, 0u);
  EXPECT_EQ(bench.Counts().timed_out, 0u);
}

TEST(Window, TimedOutIfThePortTookOneTry) {
  Bench bench(kSettings);
  int asked = 0;
  bench.refuse = [&] { return ++asked != 2; };
  bench.Send(1);
  bench.Run(bench.now + 10 * kSecond);
  EXPECT_EQ(bench.told.at(0).outcome, IBCC_TIMED_OUT);
  EXPECT_EQ(bench.Counts().sent, 1u);
}

TEST(Window, AsksBeforeEachFurtherTry) {
  Bench bench(kSettings);
  for (std::uint32_t tag = 0; tag < 3; ++tag) bench.Send(tag);
  static int asked;
  asked = 0;
  static ibcc_window* window;
  window = bench.window;
  ibcc_window_before_retry(window, [](void*) {
    if (++asked == 2) ibcc_window_pause(window);
  });
  bench.now += 300 * kMs;  // all are due
  ibcc_window_tick(window, bench.now);
  EXPECT_EQ(bench.sent.size(), 4u);
  ibcc_window_resume(window, bench.now);
  bench.Run(bench.now + 10 * kSecond);
  EXPECT_EQ(bench.told.size(), 3u);
}

TEST(Window, WhatMakesNoSenseAnyMoreIsNotSentAgain) {
  Bench bench(kSettings);
  bench.Send(1);
  bench.Send(2);
  ibcc_window_repeat_if(bench.window, [](void*, const ibcc_request* request) { return request->tag != 1; });
  bench.Run(bench.now + kSecond / 2);
  ASSERT_EQ(bench.told.size(), 1u);
  EXPECT_EQ(bench.told[0].request.tag, 1u);
  EXPECT_EQ(bench.told[0].outcome, IBCC_CANCELLED);
  EXPECT_EQ(bench.told[0].tries, 1u);
  EXPECT_EQ(bench.Outstanding(), 1u);
  bench.Run(bench.now + 10 * kSecond);
  EXPECT_EQ(bench.sent.size(), 1u + 4u);
  EXPECT_EQ(bench.Counts().timed_out, 1u) << "the other one";
}

// Its place is free for a request that is made when that is told.
TEST(Window, ThePlaceOfWhatIsNotSentAgainIsTakenAtOnce) {
  Bench bench(With(&ibcc_window_settings::max_outstanding, 1));
  bench.Send(1);
  ibcc_window_repeat_if(bench.window, [](void*, const ibcc_request* request) { return request->tag != 1; });
  bench.then = [&](const Told& told) {
    if (told.request.tag == 1) bench.Send(2);
  };
  bench.Run(bench.now + kSecond / 2);
  ASSERT_GE(bench.sent.size(), 2u);
  EXPECT_EQ(bench.sent[1].lid, Bench::Request(2).lid);
  bench.Answer(bench.sent.back());
  EXPECT_EQ(bench.Outstanding(), 0u);
}

TEST(Window, NoSecondHasMoreMadsThanAllowedRetriesIncluded) {
  Bench bench({.max_outstanding = 200, .max_mads_per_s = 50, .timeout_ms = 100, .max_timeout_ms = 100, .retries = 1});
  std::uint32_t tag = 0;
  for (int step = 0; step < 10'000; ++step) {
    while (bench.HasRoom()) bench.Send(tag++);
    ASSERT_NE(bench.Next(), INT64_MAX);
    ASSERT_GT(bench.Next(), bench.now);  // the loop does not spin
    bench.now = bench.Next();
    ibcc_window_tick(bench.window, bench.now);
    if (bench.now > 15 * kSecond) break;
  }
  ASSERT_GT(bench.sent.size(), 450u);
  std::size_t first = 0;
  for (std::size_t i = 0; i < bench.sent.size(); ++i) {
    while (bench.sent[first].at_ns <= bench.sent[i].at_ns - kSecond) ++first;
    ASSERT_LE(i - first + 1, 50u);
  }
}

TEST(Window, RetriesGoBeforeNewRequests) {
  Bench bench({.max_outstanding = 10, .max_mads_per_s = 10, .timeout_ms = 50, .max_timeout_ms = 500, .retries = 5});
  bench.Send(1);
  bench.now += 50 * kMs;
  bench.TimeOut(bench.sent[0]);
  bench.now += 100 * kMs;  // both the retry's time and the rate's next turn have come
  EXPECT_FALSE(bench.HasRoom());
  EXPECT_LE(bench.Next(), bench.now);
  ibcc_window_tick(bench.window, bench.now);
  EXPECT_EQ(bench.sent.size(), 2u);
  EXPECT_FALSE(bench.HasRoom());
  EXPECT_EQ(bench.Next(), bench.now + 100 * kMs);  // that is when there is room
  bench.now += 100 * kMs;
  ibcc_window_tick(bench.window, bench.now);
}

}  // namespace
