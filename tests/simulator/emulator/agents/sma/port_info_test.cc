// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agents/sma/port_info.hpp"

#include <gtest/gtest.h>

#include <string>

#include "emulator/management.hpp"
#include "testing.hpp"

namespace ccsim::emulator {
namespace sma_port_info_test {

using namespace testing;
using ccsim::testing::OneSwitch;
using ccsim::testing::TwoSwitch;

constexpr Place kH1{2, 1};

TEST(SmaPortInfo, AnAdaptersPortHasALidAndKeysAndACapabilityMask) {
  const auto bed = TwoSwitch();
  Subnet subnet(bed.fabric);
  const Response info = Manager(subnet, kH1).Get({}, kPortInfoId, 0);
  ASSERT_TRUE(info.ok());
  const std::uint8_t* d = info.data.data();
  EXPECT_EQ(Get64(d + 8), 0xFE80000000000000u);
  EXPECT_EQ(Get16(d + 16), 0);
  EXPECT_EQ(Get32(d + 20), CapabilityMask(subnet, kH1));
  EXPECT_NE(Get32(d + 20) & 1u << 3, 0u);   // traps
  EXPECT_EQ(Get32(d + 20) & 1u << 14, 0u);  // nothing faster than DDR
  EXPECT_EQ(d[28], 1);
  EXPECT_EQ(d[32], 0x30 | 2);  // SDR and DDR; Init
  EXPECT_EQ(d[33], 0x50 | 2);  // LinkUp; polls when it goes down
  EXPECT_EQ(d[35], 0x20 | 3);  // runs at DDR
  EXPECT_EQ(d[36], 0x40);      // 2,048 bytes
  EXPECT_EQ(d[37] >> 4, 4);    // VL 0 to 7
  EXPECT_EQ(d[41] & 0xF, 4);
  EXPECT_EQ(d[43] >> 4, 4);
}

TEST(SmaPortInfo, ASwitchsExternalPortHasNoneOfThem) {
  const auto bed = TwoSwitch();
  Subnet subnet(bed.fabric);
  const Data data = Manager(subnet, kH1).Get({1}, kPortInfoId, 36).data;
  for (std::size_t i = 0; i < 28; ++i) EXPECT_EQ(data[i], 0) << i;
  EXPECT_EQ(data[28], 1);  // asked by port 1
  EXPECT_EQ(data[32], 0x70 | 2);
  EXPECT_EQ(data[35], 0x40 | 7);  // QDR
  const Data down = Manager(subnet, kH1).Get({1}, kPortInfoId, 35).data;
  EXPECT_EQ(down[32] & 0xF, 1);
  EXPECT_EQ(down[33] >> 4, 2);
}

TEST(SmaPortInfo, ASwitchsManagementPortIsAlwaysActive) {
  const auto bed = TwoSwitch();
  Subnet subnet(bed.fabric);
  const Data data = Manager(subnet, kH1).Get({1}, kPortInfoId, 0).data;
  EXPECT_EQ(data[32] & 0xF, 4);
  EXPECT_EQ(data[33] >> 4, 5);
  EXPECT_NE(Get32(data.data() + 20) & 1u << 30, 0u);  // MulticastFDBTop
}

TEST(SmaPortInfo, WritesEveryRate) {
  struct Row {
    std::string rate;
    std::uint8_t width_supported, width_active, speed_supported, speed, extended_supported, extended, extended2;
  };
  const Row rows[] = {
      {"1xSDR", 1, 1, 1, 1, 0, 0, 0},  {"4xQDR", 3, 2, 7, 4, 0, 0, 0},  {"4xFDR10", 3, 2, 7, 4, 0, 0, 0},
      {"12xFDR", 9, 8, 7, 4, 1, 1, 0}, {"4xEDR", 3, 2, 7, 4, 3, 2, 0},  {"2xHDR", 17, 16, 7, 4, 7, 4, 0},
      {"4xNDR", 3, 2, 7, 4, 15, 8, 0}, {"8xNDR", 5, 4, 7, 4, 15, 8, 0}, {"4xXDR", 3, 2, 7, 4, 15, 0, 1},
  };
  for (const Row& row : rows) {
    const auto bed = OneSwitch(2, row.rate);
    Subnet subnet(bed.fabric);
    const Data d = Manager(subnet, {1, 1}).Get({}, kPortInfoId, 1).data;
    EXPECT_EQ(d[29], row.width_supported) << row.rate;
    EXPECT_EQ(d[30], row.width_supported) << row.rate;
    EXPECT_EQ(d[31], row.width_active) << row.rate;
    EXPECT_EQ(d[32] >> 4, row.speed_supported) << row.rate;
    EXPECT_EQ(d[35] >> 4, row.speed) << row.rate;
    EXPECT_EQ(d[62], row.extended << 4 | row.extended_supported) << row.rate;
    EXPECT_EQ(d[63], row.extended_supported) << row.rate;
    EXPECT_EQ(d[56], row.extended2 << 5 | row.extended2 << 3 | row.extended2) << row.rate;
    const std::uint32_t mask = Get32(d.data() + 20);
    const std::uint16_t mask2 = Get16(d.data() + 60);
    EXPECT_EQ((mask & 1u << 14) != 0, row.extended_supported != 0) << row.rate;
    EXPECT_EQ((mask & 1u << 15) != 0, mask2 != 0) << row.rate;
    EXPECT_EQ((mask2 & 1u << 4) != 0, row.width_active == 16) << row.rate;
    EXPECT_EQ((mask2 & 1u << 5) != 0, row.extended_supported >= 7) << row.rate;
    EXPECT_EQ((mask2 & 1u << 10) != 0, row.extended_supported == 15) << row.rate;
    EXPECT_EQ((mask2 & 1u << 12) != 0, row.extended2 == 1) << row.rate;
  }
}

TEST(SmaPortInfo, RefusesPortsThatDoNotExist) {
  const auto bed = TwoSwitch();
  Subnet subnet(bed.fabric);
  Manager manager(subnet, kH1);
  EXPECT_EQ(manager.Get({1}, kPortInfoId, 37).status, kInvalidField);
  EXPECT_EQ(manager.Get({}, kPortInfoId, 2).status, kInvalidField);
  EXPECT_TRUE(manager.Get({1}, kPortInfoId, 0x80000000 | 36).ok());  // from a manager that knows extended speeds
}

TEST(SmaPortInfo, SaysWhereASubnetManagerRuns) {
  const auto bed = TwoSwitch();
  Subnet subnet(bed.fabric);
  EXPECT_EQ(CapabilityMask(subnet, kH1) & 2u, 0u);
  subnet.SetIsSm(kH1, true);
  EXPECT_EQ(CapabilityMask(subnet, kH1) & 2u, 2u);
  EXPECT_EQ(CapabilityMask(subnet, {0, 1}), 0u);
}

}  // namespace sma_port_info_test
}  // namespace ccsim::emulator
