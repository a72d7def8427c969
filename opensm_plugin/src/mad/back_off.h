/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * back_off.h: how long a try waits for its answer, and how retries are kept apart.
 */
#ifndef IBCC_BACK_OFF_H
#define IBCC_BACK_OFF_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ibcc_back_off {
	uint32_t timeout_ms;     /* of the first try, at least 1; each further one waits twice as long */
	uint32_t max_timeout_ms; /* at least timeout_ms */
};

/* Brings both into their ranges. */
void ibcc_back_off_init(struct ibcc_back_off *back_off, uint32_t timeout_ms, uint32_t max_timeout_ms);

/* Of the nth try; n from 1, and 0 is taken for 1. */
uint32_t ibcc_back_off_timeout_ms(const struct ibcc_back_off *back_off, uint32_t n);

/*
 * How much later than its time-out the nth try is followed by the next: up to a quarter of the time-out, for what is lost together would
 * come again together. The same for the same `seed`, which is the try's own.
 */
int64_t ibcc_back_off_jitter_ns(const struct ibcc_back_off *back_off, uint32_t n, uint32_t seed);

#ifdef __cplusplus
}
#endif
#endif
