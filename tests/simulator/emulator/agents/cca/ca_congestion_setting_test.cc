// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agents/asking.hpp"

namespace ccsim::emulator {
namespace cca_ca_congestion_setting_test {

using testing::Ask;
using testing::Packed;
using testing::Read;
using testing::SmallSubnet;

constexpr std::uint16_t kId = CCP_CA_CONGESTION_SETTING;

ccp_ca_setting Setting(std::uint16_t control_map, std::uint8_t value) {
  ccp_ca_setting s{};
  s.port_control = value & 1;
  s.control_map = control_map;
  for (unsigned sl = 0; sl < CCP_NUM_SLS; ++sl) {
    s.sls[sl] = {.ccti_timer = static_cast<std::uint16_t>(value * 100 + sl),
                 .ccti_increase = value,
                 .trigger_threshold = static_cast<std::uint8_t>(sl),
                 .ccti_min = static_cast<std::uint8_t>(value + sl)};
  }
  return s;
}

TEST(CaCongestionSetting, IsReadBackByteForByteAtEachPort) {
  SmallSubnet s;
  const auto first = Packed(CCP_CA_CONGESTION_SETTING, Setting(0xFFFF, 3));
  const auto second = Packed(CCP_CA_CONGESTION_SETTING, Setting(0xFFFF, 8));
  const auto set = Ask(s.subnet, SmallSubnet::kAtHost1, {.method = kSet, .attribute = kId, .data = first});
  EXPECT_EQ(set.status, kOk);
  EXPECT_EQ(set.bytes(), first);
  Ask(s.subnet, SmallSubnet::kAtHost2, {.method = kSet, .attribute = kId, .data = second});
  EXPECT_EQ(Ask(s.subnet, SmallSubnet::kAtHost1, {.attribute = kId}).bytes(), first);
  EXPECT_EQ(Ask(s.subnet, SmallSubnet::kAtHost2, {.attribute = kId}).bytes(), second);
}

TEST(CaCongestionSetting, TakesOnlyTheSlsThatControlMapNames) {
  SmallSubnet s;
  Ask(s.subnet, SmallSubnet::kAtHost1,
      {.method = kSet, .attribute = kId, .data = Packed(CCP_CA_CONGESTION_SETTING, Setting(0x0003, 3))});
  const auto set = Ask(s.subnet, SmallSubnet::kAtHost1,
                       {.method = kSet, .attribute = kId, .data = Packed(CCP_CA_CONGESTION_SETTING, Setting(0x8002, 8))});
  const auto held = Read<ccp_ca_setting>(CCP_CA_CONGESTION_SETTING, set);
  EXPECT_EQ(held.port_control, 0);
  EXPECT_EQ(held.control_map, 0x8002);
  EXPECT_EQ(held.sls[0].ccti_timer, 300);
  EXPECT_EQ(held.sls[1].ccti_timer, 801);
  EXPECT_EQ(held.sls[2].ccti_timer, 0);
  EXPECT_EQ(held.sls[15].ccti_min, 23);
  // Under congestion control is what has ever been named.
  EXPECT_EQ(s.subnet.device(SmallSubnet::kHost).cca.ports[1].tables.setting.control_map, 0x8003);
}

TEST(CaCongestionSetting, IsOfChannelAdaptersWithCongestionControlOnly) {
  SmallSubnet s;
  EXPECT_EQ(Ask(s.subnet, SmallSubnet::kAtSwitch, {.attribute = kId}).status, kUnsupportedMethodAttribute);
  EXPECT_EQ(Ask(s.subnet, SmallSubnet::kAtRouter, {.attribute = kId}).status, kUnsupportedMethodAttribute);
  EXPECT_EQ(Ask(s.subnet, SmallSubnet::kAtHost1, {.attribute = kId, .modifier = 1}).status, kInvalidField);
  s.subnet.device(SmallSubnet::kHost).cca.firmware.cct_blocks = 0;
  EXPECT_EQ(Ask(s.subnet, SmallSubnet::kAtHost1, {.attribute = kId}).status, kUnsupportedMethodAttribute);
}

}  // namespace cca_ca_congestion_setting_test
}  // namespace ccsim::emulator
