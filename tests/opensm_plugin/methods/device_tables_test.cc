// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "methods/support.hpp"

namespace ibcc_test {
namespace {

using DeviceTables = Methods;

TEST_F(DeviceTables, ShowWhatItHoldsFieldByField) {
  BringUp();
  const Json tables = Call("device.tables", "{'guid': '0x9000'}");
  const json_t* setting = nullptr;
  std::size_t i;
  json_t* item;
  json_array_foreach(json_object_get(tables.get(), "items"), i, item) {
    if (Show(json_object_get(item, "attribute")) == "'SwitchCongestionSetting'") setting = item;
  }
  ASSERT_NE(setting, nullptr) << Show(tables.get());
  EXPECT_EQ(Show(json_object_get(setting, "settled")), "true");
  const json_t* wanted = json_object_get(setting, "wanted");
  EXPECT_EQ(Show(json_object_get(wanted, "Marking_Rate")), "1");
  EXPECT_EQ(Show(json_object_get(wanted, "Threshold")), "15");
  EXPECT_TRUE(json_equal(wanted, json_object_get(setting, "sent")));
  SurvivesRefusedMemory("device.tables", "{'guid': '0x1000'}");
}

TEST_F(DeviceTables, OfADeviceThatIsThere) {
  BringUp();
  EXPECT_EQ(Refusal("device.tables"), "-32602: guid is missing");
  EXPECT_EQ(Refusal("device.tables", "{'guid': '0x77'}"), "-32006: there is no device 0x0000000000000077");
  EXPECT_EQ(Refusal("device.tables", "{'guid': '0x1000', 'port': 2}"), "-32006: there is no port 2 of device 0x0000000000001000");
  Call("device.tables", "{'guid': '0x1000', 'port': 1}");
}

}  // namespace
}  // namespace ibcc_test
