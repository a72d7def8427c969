// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <gtest/gtest.h>

#include "emulator/management.hpp"
#include "testing.hpp"

namespace ccsim::emulator {
namespace sma_extended_port_info_test {

using namespace testing;
using ccsim::testing::OneSwitch;

TEST(SmaExtendedPortInfo, TellsFdr10FromQdr) {
  const auto bed = OneSwitch(2, "4xFDR10");
  Subnet subnet(bed.fabric);
  Manager manager(subnet, {1, 1});
  const Data port = manager.Get({1}, kPortInfoId, 1).data;
  EXPECT_EQ(port[35] >> 4, 4);  // QDR
  EXPECT_EQ(port[62], 0);
  const Data extended = manager.Get({1}, kExtendedPortInfoId, 1).data;
  EXPECT_EQ(extended[7], 1);
  EXPECT_EQ(extended[11], 1);
  EXPECT_EQ(extended[15], 1);
}

TEST(SmaExtendedPortInfo, WhatIsEnabledCountsWhenTheLinkTrainsAgain) {
  const auto bed = OneSwitch(2, "4xFDR10");
  Subnet subnet(bed.fabric);
  Manager manager(subnet, {1, 1});
  Data data{};
  data[3] = 1;
  EXPECT_EQ(manager.Set({1}, kExtendedPortInfoId, 1, data).data[11], 0);
  EXPECT_EQ(manager.Get({1}, kExtendedPortInfoId, 1).data[15], 1);
  subnet.Bounce(0, 1);
  EXPECT_EQ(manager.Get({1}, kExtendedPortInfoId, 1).data[15], 0);
  EXPECT_EQ(manager.Get({}, kPortInfoId).data[35] >> 4, 4);
}

TEST(SmaExtendedPortInfo, DevicesWithoutFdr10DoNotHaveIt) {
  const auto bed = OneSwitch(2, "4xEDR");
  Subnet subnet(bed.fabric);
  Manager manager(subnet, {1, 1});
  EXPECT_EQ(manager.Get({1}, kExtendedPortInfoId, 1).status, kUnsupportedMethodAttribute);
  EXPECT_EQ(manager.Get({1}, 0xFF60).status, kUnsupportedMethodAttribute);  // CableInfo
}

}  // namespace sma_extended_port_info_test
}  // namespace ccsim::emulator
