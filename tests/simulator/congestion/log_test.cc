// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "congestion/log.hpp"

#include <gtest/gtest.h>

namespace ccsim {
namespace log_test {

TEST(CongestionLog, TimestampsAreOf1024NanosecondsAndWrap) {
  EXPECT_EQ(CongestionTimestamp(1023 * kFsPerNs), 0u);
  EXPECT_EQ(CongestionTimestamp(10240 * kFsPerNs), 10u);
  EXPECT_EQ(CongestionTimestamp(((Time{1} << 32) + 5) * kCctiTimerUnit), 5u);
}

TEST(CongestionLog, ASwitchKeepsTheLatest15) {
  SwitchCongestionLog log;
  EXPECT_TRUE(log.entries.OldestFirst().empty());
  for (std::uint32_t i = 0; i < 20; ++i) log.Entered(i, i + 100, 3, i * kCctiTimerUnit);
  const auto entries = log.entries.OldestFirst();
  ASSERT_EQ(entries.size(), 15u);
  EXPECT_EQ(entries.front().source, 5u);
  EXPECT_EQ(entries.back().source, 19u);
  EXPECT_EQ(entries.back().destination, 119u);
  EXPECT_EQ(entries.back().sl, 3);
  EXPECT_EQ(entries.back().timestamp, 19u);
  EXPECT_EQ(log.events, 20u);
}

TEST(CongestionLog, ReadingClearsCountersAndMapsButNotEntries) {
  SwitchCongestionLog log;
  log.marked.set(7);
  log.Entered(1, 2, 0, 0);
  log.WasRead();
  EXPECT_EQ(log.events, 0u);
  EXPECT_TRUE(log.marked.none());
  EXPECT_EQ(log.entries.OldestFirst().size(), 1u);
  CaCongestionLog ca;
  ca.Reached(4, 40, 9, 0, 0);
  ca.Reached(4, 40, 9, 15, 0);
  EXPECT_EQ(ca.sls, 0x8001);
  EXPECT_EQ(ca.events, 2u);
  ca.WasRead();
  EXPECT_EQ(ca.sls, 0);
  EXPECT_EQ(ca.events, 0u);
  EXPECT_EQ(ca.entries.OldestFirst().size(), 2u);
}

TEST(CongestionLog, AnAdapterKeepsTheLatest13AndItsCounterDoesNotWrap) {
  CaCongestionLog log;
  for (std::uint32_t i = 0; i < 70000; ++i) log.Reached(0, i, 1, 0, 0);
  EXPECT_EQ(log.events, 65535u);
  const auto entries = log.entries.OldestFirst();
  ASSERT_EQ(entries.size(), 13u);
  EXPECT_EQ(entries.front().queue_pair, 69987u);
  EXPECT_EQ(entries.back().queue_pair, 69999u);
}

}  // namespace log_test
}  // namespace ccsim
