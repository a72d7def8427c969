/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef IBCC_METER_CLOCK_H
#define IBCC_METER_CLOCK_H

#include <stdint.h>
#include <time.h>

#define METER_NS_PER_S 1000000000LL

static inline int64_t meter_now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * METER_NS_PER_S + now.tv_nsec;
}

static inline struct timespec meter_timespec(int64_t ns)
{
	return (struct timespec){.tv_sec = ns / METER_NS_PER_S, .tv_nsec = ns % METER_NS_PER_S};
}

#endif
