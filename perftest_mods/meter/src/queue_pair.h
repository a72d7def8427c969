/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The meter's record of one queue pair: what was posted to its send queue and is not completed yet, and its counts.
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
#define METER_POSTED_KIND 7u

#define METER_ATOMIC_BYTES 8u
#define METER_GRH_BYTES 40u

struct meter_send_calls; /* wrap_extended.c */

struct meter_qp {
	/* Keys and chains of the tables in registry.c. */
	_Atomic(struct ibv_qp *) qp;
	_Atomic uint64_t key;
	_Atomic(struct meter_qp *) next_by_pointer, next_by_key;

	uint8_t type;      /* enum ibv_qp_type */
	uint8_t signalled; /* METER_POSTED_SIGNALLED if every work request is, whatever it says itself */
	int (*post_send)(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr); /* the provider's */
	struct meter_send_calls *calls; /* the provider's, of the extended interface; NULL without */

	/* Posting. head: how many were ever posted. */
	_Alignas(64) struct meter_guard post_guard;
	bool post_owned;  /* from wr_start to wr_complete */
	uint32_t pending; /* in the ring beyond head, of a list that is being posted; since wr_start, `last` included */
	uint64_t last;    /* since wr_start: the last work request, which is not in the ring yet */
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

/* Forgets the work requests in the ring, which will have no completion: the queue pair was reset. */
void meter_qp_forget_posted(struct meter_qp *meter);

/* Completions of one queue pair, not counted yet. */
struct meter_done {
	uint64_t completed_bytes, completed_messages, received_bytes, received_messages;
};

/* A completion that is not a success of a send, a write, a read or an atomic. */
struct meter_done meter_qp_complete_other(struct meter_qp *meter, enum ibv_wc_status status, enum ibv_wc_opcode opcode,
					  uint32_t byte_len);

struct meter_tally meter_qp_tally(struct meter_qp *meter);
const char *meter_transport(const struct meter_qp *meter);

static inline uint32_t meter_qp_number(const struct meter_qp *meter)
{
	return (uint32_t)meter->key;
}

static inline uint64_t meter_posted(uint64_t bytes, unsigned int kind)
{
	return bytes << METER_POSTED_SHIFT | kind;
}

/* Room in the ring behind `at`, where the next one posted would stand. With post_guard. */
static inline bool meter_qp_has_room(const struct meter_qp *meter, uint64_t at)
{
	return __builtin_expect(at - atomic_load_explicit(&meter->tail, memory_order_acquire) <= meter->ring_mask, 1);
}

/* Work requests in a row. */
struct meter_list {
	uint64_t count, bytes, messages;
};

static inline void meter_list_add(struct meter_list *list, uint64_t entry)
{
	list->count++;
	list->bytes += entry >> METER_POSTED_SHIFT;
	list->messages += (entry & METER_POSTED_MESSAGE) != 0;
}

/* Counts what stands in the ring from head on as posted. With post_guard; so is the next. */
static inline void meter_qp_post(struct meter_qp *meter, struct meter_list list)
{
	meter_count_add(&meter->posted_bytes, list.bytes);
	meter_count_add(&meter->posted_messages, list.messages);
	atomic_store_explicit(&meter->head, atomic_load_explicit(&meter->head, memory_order_relaxed) + list.count,
			      memory_order_release);
}

/* The last `count` of those counted so, and as if they had not been. */
struct meter_list meter_qp_last_posted(const struct meter_qp *meter, uint64_t count);
void meter_qp_take_back(struct meter_qp *meter, uint64_t count);

static inline void meter_qp_sent(struct meter_qp *meter, struct meter_done *done)
{
	const uint64_t head = atomic_load_explicit(&meter->head, memory_order_acquire);
	uint64_t tail = atomic_load_explicit(&meter->tail, memory_order_relaxed);
	uint64_t posted = 0;

	/* Beyond head it is only where completions were of what nobody posted. */
	while ((int64_t)(head - tail) > 0 && !(posted & METER_POSTED_SIGNALLED)) {
		posted = meter->ring[tail++ & meter->ring_mask];
		/* A branch, and not an address: so the sums stay in registers. */
		if (__builtin_expect(posted & METER_POSTED_READ, 0)) {
			done->received_bytes += posted >> METER_POSTED_SHIFT;
			done->received_messages++;
		} else {
			done->completed_bytes += posted >> METER_POSTED_SHIFT;
			done->completed_messages += (posted & METER_POSTED_MESSAGE) != 0;
		}
	}
	atomic_store_explicit(&meter->tail, tail, memory_order_release);
}

/* One completion, and what a number of them amounted to; with poll_guard. */
static inline void meter_qp_complete(struct meter_qp *meter, struct meter_done *done, enum ibv_wc_status status,
				     enum ibv_wc_opcode opcode, uint32_t byte_len)
{
	if (__builtin_expect(status == IBV_WC_SUCCESS && opcode <= IBV_WC_FETCH_ADD, 1))
		meter_qp_sent(meter, done);
	else {
		const struct meter_done other = meter_qp_complete_other(meter, status, opcode, byte_len);
		done->completed_bytes += other.completed_bytes;
		done->completed_messages += other.completed_messages;
		done->received_bytes += other.received_bytes;
		done->received_messages += other.received_messages;
	}
}

static inline void meter_qp_count(struct meter_qp *meter, const struct meter_done *done)
{
	if (done->completed_messages) {
		meter_count_add(&meter->completed_bytes, done->completed_bytes);
		meter_count_add(&meter->completed_messages, done->completed_messages);
	}
	if (done->received_messages) {
		meter_count_add(&meter->received_bytes, done->received_bytes);
		meter_count_add(&meter->received_messages, done->received_messages);
	}
}

#endif
