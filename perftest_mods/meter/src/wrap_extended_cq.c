/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Completion queues of the extended interface: ibv_start_poll and ibv_next_poll call through pointers in the queue itself. */
#include <stdlib.h>

#include "contexts.h"
#include "registry.h"
#include "report.h"
#include "wrap.h"

/* Fields of a completion that counting needs. A program that does not ask for them must still not read them. */
#define NEEDED (IBV_WC_EX_WITH_QP_NUM | IBV_WC_EX_WITH_BYTE_LEN)
#define BUCKETS 256u

struct meter_cq {
	_Atomic(struct ibv_cq_ex *) cq;
	_Atomic(struct meter_cq *) next; /* records stay for ever; one whose queue is gone is used again */
	const struct meter_context *context;
	int (*start_poll)(struct ibv_cq_ex *cq, struct ibv_poll_cq_attr *attr);
	int (*next_poll)(struct ibv_cq_ex *cq);
};

static _Atomic(struct meter_cq *) buckets[BUCKETS];

static struct meter_cq *find(const struct ibv_cq_ex *cq, const struct ibv_cq_ex *wanted)
{
	struct meter_cq *queue = atomic_load_explicit(&buckets[meter_hash((uintptr_t)cq) % BUCKETS], memory_order_acquire);

	while (queue && atomic_load_explicit(&queue->cq, memory_order_acquire) != wanted)
		queue = atomic_load_explicit(&queue->next, memory_order_acquire);
	return queue;
}

static const struct meter_cq *of(const struct ibv_cq_ex *cq)
{
	const struct meter_cq *queue = atomic_load_explicit(&buckets[meter_hash((uintptr_t)cq) % BUCKETS], memory_order_acquire);

	if (__builtin_expect(queue && atomic_load_explicit(&queue->cq, memory_order_acquire) == cq, 1))
		return queue;
	return find(cq, cq);
}

__attribute__((noinline)) static void complete(const struct meter_cq *queue, struct ibv_cq_ex *cq)
{
	const enum ibv_wc_status status = cq->status;
	const uint32_t number = cq->read_qp_num(cq);
	/* Neither means anything for a failed completion. */
	const enum ibv_wc_opcode opcode = status == IBV_WC_SUCCESS ? cq->read_opcode(cq) : IBV_WC_SEND;
	const uint32_t byte_len = status == IBV_WC_SUCCESS && opcode & IBV_WC_RECV ? cq->read_byte_len(cq) : 0;
	bool owned;
	struct meter_qp *meter = meter_completion_of(meter_key(queue->context, number), &owned);

	if (meter) {
		struct meter_done done = {0};
		meter_qp_complete(meter, &done, status, opcode, byte_len);
		meter_qp_count(meter, &done);
		meter_guard_leave(&meter->poll_guard, owned);
	} else {
		meter_registry_orphan(status, opcode, byte_len);
	}
	if (status != IBV_WC_SUCCESS && status != IBV_WC_WR_FLUSH_ERR)
		meter_completion_failed(status, number);
}

static inline int polled(const struct meter_cq *queue, struct ibv_cq_ex *cq, int result)
{
	if (result)
		return result;
	if (cq->status != IBV_WC_SUCCESS ||
	    !meter_complete_single(meter_key(queue->context, cq->read_qp_num(cq)), cq->read_opcode(cq)))
		complete(queue, cq);
	return 0;
}

static int start_poll(struct ibv_cq_ex *cq, struct ibv_poll_cq_attr *attr)
{
	const struct meter_cq *queue = of(cq);
	return polled(queue, cq, queue->start_poll(cq, attr));
}

static int next_poll(struct ibv_cq_ex *cq)
{
	const struct meter_cq *queue = of(cq);
	return polled(queue, cq, queue->next_poll(cq));
}

static void made(const struct meter_context *context, struct ibv_cq_ex *cq)
{
	meter_cq_lock();
	/* There may be one that is destroyed, but whose thread has not come to say so: then the new one stands in front of it. */
	struct meter_cq *queue = find(cq, cq) ? NULL : find(cq, NULL);
	const bool fresh = !queue;
	if (fresh)
		queue = calloc(1, sizeof *queue);
	if (queue) {
		_Atomic(struct meter_cq *) *bucket = &buckets[meter_hash((uintptr_t)cq) % BUCKETS];
		queue->context = context;
		queue->start_poll = cq->start_poll;
		queue->next_poll = cq->next_poll;
		atomic_store_explicit(&queue->cq, cq, memory_order_release);
		if (fresh) {
			queue->next = *bucket;
			atomic_store_explicit(bucket, queue, memory_order_release);
		}
		cq->start_poll = start_poll;
		cq->next_poll = next_poll;
	} else {
		meter_report_error("Memory ran out: a completion queue was not counted.");
	}
	meter_cq_unlock();
}

struct ibv_cq_ex *meter_create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr)
{
	const struct meter_context *ours = meter_context_find(context);
	struct ibv_cq_init_attr_ex more = *attr;

	more.wc_flags |= NEEDED;
	struct ibv_cq_ex *cq = ours->real.create_cq_ex(context, &more);
	if (cq && cq->start_poll && cq->next_poll && cq->read_qp_num && cq->read_opcode && cq->read_byte_len) {
		made(ours, cq);
		return cq;
	}
	if (!cq)
		cq = ours->real.create_cq_ex(context, attr);
	if (cq)
		meter_report_error("A completion queue does not tell queue pairs or bytes: it was not counted.");
	return cq;
}

struct meter_cq *meter_cq_of(struct ibv_cq *cq)
{
	return find((struct ibv_cq_ex *)cq, (struct ibv_cq_ex *)cq);
}

void meter_cq_forget(struct meter_cq *record)
{
	meter_cq_lock();
	atomic_store_explicit(&record->cq, NULL, memory_order_release);
	meter_cq_unlock();
}
