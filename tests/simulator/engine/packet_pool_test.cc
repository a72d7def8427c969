// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/packet_pool.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "rng.hpp"

namespace ccsim {
namespace packet_pool_test {

// Against a deque, empty by turns.
TEST(PacketRing, IsAQueue) {
  PacketPool pool;
  PacketRing ring;
  std::deque<std::uint32_t> expected;
  Rng rng(3, 1);
  for (int round = 0; round < 10'000; ++round) {
    if (expected.empty() || rng.Below(2) == 0) {
      const std::uint32_t packet = pool.Allocate();
      pool[packet].sequence = packet;
      ring.Push(pool, packet);
      expected.push_back(packet);
    } else {
      ASSERT_EQ(ring.Head(pool), expected.front());
      const std::uint32_t packet = ring.Pop(pool);
      ASSERT_EQ(packet, expected.front());
      expected.pop_front();
      pool.Free(packet);
    }
    ASSERT_EQ(ring.empty(), expected.empty());
    std::vector<std::uint32_t> seen;
    ring.ForEach(pool, [&](const Packet& k) { seen.push_back(k.sequence); });
    ASSERT_EQ(seen, std::vector<std::uint32_t>(expected.begin(), expected.end()));
  }
  EXPECT_EQ(pool.live(), expected.size());
}

}  // namespace packet_pool_test
}  // namespace ccsim
