// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agents/asking.hpp"

namespace ccsim::emulator {
namespace cca_congestion_control_table_test {

using testing::Ask;
using testing::Asked;
using testing::Packed;
using testing::Read;
using testing::SmallSubnet;

constexpr std::uint16_t kId = CCP_CONGESTION_CONTROL_TABLE;

class CongestionControlTable : public ::testing::Test {
 protected:
  CcaFirmware& firmware() { return s_.subnet.device(SmallSubnet::kHost).cca.firmware; }
  const CaTables& held() { return s_.subnet.device(SmallSubnet::kHost).cca.ports[1].tables; }

  // Entry i of the table gets multiplier first_multiplier + i.
  ccp_cct_block Block(std::uint16_t limit, unsigned block, unsigned first_multiplier = 1) {
    ccp_cct_block out{};
    out.ccti_limit = limit;
    for (unsigned i = 0; i < CCP_CCT_ENTRIES_PER_BLOCK; ++i) {
      out.entries[i] = {static_cast<std::uint8_t>(i % 4), static_cast<std::uint16_t>(first_multiplier + block * 64 + i)};
    }
    return out;
  }
  Asked Set(unsigned block, const ccp_cct_block& data) {
    return Ask(s_.subnet, SmallSubnet::kAtHost1,
               {.method = kSet, .attribute = kId, .modifier = block, .data = Packed(CCP_CONGESTION_CONTROL_TABLE, data)});
  }
  Asked Get(unsigned block) { return Ask(s_.subnet, SmallSubnet::kAtHost1, {.attribute = kId, .modifier = block}); }

  SmallSubnet s_;
};

TEST_F(CongestionControlTable, IsReadBackByteForByteWithTheFinalLimitInEachBlock) {
  for (const unsigned block : {0u, 1u}) {
    const auto sent = Packed(CCP_CONGESTION_CONTROL_TABLE, Block(127, block));
    EXPECT_EQ(Set(block, Block(127, block)).bytes(), sent);
    EXPECT_EQ(Get(block).bytes(), sent);
  }
  EXPECT_EQ(held().ccti_limit, 127);
  for (unsigned i = 0; i <= 127; ++i) EXPECT_EQ(held().cct[i].multiplier, 1 + i);
}

TEST_F(CongestionControlTable, TakesTheLimitReachedWithEachBlockToo) {
  Set(0, Block(63, 0));
  EXPECT_EQ(held().ccti_limit, 63);
  Set(1, Block(127, 1));
  EXPECT_EQ(held().ccti_limit, 127);
  for (unsigned i = 0; i <= 127; ++i) EXPECT_EQ(held().cct[i].multiplier, 1 + i);
  // A shorter table: entries behind its limit are kept, and count for nothing.
  Set(0, Block(9, 0, 1000));
  EXPECT_EQ(held().ccti_limit, 9);
  EXPECT_EQ(held().cct[9].multiplier, 1009);
}

TEST_F(CongestionControlTable, FirmwareThatCountsByBlockLosesEntriesOfTheFinalLimit) {
  firmware().limit_reading = CctiLimitReading::PerBlock;
  Set(0, Block(100, 0));
  Set(1, Block(100, 1));
  EXPECT_EQ(held().ccti_limit, 100);
  EXPECT_EQ(held().cct[36].multiplier, 37);  // 100 mod 64: 37 entries of each block
  EXPECT_EQ(held().cct[37].multiplier, 0);
  EXPECT_EQ(held().cct[63].multiplier, 0);
  EXPECT_EQ(held().cct[100].multiplier, 101);
  // What it was made for.
  Set(0, Block(63, 0));
  const auto sent = Block(100, 1);
  Set(1, sent);
  EXPECT_EQ(held().ccti_limit, 100);
  for (unsigned i = 0; i <= 100; ++i) EXPECT_EQ(held().cct[i].multiplier, 1 + i);
  EXPECT_EQ(Read<ccp_cct_block>(CCP_CONGESTION_CONTROL_TABLE, Get(0)).ccti_limit, 63);
  EXPECT_EQ(Read<ccp_cct_block>(CCP_CONGESTION_CONTROL_TABLE, Get(1)).ccti_limit, 100);
}

TEST_F(CongestionControlTable, IsAsLongAsTheDeviceHasRoomFor) {
  firmware().cct_blocks = 2;
  EXPECT_EQ(Set(2, Block(127, 2)).status, kInvalidField);
  EXPECT_EQ(Get(2).status, kInvalidField);
  EXPECT_EQ(Get(0xFFFFFFFF).status, kInvalidField);
  EXPECT_EQ(Set(0, Block(128, 0)).status, kInvalidField);
  EXPECT_FALSE(held().has_cct);
  EXPECT_EQ(Set(1, Block(127, 1)).status, kOk);
  EXPECT_TRUE(held().has_cct);
  firmware().clamps_ccti_limit = true;
  const Asked clamped = Set(0, Block(500, 0));
  EXPECT_EQ(clamped.status, kOk);
  EXPECT_EQ(Read<ccp_cct_block>(CCP_CONGESTION_CONTROL_TABLE, clamped).ccti_limit, 127);
}

TEST_F(CongestionControlTable, MayBeWrittenInAnyOrderAndInPart) {
  EXPECT_EQ(Set(254, Block(16319, 254, 0)).status, kOk);
  EXPECT_EQ(held().ccti_limit, 16319);
  ASSERT_EQ(held().cct.size(), 16320u);
  EXPECT_EQ(held().cct[0].multiplier, 0);  // not written: no delay
  EXPECT_EQ(held().cct[16319].multiplier, 16319 % 16384);
  EXPECT_EQ(Get(100).bytes(), Packed(CCP_CONGESTION_CONTROL_TABLE, ccp_cct_block{.ccti_limit = 16319, .entries = {}}));
  EXPECT_EQ(Set(0, Block(16320, 0)).status, kInvalidField);  // an index that no attribute can name
}

TEST_F(CongestionControlTable, IsOfChannelAdaptersOnly) {
  EXPECT_EQ(Ask(s_.subnet, SmallSubnet::kAtSwitch, {.attribute = kId}).status, kUnsupportedMethodAttribute);
  EXPECT_EQ(Ask(s_.subnet, SmallSubnet::kAtRouter, {.attribute = kId}).status, kUnsupportedMethodAttribute);
}

}  // namespace cca_congestion_control_table_test
}  // namespace ccsim::emulator
