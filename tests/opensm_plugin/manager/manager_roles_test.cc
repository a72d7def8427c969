// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A change that is acknowledged is in force after the next sweep that allows it, whatever role this OpenSM has in the meantime.
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "manager_support.hpp"

namespace ibcc_test {
namespace {

class ManagerRoles : public OpenManagerBed {};

// The roles in which nothing may be sent: how they begin.
struct Silence {
  const char* role;
  void (*begin)(FakeFabric&, ibcc_manager*, ibcc_options&);
};
void PrintTo(const Silence& silence, std::ostream* out) { *out << silence.role; }

class ManagerSilences : public ManagerRoles, public ::testing::WithParamInterface<Silence> {};

INSTANTIATE_TEST_SUITE_P(, ManagerSilences,
                         ::testing::Values(Silence{"conflict",
                                                   [](FakeFabric& fabric, ibcc_manager* manager, ibcc_options&) {
                                                     fabric.opensm_cc_on = true;
                                                     fabric.Sweep(manager);
                                                   }},
                                           Silence{"standby",
                                                   [](FakeFabric& fabric, ibcc_manager* manager, ibcc_options&) {
                                                     fabric.master = false;
                                                     fabric.Sweep(manager);
                                                   }},
                                           Silence{"discovering",
                                                   [](FakeFabric& fabric, ibcc_manager* manager, ibcc_options&) {
                                                     fabric.master = false;
                                                     fabric.discovering = true;
                                                     ibcc_inbox_content content{};
                                                     content.notices = IBCC_NOTICE_STATE_CHANGE;
                                                     ibcc_manager_handle_inbox(manager, &content);
                                                   }},
                                           Silence{"sweep-failed",
                                                   [](FakeFabric& fabric, ibcc_manager* manager, ibcc_options& options) {
                                                     options.when_sweep_failed = IBCC_WAIT;
                                                     fabric.sweep_ok = false;
                                                     fabric.Sweep(manager);
                                                   }}),
                         [](const auto& test) {
                           std::string name = test.param.role;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

// Others may write, or this OpenSM cannot know what becomes of devices; after a sweep with errors it still can.
TEST_P(ManagerSilences, StatesOfDevicesAreUnknownMeanwhile) {
  BringUp();
  GetParam().begin(fabric_, manager_, options_);
  const bool knows = GetParam().role == std::string("sweep-failed");
  EXPECT_EQ(Count(IBCC_STATE_UNKNOWN), knows ? 0u : fabric_.nodes().size());
  EXPECT_EQ(AllApplied(), knows);
}

TEST_P(ManagerSilences, WhatChangesMeanwhileIsInForceAfterTheFirstGoodSweep) {
  BringUp();
  GetParam().begin(fabric_, manager_, options_);
  EXPECT_STREQ(ibcc_manager_role_text(manager_), GetParam().role);
  Begin(ProfileOf(2));
  const std::uint64_t before = Sets();
  Wait(100);
  EXPECT_EQ(Sets(), before);
  EXPECT_NE(Pending(), "");
  GoodSweep();
  for (unsigned l = 0; l < 4; ++l) EXPECT_EQ(MarkingRate(fabric_.leaf(l)), 2u);
  EXPECT_EQ(Pending(), "");
  EXPECT_EQ(ibcc_manager_on_fabric(manager_), 2u);
  EXPECT_TRUE(AllApplied());
}

TEST_P(ManagerSilences, AVerificationMeanwhileIsRefusedAndThenFindsTheNewOne) {
  BringUp();
  GetParam().begin(fabric_, manager_, options_);
  Begin(ProfileOf(2));
  EXPECT_EQ(ibcc_manager_verify(manager_), 0u);
  fabric_.sweep_ok = fabric_.master = true;
  fabric_.opensm_cc_on = false;
  fabric_.Sweep(manager_);
  EXPECT_NE(ibcc_manager_verify(manager_), 0u);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(MarkingRate(fabric_.leaf(0)), 2u);
}

TEST_F(ManagerRoles, WhileOpenSmDiscoversNoOtherMasterIsClaimedAndNothingIsForgotten) {
  BringUp();
  const std::uint64_t before = fabric_.mads;
  fabric_.master = false;
  fabric_.discovering = true;
  Wait(10);
  ibcc_inbox_content content{};
  content.notices = IBCC_NOTICE_STATE_CHANGE;
  ibcc_manager_handle_inbox(manager_, &content);
  EXPECT_STREQ(ibcc_manager_role_text(manager_), "discovering");
  GoodSweep();
  EXPECT_TRUE(AllApplied());
  EXPECT_EQ(fabric_.mads, before) << "nobody else can have written";
}

TEST_F(ManagerRoles, AfterASweepWithErrorsItActsOnWhatIsUp) {
  fabric_.host(3).answers = false;
  FailedSweep();
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_STREQ(ibcc_manager_role_text(manager_), "sweep-failed");
  EXPECT_EQ(Count(IBCC_STATE_APPLIED), fabric_.nodes().size() - 1);
  Begin(ProfileOf(2));
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(MarkingRate(fabric_.leaf(0)), 2u);
  End();
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(MarkingRate(fabric_.leaf(0)), 1u);
}

TEST_F(ManagerRoles, RollbacksDoNotWaitForAGoodSweepEvenWhereTheRestDoes) {
  options_.when_sweep_failed = IBCC_WAIT;
  BringUp();
  Begin(ProfileOf(2));
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  FailedSweep();
  End();
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_STREQ(ibcc_manager_role_text(manager_), "sweep-failed");
  EXPECT_EQ(MarkingRate(fabric_.leaf(0)), 1u);
  Begin(ProfileOf(3));
  Wait(100);
  EXPECT_EQ(MarkingRate(fabric_.leaf(0)), 1u);
}

// The Victim_Mask of a switch is where its hosts are: a host that left in a sweep with errors has left it, too.
TEST_F(ManagerRoles, AFabricThatChangedInAFailedSweepIsResolvedAfterAGoodOne) {
  options_.when_sweep_failed = IBCC_WAIT;
  BringUp();
  const auto before = fabric_.leaf(0).agent.held[{CCP_SWITCH_CONGESTION_SETTING, 0}];
  fabric_.host(0).present = false;
  FailedSweep();
  Wait(10);
  EXPECT_EQ((fabric_.leaf(0).agent.held[{CCP_SWITCH_CONGESTION_SETTING, 0}]), before);
  GoodSweep();
  EXPECT_NE((fabric_.leaf(0).agent.held[{CCP_SWITCH_CONGESTION_SETTING, 0}]), before);
}

TEST_F(ManagerRoles, WhatComesBackAfterAFailedSweepStopsWhenSomethingElseIsWanted) {
  options_.when_sweep_failed = IBCC_WAIT;
  BringUp();
  Begin(ProfileOf(2));
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  FailedSweep();
  fabric_.loss = 1;
  const std::uint64_t before = fabric_.mads;
  End();
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return fabric_.mads > before; }));
  Begin(ProfileOf(3));
  const std::uint64_t after = fabric_.mads;
  Wait(100);
  EXPECT_EQ(fabric_.mads, after);
}

// Once the base is back, it waits like everything else.
TEST_F(ManagerRoles, WhatWasRolledBackToHasNoPrecedenceForEver) {
  options_.when_sweep_failed = IBCC_WAIT;
  BringUp();
  Begin(ProfileOf(2));
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  End();
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  fabric_.host(5).agent.Reset();
  const std::uint64_t before = fabric_.mads;
  fabric_.sweep_ok = false;
  fabric_.Sweep(manager_, {fabric_.host(5).guid});
  Wait(100);
  EXPECT_EQ(fabric_.mads, before);
  GoodSweep();
  EXPECT_TRUE(AllApplied());
}

// The last answer and the news that OpenSM discovers come together.
TEST_F(ManagerRoles, WhatWasInterruptedWithNothingLeftToSendIsStillBroughtToItsEnd) {
  BringUp();
  Begin(ProfileOf(2));
  fabric_.Run(manager_, [&] {
    fabric_.discovering = true;
    for (unsigned l = 0; l < 4; ++l) fabric_.discovering = fabric_.discovering && MarkingRate(fabric_.leaf(l)) == 2;
    fabric_.master = !fabric_.discovering;
    return false;
  });
  EXPECT_STREQ(ibcc_manager_role_text(manager_), "discovering");
  EXPECT_EQ(ibcc_manager_job(manager_)->state, IBCC_JOB_ENDED);
  GoodSweep();
  EXPECT_EQ(ibcc_manager_on_fabric(manager_), 2u);
  EXPECT_EQ(Pending(), "");
}

// The failure that is one too many, and the news that another is MASTER, come together.
TEST_F(ManagerRoles, AStandbyGivesNoProfileUp) {
  Close();
  options_.max_errors = 0;
  Open("other");
  BringUp();
  fabric_.host(1).answers = false;
  const std::string text = ProfileOf(2, "overrides: [{match: {role: host}, ca: {ccti_timer: 99}}]\n");
  ccp_error error{};
  ASSERT_EQ(ibcc_profiles_replace_base(profiles_, text.data(), text.size(), 0, &error), IBCC_PROFILES_OK);
  ibcc_manager_converge(manager_, "apply");
  const std::uint64_t before = ibcc_manager_mads(manager_).retried;
  std::int64_t last_try_ns = 0;
  fabric_.Run(
      manager_,
      [&] {
        if (last_try_ns == 0 && ibcc_manager_mads(manager_).retried - before == 2) last_try_ns = fabric_.now_ns;
        // Nothing but the end of that try comes after the last time that progress is told.
        if (last_try_ns != 0 && fabric_.now_ns - last_try_ns > 300'000'000) fabric_.master = false;
        return false;
      },
      60);
  EXPECT_STREQ(ibcc_manager_role_text(manager_), "standby");
  EXPECT_EQ(ibcc_profiles_base(profiles_)->number, 2u);
  EXPECT_EQ(log_.text.find("is given up"), std::string::npos) << log_.text;
}

TEST_F(ManagerRoles, InASweepWithErrorsDevicesThatDoNotAnswerDoNotStopTheOthers) {
  BringUp();
  for (unsigned h = 0; h < 12; ++h) fabric_.host(h).answers = false;
  FailedSweep();
  Begin(ProfileOf(2, "overrides: [{match: {role: host}, ca: {ccti_timer: 99}}]\n"));
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_NE(ibcc_profiles_experiment(profiles_), nullptr);
  EXPECT_EQ(Count(IBCC_STATE_TIMING_OUT), 12u);
  EXPECT_EQ(MarkingRate(fabric_.leaf(0)), 2u);
}

TEST_F(ManagerRoles, HaltedItTriesAgainAfterGrowingPauses) {
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return Sets() >= 5; }));
  for (unsigned h = 0; h < 24; ++h) fabric_.host(h).answers = false;
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return ibcc_manager_role(manager_) == IBCC_ROLE_HALTED; }, 120));
  EXPECT_EQ(Pending(), "too many devices have stopped answering");
  const std::uint64_t before = fabric_.mads;
  Wait(3000);
  EXPECT_LT(fabric_.mads - before, 24u * 3 * 20);
  for (unsigned h = 0; h < 24; ++h) fabric_.host(h).answers = true;
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return AllApplied(); }, 700));
  EXPECT_EQ(ibcc_manager_role(manager_), IBCC_ROLE_MASTER);
  EXPECT_EQ(Pending(), "");
}

