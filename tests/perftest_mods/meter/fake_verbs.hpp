// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A provider in memory: one device whose queue pairs complete what is posted when the test says so. The meter's wrappers
// run on it as they do on libibverbs: its functions have the names that they look up.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>

namespace fake {

struct Posted {
  uint32_t qp;
  bool signalled;
  ibv_wc_opcode opcode;
};

struct Context {
  explicit Context(const char* name);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  ibv_context* get() { return &verbs.context; }

  // Through the meter, as a program would.
  ibv_qp* classic(ibv_qp_type type, bool all_signalled, uint32_t depth = 16);
  ibv_qp_ex* extended(ibv_qp_type type, uint32_t depth = 16, bool all_signalled = false);
  // Receivers of XRC have no queues: `depth` stands where a program may leave anything. One that is opened has the number of one
  // that is there already, maybe another process's.
  ibv_qp* xrc_receiver(uint32_t depth);
  ibv_qp* opened(uint32_t number);

  // All that is posted and not completed: as completions, in order. Unsignalled ones have none.
  void complete_all(ibv_wc_status status = IBV_WC_SUCCESS);
  void receive(const ibv_qp* qp, uint32_t bytes, ibv_wc_opcode opcode = IBV_WC_RECV) { receive(qp->qp_num, bytes, opcode); }
  void receive(uint32_t number, uint32_t bytes, ibv_wc_opcode opcode = IBV_WC_RECV);

  ibv_device device{};
  verbs_context verbs{};
  ibv_pd pd{};
  ibv_cq cq{};
  std::mutex mutex;
  std::deque<Posted> posted;
  size_t begun = 0;  // how many there were at the extended interface's wr_start
  std::deque<ibv_wc> completions;
  int refuse_after = -1;                   // how many more work requests fit; -1: all
  bool fails_late = false;                 // posts all, and says that it failed with none bad, as some providers do
  int slow_ms = 0;                         // duration of a post
  std::function<void()> while_destroying;  // of a queue pair, when the provider has hardly begun
  int refuse_destroy = 0;
  uint32_t next_number = 100;
};

}  // namespace fake
