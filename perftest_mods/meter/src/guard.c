/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "guard.h"

#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

__thread uint64_t meter_thread __attribute__((tls_model("initial-exec")));

static _Atomic uint64_t next_thread = METER_GUARD_FIRST_THREAD;
static _Atomic bool have_membarrier;

static long membarrier(int command)
{
	return syscall(SYS_membarrier, command, 0, 0);
}

void meter_guard_prepare(void)
{
	have_membarrier = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;
}

void meter_guard_init(struct meter_guard *guard)
{
	atomic_store_explicit(&guard->busy, false, memory_order_relaxed);
	atomic_flag_clear_explicit(&guard->lock, memory_order_relaxed);
	atomic_store_explicit(&guard->owner, have_membarrier ? METER_GUARD_FREE : METER_GUARD_SHARED, memory_order_release);
}

/*
 * Owners store `busy` and then look whether they still own it; we store `owner` and then look whether they are busy. The
 * barrier, which every running thread of the process executes, stands for the fences of both: one of the two sees the other.
 */
static void take(struct meter_guard *guard, uint64_t owner)
{
	if (!atomic_compare_exchange_strong(&guard->owner, &owner, METER_GUARD_TAKING))
		return;
	membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
	while (atomic_load_explicit(&guard->busy, memory_order_acquire))
		sched_yield();
	atomic_store_explicit(&guard->owner, METER_GUARD_SHARED, memory_order_release);
}

bool meter_guard_enter_slowly(struct meter_guard *guard)
{
	if (!meter_thread)
		meter_thread = atomic_fetch_add(&next_thread, 1);
	for (;;) {
		uint64_t owner = atomic_load_explicit(&guard->owner, memory_order_acquire);

		if (owner == METER_GUARD_SHARED)
			break;
		if (owner == METER_GUARD_FREE)
			atomic_compare_exchange_strong(&guard->owner, &owner, meter_thread);
		else if (owner == meter_thread)
			return meter_guard_enter(guard);
		else if (owner == METER_GUARD_TAKING)
			sched_yield();
		else
			take(guard, owner);
	}
	while (atomic_flag_test_and_set_explicit(&guard->lock, memory_order_acquire))
		sched_yield();
	return false;
}
