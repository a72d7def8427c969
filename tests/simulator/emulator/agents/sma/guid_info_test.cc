// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <gtest/gtest.h>

#include "emulator/management.hpp"
#include "testing.hpp"

namespace ccsim::emulator {
namespace sma_guid_info_test {

using namespace testing;

TEST(SmaGuidInfo, TheFirstIsThePortsOwnAndStaysSo) {
  const auto bed = ccsim::testing::TwoSwitch();
  Subnet subnet(bed.fabric);
  Manager manager(subnet, {2, 1});
  EXPECT_EQ(Get64(manager.Get({}, kGuidInfoId).data.data()), 102u);
  EXPECT_EQ(Get64(manager.Get({1}, kGuidInfoId).data.data()), 1u);
  Data data{};
  for (std::size_t i = 0; i < 8; ++i) Put64(data.data() + 8 * i, 1000 + i);
  const Response set = manager.Set({}, kGuidInfoId, 0, data);
  ASSERT_TRUE(set.ok());
  EXPECT_EQ(Get64(set.data.data()), 102u);
  EXPECT_EQ(Get64(set.data.data() + 56), 1007u);
  EXPECT_EQ(manager.Get({}, kGuidInfoId).data, set.data);
  EXPECT_EQ(manager.Get({}, kGuidInfoId, 1).data, Data{});
}

TEST(SmaGuidInfo, HasFourBlocks) {
  const auto bed = ccsim::testing::TwoSwitch();
  Subnet subnet(bed.fabric);
  Manager manager(subnet, {2, 1});
  Data data{};
  Put64(data.data(), 77);
  EXPECT_TRUE(manager.Set({}, kGuidInfoId, 3, data).ok());
  EXPECT_EQ(manager.Get({}, kGuidInfoId, 3).data, data);
  EXPECT_EQ(manager.Get({}, kGuidInfoId, 4).status, kInvalidField);
}

}  // namespace sma_guid_info_test
}  // namespace ccsim::emulator
