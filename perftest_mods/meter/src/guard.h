/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A lock for what one thread nearly always uses alone: a queue pair's records.
 *
 * It belongs to the first thread that enters. For that one, entering is two plain stores and two loads, where an atomic exchange
 * would cost more than all else that the meter does for a work request. The first time that another thread comes, it takes the
 * guard from its owner (membarrier(2) makes the owner's store visible, so the owner needs no fence); from then on it is a spin lock.
 */
#ifndef IBCC_METER_GUARD_H
#define IBCC_METER_GUARD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* None is 0: that is a thread which has no number yet, and owns nothing. */
#define METER_GUARD_FREE 1
#define METER_GUARD_TAKING 2
#define METER_GUARD_SHARED 3
#define METER_GUARD_FIRST_THREAD 4

struct meter_guard {
	_Atomic uint64_t owner; /* one of the above, or a thread's number */
	_Atomic bool busy;      /* its owner is inside */
	atomic_flag lock;       /* once shared */
};

/* Initial-exec: the library is loaded at the program's start, and a call to find the variable would cost what the guard saves. */
extern __thread uint64_t meter_thread __attribute__((tls_model("initial-exec")));

/* Once in a process, before the first guard: without membarrier, guards are spin locks from the start. */
void meter_guard_prepare(void);
void meter_guard_init(struct meter_guard *guard);
bool meter_guard_enter_slowly(struct meter_guard *guard);

/* Enters if the calling thread owns it. Else false, and nothing has changed. */
static inline bool meter_guard_enter_own(struct meter_guard *guard)
{
	const uint64_t me = meter_thread;

	if (__builtin_expect(atomic_load_explicit(&guard->owner, memory_order_relaxed) == me, 1)) {
		atomic_store_explicit(&guard->busy, true, memory_order_relaxed);
		atomic_signal_fence(memory_order_seq_cst);
		if (__builtin_expect(atomic_load_explicit(&guard->owner, memory_order_acquire) == me, 1))
			return true;
		atomic_store_explicit(&guard->busy, false, memory_order_release);
	}
	return false;
}

static inline void meter_guard_leave_own(struct meter_guard *guard)
{
	atomic_store_explicit(&guard->busy, false, memory_order_release);
}

/* True if the calling thread owns it: what meter_guard_leave has to be told. */
static inline bool meter_guard_enter(struct meter_guard *guard)
{
	return meter_guard_enter_own(guard) || meter_guard_enter_slowly(guard);
}

static inline void meter_guard_leave(struct meter_guard *guard, bool owned)
{
	if (__builtin_expect(owned, 1))
		meter_guard_leave_own(guard);
	else
		atomic_flag_clear_explicit(&guard->lock, memory_order_release);
}

#endif
