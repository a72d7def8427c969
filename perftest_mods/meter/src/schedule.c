/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "schedule.h"

#include <stdio.h>
#include <string.h>

#define NS_PER_S 1000000000LL
#define DIGITS_AFTER_POINT 9
#define SECONDS_MAX 1000000000LL
#define GBPS_MAX 10000LL

/* A plain decimal, without sign, exponent or locale, in units of 10^-9; -1 if it is none or above `max`. */
static int64_t decimal(const char *text, size_t length, int64_t max)
{
	int64_t value = 0;
	int after_point = -1;
	size_t digits = 0;

	for (size_t i = 0; i < length; i++) {
		if (text[i] == '.' && after_point < 0) {
			after_point = 0;
			continue;
		}
		if (text[i] < '0' || text[i] > '9')
			return -1;
		digits++;
		if (after_point >= DIGITS_AFTER_POINT)
			continue; /* finer than what it is for */
		if (after_point >= 0)
			after_point++;
		value = value * 10 + (text[i] - '0');
		if (after_point < 0 && value > max)
			return -1;
	}
	if (!digits)
		return -1;
	for (int i = after_point < 0 ? 0 : after_point; i < DIGITS_AFTER_POINT; i++)
		value *= 10;
	return value > max * NS_PER_S ? -1 : value;
}

int64_t meter_seconds_read(const char *text, size_t length)
{
	return decimal(text, length, SECONDS_MAX);
}

static bool rate_read(const char *text, size_t length, int64_t *ps_per_byte)
{
	if (length == 3 && !memcmp(text, "max", 3)) {
		*ps_per_byte = 0;
		return true;
	}
	if (length == 3 && !memcmp(text, "off", 3)) {
		*ps_per_byte = METER_NEVER;
		return true;
	}
	const int64_t nano_gbps = decimal(text, length, GBPS_MAX);
	/* Below a bit a second (10^-9 Gb/s) `off` is meant; above, a byte takes 8000 ps / Gb/s. */
	if (nano_gbps <= 0)
		return false;
	const double ps = 8000.0 * (double)(1 << METER_PS_SHIFT) * 1e9 / (double)nano_gbps;
	*ps_per_byte = (int64_t)(ps + 0.5);
	return true;
}

bool meter_schedule_read(struct meter_schedule *schedule, const char *text, char *error, size_t error_size)
{
	schedule->count = 0;
	for (const char *at = text;;) {
		const size_t length = strcspn(at, ",");
		const char *equals = memchr(at, '=', length);
		struct meter_step step = {0, 0};

		if (schedule->count == METER_STEPS_MAX) {
			snprintf(error, error_size, "has more than %d steps", METER_STEPS_MAX);
			return false;
		}
		step.at_ns = equals ? meter_seconds_read(at, (size_t)(equals - at)) : -1;
		if (step.at_ns < 0 || !rate_read(equals + 1, length - (size_t)(equals + 1 - at), &step.ps_per_byte)) {
			snprintf(error, error_size,
				 "has the step '%.*s'; SECONDS=RATE with a rate of max, off or Gb/s up to %lld would be right",
				 (int)(length < 60 ? length : 60), at, GBPS_MAX);
			return false;
		}
		if (schedule->count ? step.at_ns <= schedule->steps[schedule->count - 1].at_ns : step.at_ns != 0) {
			snprintf(error, error_size,
				 "has the step '%.*s'; the first step is at 0 s and each later than the one before",
				 (int)(length < 60 ? length : 60), at);
			return false;
		}
		schedule->steps[schedule->count++] = step;
		if (!at[length])
			return true;
		at += length + 1;
	}
}

const struct meter_step *meter_schedule_at(const struct meter_schedule *schedule, int64_t since_ns)
{
	size_t low = 0;
	size_t high = schedule->count;

	while (high - low > 1) {
		const size_t middle = low + (high - low) / 2;
		if (schedule->steps[middle].at_ns <= since_ns)
			low = middle;
		else
			high = middle;
	}
	return &schedule->steps[low];
}

int64_t meter_schedule_next_ns(const struct meter_schedule *schedule, const struct meter_step *step)
{
	const size_t next = (size_t)(step - schedule->steps) + 1;
	return next < schedule->count ? schedule->steps[next].at_ns : METER_NEVER;
}
