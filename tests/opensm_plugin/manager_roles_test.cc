// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What is acknowledged is in force after the next sweep that allows it, whatever this OpenSM is in the meantime; and what is told of devices is
// what can be known.
#include <gtest/gtest.h>

#include <string>

#include "manager_support.hpp"

namespace ibcc_test {
namespace {

class ManagerRoles : public ManagerBed {
 protected:
  ManagerRoles() : ManagerBed(4, 6) {
    options_.retries = 2;
    options_.max_errors = 3;
    Open();
  }
  void Begin(const std::string& text, unsigned ttl_s = 60) {
    ccp_error error{};
    ASSERT_EQ(ibcc_profiles_begin(profiles_, text.data(), text.size(), ttl_s, nullptr, 0, fabric_.now_ns, &error),
              IBCC_PROFILES_OK)
        << error.message;
    ibcc_manager_converge(manager_, "apply");
  }
  void End() {
    ccp_error error{};
    ASSERT_EQ(ibcc_profiles_end(profiles_, &error), IBCC_PROFILES_OK);
    ibcc_manager_converge(manager_, "restore");
  }
  void FailedSweep() {
    fabric_.came_up_well = false;
    fabric_.Sweep(manager_);
  }
  void GoodSweep() {
    fabric_.came_up_well = fabric_.master = true;
    fabric_.discovering = fabric_.own_manager_on = false;
    fabric_.Sweep(manager_);
    ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  }
  void Wait(int seconds) {
    fabric_.Run(manager_, [] { return false; }, seconds);
  }
  unsigned MarkingRate(FakeFabric::Node& node) { return node.agent.held[{CCP_SWITCH_CONGESTION_SETTING, 0}][75]; }
  std::uint64_t Sets() {
    std::uint64_t sets = 0;
    for (const auto& node : fabric_.nodes()) sets += node.agent.sets;
    return sets;
  }
  std::string Pending() {
    const char* pending = ibcc_manager_pending(manager_);
    return pending == nullptr ? "" : pending;
  }
};

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
                                                     fabric.own_manager_on = true;
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
                                                     ibcc_mail mail{};
                                                     mail.notices = IBCC_NOTICE_STATE_CHANGE;
                                                     ibcc_manager_take(manager, &mail);
                                                   }},
                                           Silence{"sweep-failed",
                                                   [](FakeFabric& fabric, ibcc_manager* manager, ibcc_options& options) {
                                                     options.when_sweep_failed = IBCC_WAIT;
                                                     fabric.came_up_well = false;
                                                     fabric.Sweep(manager);
                                                   }}),
                         [](const auto& test) {
                           std::string name = test.param.role;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

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
  fabric_.came_up_well = fabric_.master = true;
  fabric_.own_manager_on = false;
  fabric_.Sweep(manager_);
  EXPECT_NE(ibcc_manager_verify(manager_), 0u);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(MarkingRate(fabric_.leaf(0)), 2u);
}

TEST_F(ManagerRoles, StatesOfDevicesAreUnknownWhereTheyCannotBeKnown) {
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

TEST_F(ManagerRoles, WhileOpenSmDiscoversNoOtherMasterIsClaimedAndNothingIsForgotten) {
  BringUp();
  const std::uint64_t before = fabric_.mads;
  fabric_.master = false;
  fabric_.discovering = true;
  Wait(10);
  ibcc_mail mail{};
  mail.notices = IBCC_NOTICE_STATE_CHANGE;
  ibcc_manager_take(manager_, &mail);
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
  fabric_.came_up_well = false;
  fabric_.Sweep(manager_, {fabric_.host(5).guid});
  Wait(100);
  EXPECT_EQ(fabric_.mads, before);
  GoodSweep();
  EXPECT_TRUE(AllApplied());
}

TEST_F(ManagerRoles, ARollbackOfWhatHasReachedOnlySomeIsPendingUntilTheyHaveTheBase) {
  BringUp();
  Begin(ProfileOf(2));
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return MarkingRate(fabric_.leaf(0)) == 2; }));
  ibcc_mail begins{};
  begins.notices = IBCC_NOTICE_SWEEP_BEGINS;
  begins.sweeping = true;
  ibcc_manager_take(manager_, &begins);
  EXPECT_NE(Pending(), "");
  End();
  Wait(10);
  EXPECT_EQ(MarkingRate(fabric_.leaf(0)), 2u);
  EXPECT_NE(ibcc_manager_on_fabric(manager_), ibcc_profiles_wanted(profiles_)->number);
  EXPECT_EQ(Pending(), "OpenSM sweeps, and nothing is sent until it has done");
  GoodSweep();
  EXPECT_EQ(MarkingRate(fabric_.leaf(0)), 1u);
  EXPECT_EQ(ibcc_manager_on_fabric(manager_), 1u);
  EXPECT_EQ(Pending(), "");
}

