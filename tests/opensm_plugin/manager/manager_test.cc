// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The manager on a fabric of fake agents: what its passes send and when, and how it ends whatever happens.
#include "manager/manager.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "ccpolicy/reader.h"
#include "manager_patient_support.hpp"

namespace ibcc_test {
namespace {

class Manager : public PatientManager {};

TEST_F(Manager, DoesNothingBeforeTheSubnetIsUp) {
  EXPECT_FALSE(fabric_.Run(manager_, [] { return false; }, 100000));
  EXPECT_EQ(fabric_.mads, 0u);
  EXPECT_STREQ(ibcc_manager_role_text(manager_), "starting");
}

TEST_F(Manager, BringsEveryDeviceToTheProfileAdaptersFirst) {
  BringUp();
  const auto& sets = fabric_.log_of_sets;
  const auto first_switch = std::find_if(sets.begin(), sets.end(), [](const std::string& s) { return s[0] == 's'; });
  EXPECT_EQ(first_switch - sets.begin(), 24 * 3) << "a setting and two blocks for each adapter";
  EXPECT_EQ(sets.size(), 24u * 3 + 5);
  EXPECT_EQ(std::count(sets.begin(), sets.end(), "h0 22"), 1);
  EXPECT_EQ(ibcc_manager_job(manager_)->state, IBCC_JOB_DONE);
  EXPECT_EQ(ibcc_manager_job(manager_)->sets, sets.size());
  EXPECT_EQ(fabric_.events["applied"], 1);
}

TEST_F(Manager, ClearsSwitchesFirst) {
  BringUp();
  fabric_.log_of_sets.clear();
  Begin(ProfileOf(1, "", false));
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  const auto& sets = fabric_.log_of_sets;
  ASSERT_EQ(sets.size(), 5u + 24 * 2) << "one block is all that a cleared CCT has";
  for (int i = 0; i < 5; ++i) EXPECT_EQ(sets[i][0], 's');
}

TEST_F(Manager, WithoutAProfileItAsksAndSaysSo) {
  Close();
  std::filesystem::remove(folder_ + "/profile.yaml");
  Open("other");
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(Sets(), 0u);
  EXPECT_STREQ(ibcc_manager_job(manager_)->kind, "probe");
  EXPECT_STREQ(ibcc_manager_job(manager_)->message,
               "the devices were asked what they support and hold, which is revision 0; no profile is in force");
}

TEST_F(Manager, SendsNothingWhenNothingChanged) {
  BringUp();
  const std::uint64_t before = fabric_.mads;
  for (int i = 0; i < 10; ++i) {
    fabric_.Sweep(manager_);
    ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  }
  EXPECT_EQ(fabric_.mads, before);
}

TEST_F(Manager, SendsOnlyDifferences) {
  BringUp();
  const std::uint64_t before = Sets();
  Begin(ProfileOf(2));
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(Sets() - before, 5u);
  EXPECT_EQ(MarkingRate(fabric_.leaf(0)), 2u);
}

// What another process may have set before, is read before it is set. Of a device that has rebooted since, all is known.
class ManagerAfterAReboot : public Manager {
 protected:
  void BringUpAndReboot(unsigned blocks) {
    Close();
    WriteProfile(ProfileOf(1, "", true, blocks));
    Open();
    BringUp();
    host_.agent.Reset();
    fabric_.Sweep(manager_, {host_.guid});
    ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  }

  FakeFabric::Node& host_ = fabric_.host(5);
};

TEST_F(ManagerAfterAReboot, ABlockThatANewProfileAddsIsSetUnread) {
  BringUpAndReboot(1);
  const std::uint64_t gets = host_.agent.gets, sets = host_.agent.sets;
  Try(ProfileOf(1));
  EXPECT_EQ(host_.agent.gets, gets);
  EXPECT_EQ(host_.agent.sets - sets, 2u) << "block 0 and the new one";
}

TEST_F(ManagerAfterAReboot, ABlockThatComesBackIsReadFirst) {
  BringUpAndReboot(2);
  Try(ProfileOf(1, "", true, 1));
  const std::uint64_t gets = host_.agent.gets;
  EndTrial();
  EXPECT_EQ(host_.agent.gets - gets, 1u);
}

TEST_F(Manager, IsSilentDuringASweep) {
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return fabric_.mads >= 20; }));
  ibcc_inbox_content begins{};
  begins.notices = IBCC_NOTICE_SWEEP_BEGINS;
  begins.sweeping = true;
  ibcc_manager_handle_inbox(manager_, &begins);
  const std::uint64_t before = fabric_.mads;
  fabric_.Run(manager_, [] { return false; }, 30);
  EXPECT_EQ(fabric_.mads, before) << "neither new requests nor retries";
  ibcc_inbox_content up{};
  up.notices = IBCC_NOTICE_SUBNET_UP;
  ibcc_manager_handle_inbox(manager_, &up);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(Count(IBCC_STATE_APPLIED), fabric_.nodes().size());
}

