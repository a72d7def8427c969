// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// NVIDIA's attributes: who is asked and when, what is tested before the first write, and what is never sent.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "manager_nvidia_support.hpp"

namespace ibcc_test {
namespace {

TEST_F(ManagerNvidia, IsNotAskedForAProfileWithoutIt) {
  Start(ProfileOf(1));
  const unsigned asked = Asked();  // as it is the first
  Restart();
  EXPECT_EQ(Asked(), asked);
  EXPECT_EQ(State(0), "applied");
  EXPECT_EQ(State(2), "unsupported");
  EXPECT_EQ(Dialect(0), "unknown") << "nobody has asked";
}

TEST_F(ManagerNvidia, BringsAMixedFabricToTheProfile) {
  Start(ProfileOf(1, "nvidia:\n" + std::string(kSwitch) + kDcqcn).replace(14, 1, "2"));
  for (unsigned node = 0; node < 7; ++node) EXPECT_EQ(State(node), "applied") << node << ": " << Withheld(node);
  EXPECT_EQ(Dialect(0), "a10");
  EXPECT_EQ(Dialect(1), "both");
  EXPECT_EQ(Dialect(2), "nvidia");
  EXPECT_EQ(fabric_.host(0).agent.held.at({CCP_CA_CONGESTION_SETTING, 0})[5], 150) << "annex A10's, as it has no other";
  EXPECT_EQ(fabric_.host(1).agent.held.at({CCP_CA_CONGESTION_SETTING, 0})[5], 0) << "cleared, as it obeys NVIDIA's";
  EXPECT_EQ(AiRate(1), 7U);
  EXPECT_EQ(AiRate(2), 7U);
  EXPECT_TRUE(Reacts(3));
  EXPECT_TRUE(IsMarking(5));
  for (unsigned port = 1; port <= 36; ++port)
    for (unsigned vl = 0; vl < 4; ++vl) EXPECT_EQ(Profile1(6, port, vl).max, 40U) << port << ", VL " << vl;
  // Adapters before switches, and what switches on comes last.
  const auto& sets = fabric_.log_of_sets;
  const auto first = std::find_if(sets.begin(), sets.end(), [](const std::string& one) { return one[0] == 's'; });
  EXPECT_TRUE(std::none_of(first, sets.end(), [](const std::string& one) { return one[0] == 'h'; }));
  EXPECT_EQ(sets.back(), "s6 65288");
}

// An update of firmware may add annex A10's attributes to a device that had NVIDIA's alone.
TEST_F(ManagerNvidia, AsksADeviceThatHasItAloneForAnnexA10sAgain) {
  fabric_.host(1).agent.has_a10 = false;
  Start(ProfileOf(1, "nvidia:\n" + std::string(kSwitch) + kDcqcn).replace(14, 1, "2"));
  ASSERT_EQ(Dialect(1), "nvidia");
  fabric_.host(1).agent.has_a10 = true;
  Apply(ProfileOf(1));
  EXPECT_EQ(Dialect(1), "both");
  EXPECT_EQ(State(1), "applied");
  EXPECT_EQ(fabric_.host(1).agent.held.at({CCP_CA_CONGESTION_SETTING, 0})[5], 150);
}

// Another profile came between a device's silence and the question that tells whether it is silent to all.
TEST_F(ManagerNvidia, ASilenceOfLongAgoSaysNothing) {
  const std::string with_nvidia = ProfileOf(1, "nvidia:\n" + std::string(kSwitch) + kDcqcn).replace(14, 1, "2");
  Start(ProfileOf(1));
  fabric_.host(1).agent.nvidia.quirk = Quirk::Silent;
  Begin(with_nvidia);
  ASSERT_TRUE(fabric_.Run(manager_, [this] { return Device(1).nvidia.state == IBCC_NVIDIA_SILENT; }, 30));
  EndTrial();
  fabric_.host(1).agent.nvidia.quirk = Quirk::None;
  Try(with_nvidia);
  EXPECT_EQ(Dialect(1), "both");
}

TEST_F(ManagerNvidia, SendsNothingWhenNothingHasChanged) {
  Start(Nvidia(std::string(kSwitch) + kPpcc));
  const std::uint64_t before = fabric_.mads;
  Sweep();
  EXPECT_EQ(fabric_.mads, before);
  const std::uint64_t sets = Sets();
  Verify();
  EXPECT_EQ(Sets(), sets);
  Restart();
  EXPECT_EQ(Sets(), sets) << "what devices hold was read";
  EXPECT_EQ(State(6), "applied");
}

TEST_F(ManagerNvidia, WithoutTheOptionItOnlyReads) {
  options_.nvidia_write = 0;
  Start(ProfileOf(1, "nvidia:\n" + std::string(kSwitch) + kDcqcn).replace(14, 1, "2"));
  Verify();
  EXPECT_EQ(State(2), "withheld");
  EXPECT_EQ(Withheld(6), "the plugin has no option --nvidia-write");
  EXPECT_EQ(State(0), "applied");
  EXPECT_EQ(fabric_.host(1).agent.held.at({CCP_CA_CONGESTION_SETTING, 0})[5], 150) << "annex A10's part is sent";
  EXPECT_EQ(fabric_.host(2).agent.sets, 0U);
  EXPECT_EQ(AiRate(2), 5U);
  ASSERT_NE(Device(2).items[0].held, nullptr) << "it is read";
  EXPECT_NE(Device(2).items[0].held, Device(2).items[0].wanted);
}

TEST_F(ManagerNvidia, ProbesAreTriedTwiceAndAreNoFailures) {
  for (auto& node : fabric_.nodes()) node.agent.nvidia.quirk = Quirk::Silent;
  options_.max_errors = 0;
  Start(ProfileOf(1, "nvidia:\n" + std::string(kDcqcn)).replace(14, 1, "2"));
  EXPECT_EQ(Dialect(0), "a10");
  EXPECT_EQ(State(0), "applied");
  EXPECT_EQ(State(2), "unsupported");
  EXPECT_EQ(Device(0).timeouts, 0U);
  EXPECT_STREQ(ibcc_manager_role_text(manager_), "master");
  EXPECT_EQ(ibcc_manager_mads(manager_).retried, 7U) << "one more try for each device";
}

// A pass waits for the firmware of devices, and nobody asks for that once OpenSM stops: the pass goes on without it.
TEST_F(ManagerNvidia, DevicesWhoseFirmwareIsNotComingAreSetAsOpenSmStops) {
  for (auto& node : fabric_.nodes()) node.tells_firmware = false;
  WriteProfile(Nvidia(std::string(kSwitch) + kDcqcn));
  Open();
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.Run(manager_, [this] { return fabric_.firmware_mads > 0; }));
  ibcc_inbox_content stop{};
  stop.notices = IBCC_NOTICE_STOP;
  ibcc_manager_handle_inbox(manager_, &stop);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(State(2), "applied") << Withheld(2);
  EXPECT_EQ(State(6), "applied") << Withheld(6);
}

TEST_F(ManagerNvidia, AnotherReadingOfTheVlIsFound) {
  for (auto& node : fabric_.nodes()) node.agent.nvidia.by_modifier = true;
  Start(
      Nvidia("  switch:\n    aqs_time: 4\n    aqs_weight: 3\n    thresholds:\n"
             "    - {vls: [0], unit: percent, profile1_max: 40}\n    - {vls: [2], unit: percent, profile1_max: 30}\n"));
  EXPECT_EQ(State(5), "applied") << Withheld(5);
  EXPECT_TRUE(Device(5).nvidia.facts.by_modifier);
  EXPECT_EQ(Profile1(5, 9, 0).max, 40U);
  EXPECT_EQ(Profile1(5, 9, 1).max, 0U);
  EXPECT_EQ(Profile1(5, 9, 2).max, 30U);
  Held(5, CCP_CONGESTION_PORT_PROFILE_SETTINGS, 1U << 16 | 9)[27] = 5;  // profile 3 of VL 1
  Verify();
  EXPECT_EQ(Device(5).drifts, 1U);
  EXPECT_EQ(Held(5, CCP_CONGESTION_PORT_PROFILE_SETTINGS, 1U << 16 | 9)[27], 0);
}

struct Fooled {
  const char* name;
  Quirk quirk;
  const char* of_switch;
  const char* of_adapter;
};

class ManagerNvidiaFooled : public ManagerNvidia, public ::testing::WithParamInterface<Fooled> {};

TEST_P(ManagerNvidiaFooled, IsReadAndNeverWritten) {
  for (auto& node : fabric_.nodes()) node.agent.nvidia.quirk = GetParam().quirk;
  Start(Nvidia(std::string(kSwitch) + kDcqcn));
  const auto expected = [](const char* fault) { return std::string("its answers cannot be trusted: ") + fault; };
  EXPECT_EQ(Withheld(6), expected(GetParam().of_switch));
  if (*GetParam().of_adapter != '\0') EXPECT_EQ(Withheld(2), expected(GetParam().of_adapter));
  EXPECT_EQ(State(6), "withheld");
  EXPECT_EQ(fabric_.nodes()[6].agent.sets, 0U);
  EXPECT_EQ(fabric_.host(2).agent.sets == 0, *GetParam().of_adapter != '\0');
  EXPECT_NE(log_.text.find(std::string("is only read: ") + GetParam().of_switch), std::string::npos) << log_.text;
  // An update of the firmware, which OpenSM's sweep sees, ends that; and so does a verification.
  for (auto& node : fabric_.nodes()) node.agent.nvidia.quirk = Quirk::None;
  Verify();
  EXPECT_EQ(State(6), "applied") << Withheld(6);
}

INSTANTIATE_TEST_SUITE_P(
    Firmwares, ManagerNvidiaFooled,
    ::testing::Values(Fooled{"Zeros", Quirk::Zeros, "CongestionSwitchGeneralSettings: a value is out of range",
                             "CongestionSwitchGeneralSettings: a Get of what it cannot have is answered"},
                      Fooled{"Echo", Quirk::Echo, "CongestionSwitchGeneralSettings: a value is out of range",
                             "CongestionSwitchGeneralSettings: a Get of what it cannot have is answered"},
                      Fooled{"Noise", Quirk::Noise, "EnhancedCongestionInfo: reserved bits are not zero",
                             "EnhancedCongestionInfo: reserved bits are not zero"},
                      Fooled{"FirstPort", Quirk::FirstPort,
                             "CongestionSLMappingSettings: a Get of what it cannot have is answered", ""},
                      Fooled{"Wavers", Quirk::Wavers, "CongestionSLMappingSettings: two Gets have different answers",
                             "CongestionHCARPParameters: two Gets have different answers"},
                      Fooled{"Reserved", Quirk::Reserved, "CongestionSwitchGeneralSettings: reserved bits are not zero",
                             "CongestionHCAGeneralSettings: reserved bits are not zero"}),
    [](const auto& one) { return one.param.name; });

TEST_F(ManagerNvidia, WhatADeviceCannotTakeIsNotSent) {
  fabric_.host(1).agent.nvidia.ver0 = false;
  fabric_.nodes()[5].agent.nvidia.capabilities = 0;
  fabric_.nodes()[6].agent.nvidia.buffer = 100'000;
  Start(
      Nvidia("  switch:\n    aqs_time: 4\n    aqs_weight: 3\n    thresholds:\n"
             "    - {vls: all, unit: kilobytes, profile1_min: 10, profile1_max: 400, profile1_percent: 20}\n" +
             std::string(kDcqcn)));
  EXPECT_EQ(Withheld(1), "it has no DCQCN (version 0)");
  EXPECT_EQ(Withheld(5), "thresholds are in kilobytes, and it takes bytes and percent");
  EXPECT_EQ(Withheld(6), "profile1_max is 400000 bytes, and its buffer has 100000");
  EXPECT_EQ(Withheld(0), "it has no attributes of NVIDIA's, and the profile has no others");
  EXPECT_EQ(fabric_.nodes()[6].agent.sets, 0U);
  EXPECT_EQ(State(2), "applied");
  Apply(Nvidia("  adapter: {type: ppcc, ppcc: [{algo_id: 3, major: 1, minor: 0}]}\n"));
  EXPECT_EQ(Withheld(2), "its firmware has no algorithm 3 of version 1.0");
}

TEST_F(ManagerNvidia, APlanLeavesADeviceAloneThatIsBeingTested) {
  const std::string text = Nvidia(kDcqcn);
  WriteProfile(text);
  Open();
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return Device(2).nvidia.first != nullptr; }));
  ccp_error error{};
  ibcc_plan plan{};
  ccp_profile* profile = ccp_profile_read(text.data(), text.size(), &error);
  ASSERT_EQ(ibcc_manager_plan(manager_, IBCC_PLAN_FROM_HELD, profile, &plan, nullptr, nullptr, &error), 0) << error.message;
  ccp_tables_destroy(plan.tables);
  ccp_profile_destroy(profile);
  EXPECT_NE(Device(2).nvidia.first, nullptr);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(State(2), "applied") << Withheld(2);
}

