// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ccpolicy/wire.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "libibmad.hpp"

namespace {

using Payload = std::uint8_t[CCP_CONGESTION_LOG_BYTES];

const unsigned kAttributes[] = {CCP_CLASS_PORT_INFO,
                                CCP_CONGESTION_INFO,
                                CCP_CONGESTION_KEY_INFO,
                                CCP_CONGESTION_LOG_SWITCH,
                                CCP_CONGESTION_LOG_CA,
                                CCP_CONGESTION_LOG_CA_LIBIBMAD,
                                CCP_SWITCH_CONGESTION_SETTING,
                                CCP_SWITCH_PORT_CONGESTION_SETTING,
                                CCP_CA_CONGESTION_SETTING,
                                CCP_CONGESTION_CONTROL_TABLE,
                                CCP_TIMESTAMP};

// The layout of annex A10, as written down from the tables that existing tools use, in bits: offset, width, elements, stride.
struct Layout {
  const char* name;
  unsigned offset, width, count, stride;
};
const std::map<unsigned, std::vector<Layout>> kLayouts = {
    {CCP_CLASS_PORT_INFO, {{"BaseVersion", 0, 8, 1, 0},       {"ClassVersion", 8, 8, 1, 0},     {"CapabilityMask", 16, 16, 1, 0},
                           {"CapabilityMask2", 32, 27, 1, 0}, {"RespTimeValue", 59, 5, 1, 0},   {"RedirectGID", 64, 128, 1, 0},
                           {"RedirectTC", 192, 8, 1, 0},      {"RedirectSL", 200, 4, 1, 0},     {"RedirectFL", 204, 20, 1, 0},
                           {"RedirectLID", 224, 16, 1, 0},    {"RedirectP_Key", 240, 16, 1, 0}, {"RedirectQP", 264, 24, 1, 0},
                           {"RedirectQ_Key", 288, 32, 1, 0},  {"TrapGID", 320, 128, 1, 0},      {"TrapTC", 448, 8, 1, 0},
                           {"TrapSL", 456, 4, 1, 0},          {"TrapFL", 460, 20, 1, 0},        {"TrapLID", 480, 16, 1, 0},
                           {"TrapP_Key", 496, 16, 1, 0},      {"TrapHL", 512, 8, 1, 0},         {"TrapQP", 520, 24, 1, 0},
                           {"TrapQ_Key", 544, 32, 1, 0}}},
    {CCP_CONGESTION_INFO, {{"CongestionInfo", 0, 16, 1, 0}, {"ControlTableCap", 16, 8, 1, 0}}},
    {CCP_CONGESTION_KEY_INFO,
     {{"CC_Key", 0, 64, 1, 0},
      {"CC_KeyProtectBit", 64, 1, 1, 0},
      {"CC_KeyLeasePeriod", 80, 16, 1, 0},
      {"CC_KeyViolations", 96, 16, 1, 0}}},
    {CCP_CONGESTION_LOG_SWITCH,
     {{"LogType", 0, 8, 1, 0},
      {"CongestionFlags", 8, 8, 1, 0},
      {"LogEventsCounter", 16, 16, 1, 0},
      {"CurrentTimeStamp", 32, 32, 1, 0},
      {"PortMap", 64, 256, 1, 0},
      {"SLID", 320, 16, 15, 96},
      {"DLID", 336, 16, 15, 96},
      {"SL", 352, 4, 15, 96},
      {"Timestamp", 384, 32, 15, 96}}},
    {CCP_CONGESTION_LOG_CA,
     {{"LogType", 0, 8, 1, 0},
      {"CongestionFlags", 8, 8, 1, 0},
      {"ThresholdEventCounter", 16, 16, 1, 0},
      {"ThresholdCongestionEventMap", 32, 16, 1, 0},
      {"CurrentTimeStamp", 64, 32, 1, 0},
      {"Local_QP_CN_Entry", 96, 24, 13, 128},
      {"Remote_QP_Number_CN_Entry", 128, 24, 13, 128},
      {"SL_CN_Entry", 152, 4, 13, 128},
      {"Service_Type_CN_Entry", 156, 4, 13, 128},
      {"Remote_LID_CN_Entry", 160, 16, 13, 128},
      {"Timestamp_CN_Entry", 192, 32, 13, 128}}},
    {CCP_CONGESTION_LOG_CA_LIBIBMAD,
     {{"LogType", 0, 8, 1, 0},
      {"CongestionFlags", 8, 8, 1, 0},
      {"ThresholdEventCounter", 16, 16, 1, 0},
      {"ThresholdCongestionEventMap", 32, 16, 1, 0},
      {"CurrentTimeStamp", 64, 32, 1, 0},
      {"Local_QP_CN_Entry", 96, 24, 13, 128},
      {"SL_CN_Entry", 120, 4, 13, 128},
      {"Service_Type_CN_Entry", 124, 4, 13, 128},
      {"Remote_QP_Number_CN_Entry", 128, 24, 13, 128},
      {"Local_LID_CN", 160, 16, 13, 128},
      {"Remote_LID_CN_Entry", 176, 16, 13, 128},
      {"Timestamp_CN_Entry", 192, 32, 13, 128}}},
    {CCP_TIMESTAMP, {{"TimeStamp", 0, 32, 1, 0}}},
    {CCP_SWITCH_CONGESTION_SETTING,
     {{"Control_Map", 0, 32, 1, 0},
      {"Victim_Mask", 32, 256, 1, 0},
      {"Credit_Mask", 288, 256, 1, 0},
      {"Threshold", 544, 4, 1, 0},
      {"Packet_Size", 552, 8, 1, 0},
      {"CS_Threshold", 560, 4, 1, 0},
      {"CS_ReturnDelay_Shift", 576, 2, 1, 0},
      {"CS_ReturnDelay_Multiplier", 578, 14, 1, 0},
      {"Marking_Rate", 592, 16, 1, 0}}},
    {CCP_SWITCH_PORT_CONGESTION_SETTING,
     {{"Valid", 0, 1, 32, 32},
      {"Control_Type", 1, 1, 32, 32},
      {"Threshold", 4, 4, 32, 32},
      {"Packet_Size", 8, 8, 32, 32},
      {"Cong_Parm_Marking_Rate", 16, 16, 32, 32}}},
    {CCP_CA_CONGESTION_SETTING,
     {{"Port_Control", 0, 16, 1, 0},
      {"Control_Map", 16, 16, 1, 0},
      {"CCTI_Timer", 32, 16, 16, 64},
      {"CCTI_Increase", 48, 8, 16, 64},
      {"Trigger_Threshold", 56, 8, 16, 64},
      {"CCTI_Min", 64, 8, 16, 64}}},
    {CCP_CONGESTION_CONTROL_TABLE,
     {{"CCTI_Limit", 0, 16, 1, 0}, {"CCT_Shift", 32, 2, 64, 16}, {"CCT_Multiplier", 34, 14, 64, 16}}},
};

TEST(Wire, RowsAreTheSpecifiedLayout) {
  for (const unsigned id : kAttributes) {
    const ccp_wire_attribute* attribute = ccp_find_attribute(id);
    ASSERT_NE(attribute, nullptr);
    const auto& layout = kLayouts.at(id);
    ASSERT_EQ(attribute->num_fields, layout.size()) << attribute->name;
    for (unsigned i = 0; i < layout.size(); ++i) {
      const ccp_wire_field& field = attribute->fields[i];
      EXPECT_STREQ(field.name, layout[i].name);
      EXPECT_EQ(field.offset, layout[i].offset) << field.name;
      EXPECT_EQ(field.width, layout[i].width) << field.name;
      EXPECT_EQ(field.count, layout[i].count) << field.name;
      EXPECT_EQ(field.stride, layout[i].stride) << field.name;
      EXPECT_LE(field.offset + (field.count - 1u) * field.stride + field.width, attribute->bytes * 8u) << field.name;
    }
    // A log begins where class 0x21 has its log data; all end where the MAD does.
    EXPECT_EQ(attribute->mad_offset, (id & 0xFFFF) == 0x13 ? 32 : 64) << attribute->name;
    EXPECT_EQ(attribute->mad_offset + attribute->bytes, 256) << attribute->name;
  }
  EXPECT_EQ(ccp_find_attribute(0x13), nullptr);  // which form of the log?
}

TEST(Wire, SwitchSettingByteByByte) {
  ccp_switch_setting s{};
  s.control_map = 0x1F;
  ccp_port_mask_set(s.victim_mask, 1);
  ccp_port_mask_set(s.victim_mask, 8);
  ccp_port_mask_set(s.credit_mask, 255);
  s.threshold = 15;
  s.packet_size = 8;
  s.cs_threshold = 3;
  s.cs_return_delay = {2, 0x0102};
  s.marking_rate = 0x1234;
  Payload payload;
  ASSERT_EQ(ccp_pack(CCP_SWITCH_CONGESTION_SETTING, &s, payload, nullptr), 0);
  std::vector<std::uint8_t> expected(CCP_ATTRIBUTE_BYTES);
  expected[3] = 0x1F;
  expected[4 + 31] = 0x02;  // port 1: the last byte holds ports 0 to 7
  expected[4 + 30] = 0x01;  // port 8
  expected[36] = 0x80;      // port 255: the top bit of the first byte
  expected[68] = 0xF0;
  expected[69] = 8;
  expected[70] = 0x30;
  expected[72] = 0x81;
  expected[73] = 0x02;
  expected[74] = 0x12;
  expected[75] = 0x34;
  EXPECT_EQ(std::vector<std::uint8_t>(payload, payload + CCP_ATTRIBUTE_BYTES), expected);
}

TEST(Wire, KeyInfoByteByByte) {
  const ccp_congestion_key_info s{
      .cc_key = 0x0102030405060708, .cc_key_protect_bit = 1, .cc_key_lease_period = 0x0A0B, .cc_key_violations = 0x0C0D};
  Payload payload;
  ASSERT_EQ(ccp_pack(CCP_CONGESTION_KEY_INFO, &s, payload, nullptr), 0);
  const std::uint8_t expected[] = {1, 2, 3, 4, 5, 6, 7, 8, 0x80, 0, 0x0A, 0x0B, 0x0C, 0x0D, 0, 0};
  EXPECT_EQ(std::memcmp(payload, expected, sizeof(expected)), 0);
  ccp_congestion_key_info back{};
  ASSERT_EQ(ccp_unpack(CCP_CONGESTION_KEY_INFO, payload, &back), 0);
  EXPECT_EQ(back.cc_key, s.cc_key);
}

// The two layouts of an adapter's event, byte by byte from the event's start.
TEST(Wire, CaLogEventsAreLaidOutInTwoWays) {
  ccp_congestion_log_ca log{};
  log.log_type = CCP_LOG_TYPE_CA;
  log.events[12] = {.local_qp = 0x010203,
                    .sl = 4,
                    .service_type = 5,
                    .remote_qp = 0x060708,
                    .local_lid = 0x090A,
                    .remote_lid = 0x0B0C,
                    .timestamp = 0x0D0E0F10};
  Payload payload;
  ASSERT_EQ(ccp_pack(CCP_CONGESTION_LOG_CA, &log, payload, nullptr), 0);
  const std::uint8_t ib_types[] = {1, 2, 3, 0, 6, 7, 8, 0x45, 0x0B, 0x0C, 0, 0, 0x0D, 0x0E, 0x0F, 0x10};
  EXPECT_EQ(std::memcmp(payload + 12 + 12 * 16, ib_types, sizeof(ib_types)), 0);
  ASSERT_EQ(ccp_pack(CCP_CONGESTION_LOG_CA_LIBIBMAD, &log, payload, nullptr), 0);
  const std::uint8_t libibmad[] = {1, 2, 3, 0x45, 6, 7, 8, 0, 9, 0x0A, 0x0B, 0x0C, 0x0D, 0x0E, 0x0F, 0x10};
  EXPECT_EQ(std::memcmp(payload + 12 + 12 * 16, libibmad, sizeof(libibmad)), 0);
}

TEST(Wire, SwitchPortBlockByteByByte) {
  ccp_switch_port_block block{};
  block.ports[31] = {.valid = true, .control_type = 1, .threshold = 9, .packet_size = 7, .marking_rate = 0xABCD};
  Payload payload;
  ASSERT_EQ(ccp_pack(CCP_SWITCH_PORT_CONGESTION_SETTING, &block, payload, nullptr), 0);
  EXPECT_EQ(payload[124], 0xC9);
  EXPECT_EQ(payload[125], 7);
  EXPECT_EQ(payload[126], 0xAB);
  EXPECT_EQ(payload[127], 0xCD);
  EXPECT_EQ(payload[123], 0);
  EXPECT_EQ(payload[128], 0);
}

TEST(Wire, CaSettingByteByByte) {
  ccp_ca_setting s{};
  s.port_control = 1;
  s.control_map = 0x8001;
  s.sls[15] = {.ccti_timer = 0x0096, .ccti_increase = 2, .trigger_threshold = 3, .ccti_min = 4};
  Payload payload;
  ASSERT_EQ(ccp_pack(CCP_CA_CONGESTION_SETTING, &s, payload, nullptr), 0);
  const std::uint8_t head[] = {0, 1, 0x80, 0x01, 0};
  EXPECT_EQ(std::memcmp(payload, head, sizeof(head)), 0);
  const std::uint8_t last[] = {0x00, 0x96, 2, 3, 4, 0, 0, 0};
  EXPECT_EQ(std::memcmp(payload + 4 + 15 * 8, last, sizeof(last)), 0);
}

TEST(Wire, CctBlockByteByByte) {
  ccp_cct_block block{};
  block.ccti_limit = 127;
  block.entries[0] = {3, 1};
  block.entries[63] = {1, 0x3FFF};
  Payload payload;
  ASSERT_EQ(ccp_pack(CCP_CONGESTION_CONTROL_TABLE, &block, payload, nullptr), 0);
  const std::uint8_t head[] = {0, 127, 0, 0, 0xC0, 0x01, 0, 0};
  EXPECT_EQ(std::memcmp(payload, head, sizeof(head)), 0);
  EXPECT_EQ(payload[130], 0x7F);
  EXPECT_EQ(payload[131], 0xFF);
  EXPECT_EQ(payload[132], 0);
}

TEST(Wire, ReservedBitsAreIgnoredAndDropped) {
  for (const unsigned id : kAttributes) {
    Payload ones, packed, again;
    std::memset(ones, 0xFF, sizeof(ones));
    alignas(8) unsigned char host[1024] = {};
    ASSERT_EQ(ccp_unpack(static_cast<ccp_attribute_id>(id), ones, host), 0);
    ASSERT_EQ(ccp_pack(static_cast<ccp_attribute_id>(id), host, packed, nullptr), 0);
    ASSERT_EQ(ccp_unpack(static_cast<ccp_attribute_id>(id), packed, host), 0);
    ASSERT_EQ(ccp_pack(static_cast<ccp_attribute_id>(id), host, again, nullptr), 0);
    const unsigned bytes = ccp_find_attribute(id)->bytes;
    EXPECT_EQ(std::memcmp(packed, again, bytes), 0);
    // Exactly the bits of the fields are set.
    std::vector<std::uint8_t> expected(bytes);
    for (const Layout& field : kLayouts.at(id)) {
      for (unsigned i = 0; i < field.count; ++i) {
        for (unsigned b = 0; b < field.width; ++b) {
          const unsigned bit = field.offset + i * field.stride + b;
          expected[bit / 8] |= static_cast<std::uint8_t>(0x80 >> bit % 8);
        }
      }
    }
    EXPECT_EQ(std::vector<std::uint8_t>(packed, packed + bytes), expected) << ccp_find_attribute(id)->name;
  }
}

TEST(Wire, RandomPayloadsRoundTrip) {
  std::mt19937 random(1);
  for (const unsigned id : kAttributes) {
    for (int i = 0; i < 200; ++i) {
      Payload payload, packed, again;
      for (std::uint8_t& byte : payload) byte = static_cast<std::uint8_t>(random());
      alignas(8) unsigned char host[1024] = {};
      ASSERT_EQ(ccp_unpack(static_cast<ccp_attribute_id>(id), payload, host), 0);
      ASSERT_EQ(ccp_pack(static_cast<ccp_attribute_id>(id), host, packed, nullptr), 0);
      alignas(8) unsigned char host2[1024] = {};
      ASSERT_EQ(ccp_unpack(static_cast<ccp_attribute_id>(id), packed, host2), 0);
      ASSERT_EQ(ccp_pack(static_cast<ccp_attribute_id>(id), host2, again, nullptr), 0);
      ASSERT_EQ(std::memcmp(packed, again, ccp_find_attribute(id)->bytes), 0);
      ASSERT_EQ(std::memcmp(host, host2, sizeof(host)), 0);
    }
  }
}

TEST(Wire, RefusesValuesThatDoNotFit) {
  ccp_error error{};
  Payload payload;
  ccp_switch_setting s{};
  s.threshold = 0x1F;  // OpenSM's own manager lets this through as 15
  EXPECT_EQ(ccp_pack(CCP_SWITCH_CONGESTION_SETTING, &s, payload, &error), -1);
  EXPECT_STREQ(error.message, "Threshold 31 does not fit SwitchCongestionSetting, which has 4 bits");
  ccp_cct_block block{};
  block.entries[3] = {0, 0x4000};
  EXPECT_EQ(ccp_pack(CCP_CONGESTION_CONTROL_TABLE, &block, payload, &error), -1);
  EXPECT_EQ(ccp_pack(static_cast<ccp_attribute_id>(0x13), &block, payload, &error), -1);
  EXPECT_STREQ(error.message, "attribute 0x0013 is not one that is packed here");
  EXPECT_EQ(ccp_unpack(static_cast<ccp_attribute_id>(0x13), payload, &block), -1);
}

TEST(Wire, DumpNamesEachField) {
  ccp_ca_setting s{};
  s.control_map = 0xFFFF;
  s.sls[2].ccti_timer = 150;
  Payload payload;
  ASSERT_EQ(ccp_pack(CCP_CA_CONGESTION_SETTING, &s, payload, nullptr), 0);
  std::string text(5000, '\0');
  text.resize(ccp_wire_dump(CCP_CA_CONGESTION_SETTING, payload, text.data(), text.size()));
  EXPECT_EQ(text.find("Port_Control: 0\nControl_Map: 65535\nCCTI_Timer[0]: 0\nCCTI_Timer[1]: 0\nCCTI_Timer[2]: 150\n"), 0u)
      << text;
  char small[10];
  EXPECT_EQ(ccp_wire_dump(CCP_CA_CONGESTION_SETTING, payload, small, sizeof(small)), text.size());
  EXPECT_STREQ(small, "Port_Cont");
  EXPECT_EQ(ccp_wire_dump(CCP_CA_CONGESTION_SETTING, payload, nullptr, 0), text.size());
}

std::vector<unsigned> BlockLimits(unsigned ccti_limit, ccp_limit_mode mode) {
  std::vector<ccp_cct_entry> entries;
  for (unsigned i = 0; i <= ccti_limit; ++i) entries.push_back({static_cast<std::uint8_t>(i % 4), static_cast<std::uint16_t>(i)});
  const ccp_cct cct{.ccti_limit = static_cast<std::uint16_t>(ccti_limit), .limit_mode = mode, .entries = entries.data()};
  std::vector<unsigned> limits;
  for (unsigned b = 0; b < ccp_cct_num_blocks(ccti_limit); ++b) {
    ccp_cct_block block;
    ccp_cct_get_block(&cct, b, &block);
    limits.push_back(block.ccti_limit);
    for (unsigned i = 0; i < CCP_CCT_ENTRIES_PER_BLOCK; ++i) {
      const unsigned index = b * CCP_CCT_ENTRIES_PER_BLOCK + i;
      EXPECT_EQ(block.entries[i].multiplier, index <= ccti_limit ? index : 0);
      EXPECT_EQ(block.entries[i].shift, index <= ccti_limit ? index % 4 : 0);
    }
  }
  return limits;
}

TEST(Wire, CctBlocksCarryTheLimitInOneOfTwoWays) {
  using Limits = std::vector<unsigned>;
  EXPECT_EQ(BlockLimits(0, CCP_LIMIT_FINAL), (Limits{0}));
  EXPECT_EQ(BlockLimits(0, CCP_LIMIT_PER_BLOCK), (Limits{0}));
  EXPECT_EQ(BlockLimits(1, CCP_LIMIT_PER_BLOCK), (Limits{1}));
  EXPECT_EQ(BlockLimits(63, CCP_LIMIT_FINAL), (Limits{63}));
  EXPECT_EQ(BlockLimits(63, CCP_LIMIT_PER_BLOCK), (Limits{63}));
  EXPECT_EQ(BlockLimits(64, CCP_LIMIT_FINAL), (Limits{64, 64}));
  EXPECT_EQ(BlockLimits(64, CCP_LIMIT_PER_BLOCK), (Limits{63, 64}));
  EXPECT_EQ(BlockLimits(127, CCP_LIMIT_FINAL), (Limits{127, 127}));
  EXPECT_EQ(BlockLimits(127, CCP_LIMIT_PER_BLOCK), (Limits{63, 127}));
  EXPECT_EQ(BlockLimits(128, CCP_LIMIT_PER_BLOCK), (Limits{63, 127, 128}));
  const Limits largest = BlockLimits(16319, CCP_LIMIT_PER_BLOCK);
  EXPECT_EQ(largest.size(), 255u);
  EXPECT_EQ(largest.back(), 16319u);
  EXPECT_EQ(BlockLimits(16319, CCP_LIMIT_FINAL), Limits(255, 16319));
}

TEST(Wire, SwitchPortBlocksHold32PortsFromPort0) {
  EXPECT_EQ(ccp_switch_port_num_blocks(31), 1u);
  EXPECT_EQ(ccp_switch_port_num_blocks(32), 2u);
  EXPECT_EQ(ccp_switch_port_num_blocks(36), 2u);
  EXPECT_EQ(ccp_switch_port_num_blocks(254), 8u);
  std::vector<ccp_switch_port_setting> ports(37);
  ports[32].threshold = 3;
  ports[36].threshold = 4;
  ports[36].valid = true;
  ccp_switch_tables tables{};
  tables.num_ports = 36;
  tables.ports = ports.data();
  ccp_switch_port_block block;
  ccp_switch_port_get_block(&tables, 0, &block);
  for (const ccp_switch_port_setting& port : block.ports) EXPECT_FALSE(port.valid);
  ccp_switch_port_get_block(&tables, 1, &block);
  EXPECT_EQ(block.ports[0].threshold, 3);
  EXPECT_EQ(block.ports[4].threshold, 4);
  EXPECT_TRUE(block.ports[4].valid);
  EXPECT_FALSE(block.ports[5].valid);
}

class LibibmadTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!libibmad_.installed()) GTEST_SKIP() << "libibmad is not installed (Debian: libibmad5)";
  }
  int Field(const std::string& name, int from = 1) const { return libibmad_.Field(name, from); }
  void Set(int field, std::uint32_t value, int base_bytes = 0) { libibmad_.Set(payload_, field, value, base_bytes); }
  void ExpectPacks(ccp_attribute_id id, const void* host) {
    Payload packed;
    ASSERT_EQ(ccp_pack(id, host, packed, nullptr), 0);
    const unsigned bytes = ccp_find_attribute(id)->bytes;
    EXPECT_EQ(std::vector<std::uint8_t>(packed, packed + bytes), std::vector<std::uint8_t>(payload_, payload_ + bytes));
  }
  std::uint16_t Random16() { return static_cast<std::uint16_t>(random_()); }
  std::uint8_t Random8() { return static_cast<std::uint8_t>(random_()); }

  ibcc::testing::LibIbmad libibmad_;
  Payload payload_ = {};
  std::mt19937 random_{7};
};

