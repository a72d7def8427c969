/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "gate.h"

#include <sched.h>
#include <sys/prctl.h>

#include "clock.h"

/* Delay that a late post may catch up: longer than timers and schedulers are late, shorter than any interval. */
#define TOLERANCE_NS 1000000LL
/* Shortest sleep; a thread that has less to wait gives way instead. */
#define SLEEP_MIN_NS 50000LL
#define LONGEST_SLEEP_NS METER_NS_PER_S
/* Debts are in parts of a nanosecond: 8 bits for what a byte takes at 400 Gb/s. */
#define PART_SHIFT METER_PS_SHIFT
#define PS_PER_NS 1000

_Atomic bool meter_gate_closed;

static const struct meter_schedule *schedule;
static int64_t start_ns;
static _Atomic int64_t paid_until; /* after the start, in parts */

void meter_gate_set(const struct meter_schedule *steps, int64_t start)
{
	schedule = steps;
	start_ns = start;
	paid_until = 0;
	meter_gate_turn(meter_now_ns(CLOCK_MONOTONIC));
}

int64_t meter_gate_turn(int64_t now_ns)
{
	const int64_t since_ns = now_ns - start_ns;

	if (since_ns < 0) {
		atomic_store_explicit(&meter_gate_closed, true, memory_order_relaxed);
		return start_ns;
	}
	const struct meter_step *step = meter_schedule_at(schedule, since_ns);
	const int64_t next_ns = meter_schedule_next_ns(schedule, step);
	atomic_store_explicit(&meter_gate_closed, step->ps_per_byte != 0, memory_order_relaxed);
	return next_ns == METER_NEVER ? METER_NEVER : start_ns + next_ns;
}

/* Returns the time at which to look again, of CLOCK_MONOTONIC; 0: now is the time to post. */
static int64_t look_again_ns(int64_t now_ns)
{
	const int64_t since_ns = now_ns - start_ns;

	if (since_ns < 0)
		return start_ns;
	const struct meter_step *step = meter_schedule_at(schedule, since_ns);
	const int64_t next_ns = meter_schedule_next_ns(schedule, step);
	int64_t until_ns = METER_NEVER;
	if (step->ps_per_byte != METER_NEVER) {
		until_ns = atomic_load_explicit(&paid_until, memory_order_relaxed) >> PART_SHIFT;
		if (!step->ps_per_byte || until_ns <= since_ns)
			return 0;
	}
	until_ns = until_ns < next_ns ? until_ns : next_ns;
	return until_ns == METER_NEVER ? METER_NEVER : start_ns + until_ns;
}

void meter_gate_wait(void)
{
	static __thread bool precise __attribute__((tls_model("initial-exec")));

	for (;;) {
		const int64_t now_ns = meter_now_ns(CLOCK_MONOTONIC);
		int64_t until_ns = look_again_ns(now_ns);
		if (!until_ns)
			return;
		if (until_ns - now_ns < SLEEP_MIN_NS) {
			sched_yield();
			continue;
		}
		if (!precise) {
			prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
			precise = true;
		}
		if (until_ns > now_ns + LONGEST_SLEEP_NS)
			until_ns = now_ns + LONGEST_SLEEP_NS;
		const struct timespec until = meter_timespec(until_ns);
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
	}
}

void meter_gate_pay(uint64_t bytes)
{
	const int64_t since_ns = meter_now_ns(CLOCK_MONOTONIC) - start_ns;
	if (since_ns < 0)
		return;
	const struct meter_step *step = meter_schedule_at(schedule, since_ns);
	if (!step->ps_per_byte || step->ps_per_byte == METER_NEVER)
		return;
	const int64_t oldest = since_ns > TOLERANCE_NS ? (since_ns - TOLERANCE_NS) << PART_SHIFT : 0;
	const int64_t cost = (int64_t)((__int128)step->ps_per_byte * (__int128)bytes / PS_PER_NS);
	int64_t before = atomic_load_explicit(&paid_until, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(&paid_until, &before, (before > oldest ? before : oldest) + cost,
						      memory_order_relaxed, memory_order_relaxed))
		;
}