TEST_F(ManagerNvidia, ADeviceThatWasResetIsSetAgain) {
  Start(Nvidia(std::string(kSwitch) + kDcqcn));
  fabric_.nodes()[5].agent.Reset();
  fabric_.nodes()[5].was_reset = true;
  Sweep();
  fabric_.Run(manager_, [] { return false; }, 30);
  EXPECT_TRUE(IsMarking(5));
  EXPECT_EQ(State(5), "applied");
}

TEST_F(ManagerNvidia, KeysAreUsed) {
  for (auto& node : fabric_.nodes()) node.agent.cc_key = 7;
  WriteKeys("current: 0x7\n");
  Start(Nvidia(std::string(kSwitch) + kDcqcn));
  EXPECT_EQ(State(6), "applied");
  EXPECT_EQ(State(2), "applied");
}

TEST_F(ManagerNvidia, IsAskedOnRequest) {
  Start(ProfileOf(1));
  ASSERT_NE(ibcc_manager_probe_nvidia(manager_, false), 0U);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(Dialect(0), "a10");
  EXPECT_EQ(Dialect(1), "both");
  EXPECT_EQ(Dialect(2), "nvidia");
  EXPECT_EQ(State(1), "applied") << "by annex A10's attributes";
  EXPECT_EQ(State(2), "unsupported") << "the profile has nothing for it";
  EXPECT_EQ(fabric_.host(2).agent.sets, 0U);
  const unsigned asked = Asked();
  Restart();
  EXPECT_EQ(Asked(), asked) << "the profile has nothing of it";
}

}  // namespace
}  // namespace ibcc_test
