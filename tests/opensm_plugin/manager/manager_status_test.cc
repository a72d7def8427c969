// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What is reported: states of devices only where they can be known, the revision on the fabric, and why it is not the wanted one.
#include <gtest/gtest.h>

#include <string>

#include "manager_support.hpp"

namespace ibcc_test {
namespace {

class ManagerStatus : public OpenManagerBed {};

TEST_F(ManagerStatus, StatesOfDevicesAreUnknownWhereTheyCannotBeKnown) {
  BringUp();
  fabric_.master = false;
  fabric_.Sweep(manager_);
  EXPECT_EQ(Count(IBCC_STATE_UNKNOWN), fabric_.nodes().size());
  EXPECT_EQ(ibcc_manager_on_fabric(manager_), 0u);
  const ibcc_device* device = ibcc_manager_devices(manager_)->list[0];
  EXPECT_EQ(ibcc_device_last_state(device), IBCC_STATE_APPLIED);
  EXPECT_GT(ibcc_device_seen_ns(device), 0);
  EXPECT_LE(ibcc_device_seen_ns(device), fabric_.now_ns);
}

TEST_F(ManagerStatus, ARollbackOfWhatHasReachedOnlySomeIsPendingUntilTheyHaveTheBase) {
  BringUp();
  Begin(ProfileOf(2));
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return MarkingRate(fabric_.leaf(0)) == 2; }));
  ibcc_inbox_content begins{};
  begins.notices = IBCC_NOTICE_SWEEP_BEGINS;
  begins.sweeping = true;
  ibcc_manager_handle_inbox(manager_, &begins);
  EXPECT_NE(Pending(), "");
  End();
  Wait(10);
  EXPECT_EQ(MarkingRate(fabric_.leaf(0)), 2u);
  EXPECT_NE(ibcc_manager_on_fabric(manager_), ibcc_profiles_wanted(profiles_)->number);
  EXPECT_EQ(Pending(), "OpenSM is sweeping, and nothing is sent until the sweep ends");
  GoodSweep();
  EXPECT_EQ(MarkingRate(fabric_.leaf(0)), 1u);
  EXPECT_EQ(ibcc_manager_on_fabric(manager_), 1u);
  EXPECT_EQ(Pending(), "");
}

TEST_F(ManagerStatus, AProfileThatNoLongerFitsTheFabricIsPendingWithTheReason) {
  Close();
  WriteProfile(ProfileOf(1,
                         "overrides:\n- match: {role: host}\n  ca: {ccti_min: 100}\n- match: {guid: 0x1001}\n"
                         "  cct: {ccti_limit: 63, curve: {kind: geometric, first: 1, last: 2}}\n"));
  Open("other");
  fabric_.host(1).present = false;
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(Pending(), "");
  fabric_.host(1).present = true;
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_NE(Pending().find("revision 1 is not applied: port 1 of "), std::string::npos) << Pending();
  EXPECT_EQ(ibcc_manager_on_fabric(manager_), 0u);
  fabric_.host(1).present = false;
  GoodSweep();
  EXPECT_EQ(Pending(), "");
  EXPECT_EQ(ibcc_manager_on_fabric(manager_), 1u);
}

TEST_F(ManagerStatus, WhereNobodyAnswersClass21AKeyOrAPKeyIsSaid) {
  char text[IBCC_MUTE_BYTES];
  const auto lines = [&] {
    unsigned count = 0;
    for (std::size_t at = log_.text.find("IBCC0214"); at != std::string::npos; at = log_.text.find("IBCC0214", at + 1)) count++;
    return count;
  };
  for (auto& node : fabric_.nodes()) node.answers = false;
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  ASSERT_TRUE(ibcc_manager_describe_mute(manager_, text));
  EXPECT_NE(std::string(text).find("none answers class 0x21: a CC_Key"), std::string::npos) << text;
  EXPECT_NE(std::string(text).find("P_Key"), std::string::npos) << text;
  EXPECT_STREQ(ibcc_manager_job(manager_)->message, text);
  GoodSweep();
  EXPECT_EQ(lines(), 1U) << "once, and not after each sweep";
  fabric_.host(0).answers = true;
  GoodSweep();
  Wait(400);
  EXPECT_FALSE(ibcc_manager_describe_mute(manager_, text)) << "one answers: the others are ill";
  for (auto& node : fabric_.nodes()) node.answers = true;
  Wait(400);
  GoodSweep();
  EXPECT_TRUE(AllApplied());
}