// An audit asks all devices, so that no pause is longer than until the next.
TEST_F(ManagerRoles, HaltedItsPausesGrowNoLongerThanUntilTheNextAudit) {
  options_.audit_interval_s = 15;
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return Sets() >= 5; }));
  for (unsigned h = 0; h < 24; ++h) fabric_.host(h).answers = false;
  Wait(1000);
  EXPECT_NE(log_.text.find("retrying in 10 s,"), std::string::npos);
  EXPECT_NE(log_.text.find("retrying in 15 s,"), std::string::npos);
  EXPECT_EQ(log_.text.find("retrying in 20 s,"), std::string::npos);
}

TEST_F(ManagerRoles, HaltedItTriesAgainWhenSomebodyAsks) {
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return Sets() >= 5; }));
  for (unsigned h = 0; h < 24; ++h) fabric_.host(h).answers = false;
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return ibcc_manager_role(manager_) == IBCC_ROLE_HALTED; }, 120));
  for (unsigned h = 0; h < 24; ++h) fabric_.host(h).answers = true;
  EXPECT_NE(ibcc_manager_verify(manager_), 0u);
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return AllApplied(); }, 3));
}

// A base that came back for too many errors fails as well: the one before it is not to blame, and stays in the history.
TEST_F(ManagerRoles, TooManyErrorsUndoOneChangeAndNotTheHistory) {
  BringUp();
  ccp_error error{};
  for (int timer = 2; timer <= 4; ++timer) {
    const std::string text =
        ProfileOf(timer, "overrides: [{match: {role: host}, ca: {ccti_timer: " + std::to_string(timer) + "}}]\n");
    ASSERT_EQ(ibcc_profiles_replace_base(profiles_, text.data(), text.size(), 0, &error), IBCC_PROFILES_OK);
    for (unsigned h = 0; h < 24; ++h) fabric_.host(h).answers = timer < 4;
    ibcc_manager_converge(manager_, "apply");
    if (timer < 4) ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  }
  Wait(4000);
  EXPECT_EQ(ibcc_profiles_base(profiles_)->profile->sw.marking_rate, 3);
  EXPECT_NE(log_.text.find("apply of revision 4 failed: "), std::string::npos);
}

