// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "methods/support.hpp"

namespace ibcc_test {
namespace {

using AsFound = Methods;

TEST_F(AsFound, ShowsWhatDevicesHeldByFields) {
  EXPECT_EQ(ShowAt(Call("as_found"), "devices"), "[]");
  Data& setting = fabric_.host(0).agent.held[{CCP_CA_CONGESTION_SETTING, 0}];
  setting[2] = setting[3] = 0xFF;
  setting[5] = 77;
  BringUp();
  const Json all = Call("as_found");
  ASSERT_EQ(json_array_size(At(all, "devices")), 7u);
  const json_t* first = json_array_get(At(all, "devices"), 0);
  EXPECT_EQ(Show(json_object_get(first, "guid")), "'0x0000000000001000'");
  EXPECT_EQ(Show(json_object_get(first, "kept")), "true");
  const json_t* items = json_object_get(first, "items");
  ASSERT_EQ(json_array_size(items), 3u) << "a setting, and as many blocks as it has room for";
  const json_t* held = json_object_get(json_array_get(items, 0), "held");
  EXPECT_EQ(json_integer_value(json_array_get(json_object_get(held, "CCTI_Timer"), 0)), 77);
  EXPECT_EQ(Show(json_object_get(json_array_get(items, 2), "has_effect")), "false");
  EXPECT_EQ(ShowAt(Call("as_found", "{'limit': 2}"), "next"), "'0x0000000000001001/1'");
  EXPECT_EQ(json_array_size(At(Call("as_found", "{'guid': '0x0000000000009000'}"), "devices")), 1u);
  SurvivesRefusedMemory("as_found", "{'guid': '0x0000000000001000'}");
}

// Of a device that has them alone, annex A10's part is empty.
TEST_F(AsFound, ShowsWhatDevicesHeldOfNvidiasAttributes) {
  auto& node = fabric_.host(3);
  node.vendor = 0x2C9;
  node.agent.has_a10 = false;
  node.agent.nvidia.is_there = node.agent.nvidia.ver1 = true;
  node.agent.held[{CCP_CONGESTION_HCA_GENERAL_SETTINGS, 0}][0] = 0xC0;
  node.agent.held[{CCP_CONGESTION_HCA_ALGO_CONFIG, 9U << 16 | 1U}][0] = 0x80;
  options_.nvidia_write = 1;
  BringUp();
  const std::string params = "{'guid': '0x0000000000001003'}";
  EXPECT_EQ(json_array_size(At(Call("as_found", params), "devices")), 1U) << "the first profile meets what others have set";
  Call("profile.apply", WithProfile("ibcc_profile: 2\nname: n\nnvidia: {adapter: {type: dcqcn, rp: {rpg_ai_rate: 9}}}\n"));
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  const Json answer = Call("as_found", params);
  const json_t* row = json_array_get(At(answer, "devices"), 0);
  EXPECT_EQ(Show(json_object_get(row, "items")), "[]");
  const json_t* nvidia = json_object_get(row, "nvidia");
  EXPECT_EQ(Show(json_object_get(nvidia, "on")), "true");
  EXPECT_EQ(Show(json_object_get(nvidia, "kept")), Show(json_object_get(row, "kept")));
  const json_t* items = json_object_get(nvidia, "items");
  ASSERT_EQ(json_array_size(items), 5U) << Show(items);
  EXPECT_EQ(json_integer_value(json_object_get(json_object_get(json_array_get(items, 1), "held"), "rpg_ai_rate")), 5);
  EXPECT_EQ(Show(json_object_get(json_array_get(items, 3), "scope")), "null") << "the first algorithm is enabled for no SL";
  EXPECT_EQ(Show(json_object_get(json_array_get(items, 4), "scope")), "512");
  EXPECT_EQ(Show(json_object_get(json_array_get(items, 4), "algorithm")), "[2,1,0]");
  SurvivesRefusedMemory("as_found", params);
}

TEST_F(AsFound, StatusAndDevicesTellOfIt) {
  BringUp();
  const Json status = Call("status");
  const json_t* found = At(status, "as_found");
  EXPECT_EQ(Show(json_object_get(found, "in_force")), "false");
  EXPECT_EQ(Show(json_object_get(found, "devices")), "7");
  EXPECT_EQ(Show(json_object_get(found, "kept")), "7");
  EXPECT_EQ(Show(json_object_get(found, "unread")), "0");
  EXPECT_EQ(ShowAt(status, "as_found_reason"), "null");
  const Json result = Call("profile.rollback", "{'revision': 1}");
  EXPECT_EQ(ShowAt(result, "revision"), "0");
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  const Json back = Call("status");
  EXPECT_EQ(ShowAt(back, "wanted"), "0");
  EXPECT_EQ(ShowAt(back, "on_fabric"), "0");
  EXPECT_EQ(ShowAt(back, "base"), "null");
  EXPECT_EQ(Show(json_object_get(At(back, "as_found"), "in_force")), "true");
  const Json devices = Call("devices", "{'limit': 1}");
  EXPECT_EQ(Show(json_object_get(json_object_get(json_array_get(At(devices, "devices"), 0), "as_found"), "kept")), "true");
  EXPECT_EQ(Refusal("profile.rollback", "{'revision': 1}"), "-32004: no profile is in force: there is nothing to take back");
}

TEST_F(AsFound, APlanShowsWhatIsHeldAndWanted) {
  BringUp();
  const Json plan = Call("profile.plan", WithProfile(ProfileText(2), ", 'from': 'as-found'"));
  EXPECT_EQ(ShowAt(plan, "devices"), "7");
  const json_t* row = json_array_get(At(plan, "changes"), 4);
  const json_t* difference = json_array_get(json_object_get(row, "differences"), 0);
  EXPECT_EQ(
      Show(difference),
      "{'attribute':'SwitchCongestionSetting','block':0,'field':'Control_Map','held':0,'index':null,'scope':null,'wanted':31}");
  EXPECT_EQ(Show(json_object_get(row, "known")), "true");
}

}  // namespace
}  // namespace ibcc_test
