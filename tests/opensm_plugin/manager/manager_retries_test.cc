// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// When devices are asked again, the local port is opened again, and everything is read again; and that no request goes to another device.
#include <gtest/gtest.h>

#include <string>

#include "manager_support.hpp"
#include "refused_memory.hpp"

namespace ibcc_test {
namespace {

class ManagerRetries : public OpenManagerBed {};

TEST_F(ManagerRetries, ASickHostCostsNoMoreInLaterSweeps) {
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

TEST_F(ManagerRetries, ARefusalIsTriedAgain) {
  fabric_.host(5).agent.refuses[{CCP_CA_CONGESTION_SETTING, 0}] = 0x1c;
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(Count(IBCC_STATE_REFUSED), 1u);
  EXPECT_NE(std::string(ibcc_manager_job(manager_)->message).find("1 refuses a value"), std::string::npos)
      << ibcc_manager_job(manager_)->message;
  fabric_.host(5).agent.refuses.clear();
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return AllApplied(); }, 30));
}

TEST_F(ManagerRetries, ARefusalIsTriedAgainByWhoAsks) {
  fabric_.host(5).agent.refuses[{CCP_CA_CONGESTION_SETTING, 0}] = 0x1c;
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  Wait(2000);
  fabric_.host(5).agent.refuses.clear();
  EXPECT_NE(ibcc_manager_verify(manager_), 0u);
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return AllApplied(); }, 2));
}

// While a pass of the former profile runs, a profile is applied that does not fit the fabric yet: the device's pause begins after that.
TEST_F(ManagerRetries, ADeviceThatRefusedTheFormerProfileIsAskedAtOnceToTakeTheNext) {
  fabric_.host(5).agent.refuses[{CCP_CA_CONGESTION_SETTING, 0}] = 0x1c;
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return Sets() > 0; }));
  Begin(ProfileOf(2,
                  "overrides:\n- match: {role: host}\n  ca: {ccti_min: 100, ccti_increase: 9}\n- match: {guid: 0x1001}\n"
                  "  cct: {ccti_limit: 63, curve: {kind: geometric, first: 1, last: 2}}\n"));
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_, 1));
  ASSERT_EQ(Count(IBCC_STATE_REFUSED), 1u);
  ASSERT_NE(Pending().find("revision 2 is not applied"), std::string::npos) << Pending();
  fabric_.host(5).agent.refuses.clear();
  fabric_.host(1).present = false;
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return ibcc_manager_on_fabric(manager_) == 2; }, 1));
  const auto increase = fabric_.host(5).agent.held[{CCP_CA_CONGESTION_SETTING, 0}][6];
  EXPECT_EQ(increase, 9) << "not after its pause of 5 s";
}

// Whichever allocation is refused as a profile becomes tables: it is not said to be on the fabric while a device holds the former one.
TEST_F(ManagerRetries, AProfileThatMemoryWasRefusedForIsNotSaidToBeOnTheFabric) {
  BringUp();
  int rate = 2;
  for (unsigned nth = 1;; ++nth, ++rate) {
    ccp_error error{};
    const std::string text = ProfileOf(rate);
    ASSERT_EQ(ibcc_profiles_begin_experiment(profiles_, text.data(), text.size(), 3600, nullptr, 0, fabric_.now_ns, &error),
              IBCC_PROFILES_OK);
    RefusedMemory refusal(nth);
    ibcc_manager_converge(manager_, "apply");
    if (!refusal.Happened()) break;
    ASSERT_TRUE(fabric_.RunUntilIdle(manager_, 1)) << nth;
    const bool is_on_fabric = ibcc_manager_on_fabric(manager_) == ibcc_profiles_wanted(profiles_)->number;
    const bool is_held = MarkingRate(fabric_.leaf(0)) == static_cast<unsigned>(rate);
    ASSERT_TRUE(is_held || !is_on_fabric) << nth;
    ASSERT_TRUE(is_on_fabric || !Pending().empty()) << nth;
    Wait(61);
    ASSERT_EQ(ibcc_manager_on_fabric(manager_), ibcc_profiles_wanted(profiles_)->number) << nth;
    ASSERT_EQ(MarkingRate(fabric_.leaf(0)), static_cast<unsigned>(rate)) << nth;
    ASSERT_EQ(ibcc_profiles_end_experiment(profiles_, &error), IBCC_PROFILES_OK);
  }
  EXPECT_GT(rate, 4) << "allocations that were refused, and one more";
}

TEST_F(ManagerRetries, ClampedDevicesAreTriedAgainByWhoAsks) {
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

// Passes for another device go past it.
TEST_F(ManagerRetries, AClampedDeviceIsNotSetAgainInRepairs) {
  fabric_.host(5).agent.clamp = [](Key key, Data& data) {
    if (key.first == CCP_CA_CONGESTION_SETTING) data[5] = 63;
  };
  fabric_.host(3).answers = false;
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  ASSERT_EQ(Count(IBCC_STATE_CLAMPED), 1u);
  const auto sets = fabric_.host(5).agent.sets;
  fabric_.host(4).agent.refuses[{CCP_CA_CONGESTION_SETTING, 0}] = 0x1c;
  fabric_.host(4).agent.held[{CCP_CA_CONGESTION_SETTING, 0}][5] = 99;
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return Count(IBCC_STATE_REFUSED) == 1; }, 700));
  const std::uint64_t refused = fabric_.host(4).agent.sets;
  Wait(300);
  EXPECT_GT(fabric_.host(4).agent.sets, refused + 2) << "passes for it";
  EXPECT_EQ(fabric_.host(5).agent.sets, sets);
}

