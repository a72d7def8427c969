/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The lines of docs/operate/meter.md: compact JSON, each in one write(2). */
#ifndef IBCC_METER_LINES_H
#define IBCC_METER_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "port_counters.h"
#include "tally.h"

/* Bytes that a pipe takes whole: POSIX's PIPE_BUF here. */
#define METER_LINE_MAX 4096

struct meter_moment {
	int64_t wall_ns, mono_ns;
};

struct meter_interval {
	const char *id; /* NULL: null, here and below */
	bool has_qp;
	uint32_t qp;
	const char *transport;
	struct meter_moment at;
	int64_t length_ns, late_ns;
	struct meter_tally more, total;
	unsigned int counters_count;
	struct meter_counter counters[METER_COUNTERS_MAX];
};

/* Each returns the line's length, with the newline. */
int meter_line_start(char line[METER_LINE_MAX], const char *id, const char *device, int64_t interval_ns, struct meter_moment at,
		     int64_t start_wall_ns);
int meter_line_interval(char line[METER_LINE_MAX], const struct meter_interval *interval);
int meter_line_final(char line[METER_LINE_MAX], const char *id, const char *reason, struct meter_moment at,
		     const struct meter_tally *totals, const char *error);

/* False if nobody took it within `patience_ms`. Never blocks longer, and raises no signal in a thread that blocks SIGPIPE. */
bool meter_line_write(int fd, const char *line, int length, int patience_ms);

#endif
