// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/calendar.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "rng.hpp"

namespace ccsim {
namespace calendar_test {

bool Pop(Calendar& calendar, Time until, Event& out) { return calendar.Pop(until, out) != Calendar::kNothing; }

// The same order as a heap of (time, kind of push) that remembers the order of pushing; delays are few or many by turns, so that
// tracks fill, run dry and are left, and the wheel gets what they do not take.
TEST(Calendar, EventsLeaveInOrderOfTimeHoweverTheyCame) {
  Rng rng(7, 1);
  Calendar calendar(1000, 50'000);
  const Time usual[] = {125'000, 1'037'000, 1'200'000};
  std::priority_queue<Time, std::vector<Time>, std::greater<>> expected;
  Time now = 0;
  std::uint32_t pushed = 0;
  for (int round = 0; round < 200'000; ++round) {
    if (pushed == 0 || rng.Below(100) < 52) {
      const Time delay =
          rng.Below(4) > 0 ? usual[rng.Below(3)] : static_cast<Time>(rng.Below(round % 7 == 0 ? 90'000'000 : 3'000));
      if (rng.Below(2) == 0) {
        calendar.PushAfter(now, delay, 3, pushed, 0);
      } else {
        calendar.PushAt(now, now + delay, 3, pushed, 0);
      }
      expected.push(now + delay);
      ++pushed;
    } else if (!expected.empty()) {
      Event event;
      ASSERT_TRUE(Pop(calendar, kNever - 1, event));
      ASSERT_EQ(event.time, expected.top());
      expected.pop();
      now = event.time;
    }
  }
  for (Event event; Pop(calendar, kNever - 1, event); expected.pop()) ASSERT_EQ(event.time, expected.top());
  EXPECT_TRUE(expected.empty());
}

TEST(Calendar, EventsOfOneDelayAndTimeLeaveAsTheyWerePushed) {
  Calendar calendar(1000, 50'000);
  for (std::uint32_t i = 0; i < 1000; ++i) calendar.PushAfter(5, 10, 1, i, i + 1);
  for (std::uint32_t i = 0; i < 1000; ++i) {
    Event event;
    ASSERT_TRUE(Pop(calendar, 15, event));
    ASSERT_EQ(event.target, i);
    ASSERT_EQ(event.argument, i + 1);
    ASSERT_EQ(event.type, 1u);
  }
}

TEST(Calendar, NothingLeavesBeforeItsTime) {
  Calendar calendar(1000, 50'000);
  calendar.PushAfter(0, 500, 1, 1, 0);
  calendar.PushAt(0, 700, 1, 2, 0);
  Event event;
  EXPECT_FALSE(Pop(calendar, 499, event));
  ASSERT_TRUE(Pop(calendar, 500, event));
  EXPECT_EQ(event.target, 1u);
  EXPECT_FALSE(Pop(calendar, 699, event));
  ASSERT_TRUE(Pop(calendar, 700, event));
  EXPECT_EQ(event.target, 2u);
  EXPECT_FALSE(Pop(calendar, kNever, event));
}

TEST(Calendar, MoreDelaysThanLanesGoToTheWheel) {
  Calendar calendar(1000, 50'000);
  std::vector<unsigned> tracks;
  for (Time delay = 1; delay <= 200; ++delay) {
    tracks.push_back(calendar.TrackFor(delay));
    calendar.PushAfter(0, delay, 1, static_cast<std::uint32_t>(delay), 0);
  }
  EXPECT_EQ(std::count(tracks.begin(), tracks.end(), Calendar::kNoTrack), 200 - 15);
  for (std::uint32_t i = 1; i <= 200; ++i) {
    Event event;
    ASSERT_TRUE(Pop(calendar, 1000, event));
    ASSERT_EQ(event.target, i);
  }
}

TEST(Calendar, EventsAheadAreShownBeforeTheyComeAndInOrder) {
  Calendar calendar(1000, 50'000);
  for (std::uint32_t i = 0; i < 100; ++i) calendar.PushAfter(i, 1000, 1, i, 0);
  for (std::uint32_t i = 0; i < 80; ++i) {
    Event event;
    const unsigned track = calendar.Pop(kNever - 1, event);
    EXPECT_EQ(event.target, i);
    EXPECT_EQ(calendar.Ahead(track, 1).target, i + 1);
    EXPECT_EQ(calendar.Ahead(track, 20).target, i + 20);
  }
}

TEST(Calendar, WhatIsAheadOfTheLastEventIsNothingOrThePast) {
  Calendar calendar(1000, 50'000);
  calendar.PushAfter(0, 1000, 1, 7, 0);
  calendar.PushAt(0, 2000, 1, 8, 0);
  for (const std::uint32_t target : {7u, 8u}) {
    Event event;
    const unsigned track = calendar.Pop(kNever - 1, event);
    EXPECT_EQ(event.target, target);
    for (std::size_t places = 1; places < 70; ++places) {
      const Event& ahead = calendar.Ahead(track, places);
      EXPECT_TRUE(ahead.type == (1u << Event::kTypeBits) - 1 || (ahead.type == 1 && ahead.target == 7)) << places;
    }
  }
}

TEST(Calendar, SaysWhatTheWheelHasNext) {
  Calendar calendar(8, 1000);
  EXPECT_EQ(calendar.NextOfWheel().time, kNever);
  calendar.PushAt(0, 10, 1, 7, 0);
  calendar.PushAt(0, 900'000'000, 3, 9, 0);  // far beyond the wheel
  calendar.PushAt(0, 20, 2, 8, 5);
  Event event{};
  for (const auto& [time, target] : {std::pair<Time, std::uint32_t>{20, 8}, {900'000'000, 9}, {kNever, Event::kMaxTarget}}) {
    ASSERT_EQ(calendar.Pop(kNever - 1, event), Calendar::kNoTrack);
    EXPECT_EQ(calendar.NextOfWheel().time, time);
    EXPECT_TRUE(time == kNever || calendar.NextOfWheel().target == target);
  }
}

}  // namespace calendar_test
}  // namespace ccsim
