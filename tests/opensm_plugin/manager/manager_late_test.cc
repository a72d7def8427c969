// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Devices that are not responding, or fall so, hold up no others: by the clock of the fabric.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "manager_support.hpp"

namespace ibcc_test {
namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr unsigned kLeaves = 112, kHostsPerLeaf = 18, kHosts = kLeaves * kHostsPerLeaf;
constexpr std::uint64_t kForeign = 0xBAD;
constexpr double kBound = 1.3;  // times as long as with no such device

// 2,016 hosts and 113 switches. With 256 requests in flight an answer takes about as long on the emulated fabric.
class ManagerOf2016Hosts : public ManagerBed {
 protected:
  ManagerOf2016Hosts() : ManagerBed(kLeaves, kHostsPerLeaf) {
    fabric_.latency_ns = 20 * kMs;
    Open();
  }
  std::vector<unsigned> Some() const {  // 2 % of the hosts, the last one too
    std::vector<unsigned> some;
    for (unsigned h = 0; h < kHosts; h += 50) some.push_back((h + kHosts - 1) % kHosts);
    return some;
  }
  void ForSome(const std::function<void(FakeFabric::Node&)>& what) {
    for (const unsigned h : Some()) what(fabric_.host(h));
  }
  std::int64_t JobNs() {
    const ibcc_job* job = ibcc_manager_job(manager_);
    const bool ended = fabric_.Run(manager_, [&] { return job->state != IBCC_JOB_RUNNING; }, 60);
    EXPECT_TRUE(ended);
    EXPECT_EQ(job->state, IBCC_JOB_DONE) << job->message;
    return job->ended_ns - job->began_ns;
  }
  std::int64_t Apply(int rate, const std::function<void()>& meanwhile = [] {}) {
    ccp_error error{};
    const std::string text = Profile(rate);
    EXPECT_EQ(ibcc_profiles_begin_experiment(profiles_, text.data(), text.size(), 600, nullptr, 0, fabric_.now_ns, &error),
              IBCC_PROFILES_OK);
    EXPECT_NE(ibcc_manager_converge(manager_, "apply"), 0u);
    meanwhile();
    return JobNs();
  }
  std::int64_t Restore(const std::function<void()>& meanwhile = [] {}) {
    ccp_error error{};
    EXPECT_EQ(ibcc_profiles_end_experiment(profiles_, &error), IBCC_PROFILES_OK);
    EXPECT_NE(ibcc_manager_converge(manager_, "restore"), 0u);
    meanwhile();
    return JobNs();
  }
  static std::string Profile(int rate) {
    return ProfileOf(rate, "overrides: [{match: {role: host}, ca: {ccti_increase: " + std::to_string(rate) + "}}]\n");
  }
  unsigned Holders(int rate) {
    unsigned holders = 0;
    for (auto& node : fabric_.nodes()) {
      const auto& held =
          node.is_switch ? node.agent.held[{CCP_SWITCH_CONGESTION_SETTING, 0}] : node.agent.held[{CCP_CA_CONGESTION_SETTING, 0}];
      holders += held[node.is_switch ? 75 : 6] == rate;
    }
    return holders;
  }
  unsigned Answering() {
    return static_cast<unsigned>(std::count_if(fabric_.nodes().begin(), fabric_.nodes().end(),
                                               [](const auto& node) { return node.answers && node.agent.cc_key != kForeign; }));
  }
  // With all devices well, as what follows is measured by it.
  void Measure() {
    BringUp();
    apply_ns_ = Apply(7);
    restore_ns_ = Restore();
    ASSERT_TRUE(AllApplied());
    ASSERT_GT(apply_ns_, 50 * kMs) << "long enough to be compared";
  }
  void ExpectInBound(std::int64_t apply_ns, std::int64_t restore_ns) const {
    EXPECT_LE(static_cast<double>(apply_ns), kBound * static_cast<double>(apply_ns_));
    EXPECT_LE(static_cast<double>(restore_ns), kBound * static_cast<double>(restore_ns_));
  }

