// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/lft_blocks.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "rng.hpp"

namespace ccsim {
namespace lft_blocks_test {

constexpr std::uint32_t kSwitches = 7;
constexpr std::uint32_t kEndports = 2 * LftBlocks::kEntries + 3;  // the last block is not full

using Table = std::vector<std::vector<std::uint8_t>>;

LftBlocks Made(const Table& table) {
  return LftBlocks(kSwitches, kEndports, [&](std::uint32_t s) { return std::span<const std::uint8_t>(table[s]); });
}

void ExpectHolds(const LftBlocks& blocks, const Table& table) {
  for (std::uint32_t s = 0; s < kSwitches; ++s) {
    for (std::uint32_t e = 0; e < kEndports; ++e) ASSERT_EQ(blocks(s, e), table[s][e]) << "switch " << s << ", endport " << e;
  }
}

TEST(LftBlocks, KeepsEqualBlocksOnce) {
  Table table(kSwitches, std::vector<std::uint8_t>(kEndports));
  for (auto& row : table) {
    for (std::uint32_t e = 0; e < kEndports; ++e) row[e] = static_cast<std::uint8_t>(e % 36);
  }
  table[3][5] = 99;
  const LftBlocks blocks = Made(table);
  EXPECT_EQ(blocks.num_blocks(), 4);  // three that all have, and the odd one
  ExpectHolds(blocks, table);
}

TEST(LftBlocks, AChangeIsOfOneSwitchAlone) {
  Table table(kSwitches, std::vector<std::uint8_t>(kEndports, 1));
  LftBlocks blocks = Made(table);
  const LftBlocks before = blocks;
  blocks.Set(2, 300, table[2][300] = 9);
  ExpectHolds(blocks, table);
  const std::size_t copied = blocks.num_blocks();
  blocks.Set(2, 301, table[2][301] = 9);  // the block is this switch's own by now
  EXPECT_EQ(blocks.num_blocks(), copied);
  blocks.Set(4, 7, 1);  // what it is already
  EXPECT_EQ(blocks.num_blocks(), copied);
  ExpectHolds(blocks, table);
  ExpectHolds(before, Table(kSwitches, std::vector<std::uint8_t>(kEndports, 1)));
}

TEST(LftBlocks, HoldsWhatAnArrayHolds) {
  Rng rng(5, 1);
  Table table(kSwitches, std::vector<std::uint8_t>(kEndports));
  for (auto& row : table) row[rng.Below(kEndports)] = 4;
  LftBlocks blocks = Made(table);
  for (int i = 0; i < 20'000; ++i) {
    const auto s = static_cast<std::uint32_t>(rng.Below(kSwitches));
    const auto e = static_cast<std::uint32_t>(rng.Below(kEndports));
    blocks.Set(s, e, table[s][e] = static_cast<std::uint8_t>(rng.Below(256)));
  }
  ExpectHolds(blocks, table);
  EXPECT_LE(blocks.num_blocks(), kSwitches * 3 + 8);  // no more than the tables have, and those that all shared at first
}

}  // namespace lft_blocks_test
}  // namespace ccsim
