// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What the classic and the extended interface post, and what is polled, as the meter counts it.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <thread>
#include <vector>

#include "fake_verbs.hpp"
#include "shim.h"

namespace {

class Wrap : public testing::Test {
 protected:
  Wrap() { shim_forget(); }

  // How many completions a program sees.
  int poll() {
    std::array<ibv_wc, 7> wc{};
    int all = 0;
    for (int count; (count = ibv_poll_cq(&context.cq, wc.size(), wc.data())) > 0; all += count) {
    }
    return all;
  }

  // A list of sends of these sizes; negative ones are signalled.
  static int post(ibv_qp* qp, const std::vector<int>& sizes, ibv_wr_opcode opcode = IBV_WR_SEND) {
    std::vector<ibv_sge> pieces(sizes.size() * 2);
    std::vector<ibv_send_wr> wrs(sizes.size());
    for (size_t i = 0; i < sizes.size(); ++i) {
      const uint32_t size = static_cast<uint32_t>(std::abs(sizes[i]));
      pieces[2 * i].length = size / 2;
      pieces[2 * i + 1].length = size - size / 2;
      wrs[i].sg_list = &pieces[2 * i];
      wrs[i].num_sge = 2;
      wrs[i].opcode = opcode;
      wrs[i].send_flags = sizes[i] < 0 ? IBV_SEND_SIGNALED : 0;
      wrs[i].next = i + 1 < sizes.size() ? &wrs[i + 1] : nullptr;
    }
    ibv_send_wr* bad = nullptr;
    return ibv_post_send(qp, wrs.data(), &bad);
  }

  // One of one piece: the quick way.
  static int post_single(ibv_qp* qp, uint32_t bytes, ibv_wr_opcode opcode = IBV_WR_SEND) {
    ibv_sge piece{0, bytes, 0};
    ibv_send_wr wr{};
    wr.sg_list = &piece;
    wr.num_sge = 1;
    wr.opcode = opcode;
    wr.send_flags = IBV_SEND_SIGNALED;
    ibv_send_wr* bad = nullptr;
    return ibv_post_send(qp, &wr, &bad);
  }