TEST_F(Manager, UnloadedDuringASweepItStillPutsTheBaseBack) {
  BringUp();
  Begin(ProfileOf(2));
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  ibcc_inbox_content content{};
  content.notices = IBCC_NOTICE_SWEEP_BEGINS;
  content.sweeping = true;
  ibcc_manager_handle_inbox(manager_, &content);
  content.notices = IBCC_NOTICE_STOP;
  ibcc_manager_handle_inbox(manager_, &content);
  ccp_error error{};
  ASSERT_EQ(ibcc_profiles_end_experiment(profiles_, &error), IBCC_PROFILES_OK);
  EXPECT_NE(ibcc_manager_converge(manager_, "restore"), 0u);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_, 5));
  EXPECT_EQ(MarkingRate(fabric_.leaf(0)), 1u);
}

TEST_F(Manager, UnloadedDuringASweepItDoesNotSayThatAPassIsDone) {
  BringUp();
  const std::uint64_t before = fabric_.mads;
  fabric_.is_sweeping = [&] { return fabric_.mads >= before + 3; };  // the next device waits for the end of the sweep
  Begin(ProfileOf(2));
  ibcc_manager_tick(manager_);
  ASSERT_EQ(fabric_.mads, before + 3);
  fabric_.is_sweeping = [] { return false; };
  ibcc_inbox_content content{};
  content.notices = IBCC_NOTICE_SWEEP_BEGINS | IBCC_NOTICE_STOP;
  ibcc_manager_handle_inbox(manager_, &content);
  EXPECT_EQ(ibcc_manager_on_fabric(manager_), 0u);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(Count(IBCC_STATE_APPLIED), fabric_.nodes().size());
  EXPECT_EQ(ibcc_manager_on_fabric(manager_), ibcc_profiles_wanted(profiles_)->number);
}

TEST_F(Manager, StandbyIsSilentAndConvergesOnTakeover) {
  fabric_.master = false;
  fabric_.Sweep(manager_);
  EXPECT_FALSE(fabric_.Run(manager_, [] { return false; }, 100000));
  EXPECT_EQ(fabric_.mads, 0u);
  EXPECT_EQ(ibcc_manager_role(manager_), IBCC_ROLE_STANDBY);
  fabric_.master = true;
  BringUp();
}

TEST_F(Manager, LosingMastershipStopsItAtOnceAndNothingIsTrustedAfterwards) {
  BringUp();
  Begin(ProfileOf(2));
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return MarkingRate(fabric_.leaf(0)) == 2; }));
  fabric_.master = false;
  const std::uint64_t before = fabric_.mads;
  fabric_.Run(manager_, [] { return false; }, 1000);
  EXPECT_EQ(fabric_.mads, before);
  for (auto& node : fabric_.nodes()) node.agent.Reset();  // the other master cleared them
  fabric_.master = true;
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(Count(IBCC_STATE_APPLIED), fabric_.nodes().size());
  EXPECT_EQ(MarkingRate(fabric_.leaf(3)), 2u);
}

TEST_F(Manager, RefusesToActBesideOpenSmsOwnManager) {
  fabric_.opensm_cc_on = true;
  fabric_.Sweep(manager_);
  EXPECT_FALSE(fabric_.Run(manager_, [] { return false; }, 100000));
  EXPECT_EQ(fabric_.mads, 0u);
  EXPECT_STREQ(ibcc_manager_role_text(manager_), "conflict");
  fabric_.opensm_cc_on = false;
  BringUp();
}

TEST_F(Manager, ConvergesThroughLoss) {
  fabric_.loss = 0.2;
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return AllApplied(); }, 60));
}

TEST_F(Manager, ListsWhatItCannotReachAndComesBackToIt) {
  fabric_.host(3).answers = false;
  fabric_.host(4).agent.supports_class = false;
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(Count(IBCC_STATE_TIMING_OUT), 1u);
  EXPECT_EQ(Count(IBCC_STATE_UNSUPPORTED), 1u);
  EXPECT_EQ(Count(IBCC_STATE_APPLIED), fabric_.nodes().size() - 2);
  fabric_.host(3).answers = true;
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return Count(IBCC_STATE_TIMING_OUT) == 0; }));
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(Count(IBCC_STATE_APPLIED), fabric_.nodes().size() - 1);
}

