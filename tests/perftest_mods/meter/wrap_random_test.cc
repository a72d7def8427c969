// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Traffic of every kind at random, beside a plain account of it. The meter has quick ways for what programs do most; whichever way a
// call takes, and in whatever order, the counts have to be those of the account.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <random>
#include <thread>
#include <vector>

#include "fake_verbs.hpp"
#include "shim.h"

namespace {

struct Request {
  uint64_t bytes;
  bool signalled;
  bool read;
  bool message;
};

// One queue pair as a program sees it: what waits, and what was counted.
struct Account {
  std::deque<Request> waiting;
  meter_counts counts{};

  void Post(const Request& request) {
    waiting.push_back(request);
    counts.posted_bytes += request.bytes;
    counts.posted_messages += request.message;
  }
  void Complete() {
    for (bool last = false; !last; waiting.pop_front()) {
      const Request& request = waiting.front();
      last = request.signalled;
      (request.read ? counts.received_bytes : counts.completed_bytes) += request.bytes;
      (request.read ? counts.received_messages : counts.completed_messages) += request.message;
    }
  }
  void Receive(uint64_t bytes) {
    counts.received_bytes += bytes;
    ++counts.received_messages;
  }
};

struct Kind {
  ibv_wr_opcode opcode;
  bool read, message;
};
constexpr Kind kKinds[] = {{IBV_WR_RDMA_WRITE, false, true},
                           {IBV_WR_SEND, false, true},
                           {IBV_WR_RDMA_READ, true, true},
                           {IBV_WR_ATOMIC_FETCH_AND_ADD, false, true},
                           {IBV_WR_LOCAL_INV, false, false}};

class Traffic {
 public:
  // Where it is patient, much waits at once.
  Traffic(unsigned seed, bool extended, bool patient = false) : random_(seed), patient_(patient) {
    shim_forget();
    for (Line& line : lines_) {
      line.all_signalled = random_() % 4 == 0;
      if (extended) line.extended = context_.extended(IBV_QPT_RC, 1 + random_() % 4, line.all_signalled);
      line.qp = extended ? &line.extended->qp_base : context_.classic(IBV_QPT_RC, line.all_signalled, 1 + random_() % 4);
    }
    if (extended) {
      ibv_cq_init_attr_ex attr{};
      cq_ = ibv_create_cq_ex(context_.get(), &attr);
    }
  }
  ~Traffic() {
    for (const Line& line : lines_) ibv_destroy_qp(line.qp);
    if (cq_) ibv_destroy_cq(ibv_cq_ex_to_cq(cq_));
  }

  void Step() {
    Line& line = lines_[random_() % lines_.size()];
    switch (random_() % 8) {
      case 0:
        if (random_() % (patient_ ? 60 : 1) == 0) context_.complete_all(), Told();
        break;
      case 1: Receive(line); break;
      case 2:
      case 3: Poll(1 + random_() % 5); break;
      default: line.extended ? PostExtended(line) : PostClassic(line);
    }
  }
  void Finish() {
    for (Line& line : lines_) {
      context_.refuse_after = -1;
      line.extended ? PostExtended(line, true) : PostClassic(line, true);
    }
    context_.complete_all();
    Told();
    while (Poll(7)) {
    }
  }
  size_t most_waiting() const { return most_waiting_; }
  void Check() const {
    meter_counts all{};
    for (const Line& line : lines_) {
      const meter_counts& c = line.account.counts;
      all.posted_bytes += c.posted_bytes, all.posted_messages += c.posted_messages;
      all.completed_bytes += c.completed_bytes, all.completed_messages += c.completed_messages;
      all.received_bytes += c.received_bytes, all.received_messages += c.received_messages;
    }
    const meter_counts counted = shim_counts();
    ASSERT_EQ(counted.posted_bytes, all.posted_bytes);
    ASSERT_EQ(counted.posted_messages, all.posted_messages);
    ASSERT_EQ(counted.completed_bytes, all.completed_bytes);
    ASSERT_EQ(counted.completed_messages, all.completed_messages);
    ASSERT_EQ(counted.received_bytes, all.received_bytes);
    ASSERT_EQ(counted.received_messages, all.received_messages);
  }

 private:
  struct Line {
    ibv_qp* qp = nullptr;
    ibv_qp_ex* extended = nullptr;
    bool all_signalled = false;
    Account account;
  };

  Kind AnyKind() { return kKinds[random_() % 3 ? random_() % 2 : random_() % std::size(kKinds)]; }
  uint32_t AnySize() { return 1 + random_() % 5000; }

