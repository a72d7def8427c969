// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Audits and verifications: what has drifted is found, kept and repaired, and who may have been reset is looked at.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "manager_patient_support.hpp"

namespace ibcc_test {
namespace {

class ManagerAudit : public PatientManager {};

TEST_F(ManagerAudit, AuditsAtTheRateItWasToldAndRepairs) {
  BringUp();
  fabric_.leaf(2).agent.Reset();
  fabric_.host(7).agent.held[{CCP_CA_CONGESTION_SETTING, 0}][5] = 99;
  const std::int64_t began_ns = fabric_.now_ns;
  const std::uint64_t before = fabric_.mads;
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return fabric_.events["drifted"] == 2; }, 700));
  EXPECT_GE(fabric_.now_ns - began_ns, std::int64_t{599} * 1'000'000'000);
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return AllApplied() && !ibcc_manager_audits(manager_).running; }, 60));
  EXPECT_EQ(MarkingRate(fabric_.leaf(2)), 1u);
  // 24 adapters with 3 items, 5 switches with 3; then 2 Sets and 2 Gets.
  EXPECT_EQ(fabric_.mads - before, 24u * 3 + 5 * 3 + 4);
  const double seconds = static_cast<double>(fabric_.now_ns - began_ns) / 1e9 - 600;
  EXPECT_GE(seconds, (24.0 * 3 + 5 * 3 - 12) / ibcc_manager_audits(manager_).mads_per_s);
}

TEST_F(ManagerAudit, WhatADeviceHeldWhenItHadDriftedIsKept) {
  BringUp();
  fabric_.host(7).agent.held[{CCP_CA_CONGESTION_SETTING, 0}][5] = 99;
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return fabric_.events["device.repaired"] == 1; }, 700));
  const std::vector<std::string> drifts = Drifts();
  ASSERT_EQ(drifts.size(), 1U);
  const std::string& line = drifts[0];
  EXPECT_NE(line.find(R"("attribute":"CACongestionSetting")"), std::string::npos) << line;
  EXPECT_NE(line.find(R"("guid":"0x0000000000001007","port":1)"), std::string::npos) << line;
  EXPECT_NE(line.find(R"("field":"CCTI_Timer","index":0,"wanted":150,"held":99)"), std::string::npos) << line;
  EXPECT_NE(line.find("its CACongestionSetting has CCTI_Timer[0] 99, and 150 is wanted"), std::string::npos) << line;
  EXPECT_NE(line.find(R"("at":"2)"), std::string::npos) << line;
}

TEST_F(ManagerAudit, AFabricThatWasResetPushesNoOlderLinesOutOfTheLogOfChanges) {
  BringUp();
  for (auto& node : fabric_.nodes())
    for (auto& [key, data] : node.agent.held) data[5] ^= 0x11;
  ibcc_manager_verify(manager_);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_GT(fabric_.events["drifted"], 64);
  EXPECT_EQ(Drifts().size(), 64U);
  fabric_.now_ns += std::int64_t{61} * 1'000'000'000;
  fabric_.host(7).agent.held[{CCP_CA_CONGESTION_SETTING, 0}][5] = 98;
  ibcc_manager_verify(manager_);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  ASSERT_EQ(Drifts().size(), 65U);
  EXPECT_NE(Drifts().back().find("\"omitted\":"), std::string::npos) << Drifts().back();
}

// Whoever asks later when a device was written to finds it in the log of changes: one line for all that an audit has repaired.
TEST_F(ManagerAudit, WhatAnAuditSetsIsOneRepairInTheLogOfChanges) {
  BringUp();
  const std::size_t before = Changes().size();
  fabric_.host(7).agent.held[{CCP_CA_CONGESTION_SETTING, 0}][5] = 99;
  fabric_.host(9).agent.held[{CCP_CA_CONGESTION_SETTING, 0}][5] = 99;
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return fabric_.events["drifted"] == 2; }, 700));
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  fabric_.Run(manager_, [] { return false; }, 60);
  const std::vector<std::string> changes = Changes();
  ASSERT_EQ(changes.size(), before + 1);
  EXPECT_EQ(changes.back(), "job repair done 2");
  EXPECT_EQ(ibcc_manager_job(manager_)->sets, 2u);
  EXPECT_NE(log_.text.find("repair of revision 1 done: 29 of 29 devices settled, 2 Sets"), std::string::npos) << log_.text;
}

