// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Devices that are on by NVIDIA's attributes, and nobody here has done that.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "manager_nvidia_support.hpp"

namespace ibcc_test {
namespace {

class ManagerForeign : public ManagerNvidia {
 protected:
  void SwitchOn(unsigned node) {
    const bool is_switch = fabric_.nodes()[node].is_switch;
    Held(node, is_switch ? CCP_CONGESTION_SWITCH_GENERAL_SETTINGS : CCP_CONGESTION_HCA_GENERAL_SETTINGS)[0] =
        is_switch ? 1 : 0xC0;
  }
  void Clear(std::uint64_t guid, std::uint32_t right) {
    std::uint32_t count = 0;
    ccp_error error{};
    EXPECT_EQ(ibcc_manager_clear_foreign(manager_, guid, &count, &error) != 0, right != 0) << error.message;
    EXPECT_EQ(count, right);
    ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  }
};

TEST_F(ManagerForeign, OffAlwaysAsks) {
  Start(ProfileOf(1));
  Restart();
  SwitchOn(6);
  SwitchOn(1);
  Verify();
  EXPECT_NE(State(6), "foreign") << "without a reason nobody is asked";
  Apply(ProfileOf(1, "", false));
  EXPECT_EQ(State(6), "foreign");
  EXPECT_EQ(State(1), "foreign");
  EXPECT_TRUE(IsMarking(6));
  Clear(0, 2);
  EXPECT_FALSE(IsMarking(6));
  EXPECT_FALSE(Reacts(1));
  EXPECT_EQ(Count(IBCC_STATE_FOREIGN), 0U);
  EXPECT_EQ(State(1), "applied");
  Clear(0, 0);
}

TEST_F(ManagerForeign, WhereTheMemoryIsLostAllAreAsked) {
  Start(ProfileOf(1, "nvidia:\n" + std::string(kSwitch) + kDcqcn).replace(14, 1, "2"));
  ASSERT_TRUE(IsMarking(6));
  Close();
  std::filesystem::remove(folder_ + "/state/nvidia.json");
  WriteProfile(ProfileOf(2));
  Open();
  Sweep();
  EXPECT_TRUE(IsMarking(6));
  EXPECT_EQ(State(6), "foreign");
  EXPECT_EQ(State(1), "foreign");
  EXPECT_EQ(fabric_.host(1).agent.held.at({CCP_CA_CONGESTION_SETTING, 0})[5], 0) << "with annex A10's too it would obey both";
  Restart();
  EXPECT_EQ(State(6), "foreign") << "nor is it forgotten that it is not known";
  Clear(fabric_.nodes()[6].guid, 1);
  EXPECT_EQ(State(6), "unsupported");
  EXPECT_EQ(State(1), "foreign");
  Clear(0, 4);
  EXPECT_EQ(State(1), "applied");
  EXPECT_EQ(fabric_.host(1).agent.held.at({CCP_CA_CONGESTION_SETTING, 0})[5], 150) << "annex A10's come after that";
}

TEST_F(ManagerForeign, SomebodyElseMaySwitchADeviceOffAndOn) {
  Start(ProfileOf(1));
  fabric_.master = false;
  fabric_.Sweep(manager_);
  SwitchOn(1);
  fabric_.master = true;
  Sweep();
  EXPECT_EQ(State(1), "foreign");
  Held(1, CCP_CONGESTION_HCA_GENERAL_SETTINGS)[0] = 0;
  Verify();
  EXPECT_EQ(State(1), "applied");
  SwitchOn(1);
  fabric_.Run(manager_, [] { return false; }, 2 * static_cast<int>(options_.audit_interval_s));
  EXPECT_EQ(State(1), "foreign") << "an audit finds it";
}

TEST_F(ManagerForeign, AProfileThatHasValuesForADeviceIsWrittenThere) {
  Start(ProfileOf(1));
  fabric_.master = false;
  fabric_.Sweep(manager_);
  SwitchOn(6);
  fabric_.master = true;
  Sweep();
  ASSERT_EQ(State(6), "foreign");
  Apply(ProfileOf(1, "nvidia:\n" + std::string(kSwitch) + kDcqcn).replace(14, 1, "2"));
  EXPECT_EQ(State(6), "applied");
  Apply(ProfileOf(2));
  EXPECT_FALSE(IsMarking(6)) << "it is this plugin's by then";
}

TEST_F(ManagerForeign, AnOrdinaryRestartAsksNobody) {
  Start(ProfileOf(1));
  const unsigned asked = Asked();
  Restart();
  EXPECT_EQ(Asked(), asked);
}

TEST_F(ManagerForeign, TheFirstProfileMeetsWhatOthersHaveSwitchedOn) {
  std::filesystem::remove(folder_ + "/profile.yaml");
  Open();
  Sweep();
  SwitchOn(6);
  SwitchOn(1);
  Restart();
  EXPECT_EQ(Count(IBCC_STATE_FOREIGN), 0U) << "with nothing else to send, they are as they were found";
  Apply(ProfileOf(1));
  EXPECT_EQ(State(6), "foreign");
  EXPECT_EQ(State(1), "foreign");
  EXPECT_EQ(fabric_.host(1).agent.held.at({CCP_CA_CONGESTION_SETTING, 0})[5], 0) << "with annex A10's too it would obey both";
  Restart();
  EXPECT_EQ(State(1), "foreign");
  Clear(0, 2);
  EXPECT_EQ(State(1), "applied");
}

TEST_F(ManagerForeign, AFirstPassThatWasCutShortHasMetNobody) {
  WriteProfile(ProfileOf(1));
  Open();
  SwitchOn(1);
  fabric_.host(2).answers = false;
  Sweep();
  EXPECT_EQ(State(1), "foreign");
  SwitchOn(2);
  fabric_.host(2).answers = true;
  Restart();
  EXPECT_EQ(State(2), "foreign");
}

}  // namespace
}  // namespace ibcc_test
