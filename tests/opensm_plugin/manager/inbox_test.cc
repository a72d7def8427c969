// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "manager/inbox.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <thread>
#include <vector>

#include "refused_memory.hpp"

namespace {

class Inbox : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(inbox_ = ibcc_inbox_create(), nullptr); }
  void TearDown() override { ibcc_inbox_destroy(inbox_); }
  bool Readable(int timeout_ms = 0) {
    pollfd waited{ibcc_inbox_fd(inbox_), POLLIN, 0};
    return poll(&waited, 1, timeout_ms) == 1;
  }
  ibcc_inbox_content Take() {
    ibcc_inbox_content content;
    std::memset(&content, 0xEE, sizeof(content));  // all of it is filled
    ibcc_inbox_take(inbox_, &content);
    return content;
  }
  ibcc_inbox* inbox_ = nullptr;
};

TEST_F(Inbox, AnEmptyBox) {
  EXPECT_FALSE(Readable());
  const ibcc_inbox_content content = Take();
  EXPECT_EQ(content.notices, 0u);
  EXPECT_FALSE(content.sweeping || content.all_ports || content.all_switches);
  EXPECT_EQ(content.num_ports + content.num_switches + content.num_answers, 0u);
}

TEST_F(Inbox, ReadableFromTheFirstPostUntilItIsTaken) {
  ibcc_answer answer{};
  const std::vector<std::function<void()>> posts = {
      [&] { ibcc_inbox_post(inbox_, IBCC_NOTICE_SUBNET_UP); },
      [&] { ibcc_inbox_post_port(inbox_, 1); },
      [&] { ibcc_inbox_post_switch(inbox_, 1); },
      [&] { ibcc_inbox_post_answer(inbox_, &answer); },
  };
  for (const auto& post : posts) {
    post();
    EXPECT_TRUE(Readable());
    post();
    EXPECT_TRUE(Readable());
    Take();
    EXPECT_FALSE(Readable());
  }
}

TEST_F(Inbox, EachIsToldOnce) {
  ibcc_answer answer{};
  ibcc_inbox_post(inbox_, IBCC_NOTICE_SUBNET_UP);
  ibcc_inbox_post(inbox_, IBCC_NOTICE_STOP);
  for (const std::uint64_t guid : {5u, 6u, 5u, 5u, 6u}) ibcc_inbox_post_port(inbox_, guid);
  for (const std::uint64_t guid : {9u, 9u, 8u}) ibcc_inbox_post_switch(inbox_, guid);
  for (int i = 0; i < 3; ++i) {
    answer.lid = static_cast<std::uint16_t>(i);
    answer.mad[255] = static_cast<std::uint8_t>(i);
    answer.timed_out = i == 1;
    ibcc_inbox_post_answer(inbox_, &answer);
  }
  const ibcc_inbox_content content = Take();
  EXPECT_EQ(content.notices, IBCC_NOTICE_SUBNET_UP | IBCC_NOTICE_STOP);
  EXPECT_EQ(std::vector(content.port_guids, content.port_guids + content.num_ports), (std::vector<std::uint64_t>{5, 6}));
  EXPECT_EQ(std::vector(content.switch_guids, content.switch_guids + content.num_switches), (std::vector<std::uint64_t>{9, 8}));
  ASSERT_EQ(content.num_answers, 3u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(content.answers[i].lid, i);
    EXPECT_EQ(content.answers[i].mad[255], i);
    EXPECT_EQ(content.answers[i].timed_out, i == 1);
  }
  const ibcc_inbox_content none = Take();
  EXPECT_EQ(none.notices + none.num_ports + none.num_switches + none.num_answers, 0u);
}

TEST_F(Inbox, MailLastsWhileTheNextIsPosted) {
  ibcc_inbox_post_port(inbox_, 5);
  const ibcc_inbox_content content = Take();
  for (std::uint64_t guid = 100; guid < 300; ++guid) ibcc_inbox_post_port(inbox_, guid);
  EXPECT_EQ(content.port_guids[0], 5u);
  EXPECT_EQ(Take().num_ports, 200u);
}

TEST_F(Inbox, SweepingFromItsBeginningToWhateverComesNext) {
  ibcc_inbox_post(inbox_, IBCC_NOTICE_SWEEP_BEGINS);
  EXPECT_TRUE(Take().sweeping);
  ibcc_inbox_post_port(inbox_, 1);
  EXPECT_TRUE(Take().sweeping);  // still
  EXPECT_TRUE(ibcc_inbox_is_sweeping(inbox_));
  ibcc_inbox_post(inbox_, IBCC_NOTICE_SUBNET_UP);
  EXPECT_FALSE(ibcc_inbox_is_sweeping(inbox_)) << "before it is taken";
  EXPECT_FALSE(Take().sweeping);
  ibcc_inbox_post(inbox_, IBCC_NOTICE_SWEEP_BEGINS);
  ibcc_inbox_post(inbox_, IBCC_NOTICE_STATE_CHANGE);
  EXPECT_EQ(ibcc_inbox_num_sweeps_begun(inbox_), 2u) << "before it is taken";
  const ibcc_inbox_content over = Take();
  EXPECT_EQ(over.num_sweeps_begun, 2u);
  EXPECT_FALSE(over.sweeping);
  EXPECT_EQ(over.notices, IBCC_NOTICE_SWEEP_BEGINS | IBCC_NOTICE_STATE_CHANGE);
}