TEST_F(ManagerStatus, ASubnetThatIsNotThisOpenSMsIsNotBelieved) {
  BringUp();
  const auto mads = fabric_.mads;
  fabric_.doubt = "the copy is not of this OpenSM's port";
  fabric_.host(5).agent.Reset();
  fabric_.Sweep(manager_, {fabric_.host(5).guid});
  Wait(5);
  EXPECT_EQ(Pending(), fabric_.doubt);
  EXPECT_EQ(fabric_.mads, mads);
  EXPECT_NE(log_.text.find(std::string("IBCC0207: ") + fabric_.doubt), std::string::npos) << log_.text;
  fabric_.doubt = nullptr;
  GoodSweep();
  EXPECT_TRUE(AllApplied());
}

TEST_F(ManagerStatus, AFabricThatCouldNotBeTakenInIsPendingWithTheReason) {
  BringUp();
  fabric_.has_memory = false;
  fabric_.host(5).agent.Reset();
  fabric_.Sweep(manager_, {fabric_.host(5).guid});
  EXPECT_EQ(Pending(), "out of memory: the subnet cannot be copied");
  EXPECT_EQ(ibcc_manager_on_fabric(manager_), 0u);
  fabric_.has_memory = true;
  GoodSweep();
  EXPECT_TRUE(AllApplied());
  EXPECT_EQ(Pending(), "");
}

// A campaign's next profile was acknowledged, and no device has got it yet.
TEST_F(ManagerStatus, WhoHoldsTheExperimentBeforeThisOneIsCountedToo) {
  BringUp();
  Begin(ProfileOf(2));
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(ibcc_manager_count_experiment_holders(manager_, 2), 5u);
  ibcc_inbox_content begins{};
  begins.notices = IBCC_NOTICE_SWEEP_BEGINS;
  begins.sweeping = true;
  ibcc_manager_handle_inbox(manager_, &begins);
  const std::string text = ProfileOf(3);
  ccp_error error{};
  ASSERT_EQ(ibcc_profiles_begin_experiment(profiles_, text.data(), text.size(), 60, nullptr, 2, fabric_.now_ns, &error),
            IBCC_PROFILES_OK);
  ibcc_manager_converge(manager_, "apply");
  EXPECT_EQ(ibcc_manager_count_experiment_holders(manager_, 3), 5u) << "they hold what must not outlive this process";
  GoodSweep();
  EXPECT_EQ(ibcc_manager_count_experiment_holders(manager_, 3), 5u);
  End();
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(ibcc_manager_count_experiment_holders(manager_, 3), 0u);
}

TEST_F(ManagerStatus, WhoRefusesTheBaseStillHoldsTheExperiment) {
  BringUp();
  Begin(ProfileOf(2));
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  fabric_.leaf(1).agent.refuses[{CCP_SWITCH_CONGESTION_SETTING, 0}] = 0x1c;
  End();
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(ibcc_manager_count_experiment_holders(manager_, 2), 1u);
}

// Its time was over so soon that no answer has come yet.
TEST_F(ManagerStatus, WhoIsJustBeingSentTheExperimentMayHoldIt) {
  BringUp();
  Begin(ProfileOf(2));
  const std::uint64_t before = fabric_.mads;
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return fabric_.mads > before; }));
  ibcc_inbox_content begins{};
  begins.notices = IBCC_NOTICE_SWEEP_BEGINS;
  begins.sweeping = true;
  ibcc_manager_handle_inbox(manager_, &begins);
  End();
  EXPECT_EQ(ibcc_manager_count_experiment_holders(manager_, 2), 5u);
}

}  // namespace
}  // namespace ibcc_test
