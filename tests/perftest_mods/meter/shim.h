/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What tests in C++ call: the meter's headers are C11, with _Atomic, which C++20 has not. Compiled from shim.c.
 */
#ifndef IBCC_METER_SHIM_H
#define IBCC_METER_SHIM_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct meter_counts {
  uint64_t posted_bytes, posted_messages, completed_bytes, completed_messages, received_bytes, received_messages;
};
/* Returns the counts of all queue pairs since the last shim_forget. */
struct meter_counts shim_counts(void);
const char* shim_transport(void);
/* Nothing is known any more, and settings are none: the next queue pair starts a meter without lines. */
void shim_forget(void);

/* The functions of the fake provider for libibverbs's. */
struct shim_reals {
  struct ibv_context* (*open_device)(struct ibv_device* device);
  int (*close_device)(struct ibv_context* context);
  struct ibv_qp* (*create_qp)(struct ibv_pd* pd, struct ibv_qp_init_attr* attr);
  int (*modify_qp)(struct ibv_qp* qp, struct ibv_qp_attr* attr, int mask);
  int (*destroy_qp)(struct ibv_qp* qp);
  int (*destroy_cq)(struct ibv_cq* cq);
  struct ibv_qp_ex* (*qp_to_qp_ex)(struct ibv_qp* qp);
  const char* (*wc_status_str)(enum ibv_wc_status status);
};
void shim_set_reals(const struct shim_reals* reals);

/* As the constructor: settings from the environment, lines to `fd`. The sentence of what is wrong, or NULL. */
const char* shim_configure(int fd);
void shim_exit(void);

/* Guards. */
struct meter_guard;
struct meter_guard* shim_guard(void);
bool shim_enter(struct meter_guard* guard);
void shim_leave(struct meter_guard* guard, bool owned);
void shim_free(struct meter_guard* guard);

#ifdef __cplusplus
}
#endif
#endif
