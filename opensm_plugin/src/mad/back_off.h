/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * back_off.h: the time-out of a try, and the jitter that keeps retries apart.
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

/* Sets both, brought into their ranges. */
void ibcc_back_off_init(struct ibcc_back_off *back_off, uint32_t timeout_ms, uint32_t max_timeout_ms);

/* Returns the time-out of the nth try, from 1 (0 counts as 1). */
uint32_t ibcc_back_off_timeout_ms(const struct ibcc_back_off *back_off, uint32_t n);

/*
 * Returns the time from the nth try's time-out to the next try: up to a quarter of the time-out, as requests that are lost
 * together would otherwise be sent again together. It follows from `seed`, which is different for each try.
 */
int64_t ibcc_back_off_jitter_ns(const struct ibcc_back_off *back_off, uint32_t n, uint32_t seed);

#ifdef __cplusplus
}
#endif
#endif