// A job that begins meanwhile takes over.
TEST_F(ManagerAudit, ARepairThatAnotherJobReplacesIsInTheLogOfChanges) {
  BringUp();
  const std::size_t before = Changes().size();
  fabric_.host(7).agent.held[{CCP_CA_CONGESTION_SETTING, 0}][5] = 99;
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return fabric_.events["device.repaired"] == 1; }, 700));
  EXPECT_EQ(ibcc_manager_job(manager_)->state, IBCC_JOB_RUNNING);
  Begin(ProfileOf(2));
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  const std::vector<std::string> changes = Changes();
  ASSERT_EQ(changes.size(), before + 3);
  EXPECT_EQ(changes[before + 1], "job repair ended 1");
  EXPECT_NE(log_.text.find("devices settled, 1 Set, "), std::string::npos) << log_.text;
  EXPECT_EQ(changes[before + 2], "job apply done 5");
}

// As when OpenSM ends in a long audit.
TEST_F(ManagerAudit, WhatWasSentBeforeTheEndIsInTheLogOfChanges) {
  BringUp();
  const std::size_t before = Changes().size();
  ibcc_manager_end_job(manager_, "OpenSM ended");
  EXPECT_EQ(Changes().size(), before) << "no job runs";
  fabric_.host(7).agent.held[{CCP_CA_CONGESTION_SETTING, 0}][5] = 99;
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return fabric_.events["device.repaired"] == 1; }, 700));
  ibcc_manager_end_job(manager_, "OpenSM ended");
  EXPECT_EQ(Changes().back(), "job repair ended 1");
  EXPECT_STREQ(ibcc_manager_job(manager_)->message, "OpenSM ended");
}

TEST_F(ManagerAudit, LooksAtSwitchesWhoseForwardingTablesWereWritten) {
  BringUp();
  fabric_.leaf(2).agent.Reset();
  fabric_.Sweep(manager_, {}, {fabric_.leaf(2).guid, fabric_.leaf(3).guid});
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return MarkingRate(fabric_.leaf(2)) == 1; }, 5));
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_, 60));
  EXPECT_EQ(Count(IBCC_STATE_APPLIED), fabric_.nodes().size());
}

TEST_F(ManagerAudit, LooksAtPortsThatOpenSmFoundUninitialised) {
  BringUp();
  fabric_.host(9).agent.Reset();
  fabric_.host(9).was_reset = fabric_.host(10).was_reset = true;
  const std::uint64_t before = fabric_.mads;
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return fabric_.host(9).agent.sets >= 6 && AllApplied(); }, 5));
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_, 60));
  EXPECT_EQ(Count(IBCC_STATE_APPLIED), fabric_.nodes().size());
  EXPECT_LT(fabric_.mads - before, 20u) << "nobody else is asked";
}

TEST_F(ManagerAudit, LooksAtWhatBecomesSuspectWhileAnAuditWaitsForItsLastAnswer) {
  BringUp();
  fabric_.host(3).answers = false;
  fabric_.host(3).was_reset = true;
  fabric_.Sweep(manager_);
  fabric_.Run(manager_, [] { return false; }, 1);
  ASSERT_TRUE(ibcc_manager_audits(manager_).running);
  fabric_.host(3).was_reset = false;
  fabric_.leaf(2).agent.Reset();
  fabric_.Sweep(manager_, {}, {fabric_.leaf(2).guid});
  EXPECT_TRUE(fabric_.Run(manager_, [&] { return MarkingRate(fabric_.leaf(2)) == 1; }, 60));
}

TEST_F(ManagerAudit, AsksASuspectForAllThatItHoldsThoughItIsSlow) {
  BringUp();
  fabric_.latency_ns = 50'000'000;  // longer than between two requests of an audit
  const std::uint64_t before = fabric_.leaf(2).agent.gets;
  fabric_.Sweep(manager_, {}, {fabric_.leaf(2).guid});
  fabric_.Run(manager_, [] { return false; }, 5);
  EXPECT_EQ(fabric_.leaf(2).agent.gets - before, 3u);
}

TEST_F(ManagerAudit, LooksAtASuspectThatDidNotAnswerWhenItDoes) {
  BringUp();
  fabric_.host(3).answers = false;
  fabric_.host(3).agent.Reset();
  fabric_.host(3).was_reset = true;
  fabric_.Sweep(manager_);
  fabric_.Run(manager_, [] { return false; }, 60);
  ASSERT_EQ(Count(IBCC_STATE_TIMING_OUT), 1u) << States();
  fabric_.host(3).was_reset = false;
  fabric_.host(3).answers = true;
  Begin(ProfileOf(2, "overrides: [{match: {role: host}, ca: {ccti_timer: 99}}]\n"), 600);
  fabric_.Run(manager_, [] { return false; }, 30);
  const Key table{CCP_CONGESTION_CONTROL_TABLE, 1};
  EXPECT_EQ(fabric_.host(3).agent.held[table], fabric_.host(4).agent.held[table]);
}

