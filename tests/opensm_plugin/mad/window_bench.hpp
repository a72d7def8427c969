// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A window at a bench: a port that keeps what it is given, and a clock that only the test moves.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

#include "mad/window.h"

namespace window_bench {

inline constexpr std::int64_t kMs = 1'000'000, kSecond = 1000 * kMs;

// What went out.
struct SentMad {
  std::int64_t at_ns;
  std::uint16_t lid;
  std::uint8_t sl;
  std::uint32_t timeout_ms;
  std::array<std::uint8_t, IBCC_MAD_BYTES> mad;
  std::uint32_t tid() const { return ibcc_cc_mad_tid(mad.data()); }
};

struct Told {
  std::int64_t at_ns;
  ibcc_request request;
  ibcc_outcome outcome;
  std::uint16_t status;
  std::uint32_t tries;
  std::vector<std::uint8_t> data;
};

// A port of this host that keeps what it is given, and a clock that only the test moves.
struct Bench {
  struct Port : ibcc_mad_port {
    Bench* bench;
  };

  explicit Bench(ibcc_window_settings settings) {
    port.send = [](ibcc_mad_port* way, std::uint16_t lid, std::uint8_t sl, const std::uint8_t* mad, std::uint32_t timeout_ms) {
      Bench& bench = *static_cast<Port*>(way)->bench;
      if (bench.refuse && bench.refuse()) return -EIO;
      SentMad going{bench.now, lid, sl, timeout_ms, {}};
      std::copy_n(mad, IBCC_MAD_BYTES, going.mad.begin());
      bench.sent.push_back(going);
      return 0;
    };
    port.close = nullptr;
    port.bench = this;
    window = ibcc_window_create(&settings, &port, &Bench::OnResult, this);
  }
  ~Bench() { ibcc_window_destroy(window); }
  Bench(const Bench&) = delete;

  static void OnResult(void* owner, const ibcc_request* request, const ibcc_result* result) {
    Bench& bench = *static_cast<Bench*>(owner);
    EXPECT_FALSE(bench.inside_send) << "told from inside ibcc_window_send";
    Told news{bench.now, *request, result->outcome, result->status, result->tries, {}};
    EXPECT_EQ(result->data != nullptr, result->outcome == IBCC_ANSWERED);
    if (result->data) news.data.assign(result->data, result->data + CCP_ATTRIBUTE_BYTES);
    bench.told.push_back(news);
    if (bench.then) bench.then(news);
  }
  bool HasRoom() const { return ibcc_window_has_room(window, now); }
  void Send(const ibcc_request& request) {
    ASSERT_TRUE(HasRoom());
    inside_send = true;
    ibcc_window_send(window, &request, now);
    inside_send = false;
  }
  void Send(std::uint32_t tag) { Send(Request(tag)); }
  static ibcc_request Request(std::uint32_t tag) {
    ibcc_request request{};
    request.lid = static_cast<std::uint16_t>(tag % 40'000 + 1);
    request.method = IBCC_GET;
    request.attribute = CCP_CONGESTION_CONTROL_TABLE;
    request.modifier = tag;
    request.tag = tag;
    return request;
  }
  void Take(const ibcc_answer& answer) { ibcc_window_handle_answer(window, &answer, now); }
  void Answer(const SentMad& to, std::uint16_t status = 0) { Take(AnswerTo(to, status)); }
  void TimeOut(const SentMad& of) {
    ibcc_answer answer = AnswerTo(of);
    answer.timed_out = true;
    std::memcpy(answer.mad, of.mad.data(), IBCC_MAD_BYTES);
    Take(answer);
  }
  static ibcc_answer AnswerTo(const SentMad& to, std::uint16_t status = 0) {
    ibcc_answer answer{};
    answer.lid = to.lid;
    std::memcpy(answer.mad, to.mad.data(), IBCC_MAD_BYTES);
    answer.mad[0 + 3] = IBCC_GET_RESP;
    answer.mad[4] = static_cast<std::uint8_t>(status >> 8);
    answer.mad[5] = static_cast<std::uint8_t>(status);
    answer.mad[8] = 0x12;  // the sender's own part of the transaction ID
    return answer;
  }
  // As the manager's loop does, up to and at `until_ns`.
  void Run(std::int64_t until_ns) {
    for (;;) {
      const std::int64_t next = Next();
      if (next > until_ns) break;
      now = std::max(now, next);
      ibcc_window_tick(window, now);
    }
    now = until_ns;
  }
  std::int64_t Next() const { return ibcc_window_next_ns(window, now); }
  std::uint32_t Outstanding() const { return ibcc_window_in_flight(window); }
  ibcc_window_counts Counts() const { return ibcc_window_get_counts(window); }

  Port port{};
  ibcc_window* window = nullptr;
  std::int64_t now = 5 * kSecond;
  bool inside_send = false;
  std::function<bool()> refuse;
  std::function<void(const Told&)> then;
  std::vector<SentMad> sent;
  std::vector<Told> told;
};

// 100 ms, then 200, then 300 and 300.
constexpr ibcc_window_settings kSettings{
    .max_outstanding = 4, .max_mads_per_s = 0, .timeout_ms = 100, .max_timeout_ms = 300, .retries = 3};

inline ibcc_window_settings With(std::uint32_t ibcc_window_settings::* setting, std::uint32_t value) {
  ibcc_window_settings settings = kSettings;
  settings.*setting = value;
  return settings;
}

}  // namespace window_bench
