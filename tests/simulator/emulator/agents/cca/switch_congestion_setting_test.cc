// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agents/asking.hpp"

namespace ccsim::emulator {
namespace cca_switch_congestion_setting_test {

using testing::Ask;
using testing::Packed;
using testing::Read;
using testing::SmallSubnet;

constexpr std::uint16_t kId = CCP_SWITCH_CONGESTION_SETTING;

ccp_switch_setting Setting(std::uint32_t control_map, std::uint8_t value) {
  ccp_switch_setting s{};
  s.control_map = control_map;
  for (auto& byte : s.victim_mask) byte = value;
  for (auto& byte : s.credit_mask) byte = static_cast<std::uint8_t>(value + 1);
  s.threshold = value & 15;
  s.packet_size = value;
  s.cs_threshold = value & 15;
  s.cs_return_delay = {static_cast<std::uint8_t>(value & 3), value};
  s.marking_rate = static_cast<std::uint16_t>(value * 257);
  return s;
}

TEST(SwitchCongestionSetting, IsReadBackByteForByte) {
  SmallSubnet s;
  EXPECT_EQ(Ask(s.subnet, SmallSubnet::kAtSwitch, {.attribute = kId}).bytes(), std::vector<std::uint8_t>(192));
  const auto sent = Packed(CCP_SWITCH_CONGESTION_SETTING, Setting(0x1F, 7));
  const auto set = Ask(s.subnet, SmallSubnet::kAtSwitch, {.method = kSet, .attribute = kId, .data = sent});
  ASSERT_TRUE(set.answered);
  EXPECT_EQ(set.status, kOk);
  EXPECT_EQ(set.bytes(), sent);
  // The request may come in by any port: a switch has one agent.
  EXPECT_EQ(Ask(s.subnet, {SmallSubnet::kSwitch, 2}, {.attribute = kId}).bytes(), sent);
}

TEST(SwitchCongestionSetting, TakesOnlyWhatControlMapNames) {
  SmallSubnet s;
  Ask(s.subnet, SmallSubnet::kAtSwitch,
      {.method = kSet, .attribute = kId, .data = Packed(CCP_SWITCH_CONGESTION_SETTING, Setting(0x1F, 3))});
  const auto set = Ask(s.subnet, SmallSubnet::kAtSwitch,
                       {.method = kSet, .attribute = kId, .data = Packed(CCP_SWITCH_CONGESTION_SETTING, Setting(0x04, 9))});
  const auto held = Read<ccp_switch_setting>(CCP_SWITCH_CONGESTION_SETTING, set);
  EXPECT_EQ(held.control_map, 0x04u);
  EXPECT_EQ(held.threshold, 9);  // bit 2, in OpenSM's order: Threshold and Packet_Size
  EXPECT_EQ(held.packet_size, 9);
  EXPECT_EQ(held.marking_rate, 3 * 257);
  EXPECT_EQ(held.victim_mask[31], 3);
  EXPECT_EQ(held.credit_mask[0], 4);
  EXPECT_EQ(held.cs_threshold, 3);
}

TEST(SwitchCongestionSetting, CountsAsAChangeOfTablesOnlyWhenTaken) {
  SmallSubnet s;
  const std::uint64_t version = s.subnet.versions().congestion;
  const auto sent = Packed(CCP_SWITCH_CONGESTION_SETTING, Setting(0x1F, 7));
  EXPECT_EQ(Ask(s.subnet, SmallSubnet::kAtSwitch, {.method = kSet, .attribute = kId, .modifier = 1, .data = sent}).status,
            kInvalidField);
  EXPECT_EQ(Ask(s.subnet, SmallSubnet::kAtHost1, {.method = kSet, .attribute = kId, .data = sent}).status,
            kUnsupportedMethodAttribute);
  EXPECT_EQ(Ask(s.subnet, SmallSubnet::kAtRouter, {.attribute = kId}).status, kUnsupportedMethodAttribute);
  Ask(s.subnet, SmallSubnet::kAtSwitch, {.attribute = kId});
  EXPECT_EQ(s.subnet.versions().congestion, version);
  EXPECT_FALSE(s.subnet.device(SmallSubnet::kSwitch).cca.ever_set);
  Ask(s.subnet, SmallSubnet::kAtSwitch, {.method = kSet, .attribute = kId, .data = sent});
  EXPECT_EQ(s.subnet.versions().congestion, version + 1);
  EXPECT_TRUE(s.subnet.device(SmallSubnet::kSwitch).cca.ever_set);
}

}  // namespace cca_switch_congestion_setting_test
}  // namespace ccsim::emulator
