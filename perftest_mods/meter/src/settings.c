/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "settings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NS_PER_MS 1000000LL
#define INTERVAL_MS_MIN 10
#define INTERVAL_MS_MAX 60000
#define INTERVAL_MS_DEFAULT 100

/* Digits alone, 0 to `max`; -1 if it is not that. */
static int64_t whole(const char *text, int64_t max)
{
	int64_t value = 0;

	if (!*text)
		return -1;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return -1;
		if (value > (max - (*text - '0')) / 10)
			return -1;
		value = value * 10 + (*text - '0');
	}
	return value;
}

static bool wrong(char error[METER_ERROR_MAX], const char *name, const char *value, const char *right)
{
	snprintf(error, METER_ERROR_MAX, "%s is '%.80s'; %s would be right", name, value, right);
	return false;
}

static bool id_is_right(const char *id)
{
	const size_t length = strlen(id);
	return length && length <= METER_ID_MAX &&
	       strspn(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-") == length;
}

/* Empty is as good as unset: launchers cannot always unset what they pass on. */
static const char *set(meter_lookup *lookup, const char *name)
{
	const char *value = lookup(name);
	return value && *value ? value : NULL;
}

bool meter_settings_read(struct meter_settings *settings, meter_lookup *lookup, char error[METER_ERROR_MAX])
{
	const char *value = set(lookup, "IBCC_METER_OUTPUT");
	int64_t number;

	memset(settings, 0, sizeof *settings);
	value = value ? value : "fd:2";
	if (strlen(value) >= sizeof settings->output)
		return wrong(error, "IBCC_METER_OUTPUT", value, "fd:N, or a path of at most 4095 bytes,");
	memcpy(settings->output, value, strlen(value) + 1);
	if (!strncmp(value, "fd:", 3) && whole(value + 3, 1 << 20) < 0)
		return wrong(error, "IBCC_METER_OUTPUT", value, "fd:N with a number N");

	value = set(lookup, "IBCC_METER_INTERVAL_MS");
	number = value ? whole(value, INTERVAL_MS_MAX) : INTERVAL_MS_DEFAULT;
	if (number < INTERVAL_MS_MIN)
		return wrong(error, "IBCC_METER_INTERVAL_MS", value, "a whole number from 10 to 60000");
	settings->interval_ns = number * NS_PER_MS;

	value = set(lookup, "IBCC_METER_PER");
	if (value && strcmp(value, "sum") && strcmp(value, "qp"))
		return wrong(error, "IBCC_METER_PER", value, "sum or qp");
	settings->per = value && !strcmp(value, "qp") ? METER_PER_QP : METER_PER_SUM;

	value = set(lookup, "IBCC_METER_ID");
	if (value && !id_is_right(value))
		return wrong(error, "IBCC_METER_ID", value, "1 to 64 letters, digits, '.', '_', ':' and '-'");
	if (value)
		memcpy(settings->id, value, strlen(value) + 1);

	value = set(lookup, "IBCC_METER_START_NS");
	settings->has_start = value != NULL;
	settings->start_wall_ns = value ? whole(value, INT64_MAX / 2) : 0;
	if (settings->start_wall_ns < 0)
		return wrong(error, "IBCC_METER_START_NS", value, "nanoseconds of CLOCK_REALTIME since 1970, digits alone,");

	value = set(lookup, "IBCC_METER_STOP_S");
	settings->has_stop = value != NULL;
	settings->stop_ns = value ? meter_seconds_read(value, strlen(value)) : 0;
	if (value && settings->stop_ns <= 0)
		return wrong(error, "IBCC_METER_STOP_S", value, "a decimal number of seconds above 0, at most 1000000000,");

	value = set(lookup, "IBCC_METER_SCHEDULE");
	char what[METER_ERROR_MAX - 24];
	if (!meter_schedule_read(&settings->schedule, value ? value : "0=max", what, sizeof what)) {
		snprintf(error, METER_ERROR_MAX, "IBCC_METER_SCHEDULE %s", what);
		return false;
	}
	return true;
}

int meter_settings_open(const struct meter_settings *settings, char error[METER_ERROR_MAX])
{
	char why[80];
	int fd;

	if (!strncmp(settings->output, "fd:", 3)) {
		fd = (int)whole(settings->output + 3, 1 << 20);
		const int flags = fcntl(fd, F_GETFL);
		if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) {
			wrong(error, "IBCC_METER_OUTPUT", settings->output, "a descriptor that is open for writing");
			return -1;
		}
		return fd;
	}
	fd = open(settings->output, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0644);
	if (fd < 0)
		snprintf(error, METER_ERROR_MAX, "IBCC_METER_OUTPUT is '%.160s', which cannot be opened: %s", settings->output,
			 strerror_r(errno, why, sizeof why));
	return fd;
}
