// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agents/asking.hpp"

namespace ccsim::emulator {
namespace cca_congestion_info_test {

using testing::Ask;
using testing::SmallSubnet;

constexpr std::uint16_t kId = CCP_CONGESTION_INFO;

TEST(CongestionInfo, SaysWhatEachKindOfDeviceCanDo) {
  SmallSubnet s;
  EXPECT_EQ(Ask(s.subnet, SmallSubnet::kAtSwitch, {.attribute = kId}).bytes(4), (std::vector<std::uint8_t>{0, 1, 0, 0}));
  EXPECT_EQ(Ask(s.subnet, SmallSubnet::kAtHost1, {.attribute = kId}).bytes(4), (std::vector<std::uint8_t>{0, 0, 255, 0}));
  EXPECT_EQ(Ask(s.subnet, SmallSubnet::kAtRouter, {.attribute = kId}).bytes(4), (std::vector<std::uint8_t>{0, 0, 0, 0}));
}

TEST(CongestionInfo, FollowsTheFirmware) {
  SmallSubnet s;
  s.subnet.device(SmallSubnet::kSwitch).cca.firmware.credit_starvation = false;
  s.subnet.device(SmallSubnet::kHost).cca.firmware.cct_blocks = 2;
  EXPECT_EQ(Ask(s.subnet, SmallSubnet::kAtSwitch, {.attribute = kId}).bytes(4), (std::vector<std::uint8_t>{0, 0, 0, 0}));
  EXPECT_EQ(Ask(s.subnet, SmallSubnet::kAtHost2, {.attribute = kId}).bytes(4), (std::vector<std::uint8_t>{0, 0, 2, 0}));
}

TEST(CongestionInfo, IsReadOnlyAndOne) {
  SmallSubnet s;
  EXPECT_EQ(Ask(s.subnet, SmallSubnet::kAtSwitch, {.method = kSet, .attribute = kId}).status, kUnsupportedMethodAttribute);
  EXPECT_EQ(Ask(s.subnet, SmallSubnet::kAtSwitch, {.attribute = kId, .modifier = 1}).status, kInvalidField);
}

}  // namespace cca_congestion_info_test
}  // namespace ccsim::emulator