TEST_F(LibibmadTest, AgreesOnClassPortInfo) {
  const int first = Field("RedirectGID") - 5;
  const auto set = [&](const char* name, std::uint32_t value) { Set(Field(name, first), value); };
  ccp_class_port_info s{};
  set("BaseVersion", s.base_version = Random8());
  set("ClassVersion", s.class_version = Random8());
  set("CapabilityMask", s.capability_mask = Random16());
  set("CapabilityMask2", s.capability_mask2 = random_() & 0x7FFFFFF);
  set("RespTimeVal", s.resp_time_value = Random8() & 31);
  for (auto& byte : s.redirect_gid) byte = Random8();
  libibmad_.SetArray(payload_, Field("RedirectGID"), s.redirect_gid);
  set("RedirectTC", s.redirect_tc = Random8());
  set("RedirectSL", s.redirect_sl = Random8() & 15);
  set("RedirectFL", s.redirect_fl = random_() & 0xFFFFF);
  set("RedirectLID", s.redirect_lid = Random16());
  set("RedirectPKey", s.redirect_pkey = Random16());
  set("RedirectQP", s.redirect_qp = random_() & 0xFFFFFF);
  set("RedirectQKey", s.redirect_qkey = static_cast<std::uint32_t>(random_()));
  for (auto& byte : s.trap_gid) byte = Random8();
  libibmad_.SetArray(payload_, Field("TrapGID"), s.trap_gid);
  set("TrapTC", s.trap_tc = Random8());
  set("TrapSL", s.trap_sl = Random8() & 15);
  set("TrapFL", s.trap_fl = random_() & 0xFFFFF);
  set("TrapLID", s.trap_lid = Random16());
  set("TrapPKey", s.trap_pkey = Random16());
  set("TrapHL", s.trap_hl = Random8());
  set("TrapQP", s.trap_qp = random_() & 0xFFFFFF);
  set("TrapQKey", s.trap_qkey = static_cast<std::uint32_t>(random_()));
  ExpectPacks(CCP_CLASS_PORT_INFO, &s);
}