TEST_F(ManagerRoles, AProfileThatNoLongerFitsTheFabricIsPendingWithTheReason) {
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

TEST_F(ManagerRoles, AFabricThatCouldNotBeTakenInIsPendingWithTheReason) {
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
  ASSERT_EQ(ibcc_profiles_replace(profiles_, text.data(), text.size(), 0, &error), IBCC_PROFILES_OK);
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

// A campaign's next profile was acknowledged, and no device has got it yet.
TEST_F(ManagerRoles, WhoHoldsTheExperimentBeforeThisOneIsCountedToo) {
  BringUp();
  Begin(ProfileOf(2));
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(ibcc_manager_count_set_from(manager_, 2), 5u);
  ibcc_mail begins{};
  begins.notices = IBCC_NOTICE_SWEEP_BEGINS;
  begins.sweeping = true;
  ibcc_manager_take(manager_, &begins);
  const std::string text = ProfileOf(3);
  ccp_error error{};
  ASSERT_EQ(ibcc_profiles_begin(profiles_, text.data(), text.size(), 60, nullptr, 2, fabric_.now_ns, &error), IBCC_PROFILES_OK);
  ibcc_manager_converge(manager_, "apply");
  EXPECT_EQ(ibcc_manager_count_set_from(manager_, 3), 5u) << "they hold what must not outlive this process";
  GoodSweep();
  EXPECT_EQ(ibcc_manager_count_set_from(manager_, 3), 5u);
  End();
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(ibcc_manager_count_set_from(manager_, 3), 0u);
}

TEST_F(ManagerRoles, WhoRefusesTheBaseStillHoldsTheExperiment) {
  BringUp();
  Begin(ProfileOf(2));
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  fabric_.leaf(1).agent.refuses[{CCP_SWITCH_CONGESTION_SETTING, 0}] = 0x1c;
  End();
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(ibcc_manager_count_set_from(manager_, 2), 1u);
}

// Its time was over so soon that no answer has come yet.
TEST_F(ManagerRoles, WhoIsJustBeingSentTheExperimentMayHoldIt) {
  BringUp();
  Begin(ProfileOf(2));
  const std::uint64_t before = fabric_.mads;
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return fabric_.mads > before; }));
  ibcc_mail begins{};
  begins.notices = IBCC_NOTICE_SWEEP_BEGINS;
  begins.sweeping = true;
  ibcc_manager_take(manager_, &begins);
  End();
  EXPECT_EQ(ibcc_manager_count_set_from(manager_, 2), 5u);
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

TEST_F(ManagerRoles, ASickHostCostsNoMoreInLaterSweeps) {
  fabric_.host(3).answers = false;
  FailedSweep();
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  Wait(3600);  // its pauses have grown
  const std::uint64_t before = fabric_.mads;
  options_.audit_interval_s = 0;
  for (int i = 0; i < 20; ++i) {
    FailedSweep();
    Wait(10);
  }
  EXPECT_LE(fabric_.mads - before, 2u * (1 + options_.retries)) << "asked once or twice in 200 s";
}

TEST_F(ManagerRoles, HaltedItTriesAgainAfterGrowingPauses) {
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return Sets() >= 5; }));
  for (unsigned h = 0; h < 24; ++h) fabric_.host(h).answers = false;
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return ibcc_manager_role(manager_) == IBCC_ROLE_HALTED; }, 120));
  EXPECT_EQ(Pending(), "too many devices have stopped to answer");
  const std::uint64_t before = fabric_.mads;
  Wait(3000);
  EXPECT_LT(fabric_.mads - before, 24u * 3 * 20);
  for (unsigned h = 0; h < 24; ++h) fabric_.host(h).answers = true;
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return AllApplied(); }, 700));
  EXPECT_EQ(ibcc_manager_role(manager_), IBCC_ROLE_MASTER);
  EXPECT_EQ(Pending(), "");
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
    ASSERT_EQ(ibcc_profiles_replace(profiles_, text.data(), text.size(), 0, &error), IBCC_PROFILES_OK);
    for (unsigned h = 0; h < 24; ++h) fabric_.host(h).answers = timer < 4;
    ibcc_manager_converge(manager_, "apply");
    if (timer < 4) ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  }
  Wait(4000);
  EXPECT_EQ(ibcc_profiles_base(profiles_)->profile->sw.marking_rate, 3);
}