  void PostClassic(Line& line, bool signalled = false) {
    const unsigned count = signalled || random_() % 2 ? 1 : 1 + random_() % 6;
    std::vector<std::array<ibv_sge, 3>> pieces(count);
    std::vector<ibv_send_wr> wrs(count);
    std::vector<Request> requests(count);
    for (unsigned i = 0; i < count; ++i) {
      const Kind kind = AnyKind();
      Request& request = requests[i];
      request = {0, signalled || random_() % 3 != 0, kind.read, kind.message};
      wrs[i].opcode = kind.opcode;
      wrs[i].sg_list = pieces[i].data();
      wrs[i].num_sge = random_() % 2 ? 1 : static_cast<int>(random_() % 4);
      for (int piece = 0; piece < wrs[i].num_sge; ++piece) request.bytes += pieces[i][piece].length = AnySize();
      if (kind.opcode == IBV_WR_LOCAL_INV) {
        request.bytes = 0;
        wrs[i].sg_list = nullptr;  // nobody may look
      }
      if (kind.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) request.bytes = 8;
      wrs[i].send_flags = request.signalled ? IBV_SEND_SIGNALED : 0;
      wrs[i].next = i + 1 < count ? &wrs[i + 1] : nullptr;
    }
    const unsigned taken = !signalled && random_() % 8 == 0 ? random_() % (count + 1) : count;
    context_.refuse_after = taken < count ? static_cast<int>(taken) : -1;
    ibv_send_wr* bad = nullptr;
    ASSERT_EQ(ibv_post_send(line.qp, wrs.data(), &bad), taken < count ? ENOMEM : 0);
    context_.refuse_after = -1;
    for (unsigned i = 0; i < taken; ++i) Posted(line, requests[i]);
  }

  void PostExtended(Line& line, bool signalled = false) {
    ibv_qp_ex* qp = line.extended;
    const unsigned count = signalled || random_() % 2 ? 1 : random_() % 6;
    std::vector<Request> requests;
    ibv_wr_start(qp);
    for (unsigned i = 0; i < count; ++i) {
      const Kind kind = AnyKind();
      Request request{0, signalled || random_() % 3 != 0, kind.read, kind.message};
      qp->wr_flags = request.signalled ? IBV_SEND_SIGNALED : 0;
      switch (kind.opcode) {
        case IBV_WR_SEND: ibv_wr_send(qp); break;
        case IBV_WR_RDMA_READ: ibv_wr_rdma_read(qp, 0, 0); break;
        case IBV_WR_ATOMIC_FETCH_AND_ADD: ibv_wr_atomic_fetch_add(qp, 0, 0, 1); break;
        case IBV_WR_LOCAL_INV: ibv_wr_local_inv(qp, 0); break;
        default: ibv_wr_rdma_write(qp, 0, 0);
      }
      if (kind.opcode != IBV_WR_LOCAL_INV) {
        request.bytes = AnySize();
        if (random_() % 2) {
          ibv_wr_set_sge(qp, 0, 0, static_cast<uint32_t>(request.bytes));
        } else {
          ibv_wr_set_inline_data(qp, nullptr, request.bytes);
        }
      }
      requests.push_back(request);
    }
    const unsigned how = signalled ? 2 : random_() % 10;
    if (how == 0) return ibv_wr_abort(qp);
    context_.refuse_after = how == 1 ? 0 : -1;
    ASSERT_EQ(ibv_wr_complete(qp), how == 1 ? ENOMEM : 0);
    context_.refuse_after = -1;
    if (how == 1) return;
    for (const Request& request : requests) Posted(line, request);
  }

  void Posted(Line& line, Request request) {
    request.signalled |= line.all_signalled;
    line.account.Post(request);
    most_waiting_ = std::max(most_waiting_, line.account.waiting.size());
  }

  // In the order of the device's queue of completions.
  void Told() {
    std::vector<uint32_t> numbers;
    for (const ibv_wc& wc : context_.completions) numbers.push_back(wc.qp_num);
    for (size_t i = told_.size(); i < numbers.size(); ++i) {
      Line& line = Of(numbers[i]);
      told_.emplace_back([&line] { line.account.Complete(); });
    }
  }
  void Receive(Line& line) {
    const uint32_t bytes = AnySize();
    context_.receive(line.qp, bytes);
    told_.emplace_back([&line, bytes] { line.account.Receive(bytes); });
  }
  Line& Of(uint32_t number) {
    return *std::find_if(lines_.begin(), lines_.end(), [&](const Line& line) { return line.qp->qp_num == number; });
  }

