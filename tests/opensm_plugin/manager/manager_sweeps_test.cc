// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Sweeps of OpenSM's that begin before anybody has told, that take long, and that never end.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "manager_support.hpp"

namespace ibcc_test {
namespace {

class ManagerSweeps : public ManagerBed {
 protected:
  ManagerSweeps() : ManagerBed(4, 6) { Open(); }

  void BeginSweep() {
    ibcc_inbox_content content{};
    content.notices = IBCC_NOTICE_SWEEP_BEGINS;
    content.sweeping = true;
    ibcc_manager_handle_inbox(manager_, &content);
  }
  void Wait(int seconds) {
    fabric_.Run(manager_, [] { return false; }, seconds);
  }
};

TEST_F(ManagerSweeps, AreCounted) {
  EXPECT_EQ(ibcc_manager_sweeps(manager_).ended, 0u);
  BringUp();
  fabric_.sweep_ok = false;
  fabric_.Sweep(manager_);
  EXPECT_EQ(ibcc_manager_sweeps(manager_).ended, 2u) << "those that ended with errors too";
  EXPECT_EQ(ibcc_manager_sweeps(manager_).since_ns, 0);
  BeginSweep();
  const std::int64_t began_ns = fabric_.now_ns;
  Wait(3);
  BeginSweep();  // discovery begins anew within the same one
  EXPECT_EQ(ibcc_manager_sweeps(manager_).since_ns, began_ns);
}

TEST_F(ManagerSweeps, StopsSendingBeforeTheMailThatTellsOfTheSweepIsRead) {
  options_.max_outstanding = 4096;
  unsigned asked = 0;
  fabric_.is_sweeping = [&] { return ++asked > 5; };
  fabric_.Sweep(manager_);
  ibcc_manager_tick(manager_);
  EXPECT_LE(fabric_.mads, 5u) << "and not all that the window has room for";
  EXPECT_GT(fabric_.mads, 0u);
  const std::uint64_t before = fabric_.mads;
  BeginSweep();
  Wait(30);
  EXPECT_EQ(fabric_.mads, before);
  fabric_.is_sweeping = [] { return false; };
  BringUp();
}

TEST_F(ManagerSweeps, StopsRetriesBeforeTheMailThatTellsOfTheSweepIsRead) {
  BringUp();
  for (auto& node : fabric_.nodes()) node.answers = false;
  ASSERT_NE(ibcc_manager_verify(manager_), 0u);
  const std::uint64_t before = ibcc_manager_mads(manager_).retried;
  ibcc_manager_tick(manager_);
  fabric_.now_ns += 2'000'000'000;  // this thread was kept: now all are due
  unsigned asked = 0;
  fabric_.is_sweeping = [&] { return ++asked > 5; };
  ibcc_manager_tick(manager_);
  EXPECT_LE(ibcc_manager_mads(manager_).retried - before, 5u);
}

TEST_F(ManagerSweeps, StopsReadingCongestionLogsBeforeTheMailThatTellsOfTheSweepIsRead) {
  options_.log_interval_s = 60;
  BringUp();
  fabric_.Run(manager_, [] { return false; }, 30);  // the first round is over
  const std::uint64_t before = fabric_.mads;
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return fabric_.mads > before; }, 60));
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  unsigned asked = 0;
  fabric_.is_sweeping = [&] { return ++asked > 2; };  // as the tick begins, it does not yet
  fabric_.now_ns = ibcc_manager_next_ns(manager_);
  const std::uint64_t then = fabric_.mads;
  ibcc_manager_tick(manager_);
  EXPECT_EQ(fabric_.mads, then);
}

// It may be of another device, which has been given the LID.
TEST_F(ManagerSweeps, ACongestionLogThatComesInOneIsNotBelieved) {
  options_.log_interval_s = 60;
  BringUp();
  const auto with_log = [&] {
    const ibcc_devices* devices = ibcc_manager_devices(manager_);
    return std::count_if(devices->list, devices->list + devices->count,
                         [](const auto* device) { return device->congestion != nullptr; });
  };
  const auto ask = [&] {
    const std::uint64_t before = fabric_.mads;
    ASSERT_TRUE(fabric_.Run(manager_, [&] { return fabric_.mads > before; }, 60));
  };
  const auto before = with_log();
  ask();
  BeginSweep();
  Wait(1);
  EXPECT_EQ(with_log(), before);
  fabric_.Sweep(manager_);
  ask();
  Wait(1);
  EXPECT_GT(with_log(), before);
}

