// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <gtest/gtest.h>

#include "emulator/management.hpp"
#include "testing.hpp"

namespace ccsim::emulator {
namespace sma_node_info_test {

using namespace testing;
using ccsim::testing::Bed;
using ccsim::testing::OneSwitch;
using ccsim::testing::TwoSwitch;

constexpr Place kH1{2, 1};

TEST(SmaNodeInfo, ASwitchHasOneGuidAndSaysByWhichPortItWasAsked) {
  const Bed bed = TwoSwitch();
  Subnet subnet(bed.fabric);
  const Response info = Manager(subnet, kH1).Get({1, 36}, kNodeInfoId);
  ASSERT_TRUE(info.ok());
  const std::uint8_t* d = info.data.data();
  EXPECT_EQ(d[0], 1);
  EXPECT_EQ(d[1], 1);
  EXPECT_EQ(d[2], 2);  // switch
  EXPECT_EQ(d[3], 36);
  EXPECT_EQ(Get64(d + 4), 2u);
  EXPECT_EQ(Get64(d + 12), 2u);
  EXPECT_EQ(Get64(d + 20), 2u);
  EXPECT_EQ(Get16(d + 28), 64);
  EXPECT_EQ(d[36], 36);
}

TEST(SmaNodeInfo, PortsOfAdaptersAreNumberedFromTheirNode) {
  const Bed bed = TwoSwitch();
  Subnet subnet(bed.fabric);
  const Response info = Manager(subnet, kH1).Get({}, kNodeInfoId);
  const std::uint8_t* d = info.data.data();
  EXPECT_EQ(d[2], 1);
  EXPECT_EQ(d[3], 1);
  EXPECT_EQ(Get64(d + 12), 101u);
  EXPECT_EQ(Get64(d + 20), 102u);
  EXPECT_EQ(d[36], 1);
}

TEST(SmaNodeInfo, NoPortHasTheGuidOfAnother) {
  Fabric fabric(2048);
  // The node's own numbering would give its two ports the GUIDs of the switch and of the other adapter's port.
  fabric.AddNode("A", NodeKind::Host, 9, 1);
  fabric.AddNode("B", NodeKind::Host, 8, 2);
  fabric.AddNode("S", NodeKind::Switch, 9, 3);
  Subnet subnet(fabric);
  EXPECT_EQ(subnet.sma_port({0, 1}).guid, 10u);
  EXPECT_EQ(subnet.sma_port({2, 0}).guid, 9u);
  EXPECT_NE(subnet.sma_port({1, 1}).guid, 9u);
  EXPECT_NE(subnet.sma_port({1, 2}).guid, 10u);
  EXPECT_EQ(subnet.sma_port({1, 2}).guid, subnet.sma_port({1, 1}).guid + 1);
}

TEST(SmaNodeInfo, TellsRoutersFromAdapters) {
  Fabric fabric(2048);
  fabric.AddNode("R", NodeKind::Router, 5, 2);
  fabric.AddNode("sharp", NodeKind::Aggregation, 50, 1);
  Subnet subnet(fabric);
  EXPECT_EQ(Manager(subnet, {0, 2}).Get({}, kNodeInfoId).data[2], 3);
  EXPECT_EQ(Manager(subnet, {1, 1}).Get({}, kNodeInfoId).data[2], 1);
}

TEST(SmaNodeInfo, OnlyDevicesWithFdr10ClaimAVendor) {
  const Bed fdr10 = OneSwitch(2, "4xFDR10"), edr = OneSwitch(2, "4xEDR");
  Subnet with(fdr10.fabric), without(edr.fabric);
  const auto vendor = [](Subnet& subnet, const Path& path) {
    return GetBits(Manager(subnet, {1, 1}).Get(path, kNodeInfoId).data.data(), 296, 24);
  };
  EXPECT_EQ(vendor(with, {}), 0x2C9u);
  EXPECT_EQ(vendor(with, {1}), 0x2C9u);
  EXPECT_EQ(vendor(without, {1}), 0u);
}

TEST(SmaNodeInfo, CannotBeWritten) {
  const Bed bed = TwoSwitch();
  Subnet subnet(bed.fabric);
  EXPECT_EQ(Manager(subnet, kH1).Set({}, kNodeInfoId, 0, {}).status, kUnsupportedMethodAttribute);
}

}  // namespace sma_node_info_test
}  // namespace ccsim::emulator
