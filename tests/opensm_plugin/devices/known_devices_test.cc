// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "devices/known_devices.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "devices/device.h"
#include "devices/nvidia_items.h"

namespace ibcc_test {
namespace {

constexpr std::uint32_t kAny = UINT32_MAX;
constexpr ibcc_node_identity kQuantum2 = {.vendor_id = 0x2C9, .device_id = 0xD2F2};

ibcc_known_device Row(const char* name, std::vector<std::uint32_t> from = {0, 0, 0},
                      std::vector<std::uint32_t> to = {kAny, kAny, kAny}) {
  return {.name = name,
          .vendor_id = 0x2C9,
          .device_id = 0xD2F2,
          .from = {from[0], from[1], from[2]},
          .to = {to[0], to[1], to[2]},
          .misleading = "",
          .vl = IBCC_VL_NOT_KNOWN};
}

TEST(KnownDevices, TheTableComesWithThePlugin) {
  std::uint32_t count = 0;
  const ibcc_known_device* rows = ibcc_known_devices(&count);
  const ibcc_firmware unknown{};
  const ibcc_known_device* found = ibcc_known_device_find(rows, count, &kQuantum2, &unknown);
  ASSERT_NE(found, nullptr);
  EXPECT_STREQ(found->name, "Quantum-2");
  const ibcc_node_identity another = {.vendor_id = 0x66A, .device_id = 0xD2F2};
  EXPECT_EQ(ibcc_known_device_find(rows, count, &another, &unknown), nullptr);
}

// As tests/tuner/documents/test_known_devices.py has it.
TEST(KnownDevices, ARowForTheFirmwareComesBeforeOneForAll) {
  const std::vector<ibcc_known_device> rows = {Row("all"), Row("later", {31, 2012, 1025}),
                                               Row("one", {31, 2012, 1024}, {31, 2012, 1024})};
  const auto find = [&](std::uint32_t major, std::uint32_t minor, std::uint32_t sub_minor) {
    const ibcc_firmware firmware = {.major = major, .minor = minor, .sub_minor = sub_minor, .psid = ""};
    return std::string(ibcc_known_device_find(rows.data(), 3, &kQuantum2, &firmware)->name);
  };
  EXPECT_EQ(find(0, 0, 0), "all") << "not known";
  EXPECT_EQ(find(31, 2012, 1024), "one");
  EXPECT_EQ(find(31, 2013, 0), "later");
  EXPECT_EQ(find(31, 2012, 1023), "all");
  EXPECT_EQ(find(9, 0, 0), "all");
}

TEST(KnownDevices, ADeviceThatIsKnownToBeOtherwiseIsOnlyRead) {
  ibcc_known_device row = Row("Quantum-2");
  ibcc_nvidia_rules rules{};
  rules.may_write = rules.may_note = true;
  rules.known = &row;
  rules.num_known = 1;
  ibcc_device device{};
  device.kind = IBCC_SWITCH;
  device.identity = kQuantum2;
  device.nvidia.state = IBCC_NVIDIA_TESTED;
  const auto why = [&] {
    char text[IBCC_WITHHELD_BYTES];
    ibcc_nvidia_check_switch(&device, &rules, nullptr, text);
    return std::string(text);
  };
  EXPECT_EQ(why(), "");
  row.vl = IBCC_VL_IN_MASK;
  EXPECT_EQ(why(), "");
  row.vl = IBCC_VL_IN_MODIFIER;
  EXPECT_EQ(why(),
            "the table of known devices says that Quantum-2 has the VL of 0xFF09 in the modifier, and its answers say mask");
  device.nvidia.facts.by_modifier = true;
  EXPECT_EQ(why(), "");
  row.misleading = "any-port";
  EXPECT_EQ(why(), "the table of known devices says that the answers of Quantum-2 mislead: any-port");
  rules.num_known = 0;
  EXPECT_EQ(why(), "");
}

}  // namespace
}  // namespace ibcc_test