// A round takes half of the interval at most, and is no faster than that needs.
TEST_F(ManagerRetries, AuditsAreAsSlowAsTheirIntervalAllows) {
  BringUp();
  for (const unsigned interval_s : {20u, 60u, 600u, 86400u}) {
    options_.audit_interval_s = interval_s;
    options_.audit_mads_per_s = 500;
    const ibcc_audits audits = ibcc_manager_audits(manager_);
    EXPECT_LE(audits.round_ns, std::int64_t{interval_s} * 500'000'000) << interval_s;
    EXPECT_LE(audits.mads_per_s, interval_s == 20 ? 15u : 10u) << interval_s;
    options_.audit_mads_per_s = 3;
    EXPECT_EQ(ibcc_manager_audits(manager_).mads_per_s, 3u) << interval_s;
  }
}

// Two hosts exchange their LIDs in a sweep while a Set to one of them waits for its retry.
TEST_F(ManagerRetries, ARetryDoesNotGoToAnother) {
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

TEST_F(ManagerRetries, APortThatHasEndedIsOpenedAgainAfterGrowingPauses) {
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
  EXPECT_NE(log_.text.find("the local port is open again"), std::string::npos);
}

TEST_F(ManagerRetries, APortThatEndsIsNoDevicesFault) {
  BringUp();
  fabric_.loss = 1;
  Begin(ProfileOf(2), 0);
  const std::uint64_t before = fabric_.mads;
  ibcc_manager_tick(manager_);
  ASSERT_GT(fabric_.mads, before) << "requests are in flight";
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

TEST_F(ManagerRetries, APortThatOpensAndEndsAgainDoesNotFillTheLog) {
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
TEST_F(ManagerRetries, WhatIsPutBackAtTheEndInASweepDoesNotGoToAnother) {
  options_.when_sweep_failed = IBCC_WAIT;
  BringUp();
  Begin(ProfileOf(1, "overrides: [{match: {guid: 0x1001}, ca: {ccti_increase: 9}}]\n"));
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  const auto increase = [&](unsigned h) { return fabric_.host(h).agent.held[{CCP_CA_CONGESTION_SETTING, 0}][6]; };
  ASSERT_EQ(increase(1), 9);
  FailedSweep();
  ibcc_inbox_content content{};
  content.notices = IBCC_NOTICE_SWEEP_BEGINS;
  content.sweeping = true;
  ibcc_manager_handle_inbox(manager_, &content);
  fabric_.ExchangeLids(1, 2);
  content.notices = IBCC_NOTICE_STOP;
  content.sweeping = false;
  ibcc_manager_handle_inbox(manager_, &content);
  const std::uint64_t sets = fabric_.host(2).agent.sets;
  End();
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_, 5));
  EXPECT_EQ(fabric_.host(2).agent.sets, sets);
  EXPECT_EQ(increase(1), 1);
}

// A Set is on its way to host 1 as a sweep gives its LID to host 2, which takes it and answers.
TEST_F(ManagerRetries, WhatAnotherDeviceAnsweredInOneIsNotBelieved) {
  BringUp();
  const auto increase = [&](unsigned h) { return fabric_.host(h).agent.held[{CCP_CA_CONGESTION_SETTING, 0}][6]; };
  Begin(ProfileOf(1, "overrides: [{match: {guid: 0x1001}, ca: {ccti_increase: 9}}]\n"));
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return increase(1) == 9; }));
  std::swap(fabric_.host(1).agent.held, fabric_.host(2).agent.held);
  ibcc_inbox_content content{};
  content.notices = IBCC_NOTICE_SWEEP_BEGINS;
  content.sweeping = true;
  ibcc_manager_handle_inbox(manager_, &content);
  fabric_.Run(manager_, [] { return false; }, 1);
  fabric_.ExchangeLids(1, 2);
  const ibcc_device* first = ibcc_devices_find(ibcc_manager_devices(manager_), 0x1001, 1);
  ASSERT_GT(ibcc_device_seen_ns(first), 0);
  fabric_.Sweep(manager_);
  EXPECT_EQ(ibcc_device_seen_ns(first), 0) << "it may be what another device holds";
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  Wait(60);
  EXPECT_EQ(increase(1), 9);
  EXPECT_EQ(increase(2), 1);
}

TEST_F(ManagerRetries, AFirstProcessProbesAndWrites) {
  BringUp();
  // ClassPortInfo, CongestionInfo and NVIDIA's; and what it holds: a setting, and two blocks of ports or of the table.
  EXPECT_EQ(fabric_.mads, fabric_.nodes().size() * (3 + 3) + Sets());
}

TEST_F(ManagerRetries, ANewProcessReadsBeforeItWrites) {
  BringUp();
  Close();
  const std::uint64_t before = Sets();
  Open();
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_TRUE(AllApplied());
  EXPECT_EQ(Sets(), before);
}

TEST_F(ManagerRetries, AnAuditPutsRightAtOnceWhatItFinds) {
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
