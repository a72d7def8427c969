// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <map>
#include <set>

#include "emulator/agents/cca/nvidia.hpp"

namespace ccsim::emulator {
namespace cca_nvidia_dialects_test {

using testing::Ask;
using testing::Asked;
using testing::NvidiaSubnet;
using testing::Read;
using testing::SmallSubnet;
using Ids = std::set<std::uint16_t>;

const Ids kAny{CCP_CLASS_PORT_INFO, CCP_CONGESTION_KEY_INFO};
const Ids kA10OfAny{CCP_CONGESTION_INFO, CCP_CONGESTION_LOG_SWITCH & 0xFFFF, CCP_TIMESTAMP};
const Ids kA10OfSwitch{CCP_SWITCH_CONGESTION_SETTING, CCP_SWITCH_PORT_CONGESTION_SETTING};
const Ids kA10OfCa{CCP_CA_CONGESTION_SETTING, CCP_CONGESTION_CONTROL_TABLE};
const Ids kOfSwitch{0xFF00, 0xFF08, 0xFF09, 0xFF10};
const Ids kOfCa{0xFF00, 0xFF20, 0xFF22};
const Ids kDcqcn{0xFF21};
const Ids kPpcc{0xFF24, 0xFF25};

Ids All(std::initializer_list<Ids> parts) {
  Ids all;
  for (const Ids& part : parts) all.insert(part.begin(), part.end());
  return all;
}

Ids Answered(NvidiaSubnet& s, Place at, std::uint16_t port) {
  Ids found;
  for (const std::uint16_t id :
       All({kAny, kA10OfAny, kA10OfSwitch, kA10OfCa, kOfSwitch, kOfCa, kDcqcn, kPpcc, {0xFF23, 0xFF26}})) {
    const Asked asked = s.Get(at, id, id == 0xFF09 || id == 0xFF10 ? port : 0);
    EXPECT_TRUE(asked.answered) << id;
    EXPECT_TRUE(asked.status == kOk || asked.status == kUnsupportedMethodAttribute) << id << ": " << asked.status;
    if (asked.status == kOk) found.insert(id);
  }
  return found;
}

TEST(NvidiaDialects, EachHasItsAttributes) {
  const struct {
    CcDialect dialect;
    Ids of_switch, of_ca;
  } rows[]{
      {CcDialect::A10, All({kAny, kA10OfAny, kA10OfSwitch}), All({kAny, kA10OfAny, kA10OfCa})},
      {CcDialect::NvidiaDcqcn, All({kAny, kOfSwitch}), All({kAny, kOfCa, kDcqcn})},
      {CcDialect::NvidiaPpcc, All({kAny, kOfSwitch}), All({kAny, kOfCa, kPpcc})},
      {CcDialect::Both, All({kAny, kA10OfAny, kA10OfSwitch, kOfSwitch}), All({kAny, kA10OfAny, kA10OfCa, kOfCa, kDcqcn, kPpcc})},
      {CcDialect::None, {}, {}},
  };
  for (const auto& row : rows) {
    NvidiaSubnet s(row.dialect);
    EXPECT_EQ(Answered(s, SmallSubnet::kAtSwitch, 36), row.of_switch) << NameOf(row.dialect);
    EXPECT_EQ(Answered(s, SmallSubnet::kAtHost2, 1), row.of_ca) << NameOf(row.dialect);
  }
}

TEST(NvidiaDialects, EnhancedCongestionInfoHasVersionsAndCapabilities) {
  const struct {
    CcDialect dialect;
    bool ver0, ver1;
    std::uint64_t capabilities;
  } rows[]{{CcDialect::NvidiaDcqcn, true, false, 0x10},
           {CcDialect::NvidiaPpcc, false, true, 0x14},
           {CcDialect::Both, true, true, 0x14}};
  for (const auto& row : rows) {
    NvidiaSubnet s(row.dialect);
    const auto at_host = Read<ccp_enhanced_congestion_info>(CCP_ENHANCED_CONGESTION_INFO, s.Get(SmallSubnet::kAtHost1, 0xFF00));
    EXPECT_EQ(at_host.ver0, row.ver0);
    EXPECT_EQ(at_host.ver1, row.ver1);
    EXPECT_EQ(at_host.cc_capability_mask, row.capabilities);
    const auto at_switch =
        Read<ccp_enhanced_congestion_info>(CCP_ENHANCED_CONGESTION_INFO, s.Get(SmallSubnet::kAtSwitch, 0xFF00));
    EXPECT_TRUE(at_switch.ver0);
    EXPECT_FALSE(at_switch.ver1);
    EXPECT_EQ(at_switch.cc_capability_mask, CCP_ENHANCED_CAP_GRANULARITY);
  }
  NvidiaSubnet s;
  s.SetFirmware(SmallSubnet::kHost, {.capability_mask = 0x2});
  EXPECT_EQ(s.Get(SmallSubnet::kAtHost1, 0xFF00).bytes(16),
            (std::vector<std::uint8_t>{0xC0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2}));
  EXPECT_EQ(s.Get(SmallSubnet::kAtHost1, 0xFF24).status, kUnsupportedMethodAttribute) << "the mask has no PPCC";
  EXPECT_EQ(s.Get(SmallSubnet::kAtHost1, 0xFF25).status, kUnsupportedMethodAttribute);
  EXPECT_EQ(s.Get(SmallSubnet::kAtRouter, 0xFF00).bytes(16), std::vector<std::uint8_t>(16, 0));
}

TEST(NvidiaDialects, OnlyTheRightKeyIsAnswered) {
  NvidiaSubnet s(CcDialect::NvidiaDcqcn);
  const auto key = testing::Packed(
      CCP_CONGESTION_KEY_INFO,
      ccp_congestion_key_info{.cc_key = 7, .cc_key_protect_bit = 1, .cc_key_lease_period = 0, .cc_key_violations = 0});
  EXPECT_EQ(Ask(s.subnet, SmallSubnet::kAtHost1, {.method = kSet, .attribute = CCP_CONGESTION_KEY_INFO, .data = key}).status,
            kOk);
  EXPECT_FALSE(Ask(s.subnet, SmallSubnet::kAtHost1, {.attribute = 0xFF20}).answered);
  EXPECT_FALSE(Ask(s.subnet, SmallSubnet::kAtHost1, {.attribute = 0xFF00, .key = 8}).answered);
  EXPECT_EQ(Ask(s.subnet, SmallSubnet::kAtHost1, {.attribute = 0xFF20, .key = 7}).status, kOk);
  EXPECT_EQ(s.subnet.device(SmallSubnet::kHost).cca.ports[1].key.violations, 2);
  EXPECT_EQ(Ask(s.subnet, SmallSubnet::kAtHost2, {.attribute = 0xFF20}).status, kOk) << "each port has a key";
}

TEST(NvidiaDialects, UnknownModifiersAreRefusedAndCounted) {
  NvidiaSubnet s;
  for (const std::uint16_t id : {0xFF00, 0xFF08, 0xFF09, 0xFF10})
    EXPECT_EQ(s.Get(SmallSubnet::kAtSwitch, id, 37).status, kInvalidField);
  for (const std::uint16_t id : {0xFF09, 0xFF10}) EXPECT_EQ(s.Get(SmallSubnet::kAtSwitch, id, 0).status, kInvalidField);
  for (const std::uint16_t id : {0xFF20, 0xFF21, 0xFF22, 0xFF24, 0xFF25}) {
    EXPECT_EQ(s.Get(SmallSubnet::kAtHost1, id, 2).status, kInvalidField);
    EXPECT_EQ(s.Get(SmallSubnet::kAtHost1, id, 2).status, kInvalidField);
  }
  const auto& rows = s.subnet.unknown_modifiers().rows();
  ASSERT_EQ(rows.size(), 11u);
  EXPECT_EQ(rows[0].node, SmallSubnet::kSwitch);
  EXPECT_EQ(rows[0].modifier, 37u);
  EXPECT_EQ(rows.back().attribute, 0xFF25);
  EXPECT_EQ(rows.back().count, 2u);
  for (std::uint32_t modifier = 0; modifier < 1000; ++modifier) s.Get(SmallSubnet::kAtHost1, 0xFF20, 100 + modifier);
  EXPECT_EQ(rows.size(), UnknownModifiers::kMaxRows);
}

TEST(NvidiaDialects, FirmwareCanMisleadASingleAnswer) {
  NvidiaSubnet s(CcDialect::A10);
  const std::vector<std::uint8_t> sent{1, 2, 3, 4};
  const auto ask = [&](NvidiaQuirk quirk, std::uint16_t attribute) {
    s.SetFirmware(SmallSubnet::kSwitch, {.quirk = quirk});
    return s.Get(SmallSubnet::kAtSwitch, attribute, 77, sent);
  };
  for (const std::uint16_t id : {0xFF00, 0xFF09, 0xFF21}) {
    EXPECT_EQ(ask(NvidiaQuirk::Echo, id).status, kOk);
    EXPECT_EQ(ask(NvidiaQuirk::Echo, id).bytes(4), sent);
    EXPECT_EQ(ask(NvidiaQuirk::Zeros, id).status, kOk);
    EXPECT_EQ(ask(NvidiaQuirk::Zeros, id).bytes(), std::vector<std::uint8_t>(192, 0));
    const Asked first = ask(NvidiaQuirk::Noise, id), second = ask(NvidiaQuirk::Noise, id);
    EXPECT_EQ(first.status, kOk);
    EXPECT_NE(first.bytes(), second.bytes());
    EXPECT_EQ(ask(NvidiaQuirk::None, id).status, kUnsupportedMethodAttribute);
  }
  EXPECT_NE(ask(NvidiaQuirk::Echo, CCP_SWITCH_CONGESTION_SETTING).bytes(4), sent) << "annex A10's attributes are as ever";
  EXPECT_FALSE(ask(NvidiaQuirk::Silent, CCP_CLASS_PORT_INFO).answered);
}

TEST(NvidiaDialects, AnswersOfTheFirstPortStandForAnyPort) {
  NvidiaSubnet s(CcDialect::NvidiaDcqcn);
  s.SetFirmware(SmallSubnet::kSwitch, {.quirk = NvidiaQuirk::FirstPort});
  EXPECT_EQ(s.Set(SmallSubnet::kAtSwitch, CCP_CONGESTION_PORT_PROFILE_SETTINGS, testing::Thresholds(1, 10, 20, 30), 5).status,
            kOk);
  for (const std::uint32_t port : {1u, 5u, 36u, 200u}) {
    const auto held = Read<ccp_congestion_port_profile_settings>(CCP_CONGESTION_PORT_PROFILE_SETTINGS,
                                                                 s.Get(SmallSubnet::kAtSwitch, 0xFF09, port));
    EXPECT_EQ(held.profiles[0].max, 20u) << port;
    EXPECT_EQ(s.Get(SmallSubnet::kAtSwitch, 0xFF10, port).status, kOk);
  }
}

}  // namespace cca_nvidia_dialects_test
}  // namespace ccsim::emulator
