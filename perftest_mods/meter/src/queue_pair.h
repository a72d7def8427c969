/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the meter knows of one queue pair: what was posted to its send queue and is not completed yet, and its counts.
 *
 * A completion says nothing of how many bytes a send was, and a send that is not signalled has none: it is complete when a later
 * one of the same send queue is, since a send queue completes in order. So the sizes of what was posted wait in a
 * ring, and a completion takes all up to the first that is signalled.
 */
#ifndef IBCC_METER_QUEUE_PAIR_H
#define IBCC_METER_QUEUE_PAIR_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "guard.h"
#include "tally.h"

/* A posted work request: its bytes, and these. */
#define METER_POSTED_SIGNALLED 1u
#define METER_POSTED_READ 2u    /* its payload arrives here */
#define METER_POSTED_MESSAGE 4u /* not a bind or an invalidation, which move nothing */
#define METER_POSTED_SHIFT 3

#define METER_ATOMIC_BYTES 8u
#define METER_GRH_BYTES 40u

struct meter_send_calls; /* wrap_extended.c */

struct meter_qp {
	/* Keys and chains of the tables in registry.c. */
	_Atomic(struct ibv_qp *) qp;
	_Atomic(struct ibv_context *) context;
	_Atomic uint32_t number;
	_Atomic(struct meter_qp *) next_by_pointer, next_by_number;

	uint8_t type; /* enum ibv_qp_type */
	bool all_signalled;
	int (*post_send)(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr); /* the provider's */
	struct meter_send_calls *calls; /* the provider's, of the extended interface; NULL without */

	/* Posting. head: how many were ever posted. */
	_Alignas(64) struct meter_guard post_guard;
	bool post_owned;  /* from wr_start to wr_complete */
	uint32_t pending; /* in the ring beyond head, by the extended interface */
	uint64_t pending_bytes, pending_messages;
	_Atomic uint64_t head;
	meter_count posted_bytes, posted_messages;

	/* Polling. tail: how many of them are completed. */
	_Alignas(64) struct meter_guard poll_guard;
	_Atomic uint64_t tail;
	meter_count completed_bytes, completed_messages, received_bytes, received_messages;
	bool failed; /* a completion had an error */

	/* Changed with both guards. */
	uint64_t *ring;
	uint64_t ring_mask;

	/* For lines per queue pair; registry.c's mutex. */
	struct meter_qp *next_listed;
	struct meter_tally reported;
	int64_t reported_until_ns; /* 0: not yet */
	bool destroyed;
};

/* Room for `more` beyond head and pending; false only without memory. With post_guard. */
bool meter_qp_make_room(struct meter_qp *meter, uint32_t more);

/* What waits in the ring will have no completion: the queue pair was reset. */
void meter_qp_forget_posted(struct meter_qp *meter);

/* Completions of one queue pair, not counted yet. */
struct meter_done {
	uint64_t completed_bytes, completed_messages, received_bytes, received_messages;
};

/* A completion that is not a successful send's. */
void meter_qp_complete_other(struct meter_qp *meter, struct meter_done *done, enum ibv_wc_status status,
			     enum ibv_wc_opcode opcode, uint32_t byte_len);

struct meter_tally meter_qp_tally(struct meter_qp *meter);
const char *meter_transport(const struct meter_qp *meter);

static inline uint64_t meter_posted(uint64_t bytes, unsigned int kind)
{
	return bytes << METER_POSTED_SHIFT | kind;
}

static inline bool meter_qp_has_room(struct meter_qp *meter, uint32_t more)
{
	const uint64_t waiting = atomic_load_explicit(&meter->head, memory_order_relaxed) + meter->pending -
				 atomic_load_explicit(&meter->tail, memory_order_acquire);
	return waiting + more <= meter->ring_mask + 1;
}

static inline void meter_qp_sent(struct meter_qp *meter, struct meter_done *done)
{
	const uint64_t head = atomic_load_explicit(&meter->head, memory_order_acquire);
	uint64_t tail = atomic_load_explicit(&meter->tail, memory_order_relaxed);
	uint64_t posted = 0;

	while (tail != head && !(posted & METER_POSTED_SIGNALLED)) {
		posted = meter->ring[tail++ & meter->ring_mask];
		const bool read = posted & METER_POSTED_READ;
		const bool message = posted & METER_POSTED_MESSAGE;
		*(read ? &done->received_bytes : &done->completed_bytes) += posted >> METER_POSTED_SHIFT;
		*(read ? &done->received_messages : &done->completed_messages) += message;
	}
	atomic_store_explicit(&meter->tail, tail, memory_order_release);
}

/* One completion, and what a number of them amounted to; with poll_guard. */
static inline void meter_qp_complete(struct meter_qp *meter, struct meter_done *done, enum ibv_wc_status status,
				     enum ibv_wc_opcode opcode, uint32_t byte_len)
{
	if (__builtin_expect(status == IBV_WC_SUCCESS && opcode < IBV_WC_RECV, 1))
		meter_qp_sent(meter, done);
	else
		meter_qp_complete_other(meter, done, status, opcode, byte_len);
}

static inline void meter_qp_count(struct meter_qp *meter, struct meter_done *done)
{
	if (done->completed_messages) {
		meter_count_add(&meter->completed_bytes, done->completed_bytes);
		meter_count_add(&meter->completed_messages, done->completed_messages);
	}
	if (done->received_messages) {
		meter_count_add(&meter->received_bytes, done->received_bytes);
		meter_count_add(&meter->received_messages, done->received_messages);
	}
	*done = (struct meter_done){0};
}

#endif
