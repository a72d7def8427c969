// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agents/asking.hpp"

namespace ccsim::emulator {
namespace cca_switch_port_congestion_setting_test {

using testing::Ask;
using testing::Asked;
using testing::Packed;
using testing::Read;
using testing::SmallSubnet;

constexpr std::uint16_t kId = CCP_SWITCH_PORT_CONGESTION_SETTING;

ccp_switch_port_block Block(std::uint8_t threshold) {
  ccp_switch_port_block block{};
  for (unsigned i = 0; i < CCP_PORTS_PER_BLOCK; ++i) {
    block.ports[i] = {.valid = i % 3 != 0,
                      .control_type = 0,
                      .threshold = threshold,
                      .packet_size = static_cast<std::uint8_t>(i),
                      .marking_rate = static_cast<std::uint16_t>(1000 + i)};
  }
  return block;
}

Asked SetBlock(SmallSubnet& s, std::uint32_t modifier, const ccp_switch_port_block& block) {
  return Ask(s.subnet, SmallSubnet::kAtSwitch,
             {.method = kSet, .attribute = kId, .modifier = modifier, .data = Packed(CCP_SWITCH_PORT_CONGESTION_SETTING, block)});
}

ccp_switch_port_block GetBlock(SmallSubnet& s, std::uint32_t modifier) {
  return Read<ccp_switch_port_block>(CCP_SWITCH_PORT_CONGESTION_SETTING,
                                     Ask(s.subnet, SmallSubnet::kAtSwitch, {.attribute = kId, .modifier = modifier}));
}

TEST(SwitchPortCongestionSetting, IsReadBackByteForByte) {
  SmallSubnet s;
  const auto sent = Packed(CCP_SWITCH_PORT_CONGESTION_SETTING, Block(5));
  EXPECT_EQ(SetBlock(s, 0, Block(5)).bytes(), sent);
  EXPECT_EQ(Ask(s.subnet, SmallSubnet::kAtSwitch, {.attribute = kId}).bytes(), sent);
}

TEST(SwitchPortCongestionSetting, ASecondBlockHasTheSwitchsLastPorts) {
  SmallSubnet s;
  SetBlock(s, 0, Block(5));
  const ccp_switch_port_block second = Read<ccp_switch_port_block>(CCP_SWITCH_PORT_CONGESTION_SETTING, SetBlock(s, 1, Block(9)));
  for (unsigned i = 0; i < CCP_PORTS_PER_BLOCK; ++i) {
    EXPECT_EQ(second.ports[i].threshold, i <= 4 ? 9 : 0) << "port " << 32 + i;  // 36 ports: 32 to 36
  }
  EXPECT_EQ(GetBlock(s, 0).ports[31].threshold, 5);
  EXPECT_EQ(SetBlock(s, 2, Block(9)).status, kInvalidField);
  EXPECT_EQ(Ask(s.subnet, SmallSubnet::kAtSwitch, {.attribute = kId, .modifier = 0xFFFFFFFF}).status, kInvalidField);
  EXPECT_EQ(Ask(s.subnet, SmallSubnet::kAtHost1, {.attribute = kId}).status, kUnsupportedMethodAttribute);
}

TEST(SwitchPortCongestionSetting, APortHoldsAnElementOfEachType) {
  SmallSubnet s;
  ccp_switch_port_block block = Block(5);
  SetBlock(s, 0, block);
  block = {};
  block.ports[4] = {.valid = true, .control_type = 1, .threshold = 12, .packet_size = 0, .marking_rate = 0x4005};
  SetBlock(s, 0, block);
  EXPECT_EQ(GetBlock(s, 0).ports[4].control_type, 1);
  EXPECT_EQ(GetBlock(s, 0).ports[4].threshold, 12);
  const SwitchPortTables& held = s.subnet.device(SmallSubnet::kSwitch).cca.switch_tables.ports[4];
  EXPECT_TRUE(held.starvation.valid);
  EXPECT_EQ(held.congestion.threshold, 5);
  EXPECT_TRUE(held.congestion.valid);
  // Not valid: the port follows the switch again, in what the type names.
  block.ports[4] = {.valid = false, .control_type = 1, .threshold = 0, .packet_size = 0, .marking_rate = 0};
  SetBlock(s, 0, block);
  EXPECT_FALSE(held.starvation.valid);
  EXPECT_TRUE(held.congestion.valid);
}

}  // namespace cca_switch_port_congestion_setting_test
}  // namespace ccsim::emulator