TEST_F(LibibmadTest, AgreesOnCongestionInfoKeyInfoAndTimestamp) {
  const ccp_congestion_info info{.congestion_info = Random16(), .control_table_cap = Random8()};
  Set(Field("CongestionInfo"), info.congestion_info);
  Set(Field("ControlTableCap"), info.control_table_cap);
  ExpectPacks(CCP_CONGESTION_INFO, &info);

  std::memset(payload_, 0, sizeof(payload_));
  const ccp_congestion_key_info key{
      .cc_key = 0x1122334455667788, .cc_key_protect_bit = 1, .cc_key_lease_period = Random16(), .cc_key_violations = Random16()};
  const int protect = Field("CC_KeyProtectBit");
  libibmad_.Set64(payload_, protect - 1, key.cc_key);
  Set(protect, key.cc_key_protect_bit);
  Set(Field("CC_KeyLeasePeriod"), key.cc_key_lease_period);
  Set(Field("CC_KeyViolations"), key.cc_key_violations);
  ExpectPacks(CCP_CONGESTION_KEY_INFO, &key);

  std::memset(payload_, 0, sizeof(payload_));
  const ccp_timestamp stamp{.timestamp = static_cast<std::uint32_t>(random_())};
  Set(Field("Timestamp", Field("CCT_Multiplier")), stamp.timestamp);
  ExpectPacks(CCP_TIMESTAMP, &stamp);
}