TEST_F(Manager, NobodyWaitsForTheAnswersOfOneWhoHasLeft) {
  fabric_.host(3).answers = false;  // its link is down, and OpenSM does not know yet
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return fabric_.mads > fabric_.nodes().size() * 2; }));
  EXPECT_EQ(Sets(), 0u) << "adapters are not set before all have been asked";
  fabric_.host(3).present = false;
  const std::int64_t began_ns = fabric_.now_ns;
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return Count(IBCC_STATE_APPLIED) == fabric_.nodes().size() - 1; }, 60));
  EXPECT_LT(fabric_.now_ns - began_ns, 100'000'000) << "its tries take seconds";
}

TEST_F(Manager, ReturnedDevicesAreSetAnew) {
  BringUp();
  fabric_.host(5).agent.Reset();
  const std::uint64_t before = Sets();
  fabric_.Sweep(manager_, {fabric_.host(5).guid});
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(Sets() - before, 3u);

  fabric_.leaf(1).present = false;
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  fabric_.leaf(1).present = true;
  fabric_.leaf(1).agent.Reset();
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(MarkingRate(fabric_.leaf(1)), 1u);
}

TEST_F(Manager, TheResetOfThisHostsAdapterIsNotTheDevicesFault) {
  BringUp();
  Begin(ProfileOf(2, "overrides: [{match: {role: host}, ca: {ccti_timer: 99}}]\n"), 600);
  const std::uint64_t before = fabric_.mads;
  fabric_.loss = 1;
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return fabric_.mads > before; }));
  fabric_.loss = 0;
  fabric_.has_port = false;
  fabric_.Run(manager_, [] { return false; }, 120);
  EXPECT_EQ(Count(IBCC_STATE_TIMING_OUT), 0u) << States();
  EXPECT_STREQ(ibcc_manager_pending(manager_), "the local port cannot be opened for MADs");
  fabric_.has_port = true;
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return AllApplied(); }, 70)) << States();
  EXPECT_NE(ibcc_profiles_experiment(profiles_), nullptr);
  EXPECT_EQ(MarkingRate(fabric_.leaf(0)), 2u);
}

TEST_F(Manager, OverTheErrorBudgetAnExperimentGivesWayToTheBase) {
  BringUp();
  for (unsigned h = 0; h < 12; ++h) fabric_.host(h).answers = false;
  Begin(ProfileOf(2, "overrides: [{match: {role: host}, ca: {ccti_timer: 99}}]\n"));
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return ibcc_profiles_experiment(profiles_) == nullptr; }, 60));
  for (unsigned h = 0; h < 12; ++h) fabric_.host(h).answers = true;
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return AllApplied(); }, 600)) << States();
  for (unsigned l = 0; l < 4; ++l) EXPECT_EQ(MarkingRate(fabric_.leaf(l)), 1u);
  for (unsigned h = 0; h < 24; ++h) EXPECT_EQ((fabric_.host(h).agent.held[{CCP_CA_CONGESTION_SETTING, 0}][5]), 150) << h;
}

TEST_F(Manager, PlanCountsWhatWouldBeSent) {
  BringUp();
  const std::string text = ProfileOf(2, "overrides: [{match: {guid: 0x1003}, ca: {ccti_timer: 99}}]\n");
  ccp_error error{};
  ccp_profile* profile = ccp_profile_read(text.data(), text.size(), &error);
  ibcc_plan plan;
  ASSERT_EQ(ibcc_manager_plan(manager_, IBCC_PLAN_FROM_HELD, profile, &plan, nullptr, nullptr, &error), 0);
  EXPECT_EQ(plan.sets, 6u);
  EXPECT_EQ(plan.switches, 5u);
  EXPECT_EQ(plan.cas, 1u);
  EXPECT_EQ(plan.unknown, 0u);
  ccp_tables_destroy(plan.tables);
  ccp_profile_destroy(profile);
  const std::uint64_t before = Sets();
  Begin(text);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(Sets() - before, 6u);
}

// As the worker does: who is told to come again at a time that has passed never sleeps.
TEST_F(Manager, SleepsWhileTheRateLeavesNoRoomForACongestionLog) {
  Close();
  options_.max_mads_per_s = 20;
  options_.log_interval_s = 1000;
  Open("other");
  BringUp();
  for (int step = 0; step < 200; ++step) {
    ibcc_manager_tick(manager_);
    ASSERT_GT(ibcc_manager_next_ns(manager_), fabric_.now_ns);
    int ticks = 0;
    fabric_.Run(manager_, [&] { return ++ticks == 2; });
  }
}