  fake::Context context{"fake_0"};
};

TEST_F(Wrap, AnUnsignalledWorkRequestIsCompletedWithTheNextSignalledOne) {
  ibv_qp* qp = context.classic(IBV_QPT_RC, false);
  post(qp, {100, 200, -300, 400});
  context.complete_all();
  EXPECT_EQ(poll(), 1);
  EXPECT_EQ(shim_counts().posted_bytes, 1000u);
  EXPECT_EQ(shim_counts().completed_bytes, 600u);
  EXPECT_EQ(shim_counts().completed_messages, 3u);
  post(qp, {-1});
  context.complete_all();
  poll();
  EXPECT_EQ(shim_counts().completed_bytes, 1001u);
  ibv_destroy_qp(qp);
  EXPECT_EQ(shim_counts().completed_bytes, 1001u) << "what it did stays counted";
}

TEST_F(Wrap, AllSignalledMeansEach) {
  ibv_qp* qp = context.classic(IBV_QPT_UC, true);
  post(qp, {10, 20});
  context.complete_all();
  EXPECT_EQ(poll(), 2);
  EXPECT_EQ(shim_counts().completed_messages, 2u);
  EXPECT_STREQ(shim_transport(), "UC");
  ibv_destroy_qp(qp);
}

TEST_F(Wrap, OfARefusedListOnlyWhatWasTakenIsPosted) {
  ibv_qp* qp = context.classic(IBV_QPT_RC, true);
  context.refuse_after = 2;
  EXPECT_EQ(post(qp, {1, 10, 100, 1000}), ENOMEM);
  EXPECT_EQ(shim_counts().posted_bytes, 11u);
  EXPECT_EQ(shim_counts().posted_messages, 2u);
  context.refuse_after = -1;
  post(qp, {5});
  context.complete_all();
  EXPECT_EQ(poll(), 3);
  EXPECT_EQ(shim_counts().completed_bytes, 16u);
  ibv_destroy_qp(qp);
}

TEST_F(Wrap, WhatAProviderPostedBeforeItFailedIsPosted) {
  ibv_qp* qp = context.classic(IBV_QPT_RC, true);
  post_single(qp, 500);  // the first of a thread goes the long way
  context.fails_late = true;
  EXPECT_EQ(post_single(qp, 1000), EIO);
  EXPECT_EQ(post(qp, {10, 20}), EIO);
  context.fails_late = false;
  EXPECT_EQ(post_single(qp, 7), 0);
  EXPECT_EQ(shim_counts().posted_bytes, 1537u);
  context.complete_all();
  EXPECT_EQ(poll(), 5);
  EXPECT_EQ(shim_counts().completed_bytes, 1537u);
  EXPECT_EQ(shim_counts().completed_messages, 5u);
  ibv_destroy_qp(qp);
}

// A provider that binds a memory window, or registers one in its own way, posts that by itself.
TEST_F(Wrap, CompletionsOfWhatNobodyPostedCompleteNoMessage) {
  ibv_qp* qp = context.classic(IBV_QPT_RC, false);
  for (const ibv_wc_opcode own : {IBV_WC_BIND_MW, IBV_WC_LOCAL_INV, IBV_WC_DRIVER1}) context.receive(qp, 0, own);
  post(qp, {50});
  post_single(qp, 100);
  EXPECT_EQ(poll(), 3);
  EXPECT_EQ(shim_counts().completed_messages, 0u);
  context.refuse_after = 0;
  EXPECT_EQ(post_single(qp, 1), ENOMEM);
  context.refuse_after = -1;
  post_single(qp, 0, IBV_WR_LOCAL_INV);
  context.complete_all();
  EXPECT_EQ(poll(), 2);
  EXPECT_EQ(shim_counts().completed_bytes, 150u);
  EXPECT_EQ(shim_counts().completed_messages, 2u);
  ibv_destroy_qp(qp);
}

TEST_F(Wrap, WhatIsPolledWhileItsQueuePairIsDestroyedCounts) {
  ibv_qp* qp = context.classic(IBV_QPT_UD, false);
  post_single(qp, 1000);
  context.complete_all();
  context.receive(qp, 140);
  context.while_destroying = [this] { EXPECT_EQ(poll(), 2); };
  ibv_destroy_qp(qp);
  EXPECT_EQ(shim_counts().completed_bytes, 1000u);
  EXPECT_EQ(shim_counts().received_bytes, 100u);
}

TEST_F(Wrap, MoreThanTheQueueWasSaidToHoldIsCountedToo) {
  ibv_qp* qp = context.classic(IBV_QPT_RC, false, 1);
  std::vector<int> sizes(1000, 3);
  post(qp, sizes);
  sizes.back() = -3;
  post(qp, sizes);
  context.complete_all();
  EXPECT_EQ(poll(), 1);
  EXPECT_EQ(shim_counts().completed_bytes, 6000u);
  ibv_destroy_qp(qp);
}

TEST_F(Wrap, ReadsArriveHereAndInvalidationsMoveNothing) {
  ibv_qp* qp = context.classic(IBV_QPT_RC, true);
  post(qp, {4096}, IBV_WR_RDMA_READ);
  post(qp, {64}, IBV_WR_LOCAL_INV);
  post(qp, {8}, IBV_WR_ATOMIC_FETCH_AND_ADD);
  context.complete_all();
  EXPECT_EQ(poll(), 3);
  const meter_counts counts = shim_counts();
  EXPECT_EQ(counts.posted_bytes, 4104u);
  EXPECT_EQ(counts.posted_messages, 2u);
  EXPECT_EQ(counts.received_bytes, 4096u);
  EXPECT_EQ(counts.received_messages, 1u);
  EXPECT_EQ(counts.completed_bytes, 8u);
  EXPECT_EQ(counts.completed_messages, 1u);
  ibv_destroy_qp(qp);
}

TEST_F(Wrap, ADatagramsRoomForTheGlobalHeaderIsNoPayload) {
  ibv_qp* qp = context.classic(IBV_QPT_UD, true);
  ibv_qp* other = context.classic(IBV_QPT_RC, true);
  context.receive(qp, 1040);
  context.receive(other, 1000);
  context.receive(other, 24, IBV_WC_RECV_RDMA_WITH_IMM);
  EXPECT_EQ(poll(), 3);
  EXPECT_EQ(shim_counts().received_bytes, 2024u);
  EXPECT_EQ(shim_counts().received_messages, 3u);
  EXPECT_EQ(shim_transport(), nullptr) << "two transports";
  ibv_destroy_qp(qp);
  ibv_destroy_qp(other);
}

TEST_F(Wrap, WhatFailsIsNotCompletedAndAResetForgetsIt) {
  ibv_qp* qp = context.classic(IBV_QPT_RC, false);
  post(qp, {100, -200});
  context.complete_all(IBV_WC_WR_FLUSH_ERR);
  EXPECT_EQ(poll(), 2);
  EXPECT_EQ(shim_counts().completed_bytes, 0u);
  ibv_qp_attr attr{};
  attr.qp_state = IBV_QPS_RESET;
  ibv_modify_qp(qp, &attr, IBV_QP_STATE);
  post(qp, {-7});
  context.complete_all();
  poll();
  EXPECT_EQ(shim_counts().completed_bytes, 7u);
  ibv_destroy_qp(qp);
}

TEST_F(Wrap, AQueuePairThatCannotBeDestroyedIsCountedOn) {
  ibv_qp* qp = context.classic(IBV_QPT_RC, true);
  context.refuse_destroy = EBUSY;
  EXPECT_EQ(ibv_destroy_qp(qp), EBUSY);
  post(qp, {9});
  context.complete_all();
  poll();
  EXPECT_EQ(shim_counts().completed_bytes, 9u);
  context.refuse_destroy = 0;
  EXPECT_EQ(ibv_destroy_qp(qp), 0);
}

TEST_F(Wrap, DevicesThatUseTheSameNumbersAreKeptApart) {
  fake::Context second("fake_1");
  ibv_qp* here = context.classic(IBV_QPT_RC, false);
  ibv_qp* there = second.classic(IBV_QPT_UD, false);
  ASSERT_EQ(here->qp_num, there->qp_num);
  context.receive(here, 140);
  poll();
  EXPECT_EQ(shim_counts().received_bytes, 140u) << "not a datagram";
  ibv_destroy_qp(here);
  ibv_destroy_qp(there);
}

TEST_F(Wrap, SendersOfXrcCountByBothInterfaces) {
  ibv_qp* classic = context.classic(IBV_QPT_XRC_SEND, false);
  ibv_qp_ex* extended = context.extended(IBV_QPT_XRC_SEND);
  post(classic, {100, -200});
  ibv_wr_start(extended);
  extended->wr_flags = IBV_SEND_SIGNALED;
  ibv_wr_rdma_write_imm(extended, 0, 0, 0);
  ibv_wr_set_xrc_srqn(extended, 7);
  ibv_wr_set_sge(extended, 0, 0, 4000);
  EXPECT_EQ(ibv_wr_complete(extended), 0);
  context.complete_all();
  EXPECT_EQ(poll(), 2);
  EXPECT_EQ(shim_counts().posted_bytes, 4300u);
  EXPECT_EQ(shim_counts().completed_bytes, 4300u);
  EXPECT_EQ(shim_counts().completed_messages, 3u);
  EXPECT_STREQ(shim_transport(), "XRC");
  ibv_destroy_qp(classic);
  ibv_destroy_qp(&extended->qp_base);
}

TEST_F(Wrap, ReceiversOfXrcAreCountedByTheirNumberWhoeverMadeThem) {
  // Completions of a shared receive queue bear the number of the queue pair that the message came to.
  ibv_qp* made = context.xrc_receiver(UINT32_MAX);
  ibv_qp* opened = context.opened(made->qp_num);
  const uint32_t number = made->qp_num;
  context.receive(made, 1000);
  context.receive(made, 24, IBV_WC_RECV_RDMA_WITH_IMM);
  EXPECT_EQ(poll(), 2);
  EXPECT_EQ(shim_counts().received_bytes, 1024u) << "once, though two queue pairs have the number";
  EXPECT_STREQ(shim_transport(), "XRC");
  ibv_destroy_qp(made);
  context.receive(opened, 500);
  poll();
  EXPECT_EQ(shim_counts().received_bytes, 1524u);
  ibv_destroy_qp(opened);
  context.receive(number, 60);
  poll();
  EXPECT_EQ(shim_counts().received_bytes, 1584u) << "another process's queue pair, this one's shared receive queue";
  EXPECT_EQ(shim_counts().received_messages, 4u);
}

TEST_F(Wrap, TheExtendedInterfaceCountsTheSame) {
  ibv_qp_ex* qp = context.extended(IBV_QPT_RC, 2);
  ibv_sge list[2] = {{0, 30, 0}, {0, 70, 0}};
  ibv_data_buf buffers[2] = {{nullptr, 3}, {nullptr, 4}};
  ibv_wr_start(qp);
  qp->wr_flags = 0;
  ibv_wr_send(qp);
  ibv_wr_set_sge(qp, 0, 0, 1000);
  ibv_wr_rdma_write(qp, 0, 0);
  ibv_wr_set_sge_list(qp, 2, list);
  ibv_wr_rdma_read(qp, 0, 0);
  ibv_wr_set_sge(qp, 0, 0, 5000);
  ibv_wr_local_inv(qp, 0);
  qp->wr_flags = IBV_SEND_SIGNALED;
  ibv_wr_send(qp);
  ibv_wr_set_inline_data_list(qp, 2, buffers);
  EXPECT_EQ(shim_counts().posted_bytes, 0u) << "not before the doorbell";
  EXPECT_EQ(ibv_wr_complete(qp), 0);
  EXPECT_EQ(shim_counts().posted_bytes, 6107u);
  EXPECT_EQ(shim_counts().posted_messages, 4u);
  context.complete_all();
  EXPECT_EQ(poll(), 1);
  EXPECT_EQ(shim_counts().completed_bytes, 1107u);
  EXPECT_EQ(shim_counts().completed_messages, 3u);
  EXPECT_EQ(shim_counts().received_bytes, 5000u);
  ibv_destroy_qp(&qp->qp_base);
}

TEST_F(Wrap, AbortedAndRefusedBatchesAreNotPosted) {
  ibv_qp_ex* qp = context.extended(IBV_QPT_RC);
  qp->wr_flags = IBV_SEND_SIGNALED;
  ibv_wr_start(qp);
  ibv_wr_send(qp);
  ibv_wr_set_sge(qp, 0, 0, 10);
  ibv_wr_abort(qp);
  context.refuse_after = 0;
  ibv_wr_start(qp);
  ibv_wr_send(qp);
  ibv_wr_set_inline_data(qp, nullptr, 20);
  EXPECT_EQ(ibv_wr_complete(qp), ENOMEM);
  EXPECT_EQ(shim_counts().posted_bytes, 0u);
  EXPECT_EQ(shim_counts().posted_messages, 0u);
  ibv_destroy_qp(&qp->qp_base);
}

TEST_F(Wrap, ExtendedCompletionQueuesAreCountedThoughTheProgramAskedForNothing) {
  ibv_qp* qp = context.classic(IBV_QPT_RC, false);
  ibv_cq_init_attr_ex attr{};
  ibv_cq_ex* cq = ibv_create_cq_ex(context.get(), &attr);
  post(qp, {1, -2});
  context.complete_all();
  context.receive(qp, 30);
  ibv_poll_cq_attr none{};
  ASSERT_EQ(ibv_start_poll(cq, &none), 0);
  ASSERT_EQ(ibv_next_poll(cq), 0);
  EXPECT_EQ(ibv_next_poll(cq), ENOENT);
  ibv_end_poll(cq);
  EXPECT_EQ(shim_counts().completed_bytes, 3u);
  EXPECT_EQ(shim_counts().received_bytes, 30u);
  ibv_destroy_cq(ibv_cq_ex_to_cq(cq));
  ibv_destroy_qp(qp);
}

TEST_F(Wrap, ThreadsThatPostPollMakeAndDestroyAtTheSameTimeLoseNothing) {
  constexpr int kRounds = 300;
  ibv_qp* shared = context.classic(IBV_QPT_RC, true);
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&, shared] {
      for (int round = 0; round < kRounds; ++round) {
        post_single(shared, 1);
        post(shared, {1, 1});
        ibv_qp* own = nullptr;
        {
          const std::lock_guard lock(context.mutex);  // the fake's numbers; real providers see to that themselves
          own = context.classic(IBV_QPT_RC, true);
        }
        ibv_destroy_qp(own);
        context.complete_all();
        poll();
      }
    });
  threads.clear();
  context.complete_all();
  poll();
  EXPECT_EQ(shim_counts().posted_bytes, 3u * 3u * kRounds);
  EXPECT_EQ(shim_counts().completed_bytes, 3u * 3u * kRounds);
  ibv_destroy_qp(shared);
}

}  // namespace