  std::int64_t apply_ns_ = 0, restore_ns_ = 0;
};

TEST_F(ManagerOf2016Hosts, ThoseThatNeverAnswerCostNothing) {
  Measure();
  ForSome([](auto& node) { node.answers = false; });
  ibcc_manager_verify(manager_);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  ASSERT_EQ(Count(IBCC_STATE_TIMING_OUT), Some().size());
  const std::int64_t apply_ns = Apply(9);
  EXPECT_EQ(Holders(9), Answering());
  const std::int64_t restore_ns = Restore();
  EXPECT_EQ(Holders(9), 0u);
  ExpectInBound(apply_ns, restore_ns);
}

TEST_F(ManagerOf2016Hosts, ThoseThatStopInTheMiddleCostNothing) {
  Measure();
  const auto stop = [&](int rate) {
    return [this, rate] {
      ASSERT_TRUE(fabric_.Run(manager_, [&] { return Holders(rate) > kHosts / 2; }, 10));
      ForSome([](auto& node) { node.answers = false; });
    };
  };
  const std::int64_t apply_ns = Apply(9, stop(9));
  EXPECT_GE(Holders(9), Answering());
  ForSome([](auto& node) { node.answers = true; });
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return AllApplied() && ibcc_manager_is_idle(manager_); }, 700));
  EXPECT_EQ(Holders(9), fabric_.nodes().size());
  const std::int64_t restore_ns = Restore(stop(1));
  EXPECT_LE(Holders(9) + Answering(), fabric_.nodes().size()) << "but of the stopped ones nobody holds it";
  ExpectInBound(apply_ns, restore_ns);
}

TEST_F(ManagerOf2016Hosts, AForeignKeyCostsTheOthersNothing) {
  Measure();
  ForSome([](auto& node) { node.agent.cc_key = kForeign; });
  ibcc_manager_verify(manager_);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  ASSERT_EQ(Count(IBCC_STATE_TIMING_OUT), Some().size());
  const std::int64_t apply_ns = Apply(9);
  EXPECT_EQ(Holders(9), Answering());
  ExpectInBound(apply_ns, Restore());
}

TEST_F(ManagerOf2016Hosts, WhoComesBackGetsWhatIsWanted) {
  BringUp();
  ForSome([](auto& node) { node.answers = false; });
  Apply(9);
  ForSome([](auto& node) { node.answers = true; });
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return AllApplied(); }, 30));
  EXPECT_EQ(Holders(9), fabric_.nodes().size());
}

// More than the error budget allows, so that the profile may be to blame: switches get nothing of it before that is known.
TEST_F(ManagerOf2016Hosts, APassWaitsWhileMoreAreLateThanMayFail) {
  BringUp();
  ccp_error error{};
  const std::string text = Profile(9);
  ASSERT_EQ(ibcc_profiles_begin_experiment(profiles_, text.data(), text.size(), 600, nullptr, 0, fabric_.now_ns, &error),
            IBCC_PROFILES_OK);
  ASSERT_NE(ibcc_manager_converge(manager_, "apply"), 0u);
  for (unsigned h = 0; h < kHosts; h += 40) fabric_.host(h).answers = false;
  unsigned most = 0;
  ASSERT_TRUE(fabric_.Run(
      manager_,
      [&] {
        most = std::max(most, unsigned{fabric_.leaf(0).agent.held[{CCP_SWITCH_CONGESTION_SETTING, 0}][75]});
        return ibcc_profiles_experiment(profiles_) == nullptr;
      },
      60));
  EXPECT_EQ(most, 1u);
}

class ManagerLate : public OpenManagerBed {
 protected:
  const ibcc_device* Known(unsigned h) { return ibcc_devices_find(ibcc_manager_devices(manager_), 0x1000 + h, 1); }
  unsigned Increase(unsigned h) { return fabric_.host(h).agent.held[{CCP_CA_CONGESTION_SETTING, 0}][6]; }
  static std::string Profile(int increase) {
    return ProfileOf(increase, "overrides: [{match: {role: host}, ca: {ccti_increase: " + std::to_string(increase) + "}}]\n");
  }
  void FallSilent(unsigned h) {
    fabric_.host(h).answers = false;
    ibcc_manager_verify(manager_);
    ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
    ASSERT_EQ(Count(IBCC_STATE_TIMING_OUT), 1u);
  }
  bool JobEnds(int at_most_s) {
    return fabric_.Run(manager_, [&] { return ibcc_manager_job(manager_)->state != IBCC_JOB_RUNNING; }, at_most_s);
  }
};

