// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <gtest/gtest.h>

#include "emulator/management.hpp"
#include "testing.hpp"

namespace ccsim::emulator {
namespace sma_linear_forwarding_table_test {

using namespace testing;

TEST(SmaLinearForwardingTable, KeepsBlocksOf64AndCountsChanges) {
  const auto bed = ccsim::testing::TwoSwitch();
  Subnet subnet(bed.fabric);
  Manager manager(subnet, {2, 1});
  Data none;
  none.fill(0xFF);
  EXPECT_EQ(manager.Get({1}, kForwardingId, 767).data, none);
  Data data = none;
  data[5] = 36;
  const std::uint64_t before = subnet.versions().forwarding;
  EXPECT_EQ(manager.Set({1}, kForwardingId, 2, data).data, data);
  EXPECT_EQ(subnet.versions().forwarding, before + 1);
  manager.Set({1}, kForwardingId, 2, data);
  EXPECT_EQ(subnet.versions().forwarding, before + 1);
  EXPECT_EQ(manager.Get({1}, kForwardingId, 2).data, data);
  EXPECT_EQ(manager.Get({1}, kForwardingId, 0).data, none);
  EXPECT_EQ(subnet.device(0).sma.Forward(133), kNoRoute);  // above LinearFDBTop
  subnet.device(0).sma.forwarding_top = 133;
  EXPECT_EQ(subnet.device(0).sma.Forward(133), 36);
}

TEST(SmaLinearForwardingTable, EndsAtItsCap) {
  const auto bed = ccsim::testing::TwoSwitch();
  Subnet subnet(bed.fabric);
  Manager manager(subnet, {2, 1});
  EXPECT_EQ(manager.Get({1}, kForwardingId, 768).status, kInvalidField);
  EXPECT_EQ(manager.Set({1}, kForwardingId, 0x10000, {}).status, kInvalidField);
}

TEST(SmaLinearForwardingTable, IsASwitchsOnlyKind) {
  const auto bed = ccsim::testing::TwoSwitch();
  Subnet subnet(bed.fabric);
  Manager manager(subnet, {2, 1});
  EXPECT_EQ(manager.Get({}, kForwardingId).status, kUnsupportedMethodAttribute);
  EXPECT_EQ(manager.Get({1}, 0x001A).status, kUnsupportedMethodAttribute);  // RandomForwardingTable
}

}  // namespace sma_linear_forwarding_table_test
}  // namespace ccsim::emulator
