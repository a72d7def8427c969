// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agents/sma/vl_arbitration.hpp"

#include <gtest/gtest.h>

#include "emulator/management.hpp"
#include "testing.hpp"

namespace ccsim::emulator {
namespace sma_vl_arbitration_table_test {

using namespace testing;

enum Block : std::uint32_t { kLow = 1, kLowUpper = 2, kHigh = 3 };
constexpr std::uint32_t Of(Block block, std::uint32_t port = 0) { return block << 16 | port; }

class SmaVlArbitration : public ::testing::Test {
 protected:
  const ccsim::testing::Bed bed_ = ccsim::testing::TwoSwitch();
  Subnet subnet_{bed_.fabric};
  Manager manager_{subnet_, {2, 1}};
};

TEST_F(SmaVlArbitration, KeepsWhatIsSetAndHandsItToTheDataPlane) {
  EXPECT_FALSE(VlArbitrationOf(subnet_.sma_port({0, 36})));
  Data high{}, low{};
  high[0] = 0xF1;  // the upper half is reserved
  high[1] = 64;
  low[0] = 2;
  low[1] = 8;
  low[2] = 3;  // no weight
  const std::uint64_t before = subnet_.versions().service_levels;
  ASSERT_TRUE(manager_.Set({1}, kVlArbitrationId, Of(kHigh, 36), high).ok());
  ASSERT_TRUE(manager_.Set({1}, kVlArbitrationId, Of(kLow, 36), low).ok());
  EXPECT_EQ(subnet_.versions().service_levels, before + 2);
  high[0] = 1;
  EXPECT_EQ(manager_.Get({1}, kVlArbitrationId, Of(kHigh, 36)).data, high);
  EXPECT_EQ(manager_.Get({1}, kVlArbitrationId, Of(kLow, 36)).data, low);
  const VlArbitrationTables tables = VlArbitrationOf(subnet_.sma_port({0, 36})).value();
  EXPECT_EQ(tables.high, (std::vector<VlArbitrationEntry>{{1, 64}}));
  EXPECT_EQ(tables.low, (std::vector<VlArbitrationEntry>{{2, 8}}));
  EXPECT_EQ(tables.high_limit, 0);
}

TEST_F(SmaVlArbitration, EntriesBeyondTheCapDoNotStay) {
  Data data;
  data.fill(0x01);
  const Data kept = manager_.Set({}, kVlArbitrationId, Of(kLow), data).data;
  const std::uint8_t cap = manager_.Get({}, kPortInfoId).data[40];
  ASSERT_EQ(cap, 16);
  for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(kept[i], i < 2u * cap ? 1 : 0) << i;
}

TEST_F(SmaVlArbitration, VlsShareEvenlyAtFirst) {
  const Data low = manager_.Get({}, kVlArbitrationId, Of(kLow)).data;
  for (std::uint8_t vl = 0; vl < 8; ++vl) {
    EXPECT_EQ(low[std::size_t{2} * vl], vl);
    EXPECT_EQ(low[std::size_t{2} * vl + 1], low[1]);
  }
  EXPECT_EQ(manager_.Get({}, kVlArbitrationId, Of(kHigh)).data, Data{});
}

TEST_F(SmaVlArbitration, RefusesBlocksAndPortsThatDoNotExist) {
  for (const std::uint32_t block : {0u, 2u, 4u, 5u}) {
    EXPECT_EQ(manager_.Get({1}, kVlArbitrationId, block << 16 | 1).status, kInvalidField) << block;
  }
  EXPECT_EQ(manager_.Get({1}, kVlArbitrationId, Of(kLow, 37)).status, kInvalidField);
}

}  // namespace sma_vl_arbitration_table_test
}  // namespace ccsim::emulator
