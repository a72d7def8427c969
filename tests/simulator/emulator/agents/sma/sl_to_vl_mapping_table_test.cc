// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <gtest/gtest.h>

#include <algorithm>

#include "emulator/management.hpp"
#include "testing.hpp"

namespace ccsim::emulator {
namespace sma_sl_to_vl_mapping_table_test {

using namespace testing;

constexpr std::uint32_t kAllOut = 1u << 16, kAllIn = 1u << 17;
constexpr std::uint32_t Between(std::uint32_t in, std::uint32_t out) { return in << 8 | out; }

Data Table(std::uint8_t fill) {
  Data data{};
  std::fill_n(data.begin(), 8, fill);
  return data;
}

class SmaSlToVl : public ::testing::Test {
 protected:
  const ccsim::testing::Bed bed_ = ccsim::testing::TwoSwitch();
  Subnet subnet_{bed_.fabric};
  Manager manager_{subnet_, {2, 1}};
};

TEST_F(SmaSlToVl, IsOneTableForEachPairOfPorts) {
  const Data first = manager_.Get({1}, kSlToVlId, Between(1, 2)).data;
  EXPECT_EQ(Get64(first.data()), 0x0123456701234567u);
  const std::uint64_t before = subnet_.versions().service_levels;
  EXPECT_EQ(manager_.Set({1}, kSlToVlId, Between(1, 2), Table(0x33)).data, Table(0x33));
  EXPECT_EQ(subnet_.versions().service_levels, before + 1);
  EXPECT_EQ(manager_.Get({1}, kSlToVlId, Between(1, 2)).data, Table(0x33));
  EXPECT_EQ(manager_.Get({1}, kSlToVlId, Between(2, 1)).data, first);
  EXPECT_EQ(manager_.Get({1}, kSlToVlId, Between(0, 2)).data, first);
  manager_.Set({1}, kSlToVlId, Between(1, 2), Table(0x33));
  EXPECT_EQ(subnet_.versions().service_levels, before + 1);  // nothing new
}

TEST_F(SmaSlToVl, AnAdapterHasOne) {
  EXPECT_TRUE(manager_.Set({}, kSlToVlId, Between(5, 9), Table(0x11)).ok());
  EXPECT_EQ(manager_.Get({}, kSlToVlId).data, Table(0x11));
}

TEST_F(SmaSlToVl, OneSetCanStandForManyPorts) {
  EXPECT_TRUE(manager_.Set({1}, kSlToVlId, kAllIn | kAllOut, Table(0x44)).ok());
  EXPECT_TRUE(manager_.Set({1}, kSlToVlId, kAllIn | 9, Table(0x55)).ok());
  EXPECT_TRUE(manager_.Set({1}, kSlToVlId, kAllOut | Between(3, 0), Table(0x66)).ok());
  EXPECT_EQ(manager_.Get({1}, kSlToVlId, Between(7, 8)).data, Table(0x44));
  EXPECT_EQ(manager_.Get({1}, kSlToVlId, Between(36, 9)).data, Table(0x55));
  EXPECT_EQ(manager_.Get({1}, kSlToVlId, Between(3, 9)).data, Table(0x66));
  EXPECT_EQ(manager_.Get({1}, kSlToVlId, Between(3, 36)).data, Table(0x66));
}

TEST_F(SmaSlToVl, RefusesWhatIsNoPort) {
  EXPECT_EQ(manager_.Get({1}, kSlToVlId, Between(37, 1)).status, kInvalidField);
  EXPECT_EQ(manager_.Get({1}, kSlToVlId, Between(1, 37)).status, kInvalidField);
  EXPECT_EQ(manager_.Get({1}, kSlToVlId, kAllIn | 1).status, kInvalidField);
  EXPECT_EQ(manager_.Set({1}, kSlToVlId, 1u << 18, {}).status, kInvalidField);
}

}  // namespace sma_sl_to_vl_mapping_table_test
}  // namespace ccsim::emulator