TEST_F(LibibmadTest, AgreesOnASwitchsCongestionLog) {
  ccp_congestion_log_switch log{};
  Set(Field("LogType"), log.log_type = CCP_LOG_TYPE_SWITCH);
  Set(Field("CongestionFlags"), log.congestion_flags = Random8());
  const int first = Field("LogEventsCounter");
  Set(first, log.log_events_counter = Random16());
  Set(Field("CurrentTimeStamp", first), log.current_timestamp = static_cast<std::uint32_t>(random_()));
  for (auto& byte : log.port_map) byte = Random8();
  libibmad_.SetArray(payload_, Field("PortMap"), log.port_map);
  for (int i = 0; i < 15; ++i) {
    const int base = 40 + i * 12;
    Set(Field("SLID", first), log.events[i].slid = Random16(), base);
    Set(Field("DLID", first), log.events[i].dlid = Random16(), base);
    Set(Field("SL", first), log.events[i].sl = Random8() & 15, base);
    Set(Field("Timestamp", first), log.events[i].timestamp = static_cast<std::uint32_t>(random_()), base);
  }
  ExpectPacks(CCP_CONGESTION_LOG_SWITCH, &log);
}

// As libibmad reads it; ib_types.h disagrees, and is what is packed otherwise.
TEST_F(LibibmadTest, AgreesOnAnAdaptersCongestionLogInItsOwnLayout) {
  ccp_congestion_log_ca log{};
  Set(Field("LogType"), log.log_type = CCP_LOG_TYPE_CA);
  Set(Field("CongestionFlags"), log.congestion_flags = Random8());
  const int first = Field("ThresholdEventCounter");
  Set(first, log.threshold_event_counter = Random16());
  Set(Field("ThresholdCongestionEventMap"), log.threshold_congestion_event_map = Random16());
  Set(Field("CurrentTimeStamp", first), log.current_timestamp = static_cast<std::uint32_t>(random_()));
  for (int i = 0; i < 13; ++i) {
    const int base = 12 + i * 16;
    ccp_log_event_ca& event = log.events[i];
    Set(Field("Local_QP_CN_Entry"), event.local_qp = random_() & 0xFFFFFF, base);
    Set(Field("SL_CN_Entry"), event.sl = Random8() & 15, base);
    Set(Field("Service_Type_CN_Entry"), event.service_type = Random8() & 15, base);
    Set(Field("Remote_QP_Number_CN_Entry"), event.remote_qp = random_() & 0xFFFFFF, base);
    Set(Field("Local_LID_CN"), event.local_lid = Random16(), base);
    Set(Field("Remote_LID_CN_Entry"), event.remote_lid = Random16(), base);
    Set(Field("Timestamp_CN_Entry"), event.timestamp = static_cast<std::uint32_t>(random_()), base);
  }
  ExpectPacks(CCP_CONGESTION_LOG_CA_LIBIBMAD, &log);
}

