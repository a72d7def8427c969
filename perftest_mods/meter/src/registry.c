/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "registry.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

_Atomic(struct meter_qp *) meter_by_pointer[METER_BUCKETS];
_Atomic(struct meter_qp *) meter_by_key[METER_BUCKETS];

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t cq_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct meter_qp *listed; /* alive, or destroyed and to be reported once more */
static struct meter_qp *unused;
static struct meter_qp *abandoned; /* a parent's: its threads may have been in the midst of any of them */
static struct meter_tally gone;    /* of those that are forgotten */
static _Atomic uint64_t orphan_bytes, orphan_messages;
/* Type of all queue pairs that ever were: 0 none yet, -1 several. */
static int common_type;
static const char *common_transport;

static void link_tables(struct meter_qp *meter)
{
	_Atomic(struct meter_qp *) *bucket = &meter_by_pointer[meter_hash((uintptr_t)meter->qp)];
	atomic_store_explicit(&meter->next_by_pointer, *bucket, memory_order_relaxed);
	atomic_store_explicit(bucket, meter, memory_order_release);

	bucket = &meter_by_key[meter_hash(meter->key)];
	atomic_store_explicit(&meter->next_by_key, *bucket, memory_order_relaxed);
	atomic_store_explicit(bucket, meter, memory_order_release);
}

static void unlink_tables(struct meter_qp *meter)
{
	_Atomic(struct meter_qp *) *at = &meter_by_pointer[meter_hash((uintptr_t)meter->qp)];
	while (*at && *at != meter)
		at = &(*at)->next_by_pointer;
	if (*at)
		atomic_store_explicit(at, meter->next_by_pointer, memory_order_release);

	at = &meter_by_key[meter_hash(meter->key)];
	while (*at && *at != meter)
		at = &(*at)->next_by_key;
	if (*at)
		atomic_store_explicit(at, meter->next_by_key, memory_order_release);
}

static struct meter_qp *record(void)
{
	struct meter_qp *meter = unused;

	if (meter) {
		unused = meter->next_listed;
		return meter;
	}
	meter = aligned_alloc(_Alignof(struct meter_qp), sizeof *meter);
	if (meter)
		memset(meter, 0, sizeof *meter);
	return meter;
}

struct meter_qp *meter_registry_add(const struct meter_context *context, struct ibv_qp *qp, uint8_t type, bool all_signalled,
				    uint32_t depth)
{
	pthread_mutex_lock(&mutex);
	struct meter_qp *meter = record();
	if (meter) {
		meter->qp = qp;
		meter->key = meter_key(context, qp->qp_num);
		meter->type = type;
		meter->signalled = all_signalled ? METER_POSTED_SIGNALLED : 0;
		meter->post_send = context->real.post_send;
		meter->post_owned = false;
		meter->pending = 0;
		meter->head = meter->tail = 0;
		meter->posted_bytes = meter->posted_messages = 0;
		meter->completed_bytes = meter->completed_messages = meter->received_bytes = meter->received_messages = 0;
		meter->failed = meter->destroyed = false;
		meter->calls = NULL;
		meter->reported = (struct meter_tally){0};
		meter->reported_until_ns = 0;
		meter_guard_init(&meter->post_guard);
		meter_guard_init(&meter->poll_guard);
		if (!meter_qp_make_room(meter, depth)) {
			meter->next_listed = unused;
			unused = meter;
			meter = NULL;
		}
	}
	if (meter) {
		/* This thread made room; who will post and poll is not known yet. */
		meter_guard_init(&meter->poll_guard);
		link_tables(meter);
		meter->next_listed = listed;
		listed = meter;
		common_transport = common_type == 0 || common_type == type + 1 ? meter_transport(meter) : NULL;
		common_type = common_type == 0 || common_type == type + 1 ? type + 1 : -1;
	}
	pthread_mutex_unlock(&mutex);
	return meter;
}

void meter_registry_destroyed(struct meter_qp *meter)
{
	pthread_mutex_lock(&mutex);
	unlink_tables(meter);
	meter->destroyed = true;
	pthread_mutex_unlock(&mutex);
}

