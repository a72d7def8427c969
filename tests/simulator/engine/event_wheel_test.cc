// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/event_wheel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "rng.hpp"

namespace ccsim {
namespace event_wheel_test {

std::vector<std::uint32_t> PopAll(EventWheel& wheel, Time until = kNever - 1) {
  std::vector<std::uint32_t> arguments;
  for (Event e; wheel.Pop(until, e);) arguments.push_back(e.argument);
  return arguments;
}

TEST(EventWheel, GivesEventsInOrderOfTime) {
  EventWheel wheel(16, 1000);
  wheel.Push(300, 0, 0, 3);
  wheel.Push(5, 0, 0, 1);
  wheel.Push(17, 0, 0, 2);
  EXPECT_EQ(PopAll(wheel), (std::vector<std::uint32_t>{1, 2, 3}));
}

TEST(EventWheel, GivesEventsOfOneTimeInOrderOfPushing) {
  EventWheel wheel(16, 1000);
  for (std::uint32_t i = 0; i < 100; ++i) wheel.Push(40, 0, 0, i);  // more than the insertion sort takes
  const auto popped = PopAll(wheel);
  ASSERT_EQ(popped.size(), 100u);
  EXPECT_TRUE(std::is_sorted(popped.begin(), popped.end()));
}

TEST(EventWheel, TakesEventsForTheSlotThatIsBeingServed) {
  EventWheel wheel(1024, 100000);
  wheel.Push(100, 0, 0, 1);
  wheel.Push(300, 0, 0, 3);
  Event e;
  ASSERT_TRUE(wheel.Pop(kNever - 1, e));
  wheel.Push(200, 0, 0, 2);  // between what has been served and what has not
  wheel.Push(300, 0, 0, 4);  // behind its equal
  EXPECT_EQ(PopAll(wheel), (std::vector<std::uint32_t>{2, 3, 4}));
}

TEST(EventWheel, KeepsWhatIsDueLater) {
  EventWheel wheel(16, 1000);
  wheel.Push(50, 0, 0, 1);
  wheel.Push(51, 0, 0, 2);
  EXPECT_EQ(PopAll(wheel, 50), (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(PopAll(wheel, 50), (std::vector<std::uint32_t>{}));
  wheel.Push(50, 0, 0, 3);
  EXPECT_EQ(PopAll(wheel), (std::vector<std::uint32_t>{3, 2}));
}

TEST(EventWheel, OrdersFarEventsAmongNearOnesOfTheSameTime) {
  EventWheel wheel(1, 1);     // 4,096 slots of 1 fs
  wheel.Push(5000, 0, 0, 1);  // beyond the horizon
  wheel.Push(4000, 0, 0, 0);
  Event e;
  ASSERT_TRUE(wheel.Pop(kNever - 1, e));
  wheel.Push(5000, 0, 0, 2);  // within it now, and later than its equal
  EXPECT_EQ(PopAll(wheel), (std::vector<std::uint32_t>{1, 2}));
}

// Against a sorted list, with times that wrap the wheel many times, fall into one slot, or lie far ahead.
TEST(EventWheel, AgreesWithASortedList) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Rng rng(seed, 0);
    EventWheel wheel(static_cast<Time>(1 + rng.Below(300)), 20000);
    std::vector<std::tuple<Time, std::uint32_t>> expected;
    std::vector<std::tuple<Time, std::uint32_t>> got;
    Time now = 0;
    std::uint32_t next = 0;
    for (int i = 0; i < 4000; ++i) {
      const Time spans[] = {1, 50, 3000, 40000, 9'000'000};
      for (std::uint64_t n = rng.Below(4); n > 0; --n) {
        const Time t = now + static_cast<Time>(rng.Below(static_cast<std::uint64_t>(spans[rng.Below(5)])));
        wheel.Push(t, 0, 0, next);
        expected.emplace_back(t, next++);
      }
      Event e;
      if (rng.Below(3) > 0 && wheel.Pop(now + static_cast<Time>(rng.Below(100000)), e)) {
        got.emplace_back(e.time, e.argument);
        now = e.time;
      }
    }
    for (Event e; wheel.Pop(kNever - 1, e);) got.emplace_back(e.time, e.argument);
    std::sort(expected.begin(), expected.end());
    ASSERT_EQ(got, expected) << "seed " << seed;
  }
}

}  // namespace event_wheel_test
}  // namespace ccsim
