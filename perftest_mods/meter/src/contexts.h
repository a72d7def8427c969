/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Open devices, and what their operations were before the meter's took their places. */
#ifndef IBCC_METER_CONTEXTS_H
#define IBCC_METER_CONTEXTS_H

#include <infiniband/verbs.h>
#include <stdatomic.h>
#include <stdint.h>

#define METER_CONTEXTS_MAX 64u

/* Operations of a device that the meter counts. */
struct meter_operations {
	int (*post_send)(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr);
	int (*poll_cq)(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc);
	struct ibv_cq_ex *(*create_cq_ex)(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr);
	struct ibv_qp *(*create_qp_ex)(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr);
	struct ibv_qp *(*open_qp)(struct ibv_context *context, struct ibv_qp_open_attr *attr);
};

struct meter_context {
	_Atomic(struct ibv_context *) context; /* NULL: free */
	uint64_t key;                          /* distinguishes devices in the keys of queue pairs (registry.h) */
	struct meter_operations real;          /* the provider's */
};

extern struct meter_context meter_contexts[METER_CONTEXTS_MAX];

/* Puts `counted` in the place of the operations that the device has. NULL if all places are taken. */
struct meter_context *meter_context_add(struct ibv_context *context, const struct meter_operations *counted);
void meter_context_remove(struct ibv_context *context);

/* Around fork. */
void meter_contexts_lock(void);
void meter_contexts_unlock(void);

struct meter_context *meter_context_search(const struct ibv_context *context);

/* Programs have one, nearly always: the first place is looked at first. NULL if unknown. */
static inline struct meter_context *meter_context_find(const struct ibv_context *context)
{
	if (__builtin_expect(atomic_load_explicit(&meter_contexts[0].context, memory_order_acquire) == context, 1))
		return &meter_contexts[0];
	return meter_context_search(context);
}

#endif
