/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "lines.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct text {
	char *line;
	int length;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *text, const char *format, ...)
{
	const size_t room = (size_t)(METER_LINE_MAX - text->length);
	va_list args;

	va_start(args, format);
	const int length = vsnprintf(text->line + text->length, room, format, args);
	va_end(args);
	/* Names are bounded, and all of them together fit; this is for who adds more. */
	text->length += length < 0 ? 0 : (size_t)length < room ? length : (int)room - 1;
}

/* Strings of others (a program's name, a host's): what JSON would have to escape becomes '?'. */
static void add_string(struct text *text, const char *string)
{
	char safe[256];
	size_t i = 0;

	if (!string || !*string) {
		add(text, "null");
		return;
	}
	for (; string[i] && i < sizeof safe - 1; i++)
		safe[i] = string[i] >= ' ' && string[i] < 0x7f && string[i] != '"' && string[i] != '\\' ? string[i] : '?';
	safe[i] = '\0';
	add(text, "\"%s\"", safe);
}

static void add_head(struct text *text, const char *kind, const char *id)
{
	add(text, "{\"ibcc_meter\":1,\"kind\":\"%s\",\"id\":", kind);
	add_string(text, id);
}

static void add_tally(struct text *text, const struct meter_tally *tally)
{
	add(text,
	    "\"posted_bytes\":%" PRIu64 ",\"completed_bytes\":%" PRIu64 ",\"received_bytes\":%" PRIu64
	    ",\"posted_messages\":%" PRIu64 ",\"completed_messages\":%" PRIu64 ",\"received_messages\":%" PRIu64,
	    tally->posted_bytes, tally->completed_bytes, tally->received_bytes, tally->posted_messages, tally->completed_messages,
	    tally->received_messages);
}

static void add_gbps(struct text *text, const struct meter_interval *interval)
{
	const double bits = 8.0 * (double)(interval->more.completed_bytes + interval->more.received_bytes);
	/* In millionths, as integers: a program may have set a locale whose decimal point is a comma. */
	const double millionths = interval->length_ns > 0 ? bits / (double)interval->length_ns * 1e6 + 0.5 : 0.0;
	const uint64_t value = millionths < 1e18 ? (uint64_t)millionths : 0;

	add(text, ",\"gbps\":%" PRIu64 ".%06" PRIu64, value / 1000000, value % 1000000);
}

int meter_line_start(char line[METER_LINE_MAX], const char *id, const char *device, int64_t interval_ns, struct meter_moment at,
		     int64_t start_wall_ns)
{
	struct text text = {line, 0};
	char host[256] = "";

	gethostname(host, sizeof host - 1);
	add_head(&text, "start", id);
	add(&text, ",\"pid\":%ld,\"program\":", (long)getpid());
	add_string(&text, program_invocation_short_name);
	add(&text, ",\"host\":");
	add_string(&text, host);
	add(&text, ",\"device\":");
	add_string(&text, device);
	add(&text, ",\"interval_ms\":%" PRId64 ",\"wall_ns\":%" PRId64 ",\"mono_ns\":%" PRId64 ",\"start_ns\":%" PRId64 "}\n",
	    interval_ns / 1000000, at.wall_ns, at.mono_ns, start_wall_ns);
	return text.length;
}

int meter_line_interval(char line[METER_LINE_MAX], const struct meter_interval *interval)
{
	struct text text = {line, 0};

	add_head(&text, "interval", interval->id);
	if (interval->has_qp)
		add(&text, ",\"qp\":%" PRIu32 ",\"transport\":", interval->qp);
	else
		add(&text, ",\"qp\":null,\"transport\":");
	add_string(&text, interval->transport);
	add(&text, ",\"wall_ns\":%" PRId64 ",\"mono_ns\":%" PRId64 ",\"length_ns\":%" PRId64 ",\"late_ns\":%" PRId64 ",",
	    interval->at.wall_ns, interval->at.mono_ns, interval->length_ns, interval->late_ns);
	add_tally(&text, &interval->more);
	add_gbps(&text, interval);
	add(&text, ",\"total_completed_bytes\":%" PRIu64 ",\"total_received_bytes\":%" PRIu64 ",\"counters\":{",
	    interval->total.completed_bytes, interval->total.received_bytes);
	for (unsigned int i = 0; i < interval->counters_count; i++)
		add(&text, "%s\"%s\":%" PRIu64, i ? "," : "", interval->counters[i].name, interval->counters[i].more);
	add(&text, "}}\n");
	return text.length;
}

int meter_line_final(char line[METER_LINE_MAX], const char *id, const char *reason, struct meter_moment at,
		     const struct meter_tally *totals, const char *error)
{
	struct text text = {line, 0};

	add_head(&text, "final", id);
	add(&text, ",\"reason\":\"%s\",\"wall_ns\":%" PRId64 ",\"mono_ns\":%" PRId64 ",\"totals\":{", reason, at.wall_ns,
	    at.mono_ns);
	add_tally(&text, totals);
	add(&text, "},\"error\":");
	add_string(&text, error);
	add(&text, "}\n");
	return text.length;
}

bool meter_line_write(int fd, const char *line, int length, int patience_ms)
{
	struct pollfd ready = {.fd = fd, .events = POLLOUT};
	int written = 0;

	while (written < length) {
		/* A pipe is ready when it takes PIPE_BUF bytes, so a whole line, and write does not block. */
		const int got = poll(&ready, 1, patience_ms);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0 || (ready.revents & (POLLERR | POLLNVAL)))
			return false;
		const ssize_t more = write(fd, line + written, (size_t)(length - written));
		if (more < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (more < 0)
			return false;
		/* Only a full disk or a socket takes a part; the rest follows at once, or the line would be torn. */
		written += (int)more;
	}
	return true;
}