struct meter_qp *meter_registry_miss_pointer(struct ibv_qp *qp)
{
	pthread_mutex_lock(&mutex);
	struct meter_qp *meter = meter_by_pointer[meter_hash((uintptr_t)qp)];
	while (meter && meter->qp != qp)
		meter = meter->next_by_pointer;
	pthread_mutex_unlock(&mutex);
	return meter;
}

struct meter_qp *meter_registry_miss_key(uint64_t key)
{
	pthread_mutex_lock(&mutex);
	struct meter_qp *meter = meter_by_key[meter_hash(key)];
	while (meter && meter->key != key)
		meter = meter->next_by_key;
	pthread_mutex_unlock(&mutex);
	return meter;
}

void meter_registry_orphan(enum ibv_wc_status status, enum ibv_wc_opcode opcode, uint32_t byte_len)
{
	if (status == IBV_WC_SUCCESS && (opcode == IBV_WC_RECV || opcode == IBV_WC_RECV_RDMA_WITH_IMM)) {
		atomic_fetch_add_explicit(&orphan_bytes, byte_len, memory_order_relaxed);
		atomic_fetch_add_explicit(&orphan_messages, 1, memory_order_relaxed);
	}
}

struct meter_tally meter_registry_orphans(void)
{
	return (struct meter_tally){.received_bytes = orphan_bytes, .received_messages = orphan_messages};
}

struct meter_tally meter_registry_sum(const char **transport)
{
	pthread_mutex_lock(&mutex);
	struct meter_tally sum = gone;
	for (struct meter_qp *meter = listed; meter; meter = meter->next_listed) {
		const struct meter_tally tally = meter_qp_tally(meter);
		meter_tally_add(&sum, &tally);
	}
	*transport = common_transport;
	pthread_mutex_unlock(&mutex);

	const struct meter_tally orphans = meter_registry_orphans();
	meter_tally_add(&sum, &orphans);
	return sum;
}

void meter_registry_each(meter_registry_call *call, void *arg)
{
	pthread_mutex_lock(&mutex);
	for (struct meter_qp **at = &listed; *at;) {
		struct meter_qp *meter = *at;
		if (call(arg, meter) && meter->destroyed) {
			const struct meter_tally tally = meter_qp_tally(meter);
			meter_tally_add(&gone, &tally);
			*at = meter->next_listed;
			meter->next_listed = unused;
			unused = meter;
		} else {
			at = &meter->next_listed;
		}
	}
	pthread_mutex_unlock(&mutex);
}

void meter_registry_lock(void)
{
	pthread_mutex_lock(&mutex);
}

void meter_registry_unlock(void)
{
	pthread_mutex_unlock(&mutex);
}

static void abandon(struct meter_qp *list)
{
	while (list) {
		struct meter_qp *next = list->next_listed;
		meter_guard_init(&list->post_guard); /* whoever was inside is not in this process */
		meter_guard_init(&list->poll_guard);
		list->next_listed = abandoned;
		abandoned = list;
		list = next;
	}
}

struct meter_qp *meter_registry_abandoned(struct ibv_qp *qp)
{
	pthread_mutex_lock(&mutex);
	struct meter_qp *meter = abandoned;
	while (meter && meter->qp != qp)
		meter = meter->next_listed;
	pthread_mutex_unlock(&mutex);
	return meter;
}

void meter_registry_clear(void)
{
	pthread_mutex_init(&mutex, NULL);
	memset(meter_by_pointer, 0, sizeof meter_by_pointer);
	memset(meter_by_key, 0, sizeof meter_by_key);
	abandon(listed);
	abandon(unused);
	listed = unused = NULL;
	gone = (struct meter_tally){0};
	orphan_bytes = orphan_messages = 0;
	common_type = 0;
	common_transport = NULL;
}

void meter_cq_lock(void)
{
	pthread_mutex_lock(&cq_mutex);
}

void meter_cq_unlock(void)
{
	pthread_mutex_unlock(&cq_mutex);
}
