/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Bytes of payload and messages, as they are counted and as they are reported. */
#ifndef IBCC_METER_TALLY_H
#define IBCC_METER_TALLY_H

#include <stdatomic.h>
#include <stdint.h>

struct meter_tally {
	uint64_t posted_bytes, posted_messages;
	uint64_t completed_bytes, completed_messages;
	uint64_t received_bytes, received_messages;
};

/* A count with one writer at a time, which a guard sees to, and any number of readers: no atomic addition is needed. */
typedef _Atomic uint64_t meter_count;

static inline void meter_count_add(meter_count *count, uint64_t more)
{
	atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + more, memory_order_release);
}

static inline void meter_tally_add(struct meter_tally *sum, const struct meter_tally *more)
{
	sum->posted_bytes += more->posted_bytes;
	sum->posted_messages += more->posted_messages;
	sum->completed_bytes += more->completed_bytes;
	sum->completed_messages += more->completed_messages;
	sum->received_bytes += more->received_bytes;
	sum->received_messages += more->received_messages;
}

static inline struct meter_tally meter_tally_less(const struct meter_tally *now, const struct meter_tally *before)
{
	return (struct meter_tally){
		now->posted_bytes - before->posted_bytes,       now->posted_messages - before->posted_messages,
		now->completed_bytes - before->completed_bytes, now->completed_messages - before->completed_messages,
		now->received_bytes - before->received_bytes,   now->received_messages - before->received_messages,
	};
}

#endif
