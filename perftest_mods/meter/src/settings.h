/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Settings from the environment: docs/operate/meter.md describes each. */
#ifndef IBCC_METER_SETTINGS_H
#define IBCC_METER_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedule.h"

#define METER_ID_MAX 64
#define METER_ERROR_MAX 320

#ifdef __cplusplus
extern "C" {
#endif

enum meter_per { METER_PER_SUM, METER_PER_QP };

struct meter_settings {
	char output[4096]; /* "fd:N" or a path */
	int64_t interval_ns;
	enum meter_per per;
	char id[METER_ID_MAX + 1]; /* empty: none */
	bool has_start;
	int64_t start_wall_ns; /* CLOCK_REALTIME */
	bool has_stop;
	int64_t stop_ns; /* after the start */
	struct meter_schedule schedule;
};

typedef const char *meter_lookup(const char *name);

/* Reads all of IBCC_METER_*. True, or false with one sentence in `error`. */
bool meter_settings_read(struct meter_settings *settings, meter_lookup *lookup, char error[METER_ERROR_MAX]);

/* Opens what `output` names for appending. The descriptor, or -1 with one sentence in `error`. */
int meter_settings_open(const struct meter_settings *settings, char error[METER_ERROR_MAX]);

#ifdef __cplusplus
}
#endif

#endif