TEST_F(ManagerRoles, ARefusalIsTriedAgain) {
  fabric_.host(5).agent.refuses[{CCP_CA_CONGESTION_SETTING, 0}] = 0x1c;
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(Count(IBCC_STATE_REFUSED), 1u);
  EXPECT_NE(std::string(ibcc_manager_job(manager_)->message).find("1 refuses a value"), std::string::npos)
      << ibcc_manager_job(manager_)->message;
  fabric_.host(5).agent.refuses.clear();
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return AllApplied(); }, 30));
}

TEST_F(ManagerRoles, ARefusalIsTriedAgainByWhoAsks) {
  fabric_.host(5).agent.refuses[{CCP_CA_CONGESTION_SETTING, 0}] = 0x1c;
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  Wait(2000);
  fabric_.host(5).agent.refuses.clear();
  EXPECT_NE(ibcc_manager_verify(manager_), 0u);
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return AllApplied(); }, 2));
}

TEST_F(ManagerRoles, ClampedDevicesAreTriedAgainByWhoAsks) {
  fabric_.host(5).agent.clamp = [](Key key, Data& data) {
    if (key.first == CCP_CA_CONGESTION_SETTING) data[5] = 63;
  };
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(Count(IBCC_STATE_CLAMPED), 1u);
  const std::uint64_t before = Sets();
  Wait(500);
  EXPECT_EQ(Sets(), before);
  fabric_.host(5).agent.clamp = [](Key, Data&) {};
  EXPECT_NE(ibcc_manager_verify(manager_), 0u);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_TRUE(AllApplied());
}

// Two hosts exchange their LIDs in a sweep while a Set to one of them waits for its retry.
TEST_F(ManagerRoles, ARetryDoesNotGoToAnother) {
  BringUp();
  fabric_.host(1).answers = false;
  Begin(ProfileOf(1, "overrides: [{match: {guid: 0x1001}, ca: {ccti_increase: 9}}]\n"));
  const auto increase = [&](unsigned h) { return fabric_.host(h).agent.held[{CCP_CA_CONGESTION_SETTING, 0}][6]; };
  const std::uint64_t before = fabric_.mads;
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return fabric_.mads > before; }, 1));
  fabric_.ExchangeLids(1, 2);
  fabric_.host(1).answers = true;
  const std::uint64_t sets = fabric_.host(2).agent.sets;
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(fabric_.host(2).agent.sets, sets);
  EXPECT_EQ(increase(1), 9);
  EXPECT_EQ(increase(2), 1);
}

TEST_F(ManagerRoles, AWayForMadsThatHasEndedIsOpenedAgainAfterGrowingPauses) {
  BringUp();
  const std::size_t before = fabric_.opened_ns.size();
  fabric_.port_ended = true;
  fabric_.has_port = false;
  Begin(ProfileOf(2), 0);
  Wait(60);
  ASSERT_EQ(fabric_.opened_ns.size() - before, 6u) << "at once, then after 1, 2, 4, 8, 16 and 32 s";
  EXPECT_EQ(fabric_.opened_ns.back() - fabric_.opened_ns.end()[-2], std::int64_t{16} * 1'000'000'000);
  EXPECT_EQ(Count(IBCC_STATE_TIMING_OUT), 0u) << "no device is to blame";
  fabric_.has_port = true;
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return AllApplied(); }, 60));
  EXPECT_EQ(MarkingRate(fabric_.leaf(0)), 2u);
  EXPECT_NE(log_.text.find("the way for MADs is open again"), std::string::npos);
}

TEST_F(ManagerRoles, AWayForMadsThatEndsIsNoDevicesFault) {
  BringUp();
  fabric_.loss = 1;
  Begin(ProfileOf(2), 0);
  const std::uint64_t before = fabric_.mads;
  ibcc_manager_tick(manager_);
  ASSERT_GT(fabric_.mads, before) << "there are requests under way";
  fabric_.port_ended = true;
  fabric_.has_port = false;
  Wait(600);
  EXPECT_STREQ(ibcc_manager_role_text(manager_), "master");
  EXPECT_EQ(Count(IBCC_STATE_TIMING_OUT), 0u);
  EXPECT_NE(ibcc_profiles_experiment(profiles_), nullptr);
  fabric_.loss = 0;
  fabric_.has_port = true;
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return AllApplied(); }, 100));
  EXPECT_EQ(MarkingRate(fabric_.leaf(0)), 2u);
}

