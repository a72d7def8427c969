// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "mad/pending_replies.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

namespace {

constexpr std::uint32_t kLong = 60'000, kNow = 0;

class PendingReplies : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(ibcc_pending_replies_init(&pending_), 0); }
  void TearDown() override { ibcc_pending_replies_destroy(&pending_); }
  bool None(std::uint32_t most_ms = kNow) { return ibcc_pending_replies_wait_empty(&pending_, most_ms); }
  ibcc_pending_replies pending_;
};

TEST_F(PendingReplies, NothingAtFirst) { EXPECT_TRUE(None()); }

TEST_F(PendingReplies, UntilAllAreSettled) {
  for (std::uint32_t tid = 0; tid < 5000; ++tid) ibcc_pending_replies_add(&pending_, tid << 12 | 7);
  for (std::uint32_t tid = 0; tid < 5000; ++tid) {
    EXPECT_FALSE(None());
    ibcc_pending_replies_done(&pending_, tid << 12 | 7);
  }
  EXPECT_TRUE(None());
}

TEST_F(PendingReplies, WhatComesTwiceOrUnaskedDoesNotCountForOthers) {
  ibcc_pending_replies_done(&pending_, 3);
  ibcc_pending_replies_add(&pending_, 1);
  ibcc_pending_replies_add(&pending_, 2);
  for (int i = 0; i < 3; ++i) ibcc_pending_replies_done(&pending_, 1);
  ibcc_pending_replies_done(&pending_, 3);
  EXPECT_FALSE(None());
  ibcc_pending_replies_done(&pending_, 2);
  EXPECT_TRUE(None());
}

TEST_F(PendingReplies, WaitsNoLongerThanItShould) {
  ibcc_pending_replies_add(&pending_, 1);
  const auto began = std::chrono::steady_clock::now();
  EXPECT_FALSE(None(50));
  EXPECT_GE(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(50));
}

TEST_F(PendingReplies, TheLastOneWakesWhoeverWaits) {
  constexpr std::uint32_t kThreads = 4, kEach = 2000;
  for (std::uint32_t tid = 0; tid < kThreads * kEach; ++tid) ibcc_pending_replies_add(&pending_, tid);
  std::vector<std::jthread> threads;
  for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::uint32_t i = 0; i < kEach; ++i) {
        ibcc_pending_replies_add(&pending_, 1'000'000 + thread);
        ibcc_pending_replies_done(&pending_, thread * kEach + i);
        ibcc_pending_replies_done(&pending_, 1'000'000 + thread);
      }
    });
  }
  EXPECT_TRUE(None(kLong));
}

}  // namespace
