// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// One device against one agent: what it is sent, in which order, and what is made of the answers.
#include "devices/device.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ccpolicy/reader.h"
#include "ccpolicy/resolve.h"
#include "devices/device_items.h"
#include "devices/item_list.h"
#include "fake_agent.hpp"

namespace {

using ibcc_test::Data;
using ibcc_test::FakeAgent;
using ibcc_test::Key;

constexpr const char* kProfile =
    "ibcc_profile: 1\nname: t\nlink: {rate_gbps: 16, mtu_bytes: 2048}\n"
    "switch: {threshold: 15, marking_rate: 1, packet_size: 8, victim_mask: ca_ports}\n"
    "ca: {level: qp, sls: [0], ccti_timer: 150, ccti_increase: 1, ccti_min: 0, trigger_threshold: 2}\n"
    "cct: {ccti_limit: 127, curve: {kind: power, full_scale_us: 7, at_index: 106, exponent: 2}}\n";
constexpr const char* kOverride = "overrides: [{match: {role: switch, ports: ca_ports}, switch: {threshold: 7}}]\n";

// A switch with 40 ports and a host at port 1.
struct Tables {
  explicit Tables(const std::string& text) {
    ccp_error error{};
    ccp_profile* profile = ccp_profile_read(text.data(), text.size(), &error);
    EXPECT_NE(profile, nullptr) << error.message;
    peers[1] = 0;
    const ccp_fabric_node nodes[] = {{0x10, "H1", CCP_NODE_HOST, 1, host_peers}, {0x20, "S1", CCP_NODE_SWITCH, 40, peers.data()}};
    const ccp_fabric_view view{2, nodes};
    tables = ccp_resolve(profile, &view, &error);
    EXPECT_NE(tables, nullptr) << error.message;
    ccp_profile_destroy(profile);
  }
  Tables(const Tables&) = delete;
  Tables& operator=(const Tables&) = delete;
  ~Tables() { ccp_tables_destroy(tables); }

  std::vector<uint32_t> peers = std::vector<uint32_t>(41, CCP_NO_PEER);
  uint32_t host_peers[2] = {CCP_NO_PEER, 1};
  ccp_tables* tables = nullptr;
};

class Device : public ::testing::Test {
 protected:
  ~Device() override {
    ibcc_device_clear_items(&device_, pool_);
    EXPECT_EQ(ibcc_payload_pool_count(pool_), 0u) << "a hold was lost";
    ibcc_payload_pool_destroy(pool_);
  }

  void Want(ibcc_device_kind kind, const std::string& text) {
    const Tables resolved(text);
    device_.kind = kind;
    device_.present = true;
    ASSERT_EQ(ibcc_device_set_wanted(&device_, pool_, kind == IBCC_SWITCH ? resolved.tables->switches : nullptr,
                                     kind == IBCC_CA ? resolved.tables->cas : nullptr),
              0);
  }
  // Asks until there is nothing to ask; the requests as text.
  std::vector<std::string> Run(ibcc_work work, uint32_t pass) {
    std::vector<std::string> sent;
    ibcc_request request;
    findings_ = {};
    while (sent.size() < 100 && ibcc_device_next(&device_, work, pass, &request)) {
      sent.push_back((request.method == IBCC_SET ? "Set " : "Get ") + std::string(ccp_find_attribute(request.attribute)->name) +
                     " " + std::to_string(request.modifier));
      device_.in_flight = true;
      Give(request, pass);
    }
    return sent;
  }
  void Give(const ibcc_request& request, uint32_t pass) {
    Data data{};
    std::copy(std::begin(request.data), std::end(request.data), data.begin());
    ibcc_result result{IBCC_TIMED_OUT, 0, nullptr, tries_};
    if (answers_) {
      result.outcome = IBCC_ANSWERED;
      result.status = agent_.Answer(request.method, request.attribute, request.modifier, data);
      result.data = data.data();
    }
    ibcc_device_findings findings;
    ibcc_device_handle_result(&device_, pool_, pass, &request, &result, now_ns_, &findings);
    findings_.probed |= findings.probed;
    findings_.applied |= findings.applied;
    findings_.drifted |= findings.drifted;
    findings_.failed |= findings.failed;
  }
  std::string State() { return ibcc_device_states[ibcc_device_state(&device_)].name; }

