/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * log.h: writes the plugin's lines: to OpenSM's log, or in tests to the test. From any thread.
 *
 * No line has a key in it.
 */
#ifndef IBCC_LOG_H
#define IBCC_LOG_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum ibcc_log_level {
	IBCC_LOG_ERROR, /* an administrator must act */
	IBCC_LOG_INFO,  /* a change of the fabric, and its reason */
	IBCC_LOG_DEBUG,
};

struct ibcc_log {
	void (*write)(struct ibcc_log *log, enum ibcc_log_level level, const char *line); /* without newline */
};

/* True if a text begins with the id of a message, such as "IBCC0101: ". docs/operate/plugin-messages.md has them all. */
bool ibcc_has_message_id(const char *text);

/* Writes one line of at most 1,023 bytes. `log` NULL: does nothing. REQUIRES: an error begins with the id of its message. */
__attribute__((format(printf, 3, 4))) void ibcc_log(struct ibcc_log *log, enum ibcc_log_level level, const char *format, ...);

#ifdef __cplusplus
}
#endif
#endif
