// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "shim.h"

namespace {

std::unique_ptr<meter_guard, void (*)(meter_guard*)> fresh() { return {shim_guard(), shim_free}; }

TEST(Guard, BelongsToItsFirstThreadUntilAnotherComes) {
  const auto guard = fresh();
  const bool owned = shim_enter(guard.get());
  shim_leave(guard.get(), owned);
  std::jthread([&] {
    const bool second = shim_enter(guard.get());
    EXPECT_FALSE(second);
    shim_leave(guard.get(), second);
  }).join();
  const bool again = shim_enter(guard.get());
  EXPECT_FALSE(again) << "shared for ever";
  shim_leave(guard.get(), again);
}

TEST(Guard, ItsOwnerIsWaitedFor) {
  const auto guard = fresh();
  const bool owned = shim_enter(guard.get());
  std::atomic<bool> inside{false};
  std::jthread other([&] {
    const bool second = shim_enter(guard.get());
    inside = true;
    shim_leave(guard.get(), second);
  });
  for (int i = 0; i < 1000; ++i) std::this_thread::yield();
  EXPECT_FALSE(inside);
  shim_leave(guard.get(), owned);
  other.join();
  EXPECT_TRUE(inside);
}

TEST(Guard, LetsOneInAtATimeWhoeverComesWhen) {
  for (int round = 0; round < 50; ++round) {
    const auto guard = fresh();
    long count = 0;  // no atomic: that is what the guard is for
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        for (int k = 0; k < 500; ++k) {
          const bool owned = shim_enter(guard.get());
          ++count;
          shim_leave(guard.get(), owned);
        }
      });
    threads.clear();
    ASSERT_EQ(count, 2000);
  }
}

}  // namespace
