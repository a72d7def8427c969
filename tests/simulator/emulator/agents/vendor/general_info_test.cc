// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <gtest/gtest.h>

#include <string>

#include "emulator/agents/asking.hpp"

namespace ccsim::emulator {
namespace vendor_general_info_test {

using namespace testing;

constexpr std::uint16_t kGeneralInfo = 0x17;

Hardware Quantum() {
  return {.vendor_id = 0x2C9,
          .device_id = 0xD2F2,
          .firmware = {31, 2012, 1024},
          .psid = "MT_0000000634",
          .general_info = GeneralInfoAnswer::Answered};
}

Asked AskGeneralInfo(SmallSubnet& s, Place at = SmallSubnet::kAtSwitch, std::uint32_t modifier = 0) {
  return Ask(s.subnet, at, {.mgmt_class = kMellanoxVendor, .attribute = kGeneralInfo, .modifier = modifier});
}

// The places where rdma-core's vendstat looks.
TEST(GeneralInfo, HasFirmwareWhereVendstatReadsIt) {
  SmallSubnet s;
  s.subnet.device(SmallSubnet::kSwitch).hardware = Quantum();
  const Asked asked = AskGeneralInfo(s);
  ASSERT_TRUE(asked.answered);
  EXPECT_EQ(asked.status, kOk);
  EXPECT_EQ(Get16(&asked.mad[34]), 0xD2F2);
  EXPECT_EQ(asked.mad[65], 31);
  EXPECT_EQ(asked.mad[66], 2012 & 0xFF);
  EXPECT_EQ(Get32(&asked.mad[100]), 31u);
  EXPECT_EQ(Get32(&asked.mad[104]), 2012u);
  EXPECT_EQ(Get32(&asked.mad[108]), 1024u);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(&asked.mad[80])), "MT_0000000634");
  EXPECT_EQ(AskGeneralInfo(s, SmallSubnet::kAtSwitch, 1).status, kInvalidField);
}

TEST(GeneralInfo, DevicesWithoutTheClassSaySo) {
  SmallSubnet s;
  EXPECT_EQ(AskGeneralInfo(s, SmallSubnet::kAtHost1).status, kUnsupportedMethodAttribute);
  EXPECT_EQ(Ask(s.subnet, SmallSubnet::kAtHost1, {.mgmt_class = kMellanoxVendor, .attribute = 1}).status,
            kUnsupportedMethodAttribute);
}

TEST(GeneralInfo, SomeDevicesMisbehave) {
  SmallSubnet s;
  Hardware& hardware = s.subnet.device(SmallSubnet::kSwitch).hardware;
  hardware = Quantum();
  hardware.general_info = GeneralInfoAnswer::Silent;
  EXPECT_FALSE(AskGeneralInfo(s).answered);
  hardware.general_info = GeneralInfoAnswer::OtherAttribute;
  EXPECT_EQ(Get16(&AskGeneralInfo(s).mad[16]), 0x18);
  hardware.general_info = GeneralInfoAnswer::Zeros;
  const Asked zeros = AskGeneralInfo(s);
  EXPECT_EQ(zeros.status, kOk);
  EXPECT_EQ(std::count(zeros.mad.begin() + 24, zeros.mad.end(), 0), 232);
}

TEST(GeneralInfo, NodeInfoNamesVendorAndDevice) {
  SmallSubnet s;
  s.subnet.device(SmallSubnet::kSwitch).hardware = Quantum();
  const Asked info = Ask(s.subnet, SmallSubnet::kAtSwitch, {.mgmt_class = kSmpLid, .attribute = 0x11});
  EXPECT_EQ(Get16(info.data() + 30), 0xD2F2);
  EXPECT_EQ(GetBits(info.data(), 296, 24), 0x2C9u);
}

TEST(GeneralInfo, OutlivesAReboot) {
  SmallSubnet s;
  s.subnet.device(SmallSubnet::kSwitch).hardware = Quantum();
  s.subnet.Reboot(SmallSubnet::kSwitch);
  EXPECT_EQ(AskGeneralInfo(s).mad[65], 31);
}

}  // namespace vendor_general_info_test
}  // namespace ccsim::emulator
