/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "mad/pacer.h"

#include "base/ns.h"

#define BURSTS_PER_S 100u

/*
 * A token bucket, kept as the time at which it is full again. Any second has at most a burst and what trickles in during the rest
 * of it, so the burst is taken from the trickle: burst - 1 + rate of the trickle = max_per_s.
 */
void ibcc_pacer_init(struct ibcc_pacer *pacer, uint32_t max_per_s)
{
	const uint32_t burst = max_per_s / BURSTS_PER_S > 1 ? max_per_s / BURSTS_PER_S : 1;
	const int64_t trickle_per_s = (int64_t)max_per_s - (burst - 1);

	pacer->interval_ns = max_per_s ? (NS_PER_S + trickle_per_s - 1) / trickle_per_s : 0;
	pacer->tolerance_ns = pacer->interval_ns * (burst - 1);
	pacer->due_ns = INT64_MIN;
}

int64_t ibcc_pacer_next_ns(const struct ibcc_pacer *pacer)
{
	return pacer->due_ns < INT64_MIN + pacer->tolerance_ns ? INT64_MIN : pacer->due_ns - pacer->tolerance_ns;
}

void ibcc_pacer_take(struct ibcc_pacer *pacer, int64_t now_ns)
{
	if (!pacer->interval_ns)
		return;
	if (pacer->due_ns < now_ns)
		pacer->due_ns = now_ns;
	pacer->due_ns += pacer->interval_ns;
}