TEST_F(ManagerRoles, AWayForMadsThatOpensAndEndsAgainDoesNotFillTheLog) {
  BringUp();
  const std::size_t before = fabric_.opened_ns.size();
  fabric_.port_stays_ended = fabric_.port_ended = true;
  Begin(ProfileOf(2), 0);
  Wait(60);
  EXPECT_LE(fabric_.opened_ns.size() - before, 8u);
  fabric_.port_stays_ended = false;
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return AllApplied(); }, 100));
  fabric_.now_ns += std::int64_t{200} * 1'000'000'000;
  const std::int64_t ended_ns = fabric_.now_ns;
  fabric_.port_ended = true;
  EXPECT_NE(ibcc_manager_verify(manager_), 0u);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(fabric_.opened_ns.back(), ended_ns) << "at once, where it was open for long";
}

// OpenSM is ended in a sweep that has given two hosts each other's LID, and an experiment runs.
TEST_F(ManagerRoles, WhatIsPutBackAtTheEndInASweepDoesNotGoToAnother) {
  options_.when_sweep_failed = IBCC_WAIT;
  BringUp();
  Begin(ProfileOf(1, "overrides: [{match: {guid: 0x1001}, ca: {ccti_increase: 9}}]\n"));
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  const auto increase = [&](unsigned h) { return fabric_.host(h).agent.held[{CCP_CA_CONGESTION_SETTING, 0}][6]; };
  ASSERT_EQ(increase(1), 9);
  FailedSweep();
  ibcc_mail mail{};
  mail.notices = IBCC_NOTICE_SWEEP_BEGINS;
  mail.sweeping = true;
  ibcc_manager_take(manager_, &mail);
  fabric_.ExchangeLids(1, 2);
  mail.notices = IBCC_NOTICE_STOP;
  mail.sweeping = false;
  ibcc_manager_take(manager_, &mail);
  const std::uint64_t sets = fabric_.host(2).agent.sets;
  End();
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_, 5));
  EXPECT_EQ(fabric_.host(2).agent.sets, sets);
  EXPECT_EQ(increase(1), 1);
}

TEST_F(ManagerRoles, ANewProcessReadsBeforeItWrites) {
  BringUp();
  Close();
  const std::uint64_t before = Sets();
  Open();
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_TRUE(AllApplied());
  EXPECT_EQ(Sets(), before);
}

TEST_F(ManagerRoles, AnAuditPutsRightAtOnceWhatItFinds) {
  BringUp();
  options_.audit_mads_per_s = 1;
  fabric_.nodes()[0].agent.held[{CCP_CA_CONGESTION_SETTING, 0}][5] = 99;
  const auto timer = [&] { return fabric_.nodes()[0].agent.held[{CCP_CA_CONGESTION_SETTING, 0}][5]; };
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return fabric_.events["drifted"] == 1; }, 700));
  const std::int64_t began_ns = fabric_.now_ns;
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return timer() == 150; }, 700));
  EXPECT_LT(fabric_.now_ns - began_ns, std::int64_t{2} * 1'000'000'000) << "the next MAD, not a lap of 29 s";
}

// A tenth of 11,664 hosts, in a tenth of the interval.
class ManagerOfManyHosts : public ManagerBed {
 protected:
  ManagerOfManyHosts() : ManagerBed(65, 18) {}
};

TEST_F(ManagerOfManyHosts, ARoundOfAuditsTakesHalfTheIntervalAtTheDefaultRate) {
  WriteProfile(ProfileOf(1, "", true, 8));
  for (auto& node : fabric_.nodes()) node.agent.control_table_cap = 8;
  options_.audit_interval_s /= 10;
  Open();
  BringUp();
  const std::uint64_t before = fabric_.mads;
  const ibcc_audits told = ibcc_manager_audits(manager_);
  EXPECT_LE(told.mads_per_s, options_.audit_mads_per_s);
  EXPECT_LE(told.round_ns, options_.audit_interval_s * 1'000'000'000LL / 2);
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return ibcc_manager_audits(manager_).running; }, 60));
  const std::int64_t began_ns = fabric_.now_ns;
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return !ibcc_manager_audits(manager_).running; }, 60));
  EXPECT_NEAR(static_cast<double>(fabric_.now_ns - began_ns), static_cast<double>(told.round_ns), 1e9) << "as it was told";
  EXPECT_EQ(fabric_.mads - before, 1170u * (1 + 8) + 66 * 3);
}

}  // namespace
}  // namespace ibcc_test
