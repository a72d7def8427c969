/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What stands before the provider's operations: wrap_classic.c and wrap_extended.c. */
#ifndef IBCC_METER_WRAP_H
#define IBCC_METER_WRAP_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

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
void meter_forget_cq(struct ibv_cq *cq);

/* The queue pair that a completion is of, with its poll_guard taken; NULL if it is not known (any more). */
static inline struct meter_qp *meter_completion_of(struct ibv_context *context, uint32_t number, bool *owned)
{
	struct meter_qp *meter = meter_find_number(context, number);

	while (meter) {
		*owned = meter_guard_enter(&meter->poll_guard);
		if (__builtin_expect(meter->number == number && meter->context == context, 1))
			return meter;
		/* Destroyed and used again since we found it. */
		meter_guard_leave(&meter->poll_guard, *owned);
		meter = meter_registry_miss_number(context, number);
	}
	return NULL;
}

void meter_completion_failed(enum ibv_wc_status status, uint32_t number);

#endif
