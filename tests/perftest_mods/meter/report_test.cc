// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Whole lives of programs under the meter, each in a process of its own: lines, deadlines, schedules and endings.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <functional>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "fake_verbs.hpp"
#include "shim.h"

namespace {

constexpr int64_t kMs = 1'000'000;

int64_t now(clockid_t clock) {
  timespec at{};
  clock_gettime(clock, &at);
  return at.tv_sec * 1000 * kMs + at.tv_nsec;
}

struct Line {
  std::string text;

  int64_t number(const char* key) const {
    std::smatch found;
    if (!std::regex_search(text, found, std::regex("\"" + std::string(key) + "\":(-?\\d+)"))) {
      ADD_FAILURE() << "no number " << key << " in " << text;
      return -1;
    }
    return std::stoll(found[1]);
  }
  bool is(const char* kind) const { return text.find("\"kind\":\"" + std::string(kind) + "\"") != std::string::npos; }
};

struct Life {
  std::vector<Line> lines;
  int status;

  std::vector<Line> intervals() const {
    std::vector<Line> all;
    for (const Line& line : lines)
      if (line.is("interval")) all.push_back(line);
    return all;
  }
  int64_t sum(const char* key) const {
    int64_t all = 0;
    for (const Line& line : intervals()) all += line.number(key);
    return all;
  }
};

// `body` in a child whose lines are read until its end. A child that returns ends as main does.
Life live(const std::map<std::string, std::string>& environment, const std::function<void(fake::Context&)>& body) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    signal(SIGINT, SIG_DFL);  // shells have what they start in the background ignore it
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    if (shim_configure(ends[1])) _exit(99);
    {
      fake::Context context("fake_0");
      body(context);
    }
    shim_exit();
    _exit(0);
  }
  close(ends[1]);
  std::string all;
  char buffer[4096];
  for (ssize_t got; (got = ::read(ends[0], buffer, sizeof buffer)) > 0;) all.append(buffer, static_cast<size_t>(got));
  close(ends[0]);
  Life life{};
  waitpid(child, &life.status, 0);
  while (!all.empty()) {
    const size_t end = all.find('\n');
    if (end == std::string::npos) {
      ADD_FAILURE() << "torn: " << all;
      break;
    }
    life.lines.push_back({all.substr(0, end)});
    all.erase(0, end + 1);
  }
  return life;
}

// One message, completed and polled.
void send(fake::Context& context, ibv_qp* qp, uint32_t bytes) {
  ibv_sge piece{0, bytes, 0};
  ibv_send_wr wr{};
  wr.sg_list = &piece;
  wr.num_sge = 1;
  wr.opcode = IBV_WR_SEND;
  ibv_send_wr* bad = nullptr;
  ibv_wc wc{};
  ibv_post_send(qp, &wr, &bad);
  context.complete_all();
  ibv_poll_cq(&context.cq, 1, &wc);
}

void send_for(fake::Context& context, int64_t ms, uint32_t bytes) {
  ibv_qp* qp = context.classic(IBV_QPT_RC, true);
  for (const int64_t end = now(CLOCK_MONOTONIC) + ms * kMs; now(CLOCK_MONOTONIC) < end;) send(context, qp, bytes);
  ibv_destroy_qp(qp);
}

[[noreturn]] void send_for_ever(fake::Context& context, uint32_t bytes) {
  ibv_qp* qp = context.classic(IBV_QPT_RC, true);
  for (;;) send(context, qp, bytes);
}

void expect_sums(const Life& life) {
  ASSERT_FALSE(life.lines.empty());
  const Line& final = life.lines.back();
  EXPECT_TRUE(life.lines.front().is("start")) << life.lines.front().text;
  ASSERT_TRUE(final.is("final")) << final.text;
  for (const char* key :
       {"posted_bytes", "completed_bytes", "received_bytes", "posted_messages", "completed_messages", "received_messages"})
    EXPECT_EQ(life.sum(key), final.number(key)) << key;
}

TEST(Report, AProgramThatUsesNoVerbsSaysNothing) {
  const Life life = live({}, [](fake::Context&) {});
  EXPECT_TRUE(life.lines.empty());
}