  bool Poll(unsigned room) {
    int count = 0;
    if (cq_ && random_() % 2) {
      ibv_poll_cq_attr none{};
      for (int result = ibv_start_poll(cq_, &none); !result; result = ibv_next_poll(cq_))
        if (++count == static_cast<int>(room)) break;
      if (count) ibv_end_poll(cq_);
    } else {
      std::array<ibv_wc, 7> wc{};
      count = ibv_poll_cq(&context_.cq, static_cast<int>(room), wc.data());
    }
    for (int i = 0; i < count; ++i) {
      told_.front()();
      told_.pop_front();
    }
    return count > 0;
  }

  std::mt19937 random_;
  const bool patient_;
  fake::Context context_{"fake_0"};
  std::array<Line, 3> lines_;
  ibv_cq_ex* cq_ = nullptr;
  size_t most_waiting_ = 0;
  std::deque<std::function<void()>> told_;  // what the account does with each completion that waits
};

class WrapRandom : public testing::TestWithParam<bool> {};

TEST_P(WrapRandom, AnyTrafficIsCountedExactly) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Traffic traffic(seed, GetParam());
    for (int step = 0; step < 200; ++step) {
      traffic.Step();
      traffic.Check();
      if (HasFatalFailure()) return;
    }
    traffic.Finish();
    traffic.Check();
  }
}

TEST_P(WrapRandom, HoweverMuchWaits) {
  size_t most = 0;
  for (unsigned seed = 200; seed < 220; ++seed) {
    SCOPED_TRACE(seed);
    Traffic traffic(seed, GetParam(), true);
    for (int step = 0; step < 1500; ++step) traffic.Step();
    traffic.Check();
    traffic.Finish();
    traffic.Check();
    if (HasFatalFailure()) return;
    most = std::max(most, traffic.most_waiting());
  }
  EXPECT_GT(most, 300u) << "so that the ring grows";
}

// The first thread owns what it posts to and polls, until another comes; then all goes another way.
TEST_P(WrapRandom, SoItIsFromSeveralThreadsInTurn) {
  for (unsigned seed = 100; seed < 110; ++seed) {
    SCOPED_TRACE(seed);
    Traffic traffic(seed, GetParam());
    for (int step = 0; step < 60; ++step) {
      std::thread([&] { traffic.Step(); }).join();
      traffic.Step();
      traffic.Check();
      if (HasFatalFailure()) return;
    }
    traffic.Finish();
    traffic.Check();
  }
}

INSTANTIATE_TEST_SUITE_P(Interfaces, WrapRandom, testing::Bool(),
                         [](const auto& each) { return each.param ? "Extended" : "Classic"; });

TEST(WrapInterleaved, TwoQueuePairsBegunByOneThreadAreKeptApart) {
  shim_forget();
  fake::Context first("fake_0");
  fake::Context second("fake_1");
  ibv_qp_ex* a = first.extended(IBV_QPT_RC);
  ibv_qp_ex* b = second.extended(IBV_QPT_UC);
  a->wr_flags = b->wr_flags = IBV_SEND_SIGNALED;
  ibv_wr_start(a);
  ibv_wr_start(b);
  ibv_wr_send(a);
  ibv_wr_send(b);
  ibv_wr_set_sge(a, 0, 0, 10);
  ibv_wr_set_sge(b, 0, 0, 200);
  ibv_wr_rdma_write(a, 0, 0);
  ibv_wr_set_inline_data(a, nullptr, 3000);
  EXPECT_EQ(ibv_wr_complete(b), 0);
  EXPECT_EQ(shim_counts().posted_bytes, 200u);
  EXPECT_EQ(ibv_wr_complete(a), 0);
  EXPECT_EQ(shim_counts().posted_bytes, 3210u);
  first.complete_all();
  std::array<ibv_wc, 1> wc{};
  EXPECT_EQ(ibv_poll_cq(&first.cq, 1, wc.data()), 1);
  EXPECT_EQ(shim_counts().completed_bytes, 10u);
  EXPECT_EQ(ibv_poll_cq(&first.cq, 1, wc.data()), 1);
  EXPECT_EQ(shim_counts().completed_bytes, 3010u);
  ibv_destroy_qp(&a->qp_base);
  ibv_destroy_qp(&b->qp_base);
}

}  // namespace
