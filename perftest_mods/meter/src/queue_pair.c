/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "queue_pair.h"

#include <stdlib.h>
#include <string.h>

#define RING_MIN 64

bool meter_qp_make_room(struct meter_qp *meter, uint32_t more)
{
	const uint64_t head = atomic_load_explicit(&meter->head, memory_order_relaxed);
	uint64_t size = RING_MIN;
	bool owned;

	owned = meter_guard_enter(&meter->poll_guard);
	const uint64_t tail = atomic_load_explicit(&meter->tail, memory_order_relaxed);
	const int64_t needed = (int64_t)(head + meter->pending + more - tail);
	while ((int64_t)size < needed)
		size *= 2;
	uint64_t *ring = meter->ring && size <= meter->ring_mask + 1 ? meter->ring : calloc(size, sizeof *ring);
	if (ring && ring != meter->ring) {
		for (uint64_t i = tail; meter->ring && (int64_t)(head + meter->pending - i) > 0; i++)
			ring[i & (size - 1)] = meter->ring[i & meter->ring_mask];
		free(meter->ring);
		meter->ring = ring;
		meter->ring_mask = size - 1;
	}
	meter_guard_leave(&meter->poll_guard, owned);
	return ring != NULL;
}

struct meter_list meter_qp_last_posted(const struct meter_qp *meter, uint64_t count)
{
	const uint64_t head = atomic_load_explicit(&meter->head, memory_order_relaxed);
	struct meter_list list = {0};

	while (list.count < count)
		meter_list_add(&list, meter->ring[(head - count + list.count) & meter->ring_mask]);
	return list;
}

void meter_qp_take_back(struct meter_qp *meter, uint64_t count)
{
	const struct meter_list list = meter_qp_last_posted(meter, count);

	/* Unsigned numbers wrap: this subtracts. */
	meter_qp_post(meter, (struct meter_list){-list.count, -list.bytes, -list.messages});
}

void meter_qp_forget_posted(struct meter_qp *meter)
{
	const bool posting = meter_guard_enter(&meter->post_guard);
	const bool polling = meter_guard_enter(&meter->poll_guard);

	atomic_store_explicit(&meter->tail, atomic_load_explicit(&meter->head, memory_order_relaxed), memory_order_release);
	meter->failed = false;
	meter_guard_leave(&meter->poll_guard, polling);
	meter_guard_leave(&meter->post_guard, posting);
}

/*
 * A completion of what moves nothing, such as a bind. Send queues complete in order: if a message comes first, this was none of those
 * that were counted, but one that the provider posted by itself.
 */
static void sent_nothing(struct meter_qp *meter, struct meter_done *done)
{
	const uint64_t head = atomic_load_explicit(&meter->head, memory_order_acquire);

	for (uint64_t at = atomic_load_explicit(&meter->tail, memory_order_relaxed); (int64_t)(head - at) > 0; at++) {
		const uint64_t posted = meter->ring[at & meter->ring_mask];
		if (!(posted & METER_POSTED_SIGNALLED))
			continue;
		if (!(posted & METER_POSTED_MESSAGE))
			meter_qp_sent(meter, done);
		return;
	}
}

struct meter_done meter_qp_complete_other(struct meter_qp *meter, enum ibv_wc_status status, enum ibv_wc_opcode opcode,
					  uint32_t byte_len)
{
	struct meter_done done = {0};

	if (status != IBV_WC_SUCCESS) {
		/* Its opcode means nothing. What was posted before it may still complete, into another completion queue. */
		meter->failed = true;
		return done;
	}
	switch (opcode) {
	case IBV_WC_TM_ADD:
	case IBV_WC_TM_DEL:
	case IBV_WC_TM_SYNC:
		break; /* of a shared receive queue's tags: no message */
	case IBV_WC_RECV:
	case IBV_WC_RECV_RDMA_WITH_IMM:
	case IBV_WC_TM_RECV:
	case IBV_WC_TM_NO_TAG:
		if (meter->type == IBV_QPT_UD && byte_len >= METER_GRH_BYTES)
			byte_len -= METER_GRH_BYTES; /* room that the receiver keeps for it, and no payload */
		done.received_bytes = byte_len;
		done.received_messages = 1;
		break;
	case IBV_WC_TSO:
#ifdef IBCC_HAVE_ATOMIC_WRITE
	case IBV_WC_ATOMIC_WRITE:
#endif
		meter_qp_sent(meter, &done);
		break;
	default: /* binds, invalidations, flushes, and a provider's own kinds */
		sent_nothing(meter, &done);
	}
	return done;
}

struct meter_tally meter_qp_tally(struct meter_qp *meter)
{
	/* Completions are read first, so that a message is never reported completed and not posted. */
	struct meter_tally tally = {
		.completed_bytes = atomic_load_explicit(&meter->completed_bytes, memory_order_acquire),
		.completed_messages = atomic_load_explicit(&meter->completed_messages, memory_order_acquire),
		.received_bytes = atomic_load_explicit(&meter->received_bytes, memory_order_acquire),
		.received_messages = atomic_load_explicit(&meter->received_messages, memory_order_acquire),
	};
	tally.posted_bytes = atomic_load_explicit(&meter->posted_bytes, memory_order_relaxed);
	tally.posted_messages = atomic_load_explicit(&meter->posted_messages, memory_order_relaxed);
	return tally;
}

const char *meter_transport(const struct meter_qp *meter)
{
	switch (meter->type) {
	case IBV_QPT_RC:
		return "RC";
	case IBV_QPT_UC:
		return "UC";
	case IBV_QPT_UD:
		return "UD";
	case IBV_QPT_XRC_SEND:
	case IBV_QPT_XRC_RECV:
		return "XRC";
	default:
		return NULL;
	}
}