TEST(Report, RefusedPostsAreNeverLessThanNothing) {
  const Life life = live({{"IBCC_METER_INTERVAL_MS", "10"}}, [](fake::Context& c) {
    ibv_qp* qp = c.classic(IBV_QPT_RC, true);
    c.refuse_after = 0;
    c.slow_ms = 3;
    for (int i = 0; i < 40; ++i) send(c, qp, 1000);
    ibv_destroy_qp(qp);
  });
  expect_sums(life);
  for (const Line& line : life.intervals()) {
    EXPECT_EQ(line.number("posted_bytes") % 1000, 0) << line.text;
    EXPECT_LE(line.number("posted_messages"), 1) << line.text;
  }
  EXPECT_LE(life.lines.back().number("posted_messages"), 1);
}

TEST(Report, LinesPerQueuePairHaveOneForThoseOfOtherProcesses) {
  const Life life = live({{"IBCC_METER_INTERVAL_MS", "10"}, {"IBCC_METER_PER", "qp"}}, [](fake::Context& c) {
    ibv_qp* qp = c.classic(IBV_QPT_RC, true);
    send(c, qp, 70);
    c.receive(9999u, 500);
    std::array<ibv_wc, 2> wc{};
    ibv_poll_cq(&c.cq, 2, wc.data());
    usleep(30'000);
    ibv_destroy_qp(qp);
  });
  expect_sums(life);
  EXPECT_EQ(life.lines.back().number("received_bytes"), 500);
  EXPECT_EQ(life.lines.back().number("completed_bytes"), 70);
  int of_others = 0;
  for (const Line& line : life.intervals())
    if (line.text.find("\"qp\":null") != std::string::npos) of_others += line.number("received_messages") == 1;
  EXPECT_EQ(of_others, 1);
}

constexpr int kNoPause = 77, kBegunTooLate = 78;

// Sends that begin while all goes as fast as it can, which is so for 50 ms from the program's start, and end when there is a rate.
// `start`: no later than the program's. A busy machine may not come to sending in that time.
void send_into_a_rate(fake::Context& c, bool extended, int64_t start) {
  ibv_qp_ex* qp = c.extended(IBV_QPT_RC, 16, true);
  const auto post = [&](uint32_t bytes) {
    if (!extended) return send(c, &qp->qp_base, bytes);
    ibv_wr_start(qp);
    ibv_wr_rdma_write(qp, 0, 0);
    ibv_wr_set_sge(qp, 0, 0, bytes);
    ibv_wr_complete(qp);
  };
  c.slow_ms = 100;
  const int64_t posting = now(CLOCK_MONOTONIC);
  if (posting - start > 45 * kMs) _exit(kBegunTooLate);
  post(10'000'000);
  c.slow_ms = 0;
  const int64_t before = now(CLOCK_MONOTONIC);
  if (before - posting > 120 * kMs) _exit(kBegunTooLate);  // a part of the pause may have gone by while this process waited
  post(1);
  if (now(CLOCK_MONOTONIC) - before < 70 * kMs) _exit(kNoPause);
  ibv_destroy_qp(&qp->qp_base);
}

TEST(Report, AMessagePaysThoughTheScheduleChangedWhileItWasPosted) {
  for (const bool extended : {false, true}) {
    int status = kBegunTooLate << 8;
    for (int attempt = 0; attempt < 50 && status == kBegunTooLate << 8; ++attempt) {
      const int64_t start = now(CLOCK_MONOTONIC);
      status = live({{"IBCC_METER_SCHEDULE", "0=max,0.05=0.8"}}, [&](fake::Context& c) {
                 send_into_a_rate(c, extended, start);
               }).status;
    }
    EXPECT_EQ(status, 0) << "a pause of 100 ms was due; extended: " << extended;
  }
}

TEST(Report, DeadlinesDoNotDriftAndIntervalsAddUp) {
  const Life life =
      live({{"IBCC_METER_INTERVAL_MS", "20"}, {"IBCC_METER_ID", "x:1"}}, [](fake::Context& c) { send_for(c, 210, 1000); });
  expect_sums(life);
  const Line& start = life.lines.front();
  const int64_t began = start.number("mono_ns") + start.number("start_ns") - start.number("wall_ns");
  int64_t until = began;
  const std::vector<Line> intervals = life.intervals();
  ASSERT_GE(intervals.size(), 2u);
  for (size_t i = 0; i < intervals.size(); ++i) {
    const int64_t at = intervals[i].number("mono_ns");
    EXPECT_EQ(intervals[i].number("length_ns"), at - until);
    if (i + 1 < intervals.size()) {
      EXPECT_EQ((at - intervals[i].number("late_ns") - began) % (20 * kMs), 0) << intervals[i].text;
      EXPECT_GE(intervals[i].number("late_ns"), 0);
    }
    EXPECT_NE(intervals[i].text.find("\"id\":\"x:1\",\"qp\":null,\"transport\":\"RC\""), std::string::npos);
    until = at;
  }
  EXPECT_GT(life.sum("completed_bytes"), 0);
  EXPECT_NE(life.lines.back().text.find("\"reason\":\"exit\""), std::string::npos);
}

TEST(Report, AStopEndsTheProgramThoughItIsHeldInAPost) {
  const Life life =
      live({{"IBCC_METER_STOP_S", "0.05"}, {"IBCC_METER_SCHEDULE", "0=off"}}, [](fake::Context& c) { send_for_ever(c, 9); });
  expect_sums(life);
  EXPECT_TRUE(WIFEXITED(life.status) && WEXITSTATUS(life.status) == 0);
  EXPECT_NE(life.lines.back().text.find("\"reason\":\"stop\""), std::string::npos);
  EXPECT_EQ(life.sum("posted_bytes"), 0);
}

TEST(Report, SignalsGetAFinalLineAndThenDoWhatTheyDo) {
  for (const int number : {SIGTERM, SIGINT}) {
    const Life life = live({{"IBCC_METER_INTERVAL_MS", "10"}}, [number](fake::Context& c) {
      ibv_qp* qp = c.classic(IBV_QPT_RC, true);
      send(c, qp, 5);
      raise(number);
      send_for_ever(c, 5);
    });
    expect_sums(life);
    EXPECT_TRUE(WIFSIGNALED(life.status) && WTERMSIG(life.status) == number) << life.status;
    EXPECT_NE(life.lines.back().text.find(number == SIGTERM ? "\"SIGTERM\"" : "\"SIGINT\""), std::string::npos);
  }
}

TEST(Report, AProgramsOwnHandlerStays) {
  const Life life = live({}, [](fake::Context& c) {
    signal(SIGTERM, [](int) {});
    c.classic(IBV_QPT_RC, true);
    raise(SIGTERM);
  });
  EXPECT_TRUE(WIFEXITED(life.status));
  EXPECT_NE(life.lines.back().text.find("\"reason\":\"exit\""), std::string::npos);
}

TEST(Report, PostsWaitForTheStart) {
  const int64_t start = now(CLOCK_REALTIME) + 150 * kMs;
  const Life life =
      live({{"IBCC_METER_START_NS", std::to_string(start)}, {"IBCC_METER_INTERVAL_MS", "10"}}, [start](fake::Context& c) {
        ibv_qp* qp = c.classic(IBV_QPT_RC, true);
        send(c, qp, 7);
        if (now(CLOCK_REALTIME) < start) _exit(1);
      });
  expect_sums(life);
  EXPECT_EQ(WEXITSTATUS(life.status), 0) << "posted before the start";
  EXPECT_EQ(life.sum("posted_bytes"), 7);
  EXPECT_EQ(life.lines.front().number("start_ns"), start);
}

TEST(Report, ScheduledRatesHoldOnAverageAndOffIsOff) {
  // 80 Mb/s are 10 kB a ms. Slow machines send less, never more; 1 ms may be caught up, and one message is a debt. On a busy
  // machine the stop may come late, and the schedule goes on until then.
  const Life life =
      live({{"IBCC_METER_SCHEDULE", "0=0.08,0.1=off,0.2=0.16"}, {"IBCC_METER_STOP_S", "0.3"}, {"IBCC_METER_INTERVAL_MS", "10"}},
           [](fake::Context& c) { send_for_ever(c, 1000); });
  expect_sums(life);
  const Line& start = life.lines.front();
  const int64_t began = start.number("mono_ns") + start.number("start_ns") - start.number("wall_ns");
  int64_t first = 0;
  int64_t off = 0;
  int64_t second = 0;
  for (const Line& line : life.intervals()) {
    const int64_t to = line.number("mono_ns") - began;
    const int64_t from = to - line.number("length_ns");
    if (to <= 100 * kMs) first += line.number("posted_bytes");
    if (from >= 105 * kMs && to <= 200 * kMs) off += line.number("posted_bytes");
    if (from >= 200 * kMs && to <= 300 * kMs) second += line.number("posted_bytes");
  }
  EXPECT_LE(first, 1'000'000 + 12'000);
  EXPECT_EQ(off, 0);
  EXPECT_LE(second, 2'000'000 + 24'000);
  EXPECT_GT(first + second, 0);
}

TEST(Report, ALinePerQueuePairHasItsOwnCountsAlsoTheLastTime) {
  const Life life = live({{"IBCC_METER_PER", "qp"}, {"IBCC_METER_INTERVAL_MS", "10"}}, [](fake::Context& c) {
    ibv_qp* one = c.classic(IBV_QPT_RC, true);
    ibv_qp* two = c.classic(IBV_QPT_UD, true);
    send(c, one, 10);
    send(c, two, 200);
    ibv_destroy_qp(one);
    ibv_destroy_qp(two);
  });
  expect_sums(life);
  std::map<int64_t, int64_t> bytes;
  for (const Line& line : life.intervals()) bytes[line.number("qp")] += line.number("completed_bytes");
  EXPECT_EQ(bytes, (std::map<int64_t, int64_t>{{100, 10}, {101, 200}}));
}

TEST(Report, AFailedWorkRequestIsTheFinalLinesError) {
  const Life life = live({}, [](fake::Context& c) {
    ibv_qp* qp = c.classic(IBV_QPT_RC, true);
    ibv_wc wc{};
    wc.status = IBV_WC_REM_ACCESS_ERR;
    wc.qp_num = qp->qp_num;
    c.completions.push_back(wc);
    ibv_poll_cq(&c.cq, 1, &wc);
  });
  EXPECT_NE(life.lines.back().text.find("\"error\":\"A work request of queue pair 100 failed: remote access error.\""),
            std::string::npos);
}

TEST(Report, AChildMayPostToItsParentsQueuePairs) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "TSan lets no child of a program with threads start one";
#endif
  const Life life = live({}, [](fake::Context& c) {
    ibv_qp_ex* qp = c.extended(IBV_QPT_RC);
    ibv_wr_start(qp);
    ibv_wr_send(qp);
    ibv_wr_set_sge(qp, 0, 0, 5);
    ibv_wr_complete(qp);
    const pid_t child = fork();
    if (child == 0) {
      ibv_wr_start(qp);
      ibv_wr_send(qp);
      ibv_wr_set_sge(qp, 0, 0, 1000);
      _exit(ibv_wr_complete(qp));
    }
    int status = -1;
    waitpid(child, &status, 0);
    if (status != 0) _exit(77);
    ibv_destroy_qp(&qp->qp_base);
  });
  EXPECT_EQ(life.status, 0);
  EXPECT_EQ(life.lines.back().number("posted_bytes"), 5);
}

TEST(Report, AChildIsAProgramOfItsOwn) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "TSan lets no child of a program with threads start one";
#endif
  const Life life = live({}, [](fake::Context& c) {
    ibv_qp* qp = c.classic(IBV_QPT_RC, true);
    send(c, qp, 10);
    const pid_t child = fork();
    if (child == 0) {
      send(c, c.classic(IBV_QPT_RC, true), 300);
      shim_exit();
      _exit(0);
    }
    waitpid(child, nullptr, 0);
  });
  std::vector<int64_t> totals;
  for (const Line& line : life.lines)
    if (line.is("final")) totals.push_back(line.number("completed_bytes"));
  EXPECT_EQ(totals, (std::vector<int64_t>{300, 10}));
}

TEST(Report, AReaderThatIsGoneDoesNotEndTheProgram) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  const pid_t child = fork();
  if (child == 0) {
    shim_configure(ends[1]);
    fake::Context context("fake_0");
    send(context, context.classic(IBV_QPT_RC, true), 10);
    shim_exit();
    _exit(7);
  }
  close(ends[1]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
}

}  // namespace
