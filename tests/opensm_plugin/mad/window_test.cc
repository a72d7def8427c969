// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "mad/window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <set>
#include <vector>

#include "refused_memory.hpp"
#include "window_bench.hpp"

namespace {

using namespace window_bench;

constexpr int kDataAt = IBCC_DATA_OFFSET;

TEST(Window, SendsWhatIsAsked) {
  Bench bench(kSettings);
  ibcc_request request{};
  request.lid = 17;
  request.sl = 5;
  request.method = IBCC_SET;
  request.attribute = CCP_CA_CONGESTION_SETTING;
  request.modifier = 0x01020304;
  request.cc_key = 0x1122334455667788;
  for (unsigned i = 0; i < CCP_ATTRIBUTE_BYTES; ++i) request.data[i] = static_cast<std::uint8_t>(i + 1);
  bench.Send(request);
  ASSERT_EQ(bench.sent.size(), 1u);
  const SentMad& sent = bench.sent[0];
  EXPECT_EQ(sent.lid, 17);
  EXPECT_EQ(sent.sl, 5);
  EXPECT_EQ(sent.timeout_ms, 100u);
  std::array<std::uint8_t, IBCC_MAD_BYTES> expected;
  ibcc_cc_mad_request(expected.data(), &ibcc_cc_class, IBCC_SET, sent.tid(), CCP_CA_CONGESTION_SETTING, 0x01020304,
                      0x1122334455667788);
  std::copy_n(request.data, CCP_ATTRIBUTE_BYTES, expected.begin() + kDataAt);
  EXPECT_EQ(sent.mad, expected);
  EXPECT_EQ(bench.Counts().sets, 1u);
  EXPECT_EQ(bench.Counts().gets, 0u);
}

TEST(Window, NothingIsLeftOfAKeyOnceTheRequestIsOver) {
  const AllocatedMemory memory;
  Bench bench(kSettings);
  ibcc_request request = Bench::Request(1);
  request.cc_key = 0x1122334455667788;
  bench.Send(request);
  EXPECT_TRUE(memory.Holds(request.cc_key)) << "for another try";
  bench.Answer(bench.sent[0]);
  EXPECT_FALSE(memory.Holds(request.cc_key));
  bench.Send(request);
  ibcc_window_cancel(bench.window, nullptr);
  EXPECT_FALSE(memory.Holds(request.cc_key));
  EXPECT_EQ(bench.told.size(), 2u);
}

TEST(Window, AGetCarriesWhatItAsksAbout) {
  Bench bench(kSettings);
  ibcc_request request = Bench::Request(1);
  std::memset(request.data, 0, sizeof(request.data));
  request.data[3] = 2;  // a VL, say
  bench.Send(request);
  EXPECT_TRUE(std::equal(request.data, request.data + sizeof(request.data), bench.sent[0].mad.begin() + kDataAt));
  EXPECT_EQ(bench.Counts().gets, 1u);
}

TEST(Window, AnAnswerIsTheOutcome) {
  Bench bench(kSettings);
  int context = 0;
  ibcc_request request = Bench::Request(9);
  request.context = &context;
  bench.Send(request);
  ibcc_answer answer = Bench::AnswerTo(bench.sent[0], IBCC_STATUS_BAD_FIELD);
  answer.mad[kDataAt] = 0xAB;
  bench.Take(answer);
  ASSERT_EQ(bench.told.size(), 1u);
  const Told& told = bench.told[0];
  EXPECT_EQ(told.outcome, IBCC_ANSWERED);
  EXPECT_EQ(told.status, IBCC_STATUS_BAD_FIELD);
  EXPECT_EQ(told.tries, 1u);
  EXPECT_EQ(told.data.at(0), 0xAB);
  EXPECT_EQ(told.request.context, &context);
  EXPECT_EQ(told.request.tag, 9u);
  EXPECT_EQ(bench.Outstanding(), 0u);
  EXPECT_EQ(bench.Next(), INT64_MAX);
  EXPECT_EQ(bench.Counts().answered, 1u);
}

TEST(Window, DataOfALogBeginEarlier) {
  Bench bench(kSettings);
  ibcc_request request = Bench::Request(0);
  request.attribute = 0x13;
  bench.Send(request);
  ibcc_answer answer = Bench::AnswerTo(bench.sent[0]);
  answer.mad[IBCC_LOG_DATA_OFFSET] = 0xCD;
  bench.Take(answer);
  EXPECT_EQ(bench.told.at(0).data.at(0), 0xCD);
}

TEST(Window, NoMoreThanMaxOutstanding) {
  Bench bench(kSettings);
  for (std::uint32_t tag = 0; tag < 4; ++tag) bench.Send(tag);
  EXPECT_FALSE(bench.HasRoom());
  bench.Answer(bench.sent[2]);
  EXPECT_TRUE(bench.HasRoom());
  bench.Send(4);
  EXPECT_FALSE(bench.HasRoom());
  std::set<std::uint32_t> tids;
  for (const SentMad& sent : bench.sent) tids.insert(sent.tid());
  EXPECT_EQ(tids.size(), 5u);
}

TEST(Window, SettingsOutOfRangeAreBroughtIntoIt) {
  Bench none(With(&ibcc_window_settings::max_outstanding, 0)), many(With(&ibcc_window_settings::max_outstanding, 1'000'000));
  none.Send(1);
  EXPECT_FALSE(none.HasRoom());
  for (std::uint32_t i = 0; i < 4096; ++i) many.Send(i);
  EXPECT_FALSE(many.HasRoom());
  Bench hasty(
      ibcc_window_settings{.max_outstanding = 1, .max_mads_per_s = 0, .timeout_ms = 0, .max_timeout_ms = 0, .retries = 0});
  hasty.Send(1);
  EXPECT_EQ(hasty.sent.at(0).timeout_ms, 1u);
}

TEST(Window, ALateAnswerToAnEarlierTryCounts) {
  Bench bench(kSettings);
  bench.Send(1);
  bench.Run(bench.now + 180 * kMs);
  ASSERT_EQ(bench.sent.size(), 2u);
  bench.Answer(bench.sent[0]);
  ASSERT_EQ(bench.told.size(), 1u);
  EXPECT_EQ(bench.told[0].outcome, IBCC_ANSWERED);
  EXPECT_EQ(bench.told[0].tries, 2u);
  bench.Answer(bench.sent[1]);  // the answer to the retry finds nobody
  EXPECT_EQ(bench.Counts().unexpected, 1u);
  EXPECT_EQ(bench.told.size(), 1u);
  EXPECT_EQ(bench.Next(), INT64_MAX);
}

TEST(Window, AnAnswerBetweenATimeOutAndTheRetryCounts) {
  Bench bench(kSettings);
  bench.Send(1);
  bench.now += 100 * kMs;
  bench.TimeOut(bench.sent[0]);
  bench.Answer(bench.sent[0]);
  EXPECT_EQ(bench.told.at(0).outcome, IBCC_ANSWERED);
  bench.Run(bench.now + kSecond);
  EXPECT_EQ(bench.sent.size(), 1u);
}

// The slot has another request by then.
TEST(Window, ALateAnswerToAFormerRequestIsUnexpected) {
  Bench bench(
      ibcc_window_settings{.max_outstanding = 1, .max_mads_per_s = 0, .timeout_ms = 100, .max_timeout_ms = 100, .retries = 0});
  bench.Send(1);
  bench.Run(bench.now + kSecond);
  EXPECT_EQ(bench.told.at(0).outcome, IBCC_TIMED_OUT);
  bench.Send(1);
  bench.Answer(bench.sent[0]);
  EXPECT_EQ(bench.Counts().unexpected, 1u);
  EXPECT_EQ(bench.told.size(), 1u);
  bench.Answer(bench.sent[1]);
  EXPECT_EQ(bench.told.size(), 2u);
}

TEST(Window, AnAnswerThatDoesNotFitIsUnexpected) {
  Bench bench(kSettings);
  bench.Send(7);
  const ibcc_answer good = Bench::AnswerTo(bench.sent[0]);
  const std::vector<std::function<void(ibcc_answer&)>> wrong = {
      [](ibcc_answer& answer) { answer.mad[3] = IBCC_GET; },                       // method
      [](ibcc_answer& answer) { answer.mad[3] = 0x05; },                           // a trap
      [](ibcc_answer& answer) { answer.mad[1] = 0x04; },                           // class
      [](ibcc_answer& answer) { answer.mad[2] = 1; },                              // class version
      [](ibcc_answer& answer) { answer.mad[17] ^= 1; },                            // attribute
      [](ibcc_answer& answer) { answer.mad[23] ^= 1; },                            // modifier
      [](ibcc_answer& answer) { answer.lid ^= 1; },                                // from somebody else
      [](ibcc_answer& answer) { answer.mad[15] ^= 1; },                            // another slot
      [](ibcc_answer& answer) { answer.mad[14] ^= 0x10; },                         // a try that was not
      [](ibcc_answer& answer) { answer.mad[12] ^= 0x80; },                         // nor this one
      [](ibcc_answer& answer) { answer.mad[14] |= 0x0F, answer.mad[15] = 0xFF; },  // beyond the slots
  };
  std::uint64_t unexpected = 0;
  for (const auto& spoil : wrong) {
    ibcc_answer answer = good;
    spoil(answer);
    bench.Take(answer);
    EXPECT_EQ(bench.Counts().unexpected, ++unexpected);
    EXPECT_TRUE(bench.told.empty()) << unexpected;
  }
  bench.Take(good);
  EXPECT_EQ(bench.told.size(), 1u);
}

TEST(Window, BusyToAnEarlierTryMeansNothing) {
  Bench bench(With(&ibcc_window_settings::retries, 1));
  bench.Send(1);
  bench.Run(bench.now + 180 * kMs);
  ASSERT_EQ(bench.sent.size(), 2u);
  bench.Answer(bench.sent[0], IBCC_STATUS_BUSY);
  bench.TimeOut(bench.sent[1]);  // the last try is still out, and ends now
  ASSERT_EQ(bench.told.size(), 1u);
  EXPECT_EQ(bench.told[0].outcome, IBCC_TIMED_OUT);
}

// 2^20 tries of a slot, its numbers begin again: still told apart.
TEST(Window, TransactionIdsBeginAgainAfterAMillionTries) {
  Bench bench(With(&ibcc_window_settings::max_outstanding, 1));
  std::set<std::uint32_t> recent;
  for (std::uint32_t i = 0; i < (1u << 20) + 10; ++i) {
    bench.Send(i % 100);
    if (i > (1u << 20) - 10) EXPECT_TRUE(recent.insert(bench.sent.back().tid()).second);
    bench.Answer(bench.sent.back());
    ASSERT_EQ(bench.told.size(), 1u);
    bench.told.clear();
    bench.sent.clear();
  }
  bench.Run(bench.now);
  bench.Send(1);
  for (int i = 0; i < 3; ++i) bench.Run(bench.Next());
  EXPECT_EQ(bench.sent.size(), 4u);
  bench.Answer(bench.sent[0]);
  EXPECT_EQ(bench.told.size(), 1u);
}

TEST(Window, RefusedMemory) {
  for (unsigned nth = 1;; ++nth) {
    RefusedMemory refusal(nth);
    ibcc_window* window = ibcc_window_create(&kSettings, nullptr, &Bench::OnResult, nullptr);
    if (!refusal.Happened()) {
      EXPECT_NE(window, nullptr);
      ibcc_window_destroy(window);
      EXPECT_EQ(nth, 9u);  // itself, its slots, two heaps of three arrays
      break;
    }
    EXPECT_EQ(window, nullptr);
  }
}

// Nothing is allocated once it exists.
TEST(Window, NoMemoryIsAskedForLater) {
  static int told;
  told = 0;
  ibcc_mad_port port{};
  static std::array<std::uint8_t, IBCC_MAD_BYTES> last;
  port.send = [](ibcc_mad_port*, std::uint16_t, std::uint8_t, const std::uint8_t* mad, std::uint32_t) {
    std::copy_n(mad, IBCC_MAD_BYTES, last.begin());
    return 0;
  };
  ibcc_window* window =
      ibcc_window_create(&kSettings, &port, [](void*, const ibcc_request*, const ibcc_result*) { ++told; }, nullptr);
  RefusedMemory refusal(1);
  std::int64_t now = 0;
  for (std::uint32_t tag = 0; tag < 4; ++tag) {
    const ibcc_request request = Bench::Request(tag);
    ibcc_window_send(window, &request, now);
  }
  ibcc_answer answer{};
  answer.lid = 4;
  std::copy(last.begin(), last.end(), answer.mad);
  answer.mad[3] = IBCC_GET_RESP;
  ibcc_window_handle_answer(window, &answer, now);
  for (; ibcc_window_next_ns(window, now) != INT64_MAX; now = ibcc_window_next_ns(window, now)) ibcc_window_tick(window, now);
  EXPECT_FALSE(refusal.Happened());
  EXPECT_EQ(told, 4);
  ibcc_window_destroy(window);
}

// Requests of two classes: one rate, and no transaction ID of both.
TEST(Window, ASecondOneSharesTheRateAndNotTheTransactions) {
  Bench first(With(&ibcc_window_settings::max_mads_per_s, 10));
  ibcc_window_settings settings = kSettings;
  settings.mad_class = &ibcc_vendor_class;
  settings.shares_rate_of = first.window;
  Bench second(settings);
  first.Send(1);
  second.now = first.now;
  EXPECT_FALSE(second.HasRoom()) << "the first one's request took the turn";
  EXPECT_EQ(ibcc_window_next_ns(second.window, second.now), first.now + kSecond / 10);
  second.now = first.now += kSecond / 10;
  second.Send(1);
  EXPECT_FALSE(first.HasRoom());
  EXPECT_EQ(first.sent[0].tid() | IBCC_TID_MARK, second.sent[0].tid()) << "the same slot and try";
  EXPECT_EQ(second.sent[0].mad[1], 0x0A);
  first.Take(Bench::AnswerTo(second.sent[0]));
  EXPECT_EQ(first.Counts().unexpected, 1u) << "of another class";
  second.Answer(second.sent[0]);
  ASSERT_EQ(second.told.size(), 1u);
  EXPECT_EQ(second.told[0].outcome, IBCC_ANSWERED);
}

}  // namespace
