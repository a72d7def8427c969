// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/deferred_packets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace ccsim::emulator {
namespace deferred_packets_test {

ibsim::Packet Numbered(std::uint32_t number) {
  ibsim::Packet packet;
  packet.sqp = number;
  return packet;
}

TEST(DeferredPackets, ComeByTimeAndThenInTheOrderInWhichTheyWereAdded) {
  DeferredPackets deferred;
  std::mt19937 random(1);
  std::vector<std::pair<std::int64_t, std::uint32_t>> added;
  std::pair<std::int64_t, std::uint32_t> last{-1, 0};
  std::uint32_t number = 0;
  for (int round = 0; round < 2000; ++round) {
    if (deferred.empty() || random() % 3 != 0) {
      // Never before what was taken: time goes on.
      const std::int64_t due_ns = std::max<std::int64_t>(last.first, 0) + static_cast<std::int64_t>(random() % 8);
      deferred.Add({1, 1}, due_ns, Numbered(++number));
    } else {
      const std::int64_t due_ns = deferred.next_due_ns();
      const DeferredPackets::Entry entry = deferred.Take();
      EXPECT_EQ(entry.due_ns, due_ns);
      const std::pair<std::int64_t, std::uint32_t> now{due_ns, entry.packet.sqp};
      EXPECT_LT(last.first, due_ns + 1);
      if (last.first == due_ns) EXPECT_LT(last.second, now.second);
      last = now;
      added.push_back(now);
    }
  }
  while (!deferred.empty()) {
    const DeferredPackets::Entry entry = deferred.Take();
    const std::pair<std::int64_t, std::uint32_t> now{entry.due_ns, entry.packet.sqp};
    EXPECT_LT(last, now);
    last = now;
    added.push_back(now);
  }
  EXPECT_EQ(added.size(), number);
}

}  // namespace deferred_packets_test
}  // namespace ccsim::emulator