TEST_F(LibibmadTest, AgreesOnSwitchCongestionSetting) {
  const int first = Field("Victim_Mask") - 1;
  ASSERT_EQ(Field("Control_Map"), first);
  for (int i = 0; i < 50; ++i) {
    std::memset(payload_, 0, sizeof(payload_));
    ccp_switch_setting s{};
    s.control_map = static_cast<std::uint32_t>(random_());
    for (auto& byte : s.victim_mask) byte = static_cast<std::uint8_t>(random_());
    for (auto& byte : s.credit_mask) byte = static_cast<std::uint8_t>(random_());
    s.threshold = random_() % 16;
    s.packet_size = static_cast<std::uint8_t>(random_());
    s.cs_threshold = random_() % 16;
    s.cs_return_delay = {static_cast<std::uint8_t>(random_() % 4), static_cast<std::uint16_t>(random_() % 16384)};
    s.marking_rate = static_cast<std::uint16_t>(random_());
    Set(first, s.control_map);
    libibmad_.SetArray(payload_, Field("Victim_Mask"), s.victim_mask);
    libibmad_.SetArray(payload_, Field("Credit_Mask"), s.credit_mask);
    Set(Field("Threshold", first), s.threshold);
    Set(Field("Packet_Size", first), s.packet_size);
    Set(Field("CS_Threshold", first), s.cs_threshold);
    Set(Field("CS_ReturnDelay", first), static_cast<std::uint32_t>(s.cs_return_delay.shift << 14 | s.cs_return_delay.multiplier));
    Set(Field("Marking_Rate", first), s.marking_rate);
    ExpectPacks(CCP_SWITCH_CONGESTION_SETTING, &s);
  }
}

