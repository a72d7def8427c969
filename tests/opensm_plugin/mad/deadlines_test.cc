// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "mad/deadlines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>

namespace {

class Deadlines : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kIds = 50;
  void SetUp() override { ASSERT_EQ(ibcc_deadlines_init(&deadlines_, kIds), 0); }
  void TearDown() override { ibcc_deadlines_destroy(&deadlines_); }
  ibcc_deadlines deadlines_;
};

TEST_F(Deadlines, NothingIsDueIfThereIsNone) {
  std::uint32_t id;
  EXPECT_EQ(ibcc_deadlines_next_ns(&deadlines_), INT64_MAX);
  EXPECT_FALSE(ibcc_deadlines_pop(&deadlines_, INT64_MAX, &id));
  ibcc_deadlines_remove(&deadlines_, 3);  // not there
}

TEST_F(Deadlines, DueAtItsTimeAndNotBefore) {
  std::uint32_t id = 0;
  ibcc_deadlines_set(&deadlines_, 7, 100);
  EXPECT_FALSE(ibcc_deadlines_pop(&deadlines_, 99, &id));
  ASSERT_TRUE(ibcc_deadlines_pop(&deadlines_, 100, &id));
  EXPECT_EQ(id, 7u);
  EXPECT_FALSE(ibcc_deadlines_pop(&deadlines_, 100, &id));
}

// Against a map, which is slower and needs memory.
TEST_F(Deadlines, RandomOperations) {
  std::mt19937 random(3);
  std::map<std::uint32_t, std::int64_t> model;
  for (int step = 0; step < 100'000; ++step) {
    const std::uint32_t id = random() % kIds;
    const std::int64_t time = static_cast<std::int64_t>(random() % 1000) - 500;
    switch (random() % 3) {
      case 0:
        ibcc_deadlines_set(&deadlines_, id, time);
        model[id] = time;
        break;
      case 1:
        ibcc_deadlines_remove(&deadlines_, id);
        model.erase(id);
        break;
      default: {
        std::uint32_t popped = kIds;
        std::int64_t first = INT64_MAX;
        for (const auto& [_, due] : model) first = std::min(first, due);
        ASSERT_EQ(ibcc_deadlines_next_ns(&deadlines_), first);
        ASSERT_EQ(ibcc_deadlines_pop(&deadlines_, time, &popped), first <= time);
        if (first <= time) {
          ASSERT_EQ(model.at(popped), first);
          model.erase(popped);
        }
      }
    }
    ASSERT_EQ(deadlines_.count, model.size());
  }
}

}  // namespace
