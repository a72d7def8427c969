// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ccpolicy/nvidia_wire.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "ccpolicy/wire.h"

namespace {

using Bytes = std::vector<std::uint8_t>;

const std::vector<unsigned> kNvidiaAttributes = {CCP_ENHANCED_CONGESTION_INFO,          CCP_CONGESTION_SWITCH_GENERAL_SETTINGS,
                                                 CCP_CONGESTION_PORT_PROFILE_SETTINGS,  CCP_CONGESTION_SL_MAPPING_SETTINGS,
                                                 CCP_CONGESTION_HCA_GENERAL_SETTINGS,   CCP_CONGESTION_HCA_RP_PARAMETERS,
                                                 CCP_CONGESTION_HCA_NP_PARAMETERS,      CCP_CONGESTION_HCA_ALGO_CONFIG,
                                                 CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS, CCP_CONGESTION_HCA_ALGO_CONFIG_SUPPORT};

template <typename Struct>
Bytes Pack(ccp_attribute_id id, const Struct& host) {
  Bytes payload(CCP_ATTRIBUTE_BYTES, 0xEE);
  ccp_error error{};
  EXPECT_EQ(ccp_pack(id, &host, payload.data(), &error), 0) << error.message;
  return payload;
}

// A payload whose other bytes are 0; by number of the byte.
Bytes PayloadOf(const std::map<unsigned, unsigned>& bytes) {
  Bytes payload(CCP_ATTRIBUTE_BYTES);
  for (const auto& [index, value] : bytes) payload.at(index) = static_cast<std::uint8_t>(value);
  return payload;
}

template <typename Struct>
Struct Unpack(ccp_attribute_id id, const Bytes& payload) {
  Struct host{};
  EXPECT_EQ(ccp_unpack(id, payload.data(), &host), 0);
  return host;
}

TEST(NvidiaWire, EachIs192BytesFromByte64OfTheMad) {
  for (const unsigned id : kNvidiaAttributes) {
    const ccp_wire_attribute* attribute = ccp_find_attribute(id);
    ASSERT_NE(attribute, nullptr) << id;
    EXPECT_EQ(attribute->mad_offset, 64);
    EXPECT_EQ(attribute->bytes, 192);
    std::vector<bool> taken(192 * 8);
    for (unsigned f = 0; f < attribute->num_fields; ++f) {
      const ccp_wire_field& field = attribute->fields[f];
      if (field.width <= 32) EXPECT_EQ(field.offset / 32, (field.offset + field.width - 1) / 32) << field.name;
      for (unsigned i = 0; i < field.count; ++i) {
        for (unsigned bit = field.offset + i * field.stride; bit < field.offset + i * field.stride + field.width; ++bit) {
          EXPECT_FALSE(taken.at(bit)) << attribute->name << ": bit " << bit << " is in two fields";
          taken.at(bit) = true;
        }
      }
    }
  }
  for (const unsigned id : {0xFF23u, 0xFF26u}) EXPECT_EQ(ccp_find_attribute(id), nullptr) << "its layout is not public";
}

TEST(NvidiaWire, EnhancedInfoByteByByte) {
  const ccp_enhanced_congestion_info info{
      .ver0 = true, .ver1 = false, .cc_capability_mask = CCP_ENHANCED_CAP_STATISTICS | CCP_ENHANCED_CAP_PER_PLANE};
  EXPECT_EQ(Pack(CCP_ENHANCED_CONGESTION_INFO, info), PayloadOf({{0, 0x80}, {15, 0x42}}));
  EXPECT_EQ(Pack(CCP_ENHANCED_CONGESTION_INFO, ccp_enhanced_congestion_info{.ver1 = true, .cc_capability_mask = 1ull << 63}),
            PayloadOf({{0, 0x40}, {8, 0x80}}));
}

// The header's comment says bit 2.
TEST(NvidiaWire, ASwitchIsEnabledByTheLeastSignificantBitOfByte0) {
  EXPECT_EQ(Pack(CCP_CONGESTION_SWITCH_GENERAL_SETTINGS, ccp_congestion_switch_general_settings{.en = true}),
            PayloadOf({{0, 0x01}}));
  EXPECT_FALSE(Unpack<ccp_congestion_switch_general_settings>(CCP_CONGESTION_SWITCH_GENERAL_SETTINGS, PayloadOf({{0, 0xFE}})).en);
}

TEST(NvidiaWire, SwitchGeneralSettingsByteByByte) {
  const ccp_congestion_switch_general_settings s{
      .en = true, .aqs_weight = 15, .aqs_time = 24, .cap_total_buffer_size = 0x01020304, .cap_cc_profile_step_size = 0xAB};
  EXPECT_EQ(Pack(CCP_CONGESTION_SWITCH_GENERAL_SETTINGS, s),
            PayloadOf({{0, 1}, {2, 15}, {3, 24}, {4, 1}, {5, 2}, {6, 3}, {7, 4}, {11, 0xAB}}));
}

TEST(NvidiaWire, ASetDoesNotCarryWhatIsReadOnly) {
  const ccp_congestion_switch_general_settings s{
      .en = true, .aqs_weight = 1, .aqs_time = 2, .cap_total_buffer_size = ~0u, .cap_cc_profile_step_size = 255};
  Bytes payload(CCP_ATTRIBUTE_BYTES, 0xEE);
  ASSERT_EQ(ccp_pack_set(CCP_CONGESTION_SWITCH_GENERAL_SETTINGS, &s, payload.data(), nullptr), 0);
  EXPECT_EQ(payload, PayloadOf({{0, 1}, {2, 1}, {3, 2}}));

  ccp_congestion_hca_algo_config algo{.algo_en = true, .algo_status = true, .sl_bitmask = 0x8001};
  ASSERT_EQ(ccp_pack_set(CCP_CONGESTION_HCA_ALGO_CONFIG, &algo, payload.data(), nullptr), 0);
  EXPECT_EQ(payload, PayloadOf({{0, 0x80}, {4, 0x80}, {5, 0x01}}));

  ccp_congestion_hca_algo_config_params params{.sl_bitmask = 0xFFFF, .encap_len = 4, .encap_type = 2, .parameters = {400}};
  ASSERT_EQ(ccp_pack_set(CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS, &params, payload.data(), nullptr), 0);
  EXPECT_EQ(payload, PayloadOf({{6, 4}, {7, 2}, {18, 0x01}, {19, 0x90}}));
}

TEST(NvidiaWire, PortProfileByteByByte) {
  ccp_congestion_port_profile_settings s{.mode = CCP_THRESHOLD_PERCENTAGE, .granularity = 1, .vl_mask = 0x8001};
  s.profiles[0] = {.min = 0xFFFFF, .percent = 100, .max = 0x12345};
  s.profiles[2] = {.min = 1, .percent = 1, .max = 0xFFFFF};
  EXPECT_EQ(Pack(CCP_CONGESTION_PORT_PROFILE_SETTINGS, s), PayloadOf({{0, 0xC0},
                                                                      {2, 0x80},
                                                                      {3, 0x01},
                                                                      {5, 0x0F},
                                                                      {6, 0xFF},
                                                                      {7, 0xFF},
                                                                      {8, 100},
                                                                      {9, 0x01},
                                                                      {10, 0x23},
                                                                      {11, 0x45},
                                                                      {23, 1},
                                                                      {24, 1},
                                                                      {25, 0x0F},
                                                                      {26, 0xFF},
                                                                      {27, 0xFF}}));
}

TEST(NvidiaWire, PercentStandsBesideMaxInAWordAndNeitherSpillsIntoTheOther) {
  ccp_congestion_port_profile_settings s{};
  s.profiles[1] = {.min = 0, .percent = 127, .max = 0};
  EXPECT_EQ(Pack(CCP_CONGESTION_PORT_PROFILE_SETTINGS, s), PayloadOf({{16, 0x7F}}));
  s.profiles[1] = {.min = 0, .percent = 0, .max = 0xFFFFF};
  EXPECT_EQ(Pack(CCP_CONGESTION_PORT_PROFILE_SETTINGS, s), PayloadOf({{17, 0x0F}, {18, 0xFF}, {19, 0xFF}}));
  s.profiles[1].max = 0x100000;
  Bytes payload(CCP_ATTRIBUTE_BYTES);
  ccp_error error{};
  EXPECT_EQ(ccp_pack(CCP_CONGESTION_PORT_PROFILE_SETTINGS, &s, payload.data(), &error), -1);
  EXPECT_STREQ(error.message, "profile2_max 1048576 does not fit CongestionPortProfileSettings, which has 20 bits");
}

TEST(NvidiaWire, Sl0HasTheTwoMostSignificantBitsOfTheMapping) {
  ccp_congestion_sl_mapping_settings s{};
  s.sl_profile[0] = 3;
  EXPECT_EQ(Pack(CCP_CONGESTION_SL_MAPPING_SETTINGS, s), PayloadOf({{0, 0xC0}}));
  s = {};
  s.sl_profile[15] = 2;
  EXPECT_EQ(Pack(CCP_CONGESTION_SL_MAPPING_SETTINGS, s), PayloadOf({{3, 0x02}}));
  s = {};
  s.sl_profile[1] = 1, s.sl_profile[5] = 2;
  EXPECT_EQ(Pack(CCP_CONGESTION_SL_MAPPING_SETTINGS, s), PayloadOf({{0, 0x10}, {1, 0x20}}));
}

TEST(NvidiaWire, HcaGeneralSettingsByteByByte) {
  EXPECT_EQ(Pack(CCP_CONGESTION_HCA_GENERAL_SETTINGS, ccp_congestion_hca_general_settings{.en_notify = true}),
            PayloadOf({{0, 0x80}}));
  EXPECT_EQ(Pack(CCP_CONGESTION_HCA_GENERAL_SETTINGS, ccp_congestion_hca_general_settings{.en_react = true}),
            PayloadOf({{0, 0x40}}));
  EXPECT_EQ(Pack(CCP_CONGESTION_HCA_GENERAL_SETTINGS, ccp_congestion_hca_general_settings{.en_cc_per_plane = true}),
            PayloadOf({{0, 0x20}}));
}

// The header's getters compare a number in the host's order with a mask in the network's, so a reader that copied them would be wrong.
TEST(NvidiaWire, TheClampBitsAreTheTwoMostSignificantOfByte0) {
  using Rp = ccp_congestion_hca_rp_parameters;
  EXPECT_EQ(Pack(CCP_CONGESTION_HCA_RP_PARAMETERS, Rp{.clamp_tgt_rate = true}), PayloadOf({{0, 0x80}}));
  EXPECT_EQ(Pack(CCP_CONGESTION_HCA_RP_PARAMETERS, Rp{.clamp_tgt_rate_after_time_inc = true}), PayloadOf({{0, 0x40}}));
  const auto back = Unpack<Rp>(CCP_CONGESTION_HCA_RP_PARAMETERS, PayloadOf({{0, 0x40}, {3, 0xC0}}));
  EXPECT_FALSE(back.clamp_tgt_rate);
  EXPECT_TRUE(back.clamp_tgt_rate_after_time_inc);
}

TEST(NvidiaWire, RpParametersByteByByte) {
  const ccp_congestion_hca_rp_parameters s{.rpg_time_reset = 0x1FFFE,
                                           .rpg_byte_reset = 0x7FFFD,
                                           .rpg_threshold = 0x1C,
                                           .rpg_max_rate = 0x7FFFB,
                                           .rpg_ai_rate = 0xFFFA,
                                           .rpg_hai_rate = 0xFFF9,
                                           .rpg_gd = 0xB,
                                           .rpg_min_dec_fac = 50,
                                           .rpg_min_rate = 0x7FFF8,
                                           .rate_to_set_on_first_cnp = 0xFFFFFFF7,
                                           .dce_tcp_g = 0x3FB,
                                           .dce_tcp_rtt = 0x1FFF6,
                                           .rate_reduce_monitor_period = 0xFFFFFFF5,
                                           .initial_alpha_value = 0x3F4};
  const Bytes expected = {0,    0,    0,    0,      // clamps
                          0,    0x01, 0xFF, 0xFE,   // rpg_time_reset
                          0,    0x07, 0xFF, 0xFD,   // rpg_byte_reset
                          0,    0,    0,    0x1C,   // rpg_threshold
                          0,    0x07, 0xFF, 0xFB,   // rpg_max_rate
                          0,    0,    0xFF, 0xFA,   // rpg_ai_rate
                          0,    0,    0xFF, 0xF9,   // rpg_hai_rate
                          0,    0,    0,    0x0B,   // rpg_gd
                          0,    0,    0,    50,     // rpg_min_dec_fac
                          0,    0x07, 0xFF, 0xF8,   // rpg_min_rate
                          0xFF, 0xFF, 0xFF, 0xF7,   // rate_to_set_on_first_cnp
                          0,    0,    0x03, 0xFB,   // dce_tcp_g
                          0,    0x01, 0xFF, 0xF6,   // dce_tcp_rtt
                          0xFF, 0xFF, 0xFF, 0xF5,   // rate_reduce_monitor_period
                          0,    0,    0x03, 0xF4};  // initial_alpha_value
  const Bytes packed = Pack(CCP_CONGESTION_HCA_RP_PARAMETERS, s);
  ASSERT_EQ(expected.size(), 60u);
  EXPECT_EQ(Bytes(packed.begin(), packed.begin() + 60), expected);
  EXPECT_EQ(Bytes(packed.begin() + 60, packed.end()), Bytes(132));
}

// 19 bits of Mb/s: 400 Gb/s fit, 800 Gb/s do not.
TEST(NvidiaWire, ARateHas19Bits) {
  ccp_congestion_hca_rp_parameters s{.rpg_max_rate = 400000};
  Bytes payload = Pack(CCP_CONGESTION_HCA_RP_PARAMETERS, s);
  s.rpg_max_rate = 800000;
  ccp_error error{};
  EXPECT_EQ(ccp_pack(CCP_CONGESTION_HCA_RP_PARAMETERS, &s, payload.data(), &error), -1);
  EXPECT_STREQ(error.message, "rpg_max_rate 800000 does not fit CongestionHCARPParameters, which has 19 bits");
}

TEST(NvidiaWire, NpParametersByteByByte) {
  const ccp_congestion_hca_np_parameters s{
      .min_time_between_cnps = 0x0102, .cnp_sl_mode = true, .rtt_sl_mode = false, .rtt_resp_sl = 0xA, .cnp_sl = 0xB};
  EXPECT_EQ(Pack(CCP_CONGESTION_HCA_NP_PARAMETERS, s), PayloadOf({{2, 1}, {3, 2}, {5, 0x01}, {6, 0x0A}, {7, 0x0B}}));
  EXPECT_EQ(Pack(CCP_CONGESTION_HCA_NP_PARAMETERS, ccp_congestion_hca_np_parameters{.rtt_sl_mode = true}),
            PayloadOf({{5, 0x02}}));
}

TEST(NvidiaWire, AlgorithmsAndParametersByteByByte) {
  ccp_congestion_hca_algo_config_support list{.algo_status = true, .counters_en = true, .encap_len = 64, .encap_type = 2};
  list.algorithms[0] = {.algo_id = 0x0102, .major = 3, .minor = 4};
  list.algorithms[15] = {.algo_id = 0x0506, .major = 7, .minor = 8};
  const std::map<unsigned, unsigned> bytes = {{0, 0x50}, {6, 64}, {7, 2},  {16, 1}, {17, 2}, {18, 3},
                                              {19, 4},   {76, 5}, {77, 6}, {78, 7}, {79, 8}};
  EXPECT_EQ(Pack(CCP_CONGESTION_HCA_ALGO_CONFIG_SUPPORT, list), PayloadOf(bytes));
  // The other form of the attribute has the same bytes.
  const auto raw = Unpack<ccp_congestion_hca_algo_config>(CCP_CONGESTION_HCA_ALGO_CONFIG, PayloadOf(bytes));
  EXPECT_EQ(raw.encapsulation[60], 5);
  EXPECT_EQ(Pack(CCP_CONGESTION_HCA_ALGO_CONFIG, raw), PayloadOf(bytes));

  ccp_congestion_hca_algo_config text{.trace_en = true, .encap_len = 3, .encap_type = CCP_PPCC_ENCAP_TEXT};
  std::memcpy(text.encapsulation, "RTT", 3);
  EXPECT_EQ(Pack(CCP_CONGESTION_HCA_ALGO_CONFIG, text), PayloadOf({{0, 0x20}, {6, 3}, {7, 1}, {16, 'R'}, {17, 'T'}, {18, 'T'}}));

  ccp_congestion_hca_algo_config_params params{.encap_len = 176, .encap_type = 2};
  params.parameters[43] = 0x01020304;
  EXPECT_EQ(Pack(CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS, params),
            PayloadOf({{6, 176}, {7, 2}, {188, 1}, {189, 2}, {190, 3}, {191, 4}}));
}

TEST(NvidiaWire, AnyBytesRoundTripWithoutReservedBits) {
  std::mt19937 random(1);
  for (const unsigned id : kNvidiaAttributes) {
    for (int i = 0; i < 200; ++i) {
      Bytes payload(CCP_ATTRIBUTE_BYTES), packed(CCP_ATTRIBUTE_BYTES), again(CCP_ATTRIBUTE_BYTES);
      for (std::uint8_t& byte : payload) byte = static_cast<std::uint8_t>(random());
      alignas(8) unsigned char host[256] = {}, host2[256] = {};
      const auto attribute = static_cast<ccp_attribute_id>(id);
      ASSERT_EQ(ccp_unpack(attribute, payload.data(), host), 0);
      ASSERT_EQ(ccp_pack(attribute, host, packed.data(), nullptr), 0);
      for (unsigned b = 0; b < CCP_ATTRIBUTE_BYTES; ++b) ASSERT_EQ(packed[b] & ~payload[b], 0) << b;
      ASSERT_EQ(ccp_unpack(attribute, packed.data(), host2), 0);
      ASSERT_EQ(ccp_pack(attribute, host2, again.data(), nullptr), 0);
      ASSERT_EQ(packed, again);
      ASSERT_EQ(std::memcmp(host, host2, sizeof(host)), 0);
    }
  }
}

TEST(NvidiaWire, DumpNamesTheFieldsAsNvidiasToolsDo) {
  ccp_congestion_port_profile_settings s{.vl_mask = 0xFFFF};
  s.profiles[2].percent = 20;
  const Bytes payload = Pack(CCP_CONGESTION_PORT_PROFILE_SETTINGS, s);
  std::string text(1000, '\0');
  text.resize(ccp_wire_dump(CCP_CONGESTION_PORT_PROFILE_SETTINGS, payload.data(), text.data(), text.size()));
  EXPECT_EQ(text.find("mode: 0\ngranularity: 0\nvl_mask: 65535\nprofile1_min: 0\n"), 0u) << text;
  EXPECT_NE(text.find("profile3_min: 0\nprofile3_percent: 20\nprofile3_max: 0\n"), std::string::npos) << text;
}

}  // namespace
