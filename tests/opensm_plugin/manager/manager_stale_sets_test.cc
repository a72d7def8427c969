// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A Set that had no answer when another profile came into force: it is not sent again, and nobody forgets that it may have arrived.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>

#include "manager_support.hpp"

namespace ibcc_test {
namespace {

constexpr unsigned kSilent = 3;

class ManagerStaleSets : public OpenManagerBed {
 protected:
  ManagerStaleSets() {
    fabric_.host(kSilent).agent.clamp = [this](Key key, Data& data) {
      if (key.first == CCP_CA_CONGESTION_SETTING) arrived_.insert(data[6]);
    };
  }
  static std::string Profile(int increase) {
    return ProfileOf(increase, "overrides: [{match: {role: host}, ca: {ccti_increase: " + std::to_string(increase) + "}}]\n");
  }
  bool JobEnds() {
    return fabric_.Run(manager_, [&] { return ibcc_manager_job(manager_)->state != IBCC_JOB_RUNNING; }, 5);
  }
  // The host has the Set of a trial run in flight that had no answer, and the trial run has ended.
  void EndWhileASetIsInFlight() {
    BringUp();
    fabric_.host(kSilent).answers = false;
    Begin(Profile(9));
    ASSERT_TRUE(JobEnds());
    ASSERT_TRUE(Known().in_flight);
    End();
  }
  const ibcc_device& Known() { return *ibcc_devices_find(ibcc_manager_devices(manager_), 0x1000 + kSilent, 1); }
  unsigned Increase() { return fabric_.host(kSilent).agent.held[{CCP_CA_CONGESTION_SETTING, 0}][6]; }

  std::set<unsigned> arrived_;  // values of Sets
};

TEST_F(ManagerStaleSets, ASetOfATrialRunIsNotRepeatedAfterItsEnd) {
  EndWhileASetIsInFlight();
  arrived_.clear();
  fabric_.host(kSilent).answers = true;
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(arrived_, std::set<unsigned>{1}) << "as it may have arrived, the base is set";
  EXPECT_EQ(Increase(), 1U);
  EXPECT_TRUE(AllApplied());
  EXPECT_EQ(ibcc_manager_count_experiment_holders(manager_, UINT64_MAX), 0U);
}

// It holds the base by its last answer, and the Set of the trial run may have arrived since: the last try is out when the base is back.
TEST_F(ManagerStaleSets, WhoMayHaveTakenATrialRunIsCountedUntilItIsHeardOf) {
  BringUp();
  const std::uint64_t before = fabric_.host(kSilent).tries;
  fabric_.host(kSilent).answers = false;
  Begin(Profile(9));
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return fabric_.host(kSilent).tries == before + 1 + options_.retries; }, 10));
  End();
  ASSERT_TRUE(JobEnds());
  ASSERT_TRUE(Known().in_flight);
  EXPECT_EQ(ibcc_manager_count_experiment_holders(manager_, UINT64_MAX), 1U);
  Wait(60);
  EXPECT_EQ(ibcc_manager_count_experiment_holders(manager_, UINT64_MAX), 1U);
  fabric_.host(kSilent).answers = true;
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return AllApplied(); }, 301));
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(ibcc_manager_count_experiment_holders(manager_, UINT64_MAX), 0U);
}

// It takes each third try.
TEST_F(ManagerStaleSets, ASetThatIsWantedIsRepeated) {
  BringUp();
  fabric_.host(kSilent).answers_every = 3;
  Begin(Profile(9));
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(Increase(), 9U);
  EXPECT_EQ(Known().timeouts, 0U) << "it had tries enough";
}

}  // namespace
}  // namespace ibcc_test