TEST_F(Manager, SleepsWhileTheProfileFileDoesNotFitTheFabric) {
  fabric_.host(3).answers = false;
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  WriteProfile(ProfileOf(2,
                         "overrides:\n- match: {role: host}\n  ca: {ccti_min: 100}\n- match: {guid: 0x1001}\n"
                         "  cct: {ccti_limit: 63, curve: {kind: geometric, first: 1, last: 2}}\n"));
  ASSERT_TRUE(ibcc_profiles_file_event(profiles_));
  EXPECT_EQ(ibcc_manager_converge(manager_, "apply"), 0u);
  const std::int64_t began_ns = fabric_.now_ns;
  for (int step = 0; step < 20; ++step) {
    ibcc_manager_tick(manager_);
    ASSERT_GT(ibcc_manager_next_ns(manager_), fabric_.now_ns) << (fabric_.now_ns - began_ns) / 1'000'000'000 << " s";
    fabric_.now_ns = ibcc_manager_next_ns(manager_);
  }
  EXPECT_NE(std::string(ibcc_manager_pending(manager_)).find("revision 2 is not applied"), std::string::npos);
  // A repair meanwhile brings no device to that revision, and its message does not claim so.
  fabric_.host(3).answers = true;
  fabric_.host(0).agent.held[{CCP_CA_CONGESTION_SETTING, 0}][5] ^= 1;  // an audit finds it
  fabric_.Run(manager_, [] { return false; }, 1300);
  const ibcc_job* job = ibcc_manager_job(manager_);
  EXPECT_EQ(job->state, IBCC_JOB_DONE);
  EXPECT_EQ(std::string(job->message).find("revision 2 is not applied: "), 0u) << job->message;
  EXPECT_NE(std::string(job->message).find("; devices keep their former values"), std::string::npos);
}

// Whatever happens in between: at the end each device that is there and answers holds what the profile says.
TEST_F(Manager, EndsWellAfterAnything) {
  std::mt19937 random(11);
  options_.max_errors = 1000;
  for (int step = 0; step < 300; ++step) {
    auto& node = fabric_.nodes()[1 + random() % (fabric_.nodes().size() - 1)];
    switch (random() % 9) {
      case 0: node.present = !node.present; break;
      case 1: node.answers = !node.answers; break;
      case 2:
        node.agent.Reset();
        node.present = true;
        fabric_.Sweep(manager_, {node.guid});
        break;
      case 3: fabric_.loss = random() % 2 == 0 ? 0 : 0.3; break;
      case 4: fabric_.master = random() % 4 != 0; break;
      case 5:
        if (ibcc_profiles_experiment(profiles_) == nullptr) {
          const std::string text = ProfileOf(static_cast<int>(random() % 200));
          ccp_error error{};
          ibcc_profiles_begin_experiment(profiles_, text.data(), text.size(), 60, nullptr, 0, fabric_.now_ns, &error);
        } else {
          ccp_error error{};
          random() % 2 == 0 ? ibcc_profiles_end_experiment(profiles_, &error)
                            : ibcc_profiles_commit_experiment(profiles_, &error);
        }
        ibcc_manager_converge(manager_, "apply");
        break;
      case 6: ibcc_manager_verify(manager_); break;
      default: fabric_.Sweep(manager_); break;
    }
    const std::uint64_t mads = fabric_.mads + random() % 60;
    fabric_.Run(manager_, [&] { return fabric_.mads >= mads; }, 5);
  }
  fabric_.loss = 0;
  fabric_.master = true;
  for (auto& node : fabric_.nodes()) node.answers = true;
  fabric_.Sweep(manager_);
  // What nobody told is found by the next audit.
  fabric_.Run(manager_, [] { return false; }, 2000);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  SCOPED_TRACE(States());
  const ibcc_revision* wanted = ibcc_profiles_wanted(profiles_);
  for (auto& node : fabric_.nodes()) {
    const auto index = static_cast<unsigned>(&node - fabric_.nodes().data());
    if (index < 24 && !fabric_.leaf(index / 6).present) continue;
    if (node.present && node.is_switch) EXPECT_EQ(MarkingRate(node), wanted->profile->sw.marking_rate);
    if (node.present && !node.is_switch) EXPECT_EQ((node.agent.held[{CCP_CA_CONGESTION_SETTING, 0}][5]), 150);
  }
  EXPECT_EQ(fabric_.mads_in_sweeps, 0u);
}

}  // namespace
}  // namespace ibcc_test
