// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "methods/support.hpp"

namespace ibcc_test {
namespace {

using MethodDevices = Methods;

TEST_F(MethodDevices, EachHasARow) {
  EXPECT_EQ(Show(Call("devices").get()), "{'devices':[],'next':null}");
  BringUp();
  const Json all = Call("devices");
  ASSERT_EQ(json_array_size(At(all, "devices")), 7u);
  const json_t* first = json_array_get(At(all, "devices"), 0);
  EXPECT_EQ(Show(json_object_get(first, "guid")), "'0x0000000000001000'");
  EXPECT_EQ(Show(json_object_get(first, "port")), "1");
  EXPECT_EQ(Show(json_object_get(first, "kind")), "'ca'");
  EXPECT_EQ(Show(json_object_get(first, "state")), "'applied'");
  EXPECT_EQ(Show(json_object_get(first, "throttles")), "'unknown'");
  EXPECT_EQ(Show(json_object_get(first, "key")), "'none'");
  EXPECT_EQ(Show(json_object_get(first, "differences")), "[]");
  EXPECT_EQ(Show(json_object_get(first, "refused")), "[]");
  SurvivesRefusedMemory("devices");
}

TEST_F(MethodDevices, FirmwareIsShownOrWhyItIsNot) {
  fabric_.host(0).vendor = fabric_.host(1).vendor = 0x2C9;
  fabric_.host(1).tells_firmware = false;
  BringUp();
  ASSERT_FALSE(fabric_.Run(manager_, [] { return false; }, 5));
  const Json all = Call("devices");
  const auto shown = [&](std::size_t row, const char* key) {
    return Show(json_object_get(json_array_get(At(all, "devices"), row), key));
  };
  EXPECT_EQ(shown(0, "vendor_id"), "'0x0002c9'");
  EXPECT_EQ(shown(0, "device_id"), "'0xd2f2'");
  EXPECT_EQ(shown(0, "firmware"), "'31.1.1'");
  EXPECT_EQ(shown(0, "firmware_reason"), "null");
  EXPECT_EQ(shown(0, "psid"), "null");
  EXPECT_EQ(shown(1, "firmware"), "null");
  EXPECT_EQ(shown(1, "firmware_reason"), "'no answer to two requests'");
  EXPECT_EQ(shown(2, "vendor_id"), "null");
  EXPECT_EQ(shown(2, "firmware_reason"), "'devices of its vendor are not asked'");
  EXPECT_NE(Show(Call("topology").get()).find("'firmware':'31.1.1'"), std::string::npos);
  SurvivesRefusedMemory("devices");
  SurvivesRefusedMemory("topology");
}

TEST_F(MethodDevices, TheyAreChosen) {
  BringUp();
  const auto count = [this](const std::string& params) { return json_array_size(At(Call("devices", params), "devices")); };
  EXPECT_EQ(count("{'kind': 'switch'}"), 3u);
  EXPECT_EQ(count("{'state': 'applied'}"), 7u);
  EXPECT_EQ(count("{'state': 'drifted'}"), 0u);
  EXPECT_EQ(count("{'guid': '0x1001'}"), 1u);
  EXPECT_EQ(count("{'guid': 4097}"), 1u);
  EXPECT_EQ(count("{'guid': '0x77'}"), 0u);
  EXPECT_EQ(Refusal("devices", "{'state': 'fine'}"),
            "-32602: state is 'fine', but must be one of unsupported, timing-out, refused, drifted, unknown, foreign, withheld, "
            "clamped, "
            "applied");
  for (const std::string wrong : {"'1001'", "'0x'", "'0x1g'", "'0x-1'", "'0x12345678901234567'", "0", "-1", "true"}) {
    EXPECT_EQ(Refusal("devices", "{'guid': " + wrong + "}").find("-32602: guid is "), 0u) << wrong;
  }
}

TEST_F(MethodDevices, ADeviceThatDoesNotTakeAllIsShown) {
  fabric_.host(0).agent.supports_class = false;
  BringUp();
  const Json unsupported = Call("devices", "{'state': 'unsupported'}");
  ASSERT_EQ(json_array_size(At(unsupported, "devices")), 1u);
  EXPECT_NE(Show(json_object_get(json_array_get(At(unsupported, "devices"), 0), "refusal")), "null");
}

}  // namespace
}  // namespace ibcc_test
