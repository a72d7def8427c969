// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "manager/error_budget.h"
#include "base/ns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "refused_memory.hpp"

namespace {

struct Budget {
  Budget(std::uint32_t max_errors, std::uint32_t window_s) : budget(ibcc_error_budget_create(max_errors, window_s)) {}
  ~Budget() { ibcc_error_budget_destroy(budget); }
  Budget(const Budget&) = delete;
  bool Note(std::int64_t now_ns) { return ibcc_error_budget_note(budget, now_ns); }
  ibcc_error_budget* budget;
};

TEST(ErrorBudget, OneMoreThanAllowedInTheWindowIsOver) {
  Budget budget(2, 5);
  EXPECT_FALSE(budget.Note(0));
  EXPECT_FALSE(budget.Note(1));
  EXPECT_TRUE(budget.Note(5 * NS_PER_S - 1));
  EXPECT_TRUE(budget.Note(5 * NS_PER_S));    // with the two before
  EXPECT_FALSE(budget.Note(10 * NS_PER_S));  // all before it are 5 s old, and no longer count
  EXPECT_FALSE(budget.Note(10 * NS_PER_S));
  EXPECT_TRUE(budget.Note(10 * NS_PER_S));
}

TEST(ErrorBudget, SpentIsWhatTheWindowHas) {
  ibcc_error_budget* budget = ibcc_error_budget_create(3, 5);
  EXPECT_EQ(ibcc_error_budget_spent(budget, 0), 0u);
  for (std::int64_t s = 1; s <= 3; ++s) ibcc_error_budget_note(budget, s * 1'000'000'000);
  EXPECT_EQ(ibcc_error_budget_spent(budget, 3'000'000'000), 3u);
  EXPECT_EQ(ibcc_error_budget_spent(budget, 6'000'000'000), 2u);
  EXPECT_EQ(ibcc_error_budget_spent(budget, 8'000'000'000), 0u);
  ibcc_error_budget_destroy(budget);
}

TEST(ErrorBudget, NoneAllowed) {
  Budget budget(0, 1);
  EXPECT_TRUE(budget.Note(0));
  EXPECT_TRUE(budget.Note(100 * NS_PER_S));
}

TEST(ErrorBudget, WithoutAWindowNothingCounts) {
  Budget budget(0, 0);
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(budget.Note(7));
}

TEST(ErrorBudget, ResetForgets) {
  Budget budget(1, 5);
  EXPECT_FALSE(budget.Note(1));
  ibcc_error_budget_reset(budget.budget);
  EXPECT_FALSE(budget.Note(1));
  EXPECT_TRUE(budget.Note(1));
  ibcc_error_budget_reset(budget.budget);
  EXPECT_FALSE(budget.Note(1));
}

TEST(ErrorBudget, AsCountedByHand) {
  std::mt19937_64 random(4);
  for (const std::uint32_t max_errors : {0u, 1u, 3u, 20u}) {
    Budget budget(max_errors, 2);
    std::vector<std::int64_t> times;
    std::int64_t now = 0;
    bool seen[2] = {};
    for (int i = 0; i < 3000; ++i) {
      now += static_cast<std::int64_t>(random() % (max_errors < 3 ? 3 * NS_PER_S : 4 * NS_PER_S / max_errors));
      times.push_back(now);
      const bool over = std::count_if(times.begin(), times.end(), [&](auto at) { return at > now - 2 * NS_PER_S; }) > max_errors;
      ASSERT_EQ(budget.Note(now), over) << i;
      seen[over] = true;
    }
    EXPECT_TRUE(seen[1]);
    EXPECT_TRUE(seen[0] || max_errors == 0);
  }
}

TEST(ErrorBudget, AllowsAFiftiethOfTheDevicesAndNeverLessThanTheOptionSays) {
  Budget budget(3, 5);
  for (const auto& [devices, allowed] : {std::pair{9u, 3u}, {199u, 3u}, {200u, 4u}, {11664u, 233u}, {24u, 3u}}) {
    ibcc_error_budget_allow(&budget.budget, 3, devices);
    ibcc_error_budget_reset(budget.budget);
    EXPECT_EQ(ibcc_error_budget_allowed(budget.budget), allowed) << devices;
    for (unsigned i = 0; i < allowed; ++i) EXPECT_FALSE(budget.Note(i)) << devices;
    EXPECT_TRUE(budget.Note(allowed)) << devices;
  }
}

TEST(ErrorBudget, RefusedMemory) {
  RefusedMemory refusal(1);
  const Budget budget(10, 5);
  EXPECT_TRUE(refusal.Happened());
  EXPECT_EQ(budget.budget, nullptr);
}

}  // namespace
