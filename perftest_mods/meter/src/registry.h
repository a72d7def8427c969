/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The queue pairs of this process, found by pointer when one is posted to and by key, device and number, when a completion is polled.
 *
 * Looking up takes no lock. Records are never freed but used again, so who holds an old one reads memory that is there; a look-up
 * that finds nothing looks once more under the mutex, so one that ran beside a change misses nothing.
 */
#ifndef IBCC_METER_REGISTRY_H
#define IBCC_METER_REGISTRY_H

#include "contexts.h"
#include "queue_pair.h"

/* NULL without memory. */
struct meter_qp *meter_registry_add(const struct meter_context *context, struct ibv_qp *qp, uint8_t type, bool all_signalled,
				    uint32_t depth);

/* Out of the tables: the provider has destroyed it. */
void meter_registry_destroyed(struct meter_qp *meter);

struct meter_qp *meter_registry_miss_pointer(struct ibv_qp *qp);
struct meter_qp *meter_registry_miss_key(uint64_t key);

/* Completions of queue pairs that nobody knows. */
void meter_registry_orphan(enum ibv_wc_status status, enum ibv_wc_opcode opcode, uint32_t byte_len);

/* The sum of all that ever were, and their transport if they all have one and the same (else NULL). */
struct meter_tally meter_registry_sum(const char **transport);

/* Calls for each queue pair, and lastly for those that were destroyed, which are then forgotten where `call` returns true. */
typedef bool meter_registry_call(void *arg, struct meter_qp *meter);
void meter_registry_each(meter_registry_call *call, void *arg);

/* Completions without a queue pair, for lines per queue pair. */
struct meter_tally meter_registry_orphans(void);

/* Around fork, and in the child: nothing is known any more, but what it has to ask of the parent's. NULL if it was none. */
struct meter_qp *meter_registry_abandoned(struct ibv_qp *qp);
void meter_registry_lock(void);
void meter_registry_unlock(void);
void meter_registry_clear(void);

/* The lock of the records of completion queues, which wrap_extended_cq.c keeps; it is here because a fork takes it too. */
void meter_cq_lock(void);
void meter_cq_unlock(void);

#define METER_BUCKETS 4096u
extern _Atomic(struct meter_qp *) meter_by_pointer[METER_BUCKETS];
extern _Atomic(struct meter_qp *) meter_by_key[METER_BUCKETS];

static inline uint32_t meter_hash(uint64_t key)
{
	return (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 52);
}

static inline uint64_t meter_key(const struct meter_context *context, uint32_t number)
{
	return context->key | number;
}

/* Finds a meter by one look, which nearly always succeeds. Returns NULL if it does not. */
static inline struct meter_qp *meter_likely(struct ibv_qp *qp)
{
	struct meter_qp *meter = atomic_load_explicit(&meter_by_pointer[meter_hash((uintptr_t)qp)], memory_order_acquire);

	return meter && atomic_load_explicit(&meter->qp, memory_order_relaxed) == qp ? meter : NULL;
}

static inline struct meter_qp *meter_find(struct ibv_qp *qp)
{
	struct meter_qp *meter = atomic_load_explicit(&meter_by_pointer[meter_hash((uintptr_t)qp)], memory_order_acquire);

	while (meter && atomic_load_explicit(&meter->qp, memory_order_relaxed) != qp)
		meter = atomic_load_explicit(&meter->next_by_pointer, memory_order_acquire);
	return __builtin_expect(meter != NULL, 1) ? meter : meter_registry_miss_pointer(qp);
}

/* May be another, as keys may change: look again in its poll_guard. */
static inline struct meter_qp *meter_likely_key(uint64_t key)
{
	return atomic_load_explicit(&meter_by_key[meter_hash(key)], memory_order_acquire);
}

static inline struct meter_qp *meter_find_key(uint64_t key)
{
	struct meter_qp *meter = atomic_load_explicit(&meter_by_key[meter_hash(key)], memory_order_acquire);

	while (meter && atomic_load_explicit(&meter->key, memory_order_relaxed) != key)
		meter = atomic_load_explicit(&meter->next_by_key, memory_order_acquire);
	return __builtin_expect(meter != NULL, 1) ? meter : meter_registry_miss_key(key);
}

#endif
