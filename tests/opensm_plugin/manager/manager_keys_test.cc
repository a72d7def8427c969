// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// CC_Keys on a whole fabric: set, changed under loss and crashes, and found again by a successor that was given the same file.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "manager_support.hpp"

namespace ibcc_test {
namespace {

class ManagerKeys : public ManagerBed {
 protected:
  ManagerKeys() : ManagerBed(3, 4) {
    WriteProfile(ProfileOf(1, "", true, 1));
    options_.max_errors = 1000;
  }
  bool AllHave(std::uint64_t key) {
    return std::all_of(fabric_.nodes().begin(), fabric_.nodes().end(),
                       [&](const auto& node) { return node.agent.cc_key == key; });
  }
  std::uint64_t Violations() {
    std::uint64_t violations = 0;
    for (const auto& node : fabric_.nodes()) violations += node.agent.violations;
    return violations;
  }
};

TEST_F(ManagerKeys, DevicesGetTheKeyBeforeTheirTables) {
  WriteKeys("current: 0x1111\n");
  Open();
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_TRUE(AllHave(0x1111));
  EXPECT_TRUE(AllApplied());
  EXPECT_EQ(Violations(), 0u);
  EXPECT_STREQ(ibcc_manager_key_text(manager_, ibcc_manager_devices(manager_)->list[0]), "current");
}

TEST_F(ManagerKeys, AChangeThatIsLostInPartAndCutShortLocksNobodyOut) {
  WriteKeys("current: 0x1111\n");
  Open();
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  WriteKeys("current: 0x1111\nnext: 0x2222\n");
  fabric_.loss = 0.3;
  fabric_.host(3).present = false;
  fabric_.Sweep(manager_);
  const auto changed = [&] {
    return std::count_if(fabric_.nodes().begin(), fabric_.nodes().end(), [](const auto& n) { return n.agent.cc_key == 0x2222; });
  };
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return changed() >= 5; }, 60));
  Close();  // in the middle
  Open();
  fabric_.Sweep(manager_);
  fabric_.RunUntilIdle(manager_, 120);
  // The one that was away comes back with the former key, when the change is over.
  WriteKeys("current: 0x2222\n");
  fabric_.host(3).present = true;
  fabric_.loss = 0;
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return AllHave(0x2222) && AllApplied(); }, 2000));
}

TEST_F(ManagerKeys, AKeyThatWasTakenAwayIsGivenAgainByTheAudit) {
  WriteKeys("current: 0x1111\n");
  Open();
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  fabric_.leaf(1).agent.cc_key = 0;
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return AllHave(0x1111); }, 700));
}

TEST_F(ManagerKeys, AKeyThatWasTakenAwayIsGivenAgainByVerify) {
  options_.audit_interval_s = 0;
  WriteKeys("current: 0x1111\n");
  Open();
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  fabric_.leaf(1).agent.cc_key = 0;
  ASSERT_NE(ibcc_manager_verify(manager_), 0u);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_TRUE(AllHave(0x1111));
}

TEST_F(ManagerKeys, ASuccessorWithTheSameFileFindsTheKeys) {
  WriteKeys("current: 0x2222\nprevious: 0x1111\n");
  for (std::size_t i = 0; i < fabric_.nodes().size(); ++i)
    fabric_.nodes()[i].agent.cc_key = i % 3 == 0 ? 0 : i % 3 == 1 ? 0x1111 : 0x2222;
  Open("other");
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_TRUE(AllHave(0x2222));
  EXPECT_TRUE(AllApplied());
  EXPECT_EQ(Violations(), 0u) << "keys are looked for by a request that no device minds";
}

TEST_F(ManagerKeys, AForeignKeyIsShownAndTheRestGoesOn) {
  WriteKeys("current: 0x2222\n");
  fabric_.host(2).agent.cc_key = 0x9999;
  Open();
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(Count(IBCC_STATE_APPLIED), fabric_.nodes().size() - 1);
  EXPECT_EQ(fabric_.host(2).agent.cc_key, 0x9999u);
  fabric_.host(2).agent.cc_key = 0;  // its lease has run out, or somebody has cleared it
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return AllHave(0x2222) && AllApplied(); }, 2000));
}

TEST_F(ManagerKeys, AMendedKeyFileIsUsedByTheFirstVerification) {
  options_.audit_interval_s = 0;
  WriteKeys("current: 0x2222\n");
  for (const unsigned host : {2U, 5U, 7U}) fabric_.host(host).agent.cc_key = 0x9999;
  Open();
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  ASSERT_EQ(Count(IBCC_STATE_TIMING_OUT), 3U);
  fabric_.Run(manager_, [] { return false; }, 100);
  WriteKeys("current: 0x2222\nprevious: 0x9999\n");
  ASSERT_NE(ibcc_manager_verify(manager_), 0U);
  const ibcc_job* job = ibcc_manager_job(manager_);
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return job->state != IBCC_JOB_RUNNING; }, 60));
  EXPECT_TRUE(AllApplied()) << job->message;
  EXPECT_TRUE(AllHave(0x2222));
}

}  // namespace
}  // namespace ibcc_test
