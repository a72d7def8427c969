// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <gtest/gtest.h>

#include <string>

#include "emulator/management.hpp"
#include "testing.hpp"

namespace ccsim::emulator {
namespace sma_node_description_test {

using namespace testing;

std::string Text(const Response& response) { return {reinterpret_cast<const char*>(response.data.data()), 64}; }

TEST(SmaNodeDescription, IsTheNodesNamePaddedOrCutTo64Bytes) {
  Fabric fabric(2048);
  fabric.AddNode("node1 mlx5_0", NodeKind::Host, 5, 1);
  fabric.AddNode(std::string(70, 'x'), NodeKind::Host, 6, 1);
  Subnet subnet(fabric);
  EXPECT_EQ(Text(Manager(subnet, {0, 1}).Get({}, kNodeDescriptionId)), "node1 mlx5_0" + std::string(52, '\0'));
  EXPECT_EQ(Text(Manager(subnet, {1, 1}).Get({}, kNodeDescriptionId)), std::string(64, 'x'));
}

TEST(SmaNodeDescription, ChangesByHandAndTellsTheManager) {
  const auto bed = ccsim::testing::TwoSwitch();
  Subnet subnet(bed.fabric);
  BringUp(subnet, {2, 1});
  subnet.SetDescription(5, "renamed");
  EXPECT_EQ(Text(Manager(subnet, {5, 1}).Get({}, kNodeDescriptionId)).substr(0, 8), std::string("renamed\0", 8));
  ASSERT_EQ(subnet.outbox().size(), 1u);
  const std::uint8_t* notice = subnet.outbox()[0].datagram.mad.data() + 64;
  EXPECT_EQ(Get16(notice + 4), 144);
  EXPECT_EQ(notice[15], 1);
  EXPECT_EQ(Get16(notice + 20), 0x01);
}

TEST(SmaNodeDescription, CannotBeWrittenByMad) {
  const auto bed = ccsim::testing::TwoSwitch();
  Subnet subnet(bed.fabric);
  EXPECT_EQ(Manager(subnet, {2, 1}).Set({}, kNodeDescriptionId, 0, {}).status, kUnsupportedMethodAttribute);
}

}  // namespace sma_node_description_test
}  // namespace ccsim::emulator
