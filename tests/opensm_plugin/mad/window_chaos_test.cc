// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The window under everything at once, by chance; window_test.cc has its behaviour case by case.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "window_bench.hpp"

namespace {

using namespace window_bench;

struct Chaos {
  std::uint64_t seed;
  ibcc_window_settings settings;
};

class WindowUnderChaos : public ::testing::TestWithParam<Chaos> {};

// Losses, duplicates, late, busy, foreign and garbled answers, refusals, pauses, another port, cancels: every request ends once, in a
// way that what happened to it allows; never too many are out; no second has too many MADs; and the loop neither spins nor hangs.
TEST_P(WindowUnderChaos, EveryRequestHasExactlyOneOutcome) {
  const Chaos& chaos = GetParam();
  std::mt19937_64 random(chaos.seed);
  const auto chance = [&](double probability) { return std::uniform_real_distribution<>(0, 1)(random) < probability; };
  Bench bench(chaos.settings);
  struct Ahead {
    ibcc_answer answer;
    std::uint32_t request;  // tag; UINT32_MAX: a stranger's
  };
  std::multimap<std::int64_t, Ahead> ahead;
  std::map<std::uint32_t, int> outcomes;            // by tag
  std::map<std::uint32_t, std::uint32_t> answered;  // good answers handed in, by tag
  std::uint32_t next_tag = 0;
  const std::uint32_t total = 4000;
  std::size_t seen = 0;
  bool paused = false, cancelling = false;
  double loss = 0.2, refusal = 0.02;

  bench.refuse = [&] {
    EXPECT_FALSE(paused);
    return chance(refusal);
  };
  const auto send = [&] {
    const ibcc_request request = Bench::Request(next_tag);
    outcomes[next_tag++] = 0;
    bench.Send(request);
  };
  bench.then = [&](const Told& told) {
    ++outcomes.at(told.request.tag);
    EXPECT_EQ(outcomes.at(told.request.tag), 1) << "told twice";
    EXPECT_EQ(told.request.lid, told.request.tag % 40'000 + 1);
    switch (told.outcome) {
      case IBCC_ANSWERED: EXPECT_TRUE(answered.contains(told.request.tag)); break;
      case IBCC_CANCELLED: EXPECT_TRUE(cancelling); break;
      default:
        EXPECT_FALSE(answered.contains(told.request.tag));
        EXPECT_FALSE(paused) << "given up in a pause";
        EXPECT_GE(told.tries, chaos.settings.retries + 1);
    }
    if (next_tag < total && chance(0.5) && bench.HasRoom()) send();
  };
  const auto deliver = [&](const Ahead& what) {
    const bool busy = ibcc_cc_mad_status(what.answer.mad) & IBCC_STATUS_BUSY;
    // What would end the request if it is still there.
    if (what.request != UINT32_MAX && !what.answer.timed_out && !busy && outcomes.at(what.request) == 0) ++answered[what.request];
    bench.Take(what.answer);
  };
  const auto transmit_what_is_new = [&] {
    for (; seen < bench.sent.size(); ++seen) {
      const SentMad& sent = bench.sent[seen];
      const std::uint32_t tag = ibcc_cc_mad_modifier(sent.mad.data());
      const auto after = [&](std::int64_t most_ns) { return bench.now + static_cast<std::int64_t>(random() % most_ns); };
      const std::int64_t timeout_ns = sent.timeout_ms * kMs;
      if (chance(loss)) {
        ibcc_answer lost = Bench::AnswerTo(sent);
        lost.timed_out = true;
        if (chance(0.7)) ahead.emplace(bench.now + timeout_ns + random() % (10 * kMs), Ahead{lost, tag});
        continue;
      }
      const std::int64_t at = after(chance(0.1) ? 5 * timeout_ns : timeout_ns / 2);
      ahead.emplace(at, Ahead{Bench::AnswerTo(sent, chance(0.05)  ? IBCC_STATUS_BUSY
                                                    : chance(0.1) ? IBCC_STATUS_BAD_FIELD
                                                                  : 0),
                              tag});
      if (chance(0.05)) ahead.emplace(after(20 * timeout_ns), Ahead{Bench::AnswerTo(sent), tag});
      if (chance(0.05)) {
        ibcc_answer foreign = Bench::AnswerTo(sent);
        chance(0.5) ? foreign.lid ^= 0x8000 : foreign.mad[12] ^= 0x40;
        ahead.emplace(after(timeout_ns), Ahead{foreign, UINT32_MAX});
      }
      if (chance(0.02)) {
        ibcc_answer garbled{};
        for (std::uint8_t& byte : garbled.mad) byte = static_cast<std::uint8_t>(random());
        garbled.lid = 50'000;
        ahead.emplace(after(timeout_ns), Ahead{garbled, UINT32_MAX});
      }
    }
  };

  std::uint64_t rounds = 0;
  while (next_tag < total || bench.Outstanding() > 0) {
    ASSERT_LT(++rounds, 2'000'000u);
    while (next_tag < total && bench.HasRoom() && chance(0.9)) send();
    ASSERT_LE(bench.Outstanding(), chaos.settings.max_outstanding);
    transmit_what_is_new();
    // To whatever comes first.
    std::int64_t next = bench.Next();
    const bool window_first = next <= (ahead.empty() ? INT64_MAX : ahead.begin()->first);
    if (!window_first) next = ahead.begin()->first;
    if (next == INT64_MAX) {
      ASSERT_TRUE(paused || next_tag < total);
      next = bench.now + kMs;
    }
    bench.now = std::max(bench.now, next);
    while (!ahead.empty() && ahead.begin()->first <= bench.now) {
      deliver(ahead.begin()->second);
      ahead.erase(ahead.begin());
    }
    ibcc_window_tick(bench.window, bench.now);
    ASSERT_GT(bench.Next(), bench.now) << "something is due that the tick has not done";
    if (chance(0.002)) {
      paused ? ibcc_window_resume(bench.window, bench.now) : ibcc_window_pause(bench.window);
      paused = !paused;
    }
    if (paused && chance(0.05)) paused = false, ibcc_window_resume(bench.window, bench.now);
    if (chance(0.002)) {
      cancelling = true;
      ibcc_window_cancel(bench.window, nullptr);
      cancelling = false;
    }
    if (chance(0.0005)) loss = chance(0.5) ? 1.0 : 0.2;
    if (chance(0.0005)) refusal = chance(0.5) ? 1.0 : 0.02;
    if (loss == 1 && chance(0.01)) loss = 0.2;
    if (refusal == 1 && chance(0.01)) refusal = 0.02;
  }
  for (const auto& [tag, count] : outcomes) ASSERT_EQ(count, 1) << tag;
  EXPECT_EQ(outcomes.size(), total);
  EXPECT_EQ(bench.told.size(), total);
  EXPECT_EQ(bench.Counts().sent, bench.sent.size());
  EXPECT_EQ(bench.Counts().gets, total);
  for (const auto outcome : {IBCC_ANSWERED, IBCC_TIMED_OUT, IBCC_CANCELLED}) {
    EXPECT_TRUE(std::any_of(bench.told.begin(), bench.told.end(), [&](const Told& told) { return told.outcome == outcome; }))
        << outcome << ": the run was not as wild as meant";
  }
  EXPECT_GT(bench.Counts().unexpected, 0u);
  if (chaos.settings.retries) {
    EXPECT_GT(bench.Counts().retried, 0u);
  }
  if (chaos.settings.max_mads_per_s) {
    std::size_t first = 0;
    for (std::size_t i = 0; i < bench.sent.size(); ++i) {
      while (bench.sent[first].at_ns <= bench.sent[i].at_ns - kSecond) ++first;
      ASSERT_LE(i - first + 1, chaos.settings.max_mads_per_s);
    }
  }
}

std::vector<Chaos> Kinds() {
  std::vector<Chaos> kinds;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    kinds.push_back({seed, {.max_outstanding = 32, .max_mads_per_s = 0, .timeout_ms = 20, .max_timeout_ms = 100, .retries = 3}});
    kinds.push_back(
        {seed, {.max_outstanding = 64, .max_mads_per_s = 300, .timeout_ms = 20, .max_timeout_ms = 100, .retries = 2}});
    kinds.push_back({seed, {.max_outstanding = 1, .max_mads_per_s = 0, .timeout_ms = 5, .max_timeout_ms = 5, .retries = 0}});
  }
  return kinds;
}
INSTANTIATE_TEST_SUITE_P(Seeds, WindowUnderChaos, ::testing::ValuesIn(Kinds()));

}  // namespace
