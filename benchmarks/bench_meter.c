/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the meter takes of a posted and of a polled work request, beside the same calls without it.
 *
 * Over a provider that does next to nothing, so that the difference is the meter's; rounds with and without it take turns, so
 * that a machine that changes its clock changes both. The measure is the median of the rounds' differences.
 *
 * usage: bench_meter [ROUNDS]
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "real.h"
#include "report.h"

#define POSTS 64 /* in a row, then they are polled: as generators of traffic do */
#define REPEATS 1001
#define ROUNDS_DEFAULT 201
/* 64 KiB at 400 Gb/s. */
#define MESSAGE_NS (65536 * 8 / 400.0)

static struct verbs_context verbs;
static struct ibv_device device = {.name = "bench_0"};
static struct ibv_qp_ex queue_pair;
static unsigned int to_poll, batch;

static int post_send(struct ibv_qp* qp, struct ibv_send_wr* wr, struct ibv_send_wr** bad) {
  (void)qp;
  (void)wr;
  (void)bad;
  to_poll++;
  return 0;
}

static int poll_cq(struct ibv_cq* cq, int room, struct ibv_wc* wc) {
  int count = 0;

  (void)cq;
  for (; count < room && (unsigned int)count < batch && to_poll; count++, to_poll--) {
    wc[count].status = IBV_WC_SUCCESS;
    wc[count].opcode = IBV_WC_RDMA_WRITE;
    wc[count].qp_num = queue_pair.qp_base.qp_num;
  }
  return count;
}

/* One completion after the other, of an extended completion queue. */
static int next_poll(struct ibv_cq_ex* cq) {
  if (!to_poll) return ENOENT;
  to_poll--;
  cq->status = IBV_WC_SUCCESS;
  return 0;
}

static int start_poll(struct ibv_cq_ex* cq, struct ibv_poll_cq_attr* attr) {
  (void)attr;
  return next_poll(cq);
}

static void end_poll(struct ibv_cq_ex* cq) { (void)cq; }

static enum ibv_wc_opcode read_opcode(struct ibv_cq_ex* cq) {
  (void)cq;
  return IBV_WC_RDMA_WRITE;
}

static uint32_t read_qp_num(struct ibv_cq_ex* cq) {
  (void)cq;
  return queue_pair.qp_base.qp_num;
}

static uint32_t read_byte_len(struct ibv_cq_ex* cq) {
  (void)cq;
  return 0;
}

static void wr_start(struct ibv_qp_ex* qp) { (void)qp; }

static int wr_complete(struct ibv_qp_ex* qp) {
  (void)qp;
  to_poll++;
  return 0;
}

static void wr_write(struct ibv_qp_ex* qp, uint32_t rkey, uint64_t addr) {
  (void)qp;
  (void)rkey;
  (void)addr;
}

static void wr_set_sge(struct ibv_qp_ex* qp, uint32_t lkey, uint64_t addr, uint32_t length) {
  (void)qp;
  (void)lkey;
  (void)addr;
  (void)length;
}

static void fill_calls(struct ibv_qp_ex* qp) {
  qp->wr_start = wr_start;
  qp->wr_complete = wr_complete;
  qp->wr_rdma_write = wr_write;
  qp->wr_set_sge = wr_set_sge;
}

static struct ibv_qp* create_qp_ex(struct ibv_context* context, struct ibv_qp_init_attr_ex* attr) {
  (void)attr;
  queue_pair.qp_base.context = context;
  queue_pair.qp_base.qp_num = 17;
  fill_calls(&queue_pair);
  return &queue_pair.qp_base;
}

static void fill_cq(struct ibv_cq_ex* cq, struct ibv_context* context) {
  cq->context = context;
  cq->start_poll = start_poll;
  cq->next_poll = next_poll;
  cq->end_poll = end_poll;
  cq->read_opcode = read_opcode;
  cq->read_qp_num = read_qp_num;
  cq->read_byte_len = read_byte_len;
}

static struct ibv_cq_ex* create_cq_ex(struct ibv_context* context, struct ibv_cq_init_attr_ex* attr) {
  static struct ibv_cq_ex cq;
  (void)attr;
  fill_cq(&cq, context);
  return &cq;
}

static struct ibv_context* open_device(struct ibv_device* opened) {
  (void)opened;
  return &verbs.context;
}

static struct ibv_qp_ex* to_qp_ex(struct ibv_qp* qp) { return (struct ibv_qp_ex*)qp; }

static int64_t post_all(struct ibv_qp_ex* qp, int extended) {
  struct ibv_sge piece = {.length = 65536};
  struct ibv_send_wr wr = {.sg_list = &piece, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED};
  struct ibv_send_wr* bad;
  const int64_t start = meter_now_ns(CLOCK_MONOTONIC);

  for (int i = 0; i < POSTS; i++) {
    if (!extended) {
      ibv_post_send(&qp->qp_base, &wr, &bad);
      continue;
    }
    ibv_wr_start(qp);
    qp->wr_flags = IBV_SEND_SIGNALED;
    ibv_wr_rdma_write(qp, 0, 0);
    ibv_wr_set_sge(qp, 0, 0, 65536);
    ibv_wr_complete(qp);
  }
  return meter_now_ns(CLOCK_MONOTONIC) - start;
}