TEST_F(Inbox, EachSweepThatEndedCounts) {
  for (int i = 0; i < 3; ++i) {
    ibcc_inbox_post(inbox_, IBCC_NOTICE_SWEEP_BEGINS);
    ibcc_inbox_post(inbox_, IBCC_NOTICE_SUBNET_UP);
  }
  ibcc_inbox_post(inbox_, IBCC_NOTICE_SWEEP_BEGINS);
  EXPECT_EQ(Take().num_sweeps_ended, 3u);
  EXPECT_EQ(Take().num_sweeps_ended, 0u);
}

TEST_F(Inbox, MorePortsOrSwitchesThanFitStandForAll) {
  for (std::uint64_t guid = 1; guid <= IBCC_MAX_INBOX_PORTS; ++guid) ibcc_inbox_post_port(inbox_, guid);
  ibcc_inbox_post_port(inbox_, 1);  // is there already
  ibcc_inbox_content content = Take();
  EXPECT_EQ(content.num_ports, IBCC_MAX_INBOX_PORTS);
  EXPECT_FALSE(content.all_ports);
  for (std::uint64_t guid = 0; guid <= IBCC_MAX_INBOX_PORTS; ++guid) {
    ibcc_inbox_post_port(inbox_, guid);
    ibcc_inbox_post_switch(inbox_, guid);
  }
  content = Take();
  EXPECT_TRUE(content.all_ports && content.all_switches);
  EXPECT_LE(content.num_ports, IBCC_MAX_INBOX_PORTS);
  EXPECT_LE(content.num_switches, IBCC_MAX_INBOX_PORTS);
  content = Take();
  EXPECT_FALSE(content.all_ports || content.all_switches);
}

TEST_F(Inbox, AnswersBeyondTheBoundAreDropped) {
  ibcc_answer answer{};
  for (std::uint32_t i = 0; i < IBCC_MAX_INBOX_ANSWERS + 10; ++i) {
    std::memcpy(answer.mad, &i, sizeof(i));
    ibcc_inbox_post_answer(inbox_, &answer);
  }
  const ibcc_inbox_content content = Take();
  ASSERT_EQ(content.num_answers, IBCC_MAX_INBOX_ANSWERS);
  for (std::uint32_t i = 0; i < content.num_answers; ++i) EXPECT_EQ(std::memcmp(content.answers[i].mad, &i, sizeof(i)), 0);
}

TEST(NoticesCreation, RefusedMemory) {
  for (unsigned nth = 1;; ++nth) {
    RefusedMemory refusal(nth);
    ibcc_inbox* inbox = ibcc_inbox_create();
    if (!refusal.Happened()) {
      EXPECT_NE(inbox, nullptr);
      ibcc_inbox_destroy(inbox);
      EXPECT_EQ(nth, 4u);  // itself and room for answers in two boxes
      break;
    }
    EXPECT_EQ(inbox, nullptr);
  }
}

// OpenSM's threads post under its locks.
TEST_F(Inbox, PostingAsksForNoMemory) {
  RefusedMemory refusal(1);
  ibcc_answer answer{};
  for (std::uint64_t i = 0; i < 1000; ++i) {
    ibcc_inbox_post(inbox_, IBCC_NOTICE_SUBNET_UP);
    ibcc_inbox_post_port(inbox_, i);
    ibcc_inbox_post_switch(inbox_, i);
    ibcc_inbox_post_answer(inbox_, &answer);
  }
  EXPECT_FALSE(refusal.Happened());
}

// Several threads post while one waits for the descriptor and reads: all arrives, in each thread's order, and nobody waits in vain.
TEST_F(Inbox, FromManyThreads) {
  constexpr unsigned kThreads = 4, kPosts = 5000;
  std::vector<std::jthread> threads;
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (unsigned i = 0; i < kPosts; ++i) {
        ibcc_answer answer{};
        answer.lid = static_cast<std::uint16_t>(thread);
        std::memcpy(answer.mad, &i, sizeof(i));
        ibcc_inbox_post_answer(inbox_, &answer);
        ibcc_inbox_post_port(inbox_, thread * kPosts + i);
        ibcc_inbox_post(inbox_, i % 2 ? IBCC_NOTICE_SUBNET_UP : IBCC_NOTICE_SWEEP_BEGINS);
        if (i % 64 == 0) std::this_thread::yield();
      }
    });
  }
  std::map<unsigned, unsigned> next;
  std::set<std::uint64_t> ports;
  bool all_ports = false;
  unsigned answers = 0, dropped = 0;
  const auto read = [&] {
    const ibcc_inbox_content content = Take();
    dropped += content.num_answers == IBCC_MAX_INBOX_ANSWERS;
    for (std::uint32_t i = 0; i < content.num_answers; ++i) {
      unsigned number;
      std::memcpy(&number, content.answers[i].mad, sizeof(number));
      EXPECT_GE(number, next[content.answers[i].lid]);
      next[content.answers[i].lid] = number + 1;
      ++answers;
    }
    ports.insert(content.port_guids, content.port_guids + content.num_ports);
    all_ports |= content.all_ports;
  };
  while (next.size() < kThreads || std::any_of(next.begin(), next.end(), [](const auto& of) { return of.second < kPosts; })) {
    ASSERT_TRUE(Readable(10'000)) << "posts without a ring";
    read();
    if (dropped) break;  // a reader so slow that the box was full: the last answers may be among those lost
  }
  for (std::jthread& thread : threads) thread.join();
  read();
  EXPECT_FALSE(Readable());
  if (!dropped) {
    EXPECT_EQ(answers, kThreads * kPosts);
  }
  if (!all_ports) {
    EXPECT_EQ(ports.size(), kThreads * kPosts);
  }
}

}  // namespace
