/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Functions that stand before the provider's operations: wrap_classic.c and wrap_extended.c. */
#ifndef IBCC_METER_WRAP_H
#define IBCC_METER_WRAP_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "gate.h"
#include "registry.h"

int meter_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr);
int meter_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc);
struct ibv_cq_ex *meter_create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr);
struct ibv_qp *meter_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr);
struct ibv_qp *meter_open_qp(struct ibv_context *context, struct ibv_qp_open_attr *attr);

/* A queue pair that was made: counted from now on. NULL stays NULL. */
struct ibv_qp *meter_made_qp(struct ibv_qp *qp, uint8_t type, bool all_signalled, uint32_t depth);
struct ibv_qp *meter_made_qp_ex(struct ibv_qp *qp, const struct ibv_qp_init_attr_ex *attr);

/* Takes the places of the send calls that were asked for, IBV_QP_EX_WITH_…; and frees what that took. */
void meter_wrap_send_calls(struct meter_qp *meter, struct ibv_qp_ex *qp, uint64_t asked_for);
void meter_forget_send_calls(struct meter_qp *meter);
/* The record of an extended completion queue, or NULL; and once it is destroyed. */
struct meter_cq *meter_cq_of(struct ibv_cq *cq);
void meter_cq_forget(struct meter_cq *record);

/* The queue pair that a completion is of, with its poll_guard taken; NULL if it is not known (any more). */
static inline struct meter_qp *meter_completion_of(uint64_t key, bool *owned)
{
	struct meter_qp *meter = meter_find_key(key);

	while (meter) {
		*owned = meter_guard_enter(&meter->poll_guard);
		if (__builtin_expect(meter->key == key, 1))
			return meter;
		/* Destroyed and used again since we found it. */
		meter_guard_leave(&meter->poll_guard, *owned);
		meter = meter_registry_miss_key(key);
	}
	return NULL;
}

/*
 * A single success of an ordinary send: what programs poll that do not poll many at once. False if it is anything else, and then
 * nothing has changed. It calls no function, so nothing has to be saved for after the call: that would take more time than the counting.
 */
static inline bool meter_complete_single(uint64_t key, enum ibv_wc_opcode opcode)
{
	struct meter_qp *meter = meter_likely_key(key);
	bool counted = false;

	if (opcode > IBV_WC_FETCH_ADD || !meter || !meter_guard_enter_own(&meter->poll_guard))
		return false;
	const uint64_t tail = atomic_load_explicit(&meter->tail, memory_order_relaxed);
	if (meter->key == key && (int64_t)(atomic_load_explicit(&meter->head, memory_order_acquire) - tail) > 0) {
		const uint64_t entry = meter->ring[tail & meter->ring_mask];
		counted = (entry & METER_POSTED_KIND) == (METER_POSTED_MESSAGE | METER_POSTED_SIGNALLED);
		if (__builtin_expect(counted, 1)) {
			atomic_store_explicit(&meter->tail, tail + 1, memory_order_release);
			meter_count_add(&meter->completed_bytes, entry >> METER_POSTED_SHIFT);
			meter_count_add(&meter->completed_messages, 1);
		}
	}
	meter_guard_leave_own(&meter->poll_guard);
	return counted;
}

/* Leaves post_guard after a single work request, which pays if the gate has closed meanwhile. */
static inline void meter_qp_leave_single(struct meter_qp *meter, int result)
{
	const bool pays = meter_gate_is_closed() && !result;
	const uint64_t bytes = __builtin_expect(pays, 0) ? meter_qp_last_posted(meter, 1).bytes : 0;

	meter_guard_leave_own(&meter->post_guard);
	if (__builtin_expect(pays, 0))
		meter_gate_pay(bytes);
}

void meter_completion_failed(enum ibv_wc_status status, uint32_t number);

#endif