TEST_F(ManagerLate, ATrialRunEndsInTimeWithASilentHost) {
  BringUp();
  FallSilent(3);
  Begin(Profile(9), 20);
  ASSERT_TRUE(JobEnds(1));
  ASSERT_EQ(Increase(2), 9u);
  End();
  ASSERT_TRUE(JobEnds(2));
  EXPECT_STREQ(ibcc_manager_job(manager_)->kind, "restore");
  for (unsigned h = 0; h < 24; ++h) EXPECT_EQ(Increase(h), 1u) << h;
  EXPECT_EQ(MarkingRate(fabric_.leaf(0)), 1u);
  EXPECT_EQ(ibcc_manager_count_experiment_holders(manager_, UINT64_MAX), 0u);
}

TEST_F(ManagerLate, WhatIsAskedAgainInVainIsNoJob) {
  BringUp();
  FallSilent(3);
  Begin(Profile(9), 0);
  ASSERT_TRUE(JobEnds(1));
  const std::uint64_t job = ibcc_manager_job(manager_)->id, before = fabric_.mads;
  options_.audit_interval_s = 0;
  log_.text.clear();
  Wait(3600);
  EXPECT_GT(fabric_.mads, before) << "it is asked";
  EXPECT_EQ(ibcc_manager_job(manager_)->id, job);
  EXPECT_STREQ(ibcc_manager_job(manager_)->kind, "apply");
  EXPECT_EQ(log_.text, "");
  fabric_.host(3).answers = true;
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return AllApplied(); }, 301));
  EXPECT_EQ(Increase(3), 9u);
  ASSERT_TRUE(JobEnds(1));
  EXPECT_STREQ(ibcc_manager_job(manager_)->kind, "repair");
  EXPECT_EQ(ibcc_manager_job(manager_)->sets, 1u) << "what differs";
}

TEST_F(ManagerLate, WhoAsksFindsWhatWasMended) {
  BringUp();
  FallSilent(3);
  Wait(2000);
  fabric_.host(3).answers = true;
  ASSERT_NE(ibcc_manager_verify(manager_), 0u);
  ASSERT_TRUE(JobEnds(1));
  EXPECT_TRUE(AllApplied());
  EXPECT_STREQ(ibcc_manager_job(manager_)->kind, "verify");
}

TEST_F(ManagerLate, OneLostMadIsMadeUpForInTheSameJob) {
  BringUp();
  fabric_.host(3).answers = false;
  Begin(Profile(9), 0);
  const std::int64_t began_ns = fabric_.now_ns;
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return MarkingRate(fabric_.leaf(0)) == 9; }, 1));
  EXPECT_LE(fabric_.now_ns - began_ns, 100 * kMs) << "the switches do not wait for it";
  EXPECT_EQ(Count(IBCC_STATE_TIMING_OUT), 0u) << "who watches the fabric is not told of one lost MAD";
  fabric_.host(3).answers = true;
  ASSERT_TRUE(JobEnds(1));
  EXPECT_TRUE(AllApplied());
  EXPECT_EQ(Increase(3), 9u);
  EXPECT_NE(std::string(ibcc_manager_job(manager_)->message).find("all devices"), std::string::npos)
      << ibcc_manager_job(manager_)->message;
}

TEST_F(ManagerLate, AWindowOfOneIsNotFilledByASilentHost) {
  Close();
  options_.max_outstanding = 1;
  Open("other");
  BringUp();
  FallSilent(3);
  Begin(Profile(9), 0);
  ASSERT_TRUE(JobEnds(1));
  EXPECT_EQ(Increase(23), 9u);
}