  ibcc_payload_pool* pool_ = ibcc_payload_pool_create();
  ibcc_device device_{};
  FakeAgent agent_;
  bool answers_ = true;
  uint32_t tries_ = 1;  // of each request
  std::int64_t now_ns_ = 1;
  ibcc_device_findings findings_{};
};

using Sent = std::vector<std::string>;

TEST_F(Device, AdaptersAreProbedThenSetTheirSettingBeforeTheirTable) {
  Want(IBCC_CA, kProfile);
  EXPECT_EQ(State(), "unknown");
  EXPECT_EQ(Run(IBCC_WORK_SET, 1), Sent{}) << "what is not probed is not set";
  EXPECT_EQ(Run(IBCC_WORK_PROBE, 1), (Sent{"Get CongestionInfo 0", "Get ClassPortInfo 0"}));
  EXPECT_TRUE(findings_.probed);
  EXPECT_EQ(Run(IBCC_WORK_SET, 1),
            (Sent{"Set CACongestionSetting 0", "Set CongestionControlTable 0", "Set CongestionControlTable 1"}));
  EXPECT_TRUE(findings_.applied);
  EXPECT_EQ(State(), "applied");
  EXPECT_EQ(Run(IBCC_WORK_SET, 2), Sent{}) << "only differences are sent";
  EXPECT_EQ(Run(IBCC_WORK_READ, 2),
            (Sent{"Get CACongestionSetting 0", "Get CongestionControlTable 0", "Get CongestionControlTable 1"}));
  EXPECT_EQ(Run(IBCC_WORK_READ, 2), Sent{}) << "once a pass";
  EXPECT_FALSE(findings_.drifted);
}

// A slot is read SL by SL, and what was read before a silence may be otherwise after it.
TEST_F(Device, AReadingOfSlsThatWasInterruptedBeginsAnew) {
  const ccp_congestion_hca_algo_config on{.algo_en = true, .sl_bitmask = 7};
  ibcc_item_list list{};
  list.pool = pool_;
  ibcc_item_list_add(&list, CCP_CONGESTION_HCA_ALGO_CONFIG, 0, on.sl_bitmask, &on);
  device_.kind = IBCC_CA;
  device_.present = true;
  device_.support = IBCC_SUPPORTED;
  device_.items = list.items;
  device_.num_items = list.count;
  agent_.nvidia.is_there = true;
  agent_.nvidia.ver1 = true;
  agent_.held[{CCP_CONGESTION_HCA_ALGO_CONFIG, 0}] =
      ibcc_test::Packed(CCP_CONGESTION_HCA_ALGO_CONFIG, ccp_congestion_hca_algo_config{.algo_en = true, .sl_bitmask = 1});
  ibcc_request request{};
  const auto sls = [&] {
    ccp_congestion_hca_algo_config asked{};
    EXPECT_TRUE(ibcc_device_next(&device_, IBCC_WORK_READ, device_.failed_pass + 1, &request));
    EXPECT_EQ(ccp_unpack(CCP_CONGESTION_HCA_ALGO_CONFIG, request.data, &asked), 0);
    return asked.sl_bitmask;
  };
  ASSERT_EQ(sls(), 1U);
  Give(request, 1);
  ASSERT_EQ(sls(), 2U);
  answers_ = false;
  Give(request, 1);
  EXPECT_EQ(sls(), 1U);
}

TEST_F(Device, SwitchesPortsAreSetOnlyWhereTheyAreWantedOrHeld) {
  Want(IBCC_SWITCH, kProfile);
  EXPECT_EQ(Run(IBCC_WORK_PROBE, 1), (Sent{"Get CongestionInfo 0", "Get ClassPortInfo 0", "Get SwitchPortCongestionSetting 0",
                                           "Get SwitchPortCongestionSetting 1"}));
  EXPECT_EQ(Run(IBCC_WORK_SET, 1), Sent{"Set SwitchCongestionSetting 0"});
  Want(IBCC_SWITCH, std::string(kProfile) + kOverride);
  EXPECT_EQ(Run(IBCC_WORK_SET, 2), Sent{"Set SwitchPortCongestionSetting 0"});
  Want(IBCC_SWITCH, kProfile);
  EXPECT_EQ(Run(IBCC_WORK_SET, 3), Sent{"Set SwitchPortCongestionSetting 0"}) << "taken back";
  EXPECT_EQ(State(), "applied");
}

TEST_F(Device, SwitchesWithoutPortSettingsNeedThemOnlyForOverrides) {
  agent_.unsupported = {CCP_SWITCH_PORT_CONGESTION_SETTING};
  Want(IBCC_SWITCH, kProfile);
  Run(IBCC_WORK_PROBE, 1);
  Run(IBCC_WORK_SET, 1);
  EXPECT_EQ(State(), "applied");
  Want(IBCC_SWITCH, std::string(kProfile) + kOverride);
  EXPECT_EQ(Run(IBCC_WORK_SET, 2), Sent{"Set SwitchPortCongestionSetting 0"});
  EXPECT_EQ(State(), "refused");
  EXPECT_EQ(Run(IBCC_WORK_SET, 2), Sent{}) << "once a pass";
  EXPECT_EQ(Run(IBCC_WORK_SET, 3), Sent{"Set SwitchPortCongestionSetting 0"}) << "it may take it now";
  Want(IBCC_SWITCH, kProfile);
  EXPECT_EQ(Run(IBCC_WORK_SET, 4), Sent{});
  EXPECT_EQ(State(), "applied");
}

// "As of" is when it last told its values: a Set that it refuses tells none, unless it never told any.
TEST_F(Device, ARefusalSaysNothingAboutTheHeldValues) {
  Want(IBCC_CA, kProfile);
  Run(IBCC_WORK_PROBE, 1);
  agent_.refuses[{CCP_CA_CONGESTION_SETTING, 0}] = IBCC_STATUS_BAD_FIELD;
  now_ns_ = 100;
  Run(IBCC_WORK_SET, 1);
  EXPECT_EQ(State(), "refused");
  EXPECT_EQ(ibcc_device_seen_ns(&device_), 100);
  agent_.refuses.clear();
  now_ns_ = 200;
  Run(IBCC_WORK_SET, 2);
  Run(IBCC_WORK_READ, 2);
  EXPECT_EQ(State(), "applied");
  EXPECT_EQ(ibcc_device_seen_ns(&device_), 200);
  std::string other = kProfile;
  other.replace(other.find("ccti_increase: 1"), 16, "ccti_increase: 2");
  other.replace(other.find("full_scale_us: 7"), 16, "full_scale_us: 9");
  Want(IBCC_CA, other);
  for (const auto& [key, data] : agent_.held) agent_.refuses[key] = IBCC_STATUS_BAD_FIELD;
  now_ns_ = 300;
  EXPECT_EQ(Run(IBCC_WORK_SET, 3).size(), 3u);
  EXPECT_EQ(State(), "refused");
  EXPECT_EQ(ibcc_device_seen_ns(&device_), 200);
}

TEST_F(Device, WithoutTheClassItIsShownAndLeftAlone) {
  agent_.supports_class = false;
  Want(IBCC_CA, kProfile);
  Run(IBCC_WORK_PROBE, 1);
  EXPECT_EQ(State(), "unsupported");
  EXPECT_EQ(device_.refusal, IBCC_STATUS_BAD_VERSION);
  EXPECT_EQ(Run(IBCC_WORK_PROBE, 2), Sent{});
  EXPECT_EQ(Run(IBCC_WORK_SET, 2), Sent{});
  agent_.supports_class = true;
  ibcc_device_forget(&device_, pool_);
  Run(IBCC_WORK_PROBE, 3);
  Run(IBCC_WORK_SET, 3);
  EXPECT_EQ(State(), "applied") << "tried again when it returns";
}

TEST_F(Device, ThatIsSilentIsAskedOncePerPass) {
  answers_ = false;
  Want(IBCC_CA, kProfile);
  EXPECT_EQ(Run(IBCC_WORK_PROBE, 1).size(), 1u);
  EXPECT_EQ(State(), "timing-out");
  EXPECT_FALSE(findings_.failed) << "it never answered, so nothing has become worse";
  answers_ = true;
  EXPECT_EQ(Run(IBCC_WORK_PROBE, 2).size(), 2u);
  answers_ = false;
  EXPECT_EQ(Run(IBCC_WORK_SET, 3).size(), 1u);
  EXPECT_TRUE(findings_.failed);
  EXPECT_EQ(State(), "timing-out");
  answers_ = true;
  EXPECT_EQ(Run(IBCC_WORK_SET, 4).size(), 3u);
  EXPECT_EQ(State(), "applied");
}

TEST_F(Device, ThatClampsIsNotSentTheSameAgain) {
  agent_.clamp = [](Key key, Data& data) {
    if (key.first == CCP_SWITCH_CONGESTION_SETTING) data[75] = 7;  // Marking_Rate
  };
  Want(IBCC_SWITCH, kProfile);
  Run(IBCC_WORK_PROBE, 1);
  EXPECT_EQ(Run(IBCC_WORK_SET, 1).size(), 1u);
  EXPECT_EQ(State(), "clamped");
  EXPECT_EQ(Run(IBCC_WORK_SET, 2), Sent{});
  Run(IBCC_WORK_READ, 3);
  EXPECT_FALSE(findings_.drifted) << "it holds what it said it would";
  EXPECT_EQ(State(), "clamped");
}

TEST_F(Device, ThatAnswersWithWhatItWasSentButHoldsOtherValuesIsClampedAfterOneRepair) {
  Want(IBCC_SWITCH, kProfile);
  Run(IBCC_WORK_PROBE, 1);
  Run(IBCC_WORK_SET, 1);
  const Key key{CCP_SWITCH_CONGESTION_SETTING, 0};
  const auto lose = [&] { agent_.held[key][75] = 9; };
  lose();
  Run(IBCC_WORK_READ, 2);
  EXPECT_TRUE(findings_.drifted);
  EXPECT_EQ(State(), "drifted");
  // The agent loses it again between the Set and the Get.
  ibcc_request request;
  ASSERT_TRUE(ibcc_device_next(&device_, IBCC_WORK_SET, 3, &request));
  Give(request, 3);
  lose();
  EXPECT_EQ(Run(IBCC_WORK_SET, 3), Sent{"Get SwitchCongestionSetting 0"}) << "a repair is read back";
  EXPECT_EQ(State(), "clamped");
  EXPECT_EQ(Run(IBCC_WORK_SET, 4), Sent{}) << "and not repeated for ever";
}

TEST_F(Device, DriftIsRepairedAndAReadingOfTheWantedValueIsNone) {
  Want(IBCC_SWITCH, kProfile);
  Run(IBCC_WORK_PROBE, 1);
  Run(IBCC_WORK_SET, 1);
  agent_.Reset();
  Run(IBCC_WORK_READ, 2);
  EXPECT_TRUE(findings_.drifted);
  EXPECT_EQ(device_.drifts, 1u);
  EXPECT_EQ(Run(IBCC_WORK_SET, 2), (Sent{"Set SwitchCongestionSetting 0", "Get SwitchCongestionSetting 0"}));
  EXPECT_TRUE(findings_.applied);
  EXPECT_EQ(State(), "applied");
}

TEST_F(Device, TableIsCutToTheRoomThatThereIs) {
  agent_.control_table_cap = 1;
  Want(IBCC_CA, kProfile);
  Run(IBCC_WORK_PROBE, 1);
  Want(IBCC_CA, kProfile);  // as whoever is told that it was probed does
  EXPECT_EQ(Run(IBCC_WORK_SET, 1), (Sent{"Set CACongestionSetting 0", "Set CongestionControlTable 0"}));
  EXPECT_EQ((agent_.held[{CCP_CONGESTION_CONTROL_TABLE, 0}][1]), 63) << "CCTI_Limit";
  EXPECT_EQ(State(), "clamped");
}

TEST_F(Device, RefusedValueIsShownAndTheRestIsSet) {
  agent_.refuses[{CCP_CONGESTION_CONTROL_TABLE, 1}] = IBCC_STATUS_BAD_FIELD;
  Want(IBCC_CA, kProfile);
  Run(IBCC_WORK_PROBE, 1);
  EXPECT_EQ(Run(IBCC_WORK_SET, 1).size(), 3u);
  EXPECT_EQ(State(), "refused");
  EXPECT_EQ(device_.items[2].refusal, IBCC_STATUS_BAD_FIELD);
}

TEST_F(Device, BusyForGoodIsNoAnswer) {
  Want(IBCC_CA, kProfile);
  Run(IBCC_WORK_PROBE, 1);
  agent_.refuses[{CCP_CA_CONGESTION_SETTING, 0}] = IBCC_STATUS_BUSY;
  EXPECT_EQ(Run(IBCC_WORK_SET, 1).size(), 1u);
  EXPECT_EQ(State(), "timing-out");
}

TEST_F(Device, AnswersFromBeforeItWasForgottenDoNotCount) {
  Want(IBCC_CA, kProfile);
  Run(IBCC_WORK_PROBE, 1);
  ibcc_request request;
  ASSERT_TRUE(ibcc_device_next(&device_, IBCC_WORK_SET, 1, &request));
  device_.in_flight = true;
  ibcc_device_forget(&device_, pool_);
  Give(request, 1);
  EXPECT_FALSE(device_.in_flight);
  EXPECT_EQ(device_.items[0].held, nullptr);
}

TEST_F(Device, ThatDidNotAnswerASetMayHoldEitherAndIsSetAgain) {
  Want(IBCC_SWITCH, kProfile);
  Run(IBCC_WORK_PROBE, 1);
  Run(IBCC_WORK_SET, 1);
  Want(IBCC_SWITCH, std::string(kProfile) + kOverride);
  answers_ = false;
  EXPECT_EQ(Run(IBCC_WORK_SET, 2).size(), 1u);
  Want(IBCC_SWITCH, kProfile);  // which it held before, and perhaps does not hold any more
  answers_ = true;
  Run(IBCC_WORK_PROBE, 3);
  Run(IBCC_WORK_SET, 3);
  EXPECT_EQ(State(), "applied");
  EXPECT_NE(device_.items[1].held, nullptr);
}

TEST_F(Device, ThatRefusesAFurtherTryMayHaveTakenTheOneBefore) {
  Want(IBCC_CA, kProfile);
  Run(IBCC_WORK_PROBE, 1);
  Run(IBCC_WORK_SET, 1);
  const Key setting{CCP_CA_CONGESTION_SETTING, 0};
  const Data before = agent_.held[setting];
  std::string other = kProfile;
  Want(IBCC_CA, other.replace(other.find("150"), 3, "151"));
  ibcc_request request;
  ASSERT_TRUE(ibcc_device_next(&device_, IBCC_WORK_SET, 2, &request));
  Data taken;
  std::copy(std::begin(request.data), std::end(request.data), taken.begin());
  agent_.held[setting] = taken;
  agent_.refuses[setting] = IBCC_STATUS_BAD_FIELD;
  tries_ = 2;
  Give(request, 2);
  agent_.refuses.clear();
  Want(IBCC_CA, kProfile);
  EXPECT_FALSE(ibcc_device_is_settled(&device_));
  Run(IBCC_WORK_SET, 3);
  EXPECT_EQ(agent_.held[setting], before);
}

TEST_F(Device, ThatWasSilentIsAskedAlsoIfNothingIsToBeSet) {
  Want(IBCC_SWITCH, kProfile);
  Run(IBCC_WORK_PROBE, 1);
  Run(IBCC_WORK_SET, 1);
  answers_ = false;
  Run(IBCC_WORK_READ, 2);
  EXPECT_EQ(State(), "timing-out");
  answers_ = true;
  EXPECT_EQ(Run(IBCC_WORK_PROBE, 3), Sent{"Get CongestionInfo 0"});
  EXPECT_EQ(State(), "applied");
}

TEST_F(Device, WhatDoesNotCountIsNotCompared) {
  Want(IBCC_CA, kProfile);
  Run(IBCC_WORK_PROBE, 1);
  Run(IBCC_WORK_SET, 1);
  agent_.held[{CCP_CA_CONGESTION_SETTING, 0}][4 + 8 * 5] = 1;  // CCTI_Timer of SL 5, which is not in the Control_Map
  agent_.held[{CCP_CA_CONGESTION_SETTING, 0}][4 + 5] = 0xFF;   // reserved
  agent_.held[{CCP_CONGESTION_CONTROL_TABLE, 1}][2] = 0xFF;    // reserved
  Run(IBCC_WORK_READ, 2);
  EXPECT_FALSE(findings_.drifted);
  agent_.held[{CCP_CA_CONGESTION_SETTING, 0}][4] = 1;
  Run(IBCC_WORK_READ, 3);
  EXPECT_TRUE(findings_.drifted);
}

}  // namespace