TEST_F(ManagerSweeps, MastershipThatIsLostInOneIsNoticedThoughNobodyTells) {
  BringUp();
  BeginSweep();
  fabric_.master = false;  // handed over: OpenSM reports nothing
  Wait(2);
  EXPECT_STREQ(ibcc_manager_role_text(manager_), "standby");
  fabric_.is_sweeping = [] { return true; };  // nothing has told of an end
  ibcc_inbox_content trap{};
  trap.sweeping = true;
  ibcc_manager_handle_inbox(manager_, &trap);
  Wait(1000);
  ibcc_manager_tick(manager_);
  EXPECT_EQ(ibcc_manager_sweeps(manager_).since_ns, 0);
  EXPECT_EQ(log_.text.find("has not reported its end"), std::string::npos);
  fabric_.is_sweeping = [] { return false; };
  for (auto& node : fabric_.nodes()) node.agent.Reset();  // the other master cleared them
  fabric_.master = true;
  BringUp();
  for (auto& node : fabric_.nodes()) EXPECT_FALSE(node.agent.held.empty()) << "what was known before was believed";
}

// It handed over in that sweep, before the mail was read that tells of both.
TEST_F(ManagerSweeps, TheLastOneOfAFormerMasterIsNoneOfTheStandbys) {
  BringUp();
  fabric_.master = false;
  ibcc_inbox_content content{};
  content.notices = IBCC_NOTICE_STATE_CHANGE | IBCC_NOTICE_SWEEP_BEGINS;
  content.sweeping = true;
  ibcc_manager_handle_inbox(manager_, &content);
  EXPECT_STREQ(ibcc_manager_role_text(manager_), "standby");
  EXPECT_EQ(ibcc_manager_sweeps(manager_).since_ns, 0);
  Wait(1000);
  ibcc_manager_tick(manager_);
  EXPECT_EQ(log_.text.find("has not reported its end"), std::string::npos);
  fabric_.master = true;
  BringUp();
}

// A host is reset, the first of two sweeps finds that out, and the second overwrites it before the plugin has looked.
TEST_F(ManagerSweeps, AfterTwoAtOnceAllDevicesAreRead) {
  BringUp();
  const auto forgotten = fabric_.host(3).agent.held;
  for (auto& [key, data] : fabric_.host(3).agent.held) data = {};
  fabric_.Sweep(manager_);
  Wait(60);
  ASSERT_NE(fabric_.host(3).agent.held, forgotten) << "by one sweep that says nothing of it, nobody can know";
  ibcc_inbox_content content{};
  content.notices = IBCC_NOTICE_SUBNET_UP;
  content.num_sweeps_ended = 2;
  ibcc_manager_handle_inbox(manager_, &content);
  Wait(60);
  EXPECT_EQ(fabric_.host(3).agent.held, forgotten);
}

// The same, and the plugin looks in the second one.
TEST_F(ManagerSweeps, WhereTheNextHasBegunAllDevicesAreRead) {
  BringUp();
  const auto forgotten = fabric_.host(3).agent.held;
  for (auto& [key, data] : fabric_.host(3).agent.held) data = {};
  ibcc_inbox_content content{};
  content.notices = IBCC_NOTICE_SUBNET_UP | IBCC_NOTICE_SWEEP_BEGINS;
  content.num_sweeps_ended = 1;
  content.sweeping = true;
  ibcc_manager_handle_inbox(manager_, &content);
  content.notices = IBCC_NOTICE_SUBNET_UP;
  content.sweeping = false;
  ibcc_manager_handle_inbox(manager_, &content);
  Wait(60);
  EXPECT_EQ(fabric_.host(3).agent.held, forgotten);
}

// The same, and the second one begins, and perhaps ends, before the subnet is copied; the mail of that comes later.
TEST_F(ManagerSweeps, WhereTheNextBeginsMeanwhileAllDevicesAreRead) {
  BringUp();
  const auto forgotten = fabric_.host(3).agent.held;
  for (auto& [key, data] : fabric_.host(3).agent.held) data = {};
  ibcc_inbox_content up{};
  up.notices = IBCC_NOTICE_SUBNET_UP;
  up.num_sweeps_ended = 1;
  up.num_sweeps_begun = ++fabric_.sweeps_begun;
  ++fabric_.sweeps_begun;
  ibcc_manager_handle_inbox(manager_, &up);
  up.num_sweeps_begun = fabric_.sweeps_begun;
  ibcc_manager_handle_inbox(manager_, &up);
  Wait(60);
  EXPECT_EQ(fabric_.host(3).agent.held, forgotten);
}

TEST_F(ManagerSweeps, OneWithoutAnEndIsTalkedOfOnceAndTheNextOneSetsThingsRight) {
  BringUp();
  BeginSweep();
  Wait(299);
  EXPECT_EQ(log_.text.find("has not reported its end"), std::string::npos);
  Wait(1000);
  const auto at = log_.text.find("OpenSM began a heavy sweep 300 s ago and has not reported its end");
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(log_.text.find("has not reported its end", at + 60), std::string::npos);
  fabric_.leaf(0).agent.Reset();
  fabric_.Sweep(manager_, {fabric_.leaf(0).guid});
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_TRUE(AllApplied());
  EXPECT_EQ(ibcc_manager_sweeps(manager_).ended, 2u);
}

}  // namespace
}  // namespace ibcc_test
