/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * log.h: where the plugin's lines go: into OpenSM's log, or in tests to whoever listens. From any thread.
 *
 * Keys never go into a line: those who have one to speak of say which key file it came from.
 */
#ifndef IBCC_LOG_H
#define IBCC_LOG_H

#ifdef __cplusplus
extern "C" {
#endif

enum ibcc_log_level {
	IBCC_LOG_ERROR, /* somebody has to do something */
	IBCC_LOG_INFO,  /* what was done to the fabric, and why */
	IBCC_LOG_DEBUG,
};

struct ibcc_log {
	void (*write)(struct ibcc_log *log, enum ibcc_log_level level, const char *line); /* without newline */
};

/* One line of at most 1,023 bytes. `log` NULL: nowhere. */
__attribute__((format(printf, 3, 4))) void ibcc_log(struct ibcc_log *log, enum ibcc_log_level level, const char *format, ...);

#ifdef __cplusplus
}
#endif
#endif
