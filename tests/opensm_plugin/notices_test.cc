// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "notices.h"

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

class Notices : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(notices_ = ibcc_notices_create(), nullptr); }
  void TearDown() override { ibcc_notices_destroy(notices_); }
  bool Readable(int timeout_ms = 0) {
    pollfd waited{ibcc_notices_fd(notices_), POLLIN, 0};
    return poll(&waited, 1, timeout_ms) == 1;
  }
  ibcc_mail Take() {
    ibcc_mail mail;
    std::memset(&mail, 0xEE, sizeof(mail));  // all of it is filled
    ibcc_notices_take(notices_, &mail);
    return mail;
  }
  ibcc_notices* notices_ = nullptr;
};

TEST_F(Notices, AnEmptyBox) {
  EXPECT_FALSE(Readable());
  const ibcc_mail mail = Take();
  EXPECT_EQ(mail.notices, 0u);
  EXPECT_FALSE(mail.sweeping || mail.all_ports || mail.all_switches);
  EXPECT_EQ(mail.num_ports + mail.num_switches + mail.num_answers, 0u);
}

TEST_F(Notices, ReadableFromTheFirstPostUntilItIsTaken) {
  ibcc_answer answer{};
  const std::vector<std::function<void()>> posts = {
      [&] { ibcc_notices_post(notices_, IBCC_NOTICE_SUBNET_UP); },
      [&] { ibcc_notices_post_port(notices_, 1); },
      [&] { ibcc_notices_post_switch(notices_, 1); },
      [&] { ibcc_notices_post_answer(notices_, &answer); },
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

TEST_F(Notices, EachIsToldOnce) {
  ibcc_answer answer{};
  ibcc_notices_post(notices_, IBCC_NOTICE_SUBNET_UP);
  ibcc_notices_post(notices_, IBCC_NOTICE_STOP);
  for (const std::uint64_t guid : {5u, 6u, 5u, 5u, 6u}) ibcc_notices_post_port(notices_, guid);
  for (const std::uint64_t guid : {9u, 9u, 8u}) ibcc_notices_post_switch(notices_, guid);
  for (int i = 0; i < 3; ++i) {
    answer.lid = static_cast<std::uint16_t>(i);
    answer.mad[255] = static_cast<std::uint8_t>(i);
    answer.timed_out = i == 1;
    ibcc_notices_post_answer(notices_, &answer);
  }
  const ibcc_mail mail = Take();
  EXPECT_EQ(mail.notices, IBCC_NOTICE_SUBNET_UP | IBCC_NOTICE_STOP);
  EXPECT_EQ(std::vector(mail.port_guids, mail.port_guids + mail.num_ports), (std::vector<std::uint64_t>{5, 6}));
  EXPECT_EQ(std::vector(mail.switch_guids, mail.switch_guids + mail.num_switches), (std::vector<std::uint64_t>{9, 8}));
  ASSERT_EQ(mail.num_answers, 3u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(mail.answers[i].lid, i);
    EXPECT_EQ(mail.answers[i].mad[255], i);
    EXPECT_EQ(mail.answers[i].timed_out, i == 1);
  }
  const ibcc_mail none = Take();
  EXPECT_EQ(none.notices + none.num_ports + none.num_switches + none.num_answers, 0u);
}

TEST_F(Notices, MailLastsWhileTheNextIsPosted) {
  ibcc_notices_post_port(notices_, 5);
  const ibcc_mail mail = Take();
  for (std::uint64_t guid = 100; guid < 300; ++guid) ibcc_notices_post_port(notices_, guid);
  EXPECT_EQ(mail.port_guids[0], 5u);
  EXPECT_EQ(Take().num_ports, 200u);
}

TEST_F(Notices, SweepingFromItsBeginningToWhateverComesNext) {
  ibcc_notices_post(notices_, IBCC_NOTICE_SWEEP_BEGINS);
  EXPECT_TRUE(Take().sweeping);
  ibcc_notices_post_port(notices_, 1);
  EXPECT_TRUE(Take().sweeping);  // still
  EXPECT_TRUE(ibcc_notices_is_sweeping(notices_));
  ibcc_notices_post(notices_, IBCC_NOTICE_SUBNET_UP);
  EXPECT_FALSE(ibcc_notices_is_sweeping(notices_)) << "before it is taken";
  EXPECT_FALSE(Take().sweeping);
  ibcc_notices_post(notices_, IBCC_NOTICE_SWEEP_BEGINS);
  ibcc_notices_post(notices_, IBCC_NOTICE_STATE_CHANGE);
  const ibcc_mail over = Take();
  EXPECT_FALSE(over.sweeping);
  EXPECT_EQ(over.notices, IBCC_NOTICE_SWEEP_BEGINS | IBCC_NOTICE_STATE_CHANGE);
}

TEST_F(Notices, EachSweepThatEndedCounts) {
  for (int i = 0; i < 3; ++i) {
    ibcc_notices_post(notices_, IBCC_NOTICE_SWEEP_BEGINS);
    ibcc_notices_post(notices_, IBCC_NOTICE_SUBNET_UP);
  }
  ibcc_notices_post(notices_, IBCC_NOTICE_SWEEP_BEGINS);
  EXPECT_EQ(Take().num_sweeps_ended, 3u);
  EXPECT_EQ(Take().num_sweeps_ended, 0u);
}

TEST_F(Notices, MorePortsOrSwitchesThanFitStandForAll) {
  for (std::uint64_t guid = 1; guid <= IBCC_MAX_NOTICED_PORTS; ++guid) ibcc_notices_post_port(notices_, guid);
  ibcc_notices_post_port(notices_, 1);  // is there already
  ibcc_mail mail = Take();
  EXPECT_EQ(mail.num_ports, IBCC_MAX_NOTICED_PORTS);
  EXPECT_FALSE(mail.all_ports);
  for (std::uint64_t guid = 0; guid <= IBCC_MAX_NOTICED_PORTS; ++guid) {
    ibcc_notices_post_port(notices_, guid);
    ibcc_notices_post_switch(notices_, guid);
  }
  mail = Take();
  EXPECT_TRUE(mail.all_ports && mail.all_switches);
  EXPECT_LE(mail.num_ports, IBCC_MAX_NOTICED_PORTS);
  EXPECT_LE(mail.num_switches, IBCC_MAX_NOTICED_PORTS);
  mail = Take();
  EXPECT_FALSE(mail.all_ports || mail.all_switches);
}

TEST_F(Notices, AnswersBeyondTheBoundAreDropped) {
  ibcc_answer answer{};
  for (std::uint32_t i = 0; i < IBCC_MAX_HELD_ANSWERS + 10; ++i) {
    std::memcpy(answer.mad, &i, sizeof(i));
    ibcc_notices_post_answer(notices_, &answer);
  }
  const ibcc_mail mail = Take();
  ASSERT_EQ(mail.num_answers, IBCC_MAX_HELD_ANSWERS);
  for (std::uint32_t i = 0; i < mail.num_answers; ++i) EXPECT_EQ(std::memcmp(mail.answers[i].mad, &i, sizeof(i)), 0);
}

TEST(NoticesCreation, RefusedMemory) {
  for (unsigned nth = 1;; ++nth) {
    RefusedMemory refusal(nth);
    ibcc_notices* notices = ibcc_notices_create();
    if (!refusal.Happened()) {
      EXPECT_NE(notices, nullptr);
      ibcc_notices_destroy(notices);
      EXPECT_EQ(nth, 4u);  // itself and room for answers in two boxes
      break;
    }
    EXPECT_EQ(notices, nullptr);
  }
}

// OpenSM's threads post under its locks.
TEST_F(Notices, PostingAsksForNoMemory) {
  RefusedMemory refusal(1);
  ibcc_answer answer{};
  for (std::uint64_t i = 0; i < 1000; ++i) {
    ibcc_notices_post(notices_, IBCC_NOTICE_SUBNET_UP);
    ibcc_notices_post_port(notices_, i);
    ibcc_notices_post_switch(notices_, i);
    ibcc_notices_post_answer(notices_, &answer);
  }
  EXPECT_FALSE(refusal.Happened());
}

// Several threads post while one waits for the descriptor and reads: all arrives, in each thread's order, and nobody waits in vain.
TEST_F(Notices, FromManyThreads) {
  constexpr unsigned kThreads = 4, kPosts = 5000;
  std::vector<std::jthread> threads;
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (unsigned i = 0; i < kPosts; ++i) {
        ibcc_answer answer{};
        answer.lid = static_cast<std::uint16_t>(thread);
        std::memcpy(answer.mad, &i, sizeof(i));
        ibcc_notices_post_answer(notices_, &answer);
        ibcc_notices_post_port(notices_, thread * kPosts + i);
        ibcc_notices_post(notices_, i % 2 ? IBCC_NOTICE_SUBNET_UP : IBCC_NOTICE_SWEEP_BEGINS);
        if (i % 64 == 0) std::this_thread::yield();
      }
    });
  }
  std::map<unsigned, unsigned> next;
  std::set<std::uint64_t> ports;
  bool all_ports = false;
  unsigned answers = 0, dropped = 0;
  const auto read = [&] {
    const ibcc_mail mail = Take();
    dropped += mail.num_answers == IBCC_MAX_HELD_ANSWERS;
    for (std::uint32_t i = 0; i < mail.num_answers; ++i) {
      unsigned number;
      std::memcpy(&number, mail.answers[i].mad, sizeof(number));
      EXPECT_GE(number, next[mail.answers[i].lid]);
      next[mail.answers[i].lid] = number + 1;
      ++answers;
    }
    ports.insert(mail.port_guids, mail.port_guids + mail.num_ports);
    all_ports |= mail.all_ports;
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