// What failed under the profile that was given up is not charged to the one that comes back.
TEST_F(ManagerRoles, TheProfileThatComesBackHasAnErrorBudgetOfItsOwn) {
  BringUp();
  ccp_error error{};
  const std::string text = ProfileOf(2, "overrides: [{match: {role: host}, ca: {ccti_timer: 7}}]\n");
  ASSERT_EQ(ibcc_profiles_replace_base(profiles_, text.data(), text.size(), 0, &error), IBCC_PROFILES_OK);
  for (unsigned h = 0; h < 4; ++h) fabric_.host(h).answers = false;
  ibcc_manager_converge(manager_, "apply");
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return log_.text.find("giving up revision 2") != std::string::npos; }, 120));
  for (unsigned h = 0; h < 4; ++h) fabric_.host(h).answers = true;
  fabric_.host(9).answers = false;
  Wait(20);
  EXPECT_EQ(log_.text.find("giving up", log_.text.find("giving up revision 2") + 1), std::string::npos);
  EXPECT_EQ(ibcc_manager_role(manager_), IBCC_ROLE_MASTER);
  EXPECT_EQ(ibcc_profiles_base(profiles_)->profile->sw.marking_rate, 1);
}

// All of them time out at once: none of the restore's own requests would have, if it went without them.
TEST_F(ManagerRoles, TheProfileThatComesBackIsNotInForceWithoutThoseThatFellSilent) {
  BringUp();
  for (unsigned h = 0; h < 24; ++h) fabric_.host(h).answers = false;
  Begin(ProfileOf(2, "overrides: [{match: {role: host}, ca: {ccti_timer: 99}}]\n"));
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return ibcc_manager_role(manager_) == IBCC_ROLE_HALTED; }, 120)) << log_.text;
  EXPECT_NE(log_.text.find("giving up revision 1"), std::string::npos);
  EXPECT_EQ(log_.text.find("restore of revision 1 done"), std::string::npos) << log_.text;
}

}  // namespace
}  // namespace ibcc_test
