// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "owed.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

namespace {

constexpr std::uint32_t kLong = 60'000, kNow = 0;

class Owed : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(ibcc_owed_init(&owed_), 0); }
  void TearDown() override { ibcc_owed_destroy(&owed_); }
  bool None(std::uint32_t most_ms = kNow) { return ibcc_owed_wait(&owed_, most_ms); }
  ibcc_owed owed_;
};

TEST_F(Owed, NothingAtFirst) { EXPECT_TRUE(None()); }

TEST_F(Owed, UntilAllAreSettled) {
  for (std::uint32_t tid = 0; tid < 5000; ++tid) ibcc_owed_add(&owed_, tid << 12 | 7);
  for (std::uint32_t tid = 0; tid < 5000; ++tid) {
    EXPECT_FALSE(None());
    ibcc_owed_settle(&owed_, tid << 12 | 7);
  }
  EXPECT_TRUE(None());
}

TEST_F(Owed, WhatComesTwiceOrUnaskedDoesNotCountForOthers) {
  ibcc_owed_settle(&owed_, 3);
  ibcc_owed_add(&owed_, 1);
  ibcc_owed_add(&owed_, 2);
  for (int i = 0; i < 3; ++i) ibcc_owed_settle(&owed_, 1);
  ibcc_owed_settle(&owed_, 3);
  EXPECT_FALSE(None());
  ibcc_owed_settle(&owed_, 2);
  EXPECT_TRUE(None());
}

TEST_F(Owed, WaitsNoLongerThanItShould) {
  ibcc_owed_add(&owed_, 1);
  const auto began = std::chrono::steady_clock::now();
  EXPECT_FALSE(None(50));
  EXPECT_GE(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(50));
}

TEST_F(Owed, TheLastOneWakesWhoeverWaits) {
  constexpr std::uint32_t kThreads = 4, kEach = 2000;
  for (std::uint32_t tid = 0; tid < kThreads * kEach; ++tid) ibcc_owed_add(&owed_, tid);
  std::vector<std::jthread> threads;
  for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::uint32_t i = 0; i < kEach; ++i) {
        ibcc_owed_add(&owed_, 1'000'000 + thread);
        ibcc_owed_settle(&owed_, thread * kEach + i);
        ibcc_owed_settle(&owed_, 1'000'000 + thread);
      }
    });
  }
  EXPECT_TRUE(None(kLong));
}

}  // namespace