TEST_F(ManagerAudit, LooksAtASuspectThatDidNotSupportTheClassWhenItDoes) {
  BringUp();
  FakeFabric::Node& device = fabric_.host(3);
  device.answers = false;
  ibcc_manager_verify(manager_);
  fabric_.Run(manager_, [] { return false; }, 10);
  ASSERT_EQ(Count(IBCC_STATE_TIMING_OUT), 1u) << States();
  device.answers = true;
  device.agent.supports_class = false;
  fabric_.Run(manager_, [] { return false; }, 60);
  ASSERT_EQ(Count(IBCC_STATE_UNSUPPORTED), 1u) << States();
  device.agent.Reset();
  device.was_reset = true;
  fabric_.Sweep(manager_);
  device.was_reset = false;
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_, 60));
  device.agent.supports_class = true;
  ibcc_manager_converge(manager_, "apply");
  fabric_.Run(manager_, [] { return false; }, 10);
  EXPECT_TRUE(AllApplied()) << States();
  EXPECT_EQ(device.agent.held, fabric_.host(4).agent.held);
}

// It has failed in this round, and is not read in it any more: the next audit does.
TEST_F(ManagerAudit, LooksAtASuspectThatComesBackWhileAnAuditRuns) {
  options_.audit_mads_per_s = 2;
  BringUp();
  fabric_.host(3).answers = false;
  fabric_.host(3).agent.Reset();
  fabric_.host(3).was_reset = true;
  fabric_.Sweep(manager_);
  fabric_.Run(manager_, [] { return false; }, 60);
  ASSERT_EQ(Count(IBCC_STATE_TIMING_OUT), 1u) << States();
  fabric_.host(3).was_reset = false;
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return ibcc_manager_audits(manager_).running; }, 700));
  fabric_.Run(manager_, [] { return false; }, 30);
  ASSERT_TRUE(ibcc_manager_audits(manager_).running);
  fabric_.host(3).answers = true;
  Begin(ProfileOf(2, "overrides: [{match: {role: host}, ca: {ccti_timer: 99}}]\n"), 600);
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return !ibcc_manager_audits(manager_).running; }, 300));
  fabric_.Run(manager_, [] { return false; }, 30);
  const Key table{CCP_CONGESTION_CONTROL_TABLE, 1};
  EXPECT_EQ(fabric_.host(3).agent.held[table], fabric_.host(4).agent.held[table]);
}

// Which ports OpenSM has found uninitialised is told by that sweep alone.
TEST_F(ManagerAudit, LooksAtAllAfterASweepThatCouldNotBeTakenIn) {
  BringUp();
  fabric_.has_memory = false;
  fabric_.host(3).agent.Reset();
  fabric_.host(3).was_reset = true;
  fabric_.Sweep(manager_);
  fabric_.has_memory = true;
  fabric_.host(3).was_reset = false;
  fabric_.Sweep(manager_);
  fabric_.Run(manager_, [] { return false; }, 30);
  const Key table{CCP_CONGESTION_CONTROL_TABLE, 1};
  EXPECT_EQ(fabric_.host(3).agent.held[table], fabric_.host(4).agent.held[table]);
}

TEST_F(ManagerAudit, VerifyReadsAllAndRepairs) {
  BringUp();
  fabric_.leaf(0).agent.Reset();
  EXPECT_NE(ibcc_manager_verify(manager_), 0u);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(fabric_.events["drifted"], 1);
  EXPECT_EQ(MarkingRate(fabric_.leaf(0)), 1u);
}

class ManagerAuditOfMany : public ManagerBed {
 protected:
  ManagerAuditOfMany() : ManagerBed(20, 220) { Open(); }
};

// More are away than are remembered, so the list gets shorter under an audit that has come far in it.
TEST_F(ManagerAuditOfMany, AnAuditGoesOnInAShorterList) {
  for (unsigned h = 0; h < 20 * 220; ++h) fabric_.host(h).agent.supports_class = false;
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  ASSERT_EQ(Count(IBCC_STATE_APPLIED), 21u);
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return ibcc_manager_audits(manager_).running; }, 700));
  fabric_.Run(manager_, [] { return false; }, 1);
  for (unsigned l = 0; l < 20; ++l) fabric_.leaf(l).present = false;
  fabric_.Sweep(manager_);
  ASSERT_LT(ibcc_manager_devices(manager_)->count, 20u * 220);
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return !ibcc_manager_audits(manager_).running; }, 60));
  EXPECT_EQ(Count(IBCC_STATE_APPLIED), 1u);
}

}  // namespace
}  // namespace ibcc_test
