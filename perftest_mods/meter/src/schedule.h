/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Schedule of posting: the rates at which messages may be posted, in steps from the start on. */
#ifndef IBCC_METER_SCHEDULE_H
#define IBCC_METER_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define METER_STEPS_MAX 4096
#define METER_NEVER INT64_MAX

#ifdef __cplusplus
extern "C" {
#endif

struct meter_step {
	int64_t at_ns;       /* after the start; the first is 0 */
	int64_t ps_per_byte; /* picoseconds that a byte takes, times 2^METER_PS_SHIFT; 0: as fast as it goes; METER_NEVER: off */
};
/* Rates are kept as times, so that pacing is integers alone. 8 more bits keep 400 Gb/s (20 ps a byte) to 0.02 %. */
#define METER_PS_SHIFT 8

struct meter_schedule {
	size_t count; /* at least 1 */
	struct meter_step steps[METER_STEPS_MAX];
};

/*
 * Reads "T_S=RATE,…": seconds ascending from 0, and `max`, `off` or decimal Gb/s of payload above 0, at most 10000. True, or
 * false with what is wrong in `error`.
 */
bool meter_schedule_read(struct meter_schedule *schedule, const char *text, char *error, size_t error_size);

/* A decimal number of seconds, 0 to 10^9, as nanoseconds; -1 if the first `length` characters of `text` are not that. */
int64_t meter_seconds_read(const char *text, size_t length);

/* The step in force at `since_ns` after the start; before the start, the first one. */
const struct meter_step *meter_schedule_at(const struct meter_schedule *schedule, int64_t since_ns);

/* Returns the time at which the step after that one begins, or METER_NEVER. */
int64_t meter_schedule_next_ns(const struct meter_schedule *schedule, const struct meter_step *step);

#ifdef __cplusplus
}
#endif

#endif
