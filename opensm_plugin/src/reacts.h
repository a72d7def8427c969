/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * reacts.h: which adapters were seen to throttle, and which were seen not to, kept over restarts as throttles.json in the
 * state folder; where there is none, reacts.json is read, which plugins of 0.1 wrote.
 *
 * Firmwares may take the tables and ignore them; only somebody who sends traffic can tell. What they report is kept here as it is. One
 * thread only.
 */
#ifndef IBCC_REACTS_H
#define IBCC_REACTS_H

#include <stdint.h>

#include "ccpolicy/error.h"
#include "device.h"
#include "log.h"
#include "state_file.h"

#ifdef __cplusplus
extern "C" {
#endif

#define IBCC_MAX_REACTS 65536u   /* reports that are kept; beyond, the oldest go */
#define IBCC_REACTS_BY_BYTES 64u /* of who reported, with the NUL */

struct ibcc_reacts_report {
	uint64_t node_guid;
	uint8_t port;
	enum ibcc_reacts reacts;       /* IBCC_REACTS_UNKNOWN forgets what was reported before */
	int64_t at_s;                  /* wall clock */
	char by[IBCC_REACTS_BY_BYTES]; /* UTF-8, at least one character */
};

extern const char *const ibcc_reacts_names[]; /* by enum ibcc_reacts: "unknown", "yes", "no" */

struct ibcc_reacts_store;

/*
 * Reads what was kept; a file that makes no sense is set aside, with a line in the log. NULL with `error` filled: it cannot be read, is of
 * a newer version, or memory is refused. The folder is borrowed.
 */
struct ibcc_reacts_store *ibcc_reacts_store_open(const struct ibcc_state_folder *folder, struct ibcc_log *log,
						 struct ccp_error *error);
void ibcc_reacts_store_close(struct ibcc_reacts_store *store); /* NULL is fine */

/* NULL: nobody has said. */
const struct ibcc_reacts_report *ibcc_reacts_store_find(const struct ibcc_reacts_store *store, uint64_t node_guid, uint8_t port);

/* All of them, ascending (node_guid, port), until the next change. */
const struct ibcc_reacts_report *ibcc_reacts_store_list(const struct ibcc_reacts_store *store, uint32_t *count);

/*
 * Takes 1 to IBCC_MAX_REACTS reports, each in place of what was said of the same port before (of two in one call, the last), and writes
 * once. -1 with `error` filled: `by` is empty or not UTF-8, the file cannot be written, or memory is refused; then nothing has changed.
 */
int ibcc_reacts_store_take(struct ibcc_reacts_store *store, const struct ibcc_reacts_report *reports, uint32_t count,
			   struct ccp_error *error);

#ifdef __cplusplus
}
#endif
#endif
