// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
extern "C" {
#include <cstdint>

#include "devices/fields.h"
}

#include <gtest/gtest.h>

#include "rpc/support.hpp"

namespace {

using namespace ibcc_test;

TEST(MethodFields, AreThoseThatWerePacked) {
  ccp_ca_setting setting{};
  setting.port_control = 1;
  setting.control_map = 0x8001;
  for (unsigned sl = 0; sl < CCP_NUM_SLS; ++sl) setting.sls[sl].ccti_timer = static_cast<std::uint16_t>(1000 + sl);
  std::uint8_t data[CCP_ATTRIBUTE_BYTES];
  ASSERT_EQ(ccp_pack(CCP_CA_CONGESTION_SETTING, &setting, data, nullptr), 0);
  const Json fields(ibcc_fields_json(CCP_CA_CONGESTION_SETTING, data));
  EXPECT_EQ(Show(json_object_get(fields.get(), "Port_Control")), "1");
  EXPECT_EQ(Show(json_object_get(fields.get(), "Control_Map")), "32769");
  EXPECT_EQ(Show(json_object_get(fields.get(), "CCTI_Timer")),
            "[1000,1001,1002,1003,1004,1005,1006,1007,1008,1009,1010,1011,1012,1013,1014,1015]");
}

TEST(MethodFields, MasksAreHexadecimal) {
  ccp_switch_setting setting{};
  ccp_port_mask_set(setting.victim_mask, 1);
  ccp_port_mask_set(setting.victim_mask, 255);
  std::uint8_t data[CCP_ATTRIBUTE_BYTES];
  ASSERT_EQ(ccp_pack(CCP_SWITCH_CONGESTION_SETTING, &setting, data, nullptr), 0);
  const Json fields(ibcc_fields_json(CCP_SWITCH_CONGESTION_SETTING, data));
  EXPECT_EQ(Show(json_object_get(fields.get(), "Victim_Mask")), "'0x80" + std::string(60, '0') + "02'");
}

TEST(MethodFields, DifferencesAreNamed) {
  ccp_cct_block wanted{}, held{};
  wanted.ccti_limit = 127;
  held.ccti_limit = 63;
  wanted.entries[2].multiplier = 5;
  std::uint8_t a[CCP_ATTRIBUTE_BYTES], b[CCP_ATTRIBUTE_BYTES];
  ASSERT_EQ(ccp_pack(CCP_CONGESTION_CONTROL_TABLE, &wanted, a, nullptr), 0);
  ASSERT_EQ(ccp_pack(CCP_CONGESTION_CONTROL_TABLE, &held, b, nullptr), 0);
  const Json list(json_array()), shorter(json_array());
  ASSERT_EQ(ibcc_fields_differences(list.get(), 8, CCP_CONGESTION_CONTROL_TABLE, 1, 0, a, b), 0);
  EXPECT_EQ(
      Show(list.get()),
      "[{'attribute':'CongestionControlTable','block':1,'field':'CCTI_Limit','held':63,'index':null,'scope':null,'wanted':127},"
      "{'attribute':'CongestionControlTable','block':1,'field':'CCT_Multiplier','held':0,'index':2,'scope':null,'wanted':5}]");
  ASSERT_EQ(ibcc_fields_differences(shorter.get(), 1, CCP_CONGESTION_CONTROL_TABLE, 1, 0, a, b), 0);
  EXPECT_EQ(json_array_size(shorter.get()), 1u);
  ASSERT_EQ(ibcc_fields_differences(shorter.get(), 2, CCP_CONGESTION_CONTROL_TABLE, 1, 0xF, a, b), 0);
  EXPECT_EQ(json_integer_value(json_object_get(json_array_get(shorter.get(), 1), "scope")), 0xF);
}

TEST(MethodFields, AKeyIsNeverShown) {
  ccp_congestion_key_info info{};
  info.cc_key = 0x1234;
  std::uint8_t data[CCP_ATTRIBUTE_BYTES];
  ASSERT_EQ(ccp_pack(CCP_CONGESTION_KEY_INFO, &info, data, nullptr), 0);
  const Json fields(ibcc_fields_json(CCP_CONGESTION_KEY_INFO, data));
  EXPECT_EQ(Show(fields.get()), "{}");
}

}  // namespace
