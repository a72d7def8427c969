// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <gtest/gtest.h>

#include "emulator/management.hpp"
#include "testing.hpp"

namespace ccsim::emulator {
namespace sma_switch_info_test {

using namespace testing;

constexpr Place kH1{2, 1};

TEST(SmaSwitchInfo, SaysWhatTheTablesHold) {
  const auto bed = ccsim::testing::TwoSwitch();
  Subnet subnet(bed.fabric);
  const Response info = Manager(subnet, kH1).Get({1}, kSwitchInfoId);
  ASSERT_TRUE(info.ok());
  EXPECT_EQ(Get16(info.data.data()), 0xC000);
  EXPECT_EQ(Get16(info.data.data() + 2), 0);  // no random forwarding
  EXPECT_EQ(Get16(info.data.data() + 4), 0x1000);
  EXPECT_EQ(Get16(info.data.data() + 14), 64);
  EXPECT_EQ(info.data[16] & 0x08, 0);  // base port 0
}

TEST(SmaSwitchInfo, KeepsWhatASetGivesAndNothingElse) {
  const auto bed = ccsim::testing::TwoSwitch();
  Subnet subnet(bed.fabric);
  Manager manager(subnet, kH1);
  Data data;
  data.fill(0xFF);
  Put16(data.data() + 6, 300);
  Put16(data.data() + 18, 0xC0FF);
  data[11] = 18 << 3;
  const Response set = manager.Set({1}, kSwitchInfoId, 0, data);
  ASSERT_TRUE(set.ok());
  EXPECT_EQ(manager.Get({1}, kSwitchInfoId).data, set.data);
  EXPECT_EQ(Get16(set.data.data()), 0xC000);
  EXPECT_EQ(Get16(set.data.data() + 6), 300);
  EXPECT_EQ(Get16(set.data.data() + 18), 0xC0FF);
  EXPECT_EQ(set.data[11] >> 3, 18);
  EXPECT_EQ(set.data[8], 0xFF);
  EXPECT_EQ(subnet.device(0).sma.forwarding_top, 300);
}

TEST(SmaSwitchInfo, RefusesATopAboveItsTable) {
  const auto bed = ccsim::testing::TwoSwitch();
  Subnet subnet(bed.fabric);
  Data data{};
  Put16(data.data() + 6, 0xC000);
  EXPECT_EQ(Manager(subnet, kH1).Set({1}, kSwitchInfoId, 0, data).status, kInvalidField);
  EXPECT_EQ(subnet.device(0).sma.forwarding_top, 0);
}

TEST(SmaSwitchInfo, PortStateChangeIsSetByLinksAndClearedByWritingOne) {
  const auto bed = ccsim::testing::TwoSwitch();
  Subnet subnet(bed.fabric);
  Manager manager(subnet, kH1);
  const auto changed = [&] { return (manager.Get({1}, kSwitchInfoId).data[11] & 0x04) != 0; };
  Data data{};
  EXPECT_TRUE(changed());  // links have come up since it was switched on
  manager.Set({1}, kSwitchInfoId, 0, data);
  EXPECT_TRUE(changed());
  data[11] = 0x04;
  manager.Set({1}, kSwitchInfoId, 0, data);
  EXPECT_FALSE(changed());
  subnet.SetLink(0, 36, false);
  EXPECT_TRUE(changed());
}

TEST(SmaSwitchInfo, AdaptersHaveNone) {
  const auto bed = ccsim::testing::TwoSwitch();
  Subnet subnet(bed.fabric);
  EXPECT_EQ(Manager(subnet, kH1).Get({}, kSwitchInfoId).status, kUnsupportedMethodAttribute);
}

}  // namespace sma_switch_info_test
}  // namespace ccsim::emulator
