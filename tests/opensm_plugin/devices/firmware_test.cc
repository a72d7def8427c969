// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "devices/firmware.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

namespace {

using Info = std::array<std::uint8_t, 224>;

Info Answer(std::uint16_t device, std::array<std::uint8_t, 3> version, std::array<std::uint8_t, 12> extended) {
  Info data{};
  data[2] = static_cast<std::uint8_t>(device >> 8);
  data[3] = static_cast<std::uint8_t>(device);
  std::copy(version.begin(), version.end(), data.begin() + 33);
  std::copy(extended.begin(), extended.end(), data.begin() + 68);
  return data;
}

std::string Read(const Info& data) {
  ibcc_firmware firmware{};
  char text[IBCC_FIRMWARE_TEXT_BYTES];
  return ibcc_firmware_read(data.data(), &firmware) ? ibcc_firmware_text(text, &firmware) : "";
}

TEST(Firmware, TheExtendedVersionIsTheWholeOne) {
  EXPECT_EQ(Read(Answer(0xD2F2, {31, 0xDC, 0}, {0, 0, 0, 31, 0, 0, 7, 0xDC, 0, 0, 4, 0})), "31.2012.1024");
  EXPECT_EQ(Read(Answer(0xD2F2, {0, 0, 0}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1})), "0.0.1");
  EXPECT_EQ(Read(Answer(0x1003, {2, 42, 100}, {})), "2.42.100") << "a device that lacks it";
  EXPECT_EQ(Read(Answer(47396, {1, 0, 8}, {0, 3, 2, 1})), "1.0.8") << "InfiniScale III has its software's there";
  EXPECT_EQ(Read(Answer(1, {}, {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255})),
            "4294967295.4294967295.4294967295");
  EXPECT_EQ(Read(Answer(0xD2F2, {}, {})), "");
}

TEST(Firmware, ABoardIsPrintable) {
  Info data = Answer(1, {1, 2, 3}, {});
  ibcc_firmware firmware{};
  std::memcpy(&data[48], "MT_0000000634\0zz", 16);
  ASSERT_TRUE(ibcc_firmware_read(data.data(), &firmware));
  EXPECT_STREQ(firmware.psid, "MT_0000000634");
  std::memset(&data[48], 'x', 16);
  ASSERT_TRUE(ibcc_firmware_read(data.data(), &firmware));
  EXPECT_EQ(std::string(firmware.psid), std::string(16, 'x'));
  data[50] = 0x1B;
  ASSERT_TRUE(ibcc_firmware_read(data.data(), &firmware));
  EXPECT_STREQ(firmware.psid, "xx");
}

TEST(Firmware, OnlySomeVendorsAreAsked) {
  EXPECT_TRUE(ibcc_vendor_tells_firmware(0x0002C9));
  EXPECT_TRUE(ibcc_vendor_tells_firmware(0x98039B));
  EXPECT_TRUE(ibcc_vendor_tells_firmware(0x00119F));
  for (const std::uint32_t other : {0u, 0x00066Au, 0x001175u, 0x010002C9u})
    EXPECT_FALSE(ibcc_vendor_tells_firmware(other)) << other;
}

TEST(Firmware, EveryStateButOneHasAReason) {
  for (int state = 0; state < IBCC_NUM_FIRMWARE_STATES; ++state)
    EXPECT_EQ(ibcc_firmware_reasons[state] == nullptr, state == IBCC_FIRMWARE_KNOWN) << state;
}

TEST(Firmware, TheReasonsStandInThePage) {
  std::ifstream page(IBCC_SOURCE_DIR "/docs/operate/plugin.md");
  const std::string text{std::istreambuf_iterator<char>(page), {}};
  for (const char* reason : ibcc_firmware_reasons) {
    if (reason == nullptr) continue;
    EXPECT_NE(text.find("\n| " + std::string(reason)), std::string::npos) << reason;
  }
}

}  // namespace
