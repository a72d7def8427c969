// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fake_verbs.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "shim.h"

namespace fake {
namespace {

Context* opening = nullptr;

// All objects hold their Context where C programs have their own pointers.
Context& of(ibv_context* context) { return *reinterpret_cast<Context*>(verbs_get_ctx(context)->priv); }

ibv_wc_opcode completion_of(ibv_wr_opcode opcode) {
  switch (opcode) {
    case IBV_WR_RDMA_WRITE:
    case IBV_WR_RDMA_WRITE_WITH_IMM: return IBV_WC_RDMA_WRITE;
    case IBV_WR_RDMA_READ: return IBV_WC_RDMA_READ;
    case IBV_WR_LOCAL_INV: return IBV_WC_LOCAL_INV;
    case IBV_WR_ATOMIC_FETCH_AND_ADD: return IBV_WC_FETCH_ADD;
    default: return IBV_WC_SEND;
  }
}

int post_send(ibv_qp* qp, ibv_send_wr* wr, ibv_send_wr** bad) {
  Context& context = of(qp->context);
  const std::lock_guard lock(context.mutex);
  usleep(static_cast<useconds_t>(context.slow_ms) * 1000);
  for (; wr; wr = wr->next) {
    if (context.refuse_after == 0) {
      *bad = wr;
      return ENOMEM;
    }
    if (context.refuse_after > 0) --context.refuse_after;
    const bool all = qp->qp_context != nullptr;
    context.posted.push_back({qp->qp_num, all || (wr->send_flags & IBV_SEND_SIGNALED), completion_of(wr->opcode)});
  }
  *bad = nullptr;
  return context.fails_late ? EIO : 0;
}

int poll_cq(ibv_cq* cq, int room, ibv_wc* wc) {
  Context& context = of(cq->context);
  const std::lock_guard lock(context.mutex);
  int count = 0;
  for (; count < room && !context.completions.empty(); ++count) {
    wc[count] = context.completions.front();
    context.completions.pop_front();
  }
  return count;
}

ibv_qp* fill(Context& context, ibv_qp* qp, ibv_qp_type type, bool all_signalled) {
  qp->context = context.get();
  qp->qp_type = type;
  qp->qp_num = context.next_number++;
  qp->qp_context = all_signalled ? &context : nullptr;
  return qp;
}

ibv_qp* create_qp(ibv_pd* pd, ibv_qp_init_attr* attr) {
  return fill(of(pd->context), &(new ibv_qp_ex{})->qp_base, attr->qp_type, attr->sq_sig_all);
}

void note(ibv_qp_ex* qp, ibv_wc_opcode opcode) {
  const bool all = qp->qp_base.qp_context != nullptr;
  of(qp->qp_base.context).posted.push_back({qp->qp_base.qp_num, all || (qp->wr_flags & IBV_SEND_SIGNALED), opcode});
}

ibv_qp* create_qp_ex(ibv_context* context, ibv_qp_init_attr_ex* attr) {
  auto* qp = new ibv_qp_ex{};
  qp->wr_start = [](ibv_qp_ex* self) {
    of(self->qp_base.context).mutex.lock();
    of(self->qp_base.context).begun = of(self->qp_base.context).posted.size();
  };
  qp->wr_complete = [](ibv_qp_ex* self) {
    Context& ours = of(self->qp_base.context);
    const int result = ours.refuse_after == 0 ? ENOMEM : 0;
    usleep(static_cast<useconds_t>(ours.slow_ms) * 1000);
    if (result) ours.posted.resize(ours.begun);
    ours.mutex.unlock();
    return result;
  };
  qp->wr_abort = [](ibv_qp_ex* self) {
    of(self->qp_base.context).posted.resize(of(self->qp_base.context).begun);
    of(self->qp_base.context).mutex.unlock();
  };
  qp->wr_send = [](ibv_qp_ex* self) { note(self, IBV_WC_SEND); };
  qp->wr_rdma_write = [](ibv_qp_ex* self, uint32_t, uint64_t) { note(self, IBV_WC_RDMA_WRITE); };
  qp->wr_rdma_write_imm = [](ibv_qp_ex* self, uint32_t, uint64_t, __be32) { note(self, IBV_WC_RDMA_WRITE); };
  qp->wr_rdma_read = [](ibv_qp_ex* self, uint32_t, uint64_t) { note(self, IBV_WC_RDMA_READ); };
  qp->wr_atomic_fetch_add = [](ibv_qp_ex* self, uint32_t, uint64_t, uint64_t) { note(self, IBV_WC_FETCH_ADD); };
  qp->wr_local_inv = [](ibv_qp_ex* self, uint32_t) { note(self, IBV_WC_LOCAL_INV); };
  qp->wr_set_xrc_srqn = [](ibv_qp_ex*, uint32_t) {};
  qp->wr_set_sge = [](ibv_qp_ex*, uint32_t, uint64_t, uint32_t) {};
  qp->wr_set_sge_list = [](ibv_qp_ex*, size_t, const ibv_sge*) {};
  qp->wr_set_inline_data = [](ibv_qp_ex*, void*, size_t) {};
  qp->wr_set_inline_data_list = [](ibv_qp_ex*, size_t, const ibv_data_buf*) {};
  return fill(of(context), &qp->qp_base, attr->qp_type, attr->sq_sig_all);
}

ibv_qp* open_qp(ibv_context* context, ibv_qp_open_attr* attr) {
  ibv_qp* qp = fill(of(context), &(new ibv_qp_ex{})->qp_base, IBV_QPT_XRC_RECV, false);
  qp->qp_num = attr->qp_num;
  return qp;
}

bool next(ibv_cq_ex* cq) {
  Context& context = of(cq->context);
  const std::lock_guard lock(context.mutex);
  if (context.completions.empty()) return false;
  // What the caller may read of it lies behind the queue's own pointer.
  static thread_local ibv_wc current;
  current = context.completions.front();
  context.completions.pop_front();
  cq->status = current.status;
  cq->wr_id = current.wr_id;
  cq->cq_context = &current;
  return true;
}

const ibv_wc& current(ibv_cq_ex* cq) { return *static_cast<ibv_wc*>(cq->cq_context); }

ibv_cq_ex* create_cq_ex(ibv_context* context, ibv_cq_init_attr_ex* attr) {
  auto* cq = new ibv_cq_ex{};
  cq->context = context;
  cq->start_poll = [](ibv_cq_ex* self, ibv_poll_cq_attr*) { return next(self) ? 0 : ENOENT; };
  cq->next_poll = [](ibv_cq_ex* self) { return next(self) ? 0 : ENOENT; };
  cq->end_poll = [](ibv_cq_ex*) {};
  cq->read_opcode = [](ibv_cq_ex* self) { return current(self).opcode; };
  if (attr->wc_flags & IBV_WC_EX_WITH_QP_NUM) cq->read_qp_num = [](ibv_cq_ex* self) { return current(self).qp_num; };
  if (attr->wc_flags & IBV_WC_EX_WITH_BYTE_LEN) cq->read_byte_len = [](ibv_cq_ex* self) { return current(self).byte_len; };
  return cq;
}

const shim_reals reals = {
    .open_device = [](ibv_device*) { return opening->get(); },
    .close_device = [](ibv_context*) { return 0; },
    .create_qp = create_qp,
    .modify_qp = [](ibv_qp*, ibv_qp_attr*, int) { return 0; },
    .destroy_qp =
        [](ibv_qp* qp) {
          const int refused = of(qp->context).refuse_destroy;
          if (of(qp->context).while_destroying) of(qp->context).while_destroying();
          if (!refused) delete reinterpret_cast<ibv_qp_ex*>(qp);
          return refused;
        },
    .destroy_cq =
        [](ibv_cq* cq) {
          delete reinterpret_cast<ibv_cq_ex*>(cq);
          return 0;
        },
    .qp_to_qp_ex = [](ibv_qp* qp) { return reinterpret_cast<ibv_qp_ex*>(qp); },
    .wc_status_str = [](ibv_wc_status) -> const char* { return "remote access error"; },
};

}  // namespace

Context::Context(const char* name) {
  shim_set_reals(&reals);
  std::strncpy(device.name, name, sizeof device.name - 1);
  verbs.sz = sizeof verbs;
  verbs.priv = reinterpret_cast<verbs_ex_private*>(this);
  verbs.create_qp_ex = create_qp_ex;
  verbs.open_qp = open_qp;
  verbs.create_cq_ex = create_cq_ex;
  verbs.context.abi_compat = __VERBS_ABI_IS_EXTENDED;
  verbs.context.device = &device;
  verbs.context.ops.post_send = post_send;
  verbs.context.ops.poll_cq = poll_cq;
  pd.context = cq.context = get();
  opening = this;
  ibv_open_device(&device);
}

Context::~Context() { ibv_close_device(get()); }

ibv_qp* Context::classic(ibv_qp_type type, bool all_signalled, uint32_t depth) {
  ibv_qp_init_attr attr{};
  attr.qp_type = type;
  attr.sq_sig_all = all_signalled;
  attr.cap.max_send_wr = depth;
  return ibv_create_qp(&pd, &attr);
}

ibv_qp_ex* Context::extended(ibv_qp_type type, uint32_t depth, bool all_signalled) {
  ibv_qp_init_attr_ex attr{};
  attr.qp_type = type;
  attr.sq_sig_all = all_signalled;
  attr.cap.max_send_wr = depth;
  attr.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
  attr.pd = &pd;
  return reinterpret_cast<ibv_qp_ex*>(ibv_create_qp_ex(get(), &attr));
}

ibv_qp* Context::xrc_receiver(uint32_t depth) {
  ibv_qp_init_attr_ex attr{};
  attr.qp_type = IBV_QPT_XRC_RECV;
  attr.cap.max_send_wr = depth;
  attr.comp_mask = IBV_QP_INIT_ATTR_XRCD;
  return ibv_create_qp_ex(get(), &attr);
}

ibv_qp* Context::opened(uint32_t number) {
  ibv_qp_open_attr attr{};
  attr.comp_mask = IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD | IBV_QP_OPEN_ATTR_TYPE;
  attr.qp_num = number;
  attr.qp_type = IBV_QPT_XRC_RECV;
  return ibv_open_qp(get(), &attr);
}

void Context::complete_all(ibv_wc_status status) {
  const std::lock_guard lock(mutex);
  for (const Posted& each : posted)
    if (each.signalled || status != IBV_WC_SUCCESS) {
      ibv_wc wc{};
      wc.status = status;
      wc.opcode = each.opcode;
      wc.qp_num = each.qp;
      completions.push_back(wc);
    }
  posted.clear();
}

void Context::receive(uint32_t number, uint32_t bytes, ibv_wc_opcode opcode) {
  const std::lock_guard lock(mutex);
  ibv_wc wc{};
  wc.opcode = opcode;
  wc.qp_num = number;
  wc.byte_len = bytes;
  completions.push_back(wc);
}

}  // namespace fake