TEST_F(ManagerLate, WhoFailsAfterTheJobDoesNotBeginAnother) {
  BringUp();
  fabric_.host(3).answers = false;
  Begin(Profile(9), 0);
  ASSERT_TRUE(JobEnds(1));
  Wait(60);
  EXPECT_EQ(Count(IBCC_STATE_TIMING_OUT), 1u);
  EXPECT_STREQ(ibcc_manager_job(manager_)->kind, "apply");
}

// There is one place for three, the first of which never answers.
TEST_F(ManagerLate, SilentHostsTakeTurns) {
  Close();
  options_.max_outstanding = 4;
  options_.audit_interval_s = 0;
  Open("other");
  BringUp();
  for (const unsigned h : {1, 2, 3}) fabric_.host(h).answers = false;
  ibcc_manager_verify(manager_);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  ASSERT_EQ(Count(IBCC_STATE_TIMING_OUT), 3u);
  for (const unsigned h : {2, 3}) fabric_.host(h).answers = true;
  const std::uint64_t asked = fabric_.host(1).tries;
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return Count(IBCC_STATE_TIMING_OUT) == 1; }, 20));
  Wait(1200);
  EXPECT_GE(fabric_.host(1).tries - asked, 3u * 3u) << "again and again";
  EXPECT_LE(fabric_.host(1).tries - asked, 3u * 12u) << "after growing pauses";
}

// It answers every second try, so that each of its requests is late.
TEST_F(ManagerLate, ADeviceThatWaversKeepsItsTurnAndIsSentOneRequestAtATime) {
  BringUp();
  const ibcc_device* device = Known(3);
  std::uint64_t seen = fabric_.host(3).tries;
  fabric_.host(3).answers_every = 2;
  Begin(Profile(9), 0);
  ASSERT_TRUE(fabric_.Run(
      manager_,
      [&] {
        EXPECT_LE(fabric_.host(3).tries - seen, 1u) << "between two looks";
        seen = fabric_.host(3).tries;
        return Increase(3) == 9 && ibcc_manager_device_state(manager_, device) == IBCC_STATE_APPLIED;
      },
      5));
}

TEST_F(ManagerLate, TheErrorBudgetCountsWhatFailsAfterThePass) {
  options_.max_errors = 0;
  Close();
  Open("other");
  BringUp();
  fabric_.host(3).answers = false;
  Begin(Profile(9), 0);
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return ibcc_profiles_experiment(profiles_) == nullptr; }, 10));
}

TEST_F(ManagerLate, ABaseIsNotGoodBeforeTheLateOnesAreHeardOf) {
  BringUp();
  fabric_.host(3).answers = false;
  ccp_error error{};
  const std::string text = Profile(9);
  ASSERT_EQ(ibcc_profiles_replace_base(profiles_, text.data(), text.size(), 0, &error), IBCC_PROFILES_OK) << error.message;
  ASSERT_NE(ibcc_manager_converge(manager_, "apply"), 0u);
  ASSERT_TRUE(JobEnds(1));
  ASSERT_EQ(Count(IBCC_STATE_TIMING_OUT), 1u);
  for (const unsigned h : {4, 5, 6, 7}) fabric_.host(h).answers = false;  // with host 3 more than may fail
  ASSERT_NE(ibcc_manager_verify(manager_), 0u);
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return ibcc_profiles_base(profiles_)->text != text; }, 20));
}

// OpenSM stops, and a host that holds the trial run has just stopped to answer.
TEST_F(ManagerLate, AtTheEndTheTimeThatIsLeftIsForThoseThatDoNotAnswer) {
  BringUp();
  Begin(Profile(9), 0);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  fabric_.host(3).answers = false;
  End();
  ASSERT_TRUE(JobEnds(1));
  EXPECT_EQ(Increase(4), 1u);
  EXPECT_TRUE(ibcc_manager_awaits_experiment_holders(manager_));
  Wait(2);
  EXPECT_TRUE(ibcc_manager_awaits_experiment_holders(manager_));
  fabric_.host(3).answers = true;
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return !ibcc_manager_awaits_experiment_holders(manager_); }, 6));
  EXPECT_EQ(Increase(3), 1u);
}

}  // namespace
}  // namespace ibcc_test
