// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// How NVIDIA's attributes end: cleared, as they were before a trial run, repaired, or left to annex A10's.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "manager_nvidia_support.hpp"

namespace ibcc_test {
namespace {

using ManagerNvidiaEnds = ManagerNvidia;

TEST_F(ManagerNvidiaEnds, AProfileWithoutItClearsWhatWasWrittenAndNothingElse) {
  const std::string both = ProfileOf(1, "nvidia:\n" + std::string(kSwitch) + kDcqcn).replace(14, 1, "2");
  Held(3, CCP_CONGESTION_HCA_GENERAL_SETTINGS)[0] = 0xC0;  // somebody else's
  fabric_.host(3).answers = false;
  Start(both);
  EXPECT_TRUE(IsMarking(5));
  fabric_.log_of_sets.clear();
  Restart();  // the folder has it
  Apply(ProfileOf(2));
  EXPECT_FALSE(IsMarking(5));
  EXPECT_FALSE(Reacts(2));
  EXPECT_EQ(Profile1(5, 1, 0).max, 0U);
  EXPECT_EQ(fabric_.log_of_sets.front(), "s5 65288") << "switches stop to mark first";
  EXPECT_EQ(fabric_.host(1).agent.held.at({CCP_CA_CONGESTION_SETTING, 0})[5], 150) << "and obeys annex A10 again";
  fabric_.host(3).answers = true;
  Sweep();
  Verify();
  EXPECT_TRUE(Reacts(3)) << "it was never written to";
  EXPECT_EQ(State(3), "foreign");
  Held(5, CCP_CONGESTION_SWITCH_GENERAL_SETTINGS)[0] = 1;  // somebody else's too, from now on
  Verify();
  EXPECT_TRUE(IsMarking(5));
}

TEST_F(ManagerNvidiaEnds, DisablingClearsIt) {
  Start(Nvidia(std::string(kSwitch) + kDcqcn));
  Apply("ibcc_profile: 2\nname: off\nenable: false\nnvidia:\n" + std::string(kSwitch) + kDcqcn);
  EXPECT_FALSE(IsMarking(5));
  EXPECT_FALSE(Reacts(2));
  EXPECT_EQ(State(5), "applied");
}

TEST_F(ManagerNvidiaEnds, ATrialRunEndsAcrossKinds) {
  Start(ProfileOf(1));
  Try(Nvidia(std::string(kSwitch) + kDcqcn));
  EXPECT_TRUE(IsMarking(6));
  EXPECT_EQ(ibcc_manager_count_experiment_holders(manager_, 2), 7U);
  EndTrial();
  EXPECT_FALSE(IsMarking(6));
  EXPECT_EQ(ibcc_manager_count_experiment_holders(manager_, 2), 0U);
  EXPECT_EQ(State(0), "applied");
}

// The base does not fit these devices, so that they are cleared when the trial ends.
TEST_F(ManagerNvidiaEnds, ATrialRunEndsWhereTheBaseIsWithheld) {
  fabric_.nodes()[5].agent.nvidia.capabilities = 0;
  fabric_.host(2).agent.nvidia.ver0 = false;
  fabric_.host(1).agent.nvidia.ver0 = false;
  Start(ProfileOf(1,
                  "nvidia:\n  switch:\n    aqs_time: 4\n    aqs_weight: 3\n    thresholds:\n"
                  "    - {vls: all, unit: kilobytes, profile1_min: 10, profile1_max: 400, profile1_percent: 20}\n" +
                      std::string(kDcqcn))
            .replace(14, 1, "2"));
  EXPECT_EQ(State(5), "withheld");
  EXPECT_EQ(fabric_.host(1).agent.held.at({CCP_CA_CONGESTION_SETTING, 0})[5], 150) << "annex A10's part is sent";
  Try(Nvidia(std::string(kSwitch) + kPpcc));
  EXPECT_TRUE(IsMarking(5));
  EXPECT_TRUE(IsEnabled(2, 3, 1));
  EXPECT_EQ(fabric_.host(1).agent.held.at({CCP_CA_CONGESTION_SETTING, 0})[5], 0);
  fabric_.log_of_sets.clear();
  EndTrial();
  EXPECT_EQ(fabric_.log_of_sets.front(), "s5 65288") << "switches stop to mark first";
  EXPECT_FALSE(IsMarking(5));
  EXPECT_EQ(Profile1(5, 1, 0).max, 0U);
  EXPECT_FALSE(Reacts(2));
  EXPECT_FALSE(IsEnabled(2, 3, 1));
  EXPECT_EQ(fabric_.host(1).agent.held.at({CCP_CA_CONGESTION_SETTING, 0})[5], 150) << "and obeys annex A10 again";
  EXPECT_EQ(State(5), "withheld");
  EXPECT_EQ(Withheld(5), "thresholds are in kilobytes, and it takes bytes and percent");
  EXPECT_EQ(State(2), "withheld");
  EXPECT_EQ(ibcc_manager_count_experiment_holders(manager_, 2), 0U);
  EXPECT_TRUE(IsMarking(6)) << "the base fits this one";
  const std::uint64_t sets = Sets();
  Verify();
  Restart();
  EXPECT_EQ(Sets(), sets) << "once";
}

// Neither the base nor the device's firmware says what they are to be: they are what they were.
TEST_F(ManagerNvidiaEnds, ParametersOfATrialRunEndWithIt) {
  constexpr const char* kBase =
      "  adapter: {type: ppcc, ppcc: [{algo_id: 2, major: 1, minor: 0, sls: [0], parameters: {1: 777}}]}\n";
  const std::string trial = Nvidia(
      "  adapter: {type: ppcc, ppcc: [{algo_id: 1, major: 1, minor: 0, sls: [0], parameters: {0: 9}},\n"
      "    {algo_id: 2, major: 1, minor: 0, sls: [3], parameters: {1: 888, 2: 5}}]}\n");
  Held(2, CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS, 1)[16 + 4 * 2 + 3] = 50;  // somebody has set it
  Start(Nvidia(kBase));
  const auto expect_base = [&] {
    EXPECT_EQ(Parameter(2, 0, 0), 100U);
    EXPECT_EQ(Parameter(2, 1, 1), 777U);
    EXPECT_EQ(Parameter(2, 1, 2), 50U);
    EXPECT_EQ(Parameter(3, 1, 2), 102U);
    EXPECT_EQ(State(2), "applied");
  };
  for (const bool is_killed : {false, true}) {
    SCOPED_TRACE(is_killed);
    Try(trial);
    EXPECT_EQ(Parameter(2, 0, 0), 9U);
    EXPECT_EQ(Parameter(2, 1, 1), 888U);
    EXPECT_EQ(Parameter(2, 1, 2), 5U);
    if (is_killed)
      Restart();
    else
      EndTrial();
    expect_base();
    const std::uint64_t before = fabric_.mads;
    Sweep();
    EXPECT_EQ(fabric_.mads, before);
  }
  Held(2, CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS, 1)[16 + 4 * 2 + 3] = 60;
  Verify();
  EXPECT_EQ(Parameter(2, 1, 2), 60U) << "it is not the plugin's any more";
  Apply(ProfileOf(1));
  EXPECT_EQ(Parameter(2, 1, 1), 101U);
  EXPECT_FALSE(Device(2).nvidia.written);
}

TEST_F(ManagerNvidiaEnds, SomebodyElsesWritesAreRepairedTwiceAndThenAConflict) {
  Start(Nvidia(kDcqcn));
  for (int i = 0; i < 3; ++i) {
    Held(2, CCP_CONGESTION_HCA_RP_PARAMETERS)[0x17] = 99;  // rpg_ai_rate
    fabric_.Run(manager_, [] { return false; }, 700);
    EXPECT_EQ(AiRate(2), i < 2 ? 7U : 99U) << i;
  }
  EXPECT_EQ(State(2), "withheld");
  EXPECT_EQ(Withheld(2), "somebody else has changed it 3 times after it was set; apply or verify tries again");
  EXPECT_NE(log_.text.find("conflict: somebody else has written NVIDIA's attributes of H2"), std::string::npos) << log_.text;
  EXPECT_EQ(State(3), "applied");
  Verify();
  EXPECT_EQ(AiRate(2), 7U);
  EXPECT_EQ(State(2), "applied");
}

// NVIDIA's attributes are on, and cannot be cleared: annex A10's stay cleared, whatever the profile says, until somebody clears them.
TEST_F(ManagerNvidiaEnds, ADeviceThatObeysNvidiasDoesNotObeyAnnexA10sToo) {
  const auto timer = [&] { return unsigned{fabric_.host(1).agent.held.at({CCP_CA_CONGESTION_SETTING, 0})[5]}; };
  Start(ProfileOf(1, "nvidia:\n" + std::string(kDcqcn)).replace(14, 1, "2"));
  ASSERT_TRUE(Reacts(1));
  for (int i = 0; i < 3; ++i) {
    Held(1, CCP_CONGESTION_HCA_RP_PARAMETERS)[0x17] = 99;  // rpg_ai_rate, by somebody else
    fabric_.Run(manager_, [] { return false; }, 700);
  }
  EXPECT_EQ(State(1), "withheld");
  EXPECT_EQ(timer(), 0U) << "contested";
  options_.nvidia_write = 0;
  const std::uint64_t sets = fabric_.host(1).agent.sets;
  Restart();
  Verify();
  EXPECT_EQ(Withheld(1), "the plugin has no option --nvidia-write");
  EXPECT_EQ(timer(), 0U) << "written to by a former process";
  Apply(ProfileOf(2));
  EXPECT_EQ(State(1), "withheld");
  EXPECT_EQ(timer(), 0U) << "to be cleared, and cannot be";
  EXPECT_EQ(fabric_.host(1).agent.sets, sets);
  Held(1, CCP_CONGESTION_HCA_GENERAL_SETTINGS)[0] = 0;
  Verify();
  fabric_.Run(manager_, [] { return false; }, 60);
  EXPECT_EQ(timer(), 150U) << "somebody has cleared them";
  EXPECT_EQ(State(1), "applied");
}

TEST_F(ManagerNvidiaEnds, NvidiasWaitUntilAnnexA10sAreCleared) {
  Start(ProfileOf(1));
  fabric_.host(1).agent.refuses[{CCP_CONGESTION_CONTROL_TABLE, 0}] = IBCC_STATUS_BAD_FIELD;
  Apply(ProfileOf(1, "nvidia:\n" + std::string(kDcqcn)).replace(14, 1, "2"));
  EXPECT_EQ(State(1), "refused");
  EXPECT_FALSE(Reacts(1)) << "it would obey both";
  EXPECT_TRUE(Reacts(2)) << "which has no other";
  fabric_.host(1).agent.refuses.clear();
  Verify();
  EXPECT_EQ(State(1), "applied");
  EXPECT_TRUE(Reacts(1));
}

TEST_F(ManagerNvidiaEnds, AnnexA10sWaitUntilNvidiasAreCleared) {
  Start(ProfileOf(1, "nvidia:\n" + std::string(kDcqcn)).replace(14, 1, "2"));
  fabric_.log_of_sets.clear();
  fabric_.host(1).agent.refuses[{CCP_CONGESTION_HCA_GENERAL_SETTINGS, 0}] = IBCC_STATUS_BAD_FIELD;
  Apply(ProfileOf(2));
  const auto& sets = fabric_.log_of_sets;
  EXPECT_EQ(State(1), "refused");
  EXPECT_TRUE(std::none_of(sets.begin(), sets.end(), [](const std::string& one) { return one == "h1 22"; }));
  fabric_.host(1).agent.refuses.clear();
  Verify();
  EXPECT_EQ(State(1), "applied");
  EXPECT_LT(std::find(sets.rbegin(), sets.rend(), "h1 22"), std::find(sets.rbegin(), sets.rend(), "h1 65312"));
}

}  // namespace
}  // namespace ibcc_test
