/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The gate holds posts back: until the start, and as the schedule says. While it says `max`, a post reads one variable.
 *
 * A post waits until what was posted before is paid for, and then pays: so a message of any size passes whole.
 */
#ifndef IBCC_METER_GATE_H
#define IBCC_METER_GATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "schedule.h"

extern _Atomic bool meter_gate_closed;

/* Before any post. Times are of CLOCK_MONOTONIC; `schedule` stays where it is. */
void meter_gate_set(const struct meter_schedule *schedule, int64_t start_ns);

/* Opens or closes as the schedule says for `now_ns`. When to call it next, or METER_NEVER. */
int64_t meter_gate_turn(int64_t now_ns);

void meter_gate_wait(void);
void meter_gate_pay(uint64_t bytes);

static inline bool meter_gate_is_closed(void)
{
	return __builtin_expect(atomic_load_explicit(&meter_gate_closed, memory_order_relaxed), 0);
}

static inline void meter_gate_before(void)
{
	if (meter_gate_is_closed())
		meter_gate_wait();
}

static inline void meter_gate_after(uint64_t bytes)
{
	if (meter_gate_is_closed())
		meter_gate_pay(bytes);
}

#endif
