/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * pacer.h: limits a rate: at most `max_per_s` in any second.
 *
 * A burst of at most a hundredth of the rate may go at once; the steady rate is that much lower, so that no second, wherever it
 * begins, has more than the limit. Callers pass the time.
 */
#ifndef IBCC_PACER_H
#define IBCC_PACER_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ibcc_pacer {
	int64_t interval_ns;  /* between two in the long run; 0: no limit */
	int64_t tolerance_ns; /* how far ahead of that a burst may run */
	int64_t due_ns;       /* when the next one would go without bursts */
};

void ibcc_pacer_init(struct ibcc_pacer *pacer, uint32_t max_per_s); /* 0: no limit */

/* From when on the next one may go; INT64_MIN: at any time. */
int64_t ibcc_pacer_next_ns(const struct ibcc_pacer *pacer);

/* One has gone. REQUIRES: it might. */
void ibcc_pacer_take(struct ibcc_pacer *pacer, int64_t now_ns);

#ifdef __cplusplus
}
#endif
#endif
