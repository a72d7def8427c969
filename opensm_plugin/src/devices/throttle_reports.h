/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * throttle_reports.h: reports of adapters that were seen to throttle, or not to, kept as throttle_reports.json in the state
 * folder.
 *
 * Firmware may take the tables and ignore them, which only a program that sends traffic can find out. Its reports are kept as
 * they are. One thread only.
 */
#ifndef IBCC_THROTTLE_REPORTS_H
#define IBCC_THROTTLE_REPORTS_H

#include <stdint.h>

#include "base/log.h"
#include "ccpolicy/error.h"
#include "state/state_file.h"

#ifdef __cplusplus
extern "C" {
#endif

#define IBCC_MAX_THROTTLE_REPORTS 65536u  /* that are kept; beyond, the oldest are dropped */
#define IBCC_THROTTLE_REPORT_BY_BYTES 64u /* of its author's name, with the NUL */

enum ibcc_throttles {
	IBCC_THROTTLES_UNKNOWN,
	IBCC_THROTTLES_YES,
	IBCC_THROTTLES_NO,
};
extern const char *const ibcc_throttles_names[]; /* by enum ibcc_throttles: "unknown", "yes", "no" */

struct ibcc_throttle_report {
	uint64_t node_guid;
	uint8_t port;
	enum ibcc_throttles throttles;          /* IBCC_THROTTLES_UNKNOWN removes the report on this port */
	int64_t at_s;                           /* wall clock */
	char by[IBCC_THROTTLE_REPORT_BY_BYTES]; /* its author, UTF-8, at least one character */
};

struct ibcc_throttle_reports;

/*
 * Reads the reports of throttle_reports.json. A file that cannot be parsed is set aside, with a line in the log. NULL with `error`
 * filled: the file cannot be read or is of a newer version, or memory is refused. The folder is borrowed.
 */
struct ibcc_throttle_reports *ibcc_throttle_reports_open(const struct ibcc_state_folder *folder, struct ibcc_log *log,
							 struct ccp_error *error);
void ibcc_throttle_reports_close(struct ibcc_throttle_reports *reports); /* NULL is fine */

/* NULL: there is no report on this port. */
const struct ibcc_throttle_report *ibcc_throttle_reports_find(const struct ibcc_throttle_reports *reports, uint64_t node_guid,
							      uint8_t port);

/* All of them, ascending (node_guid, port), until the next change. */
const struct ibcc_throttle_report *ibcc_throttle_reports_list(const struct ibcc_throttle_reports *reports, uint32_t *count);

/*
 * Adds `count` reports, 1 to IBCC_MAX_THROTTLE_REPORTS, each in place of the former one on the same port (of two in `added`, the
 * last), and writes once. -1 with `error` filled: `by` is empty or not UTF-8, the file cannot be written, or memory is refused;
 * then nothing has changed.
 */
int ibcc_throttle_reports_add(struct ibcc_throttle_reports *reports, const struct ibcc_throttle_report *added, uint32_t count,
			      struct ccp_error *error);

#ifdef __cplusplus
}
#endif
#endif