TEST_F(LibibmadTest, AgreesOnSwitchPortCongestionSetting) {
  const int first = Field("Valid");
  ccp_switch_port_block block{};
  for (int i = 0; i < 32; ++i) {
    ccp_switch_port_setting& port = block.ports[i];
    port = {.valid = random_() % 2 == 1,
            .control_type = static_cast<std::uint8_t>(random_() % 2),
            .threshold = static_cast<std::uint8_t>(random_() % 16),
            .packet_size = static_cast<std::uint8_t>(random_()),
            .marking_rate = static_cast<std::uint16_t>(random_())};
    Set(first, port.valid, i * 4);
    Set(Field("Control_Type", first), port.control_type, i * 4);
    Set(Field("Threshold", first), port.threshold, i * 4);
    Set(Field("Packet_Size", first), port.packet_size, i * 4);
    Set(Field("Cong_Parm_Marking_Rate", first), port.marking_rate, i * 4);
  }
  ExpectPacks(CCP_SWITCH_PORT_CONGESTION_SETTING, &block);
}

TEST_F(LibibmadTest, AgreesOnCaCongestionSetting) {
  const int first = Field("Port_Control");
  ccp_ca_setting s{};
  s.port_control = static_cast<std::uint16_t>(random_());
  s.control_map = static_cast<std::uint16_t>(random_());
  Set(first, s.port_control);
  Set(Field("Control_Map", first), s.control_map);
  for (int i = 0; i < 16; ++i) {
    s.sls[i] = {.ccti_timer = static_cast<std::uint16_t>(random_()),
                .ccti_increase = static_cast<std::uint8_t>(random_()),
                .trigger_threshold = static_cast<std::uint8_t>(random_()),
                .ccti_min = static_cast<std::uint8_t>(random_())};
    const int base = 4 + i * 8;  // libibmad's entry fields count from the entry
    Set(Field("CCTI_Timer", first), s.sls[i].ccti_timer, base);
    Set(Field("CCTI_Increase", first), s.sls[i].ccti_increase, base);
    Set(Field("Trigger_Threshold", first), s.sls[i].trigger_threshold, base);
    Set(Field("CCTI_Min", first), s.sls[i].ccti_min, base);
  }
  ExpectPacks(CCP_CA_CONGESTION_SETTING, &s);
}

TEST_F(LibibmadTest, AgreesOnCongestionControlTable) {
  ccp_cct_block block{};
  block.ccti_limit = static_cast<std::uint16_t>(random_());
  Set(Field("CCTI_Limit"), block.ccti_limit);
  for (int i = 0; i < 64; ++i) {
    block.entries[i] = {static_cast<std::uint8_t>(random_() % 4), static_cast<std::uint16_t>(random_() % 16384)};
    // One entry by itself: libibmad turns 32-bit words around, so that its fields of 16-bit entries count from an entry's own
    // copy.
    Payload entry = {};
    libibmad_.Set(entry, Field("CCT_Shift"), block.entries[i].shift);
    libibmad_.Set(entry, Field("CCT_Multiplier"), block.entries[i].multiplier);
    std::memcpy(payload_ + 4 + 2 * i, entry, 2);
  }
  ExpectPacks(CCP_CONGESTION_CONTROL_TABLE, &block);
}

}  // namespace