static int64_t poll_all(struct ibv_cq_ex* cq, int extended) {
  struct ibv_wc wc[16];
  struct ibv_poll_cq_attr none = {0};
  const int64_t start = meter_now_ns(CLOCK_MONOTONIC);

  if (!extended) {
    while (ibv_poll_cq(ibv_cq_ex_to_cq(cq), 16, wc) > 0);
  } else if (batch == 1) {
    while (!ibv_start_poll(cq, &none)) ibv_end_poll(cq);
  } else if (!ibv_start_poll(cq, &none)) {
    while (!ibv_next_poll(cq));
    ibv_end_poll(cq);
  }
  return meter_now_ns(CLOCK_MONOTONIC) - start;
}

struct cost {
  double post_ns, poll_ns;
};

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return (x > y) - (x < y);
}

static double median(double* values, int count) {
  qsort(values, (size_t)count, sizeof *values, ascending);
  return values[count / 2];
}

static const char* no_environment(const char* name) { return strcmp(name, "IBCC_METER_OUTPUT") ? NULL : "/dev/null"; }

/* Medians of the repeats: on a machine that others use too, some of them were interrupted. */
static struct cost measure(struct ibv_qp_ex* qp, struct ibv_cq_ex* cq, int extended_qp, int extended_cq) {
  static double post[REPEATS];
  static double poll[REPEATS];

  for (int i = 0; i < REPEATS; i++) {
    post[i] = (double)post_all(qp, extended_qp) / POSTS;
    poll[i] = (double)poll_all(cq, extended_cq) / POSTS;
  }
  return (struct cost){median(post, REPEATS), median(poll, REPEATS)};
}

int main(int argc, char** argv) {
  static struct meter_settings settings;
  /* Without the meter: the same objects, of a context of their own, whose operations nobody replaced. */
  static struct verbs_context bare;
  static struct ibv_qp_ex bare_qp;
  static struct ibv_cq_ex bare_cq;
  struct ibv_cq_init_attr_ex cq_attr = {0};
  struct ibv_qp_init_attr_ex attr = {
      .qp_type = IBV_QPT_RC, .cap.max_send_wr = 128, .comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS};
  char error[METER_ERROR_MAX];
  const int rounds = argc > 1 ? atoi(argv[1]) : ROUNDS_DEFAULT;

  if (rounds < 1 || argc > 2) {
    fprintf(stderr, "bench_meter: '%s' rounds; a number above 0 would be right\n", argv[1]);
    return 2;
  }
  double* post = calloc((size_t)rounds, sizeof *post);
  double* poll = calloc((size_t)rounds, sizeof *poll);
  double* both = calloc((size_t)rounds, sizeof *both);
  if (!post || !poll || !both) return 1;
  verbs.sz = bare.sz = sizeof verbs;
  verbs.context.abi_compat = bare.context.abi_compat = __VERBS_ABI_IS_EXTENDED;
  verbs.context.device = bare.context.device = &device;
  verbs.context.ops.post_send = bare.context.ops.post_send = post_send;
  verbs.context.ops.poll_cq = bare.context.ops.poll_cq = poll_cq;
  verbs.create_qp_ex = create_qp_ex;
  verbs.create_cq_ex = create_cq_ex;
  bare_qp.qp_base.context = &bare.context;
  fill_calls(&bare_qp);
  fill_cq(&bare_cq, &bare.context);
  meter_real_set(METER_OPEN_DEVICE, (meter_function*)open_device);
  meter_real_set(METER_QP_TO_QP_EX, (meter_function*)to_qp_ex);
  if (!meter_settings_read(&settings, no_environment, error)) return 1;
  meter_report_configure(&settings, meter_settings_open(&settings, error));
  ibv_open_device(&device);
  struct ibv_qp* qp = ibv_create_qp_ex(&verbs.context, &attr);
  struct ibv_cq_ex* cq = ibv_create_cq_ex(&verbs.context, &cq_attr);

  static const char* const kinds[] = {"ibv_post_send, ibv_poll_cq", "ibv_wr_start, ibv_poll_cq", "ibv_wr_start, ibv_start_poll"};
  printf("%-40s %9s %9s %9s %22s\n", "", "post, ns", "poll, ns", "sum, ns", "of 64 KiB at 400 Gb/s");
  for (int kind = 0; kind < 3; kind++)
    for (batch = 1; batch <= 16; batch += 15) {
      char name[64];
      for (int i = 0; i < rounds; i++) {
        const struct cost without = measure(&bare_qp, &bare_cq, kind > 0, kind > 1);
        const struct cost with = measure((struct ibv_qp_ex*)qp, cq, kind > 0, kind > 1);
        post[i] = with.post_ns - without.post_ns;
        poll[i] = with.poll_ns - without.poll_ns;
        both[i] = post[i] + poll[i];
      }
      const double sum = median(both, rounds);
      snprintf(name, sizeof name, "%s, %s", kinds[kind], batch == 1 ? "1 a poll" : "16 a poll");
      printf("%-40s %9.2f %9.2f %9.2f %20.2f %%\n", name, median(post, rounds), median(poll, rounds), sum,
             100 * sum / MESSAGE_NS);
    }
  free(post);
  free(poll);
  free(both);
  return 0;
}
