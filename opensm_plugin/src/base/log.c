/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "base/log.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_LINE_BYTES 1023u

bool ibcc_has_message_id(const char *text)
{
	static const char letters[] = "IBCC", digits[] = "0123456789";
	const size_t begin = sizeof(letters) - 1;

	return !strncmp(text, letters, begin) && strspn(text + begin, digits) == 4 && !strncmp(text + begin + 4, ": ", 2);
}

void ibcc_log(struct ibcc_log *log, enum ibcc_log_level level, const char *format, ...)
{
	char line[MAX_LINE_BYTES + 1];
	va_list args;

	if (!log)
		return;
	va_start(args, format);
	int length = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	if (length < 0)
		return;
	assert(level != IBCC_LOG_ERROR || ibcc_has_message_id(line));
	/* Text from devices, files and clients may be in a line, but must not begin another. */
	for (char *c = line; *c; c++) {
		if ((unsigned char)*c < 0x20 || *c == 0x7F)
			*c = ' ';
	}
	log->write(log, level, line);
}
