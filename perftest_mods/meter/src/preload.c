/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "report.h"

static struct meter_settings settings;

static const char *lookup(const char *name)
{
	return getenv(name); // NOLINT(concurrency-mt-unsafe): before main, this is the only thread
}

/* Before main: a wrong setting must not become a measurement. */
__attribute__((constructor)) static void load(void)
{
	char error[METER_ERROR_MAX];
	int fd = -1;

	if (meter_settings_read(&settings, lookup, error))
		fd = meter_settings_open(&settings, error);
	if (fd < 0) {
		dprintf(STDERR_FILENO, "libibcc_meter: %s\n", error);
		_exit(2);
	}
	meter_report_configure(&settings, fd);
}

__attribute__((destructor)) static void unload(void)
{
	meter_report_exit();
}
