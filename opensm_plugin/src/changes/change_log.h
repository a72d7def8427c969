/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * change_log.h: the log of changes: who changed what, and the result. One JSON object a line, in changes.log of the state folder
 * and in systemd's journal.
 *
 * A line that cannot be written stops no change: OpenSM's log has one line about it, and the next line that can be written has
 * the number of missing ones in `missed`. One thread only.
 */
#ifndef IBCC_CHANGE_LOG_H
#define IBCC_CHANGE_LOG_H

#include <jansson.h>
#include <stdint.h>

#include "base/log.h"
#include "ccpolicy/error.h"
#include "changes/peer.h"
#include "state/state_file.h"

#ifdef __cplusplus
extern "C" {
#endif

#define IBCC_CHANGE_LOG_FILES 10u /* changes.log, and changes.log.1 to .9, which is the oldest */
#define IBCC_CHANGE_LOG_BYTES (1u << 20)
#define IBCC_CHANGE_LINE_BYTES 8192u /* of one line at most; a longer one is not written */

struct ibcc_change_log;

struct ibcc_change {
	const char *what;    /* "apply", "experiment", "renew", "commit", "rollback", "end", "file", "cut-short", "job", … */
	uint64_t revision;   /* the one in force after the change; 0: none */
	const char *profile; /* the name of that revision's profile; NULL: none */
	const char *result;  /* "acknowledged", "refused", or how a job ended */
	const char *message; /* the reason, as a sentence; NULL: none */
};

/*
 * Continues the file. `journal`: the path of the journal's socket, a string that lasts (NULL: none); nothing need listen there.
 * NULL: out of memory or descriptors. A folder that cannot be written is no error here: lines are missed.
 */
struct ibcc_change_log *ibcc_change_log_open(const struct ibcc_state_folder *folder, const char *journal, struct ibcc_log *log);
void ibcc_change_log_close(struct ibcc_change_log *changes); /* NULL is fine */

/*
 * Attributes the lines from now on: to a client, or to the plugin itself (`peer` NULL), with a reason (`why`, a string that
 * lasts; NULL: none). All of these functions take NULL for `changes` and then do nothing.
 */
void ibcc_change_log_attribute(struct ibcc_change_log *changes, const struct ibcc_peer *peer, const char *why);

/* Adds a line. `more`: further members of it, stolen; NULL: none. */
void ibcc_change_log_add(struct ibcc_change_log *changes, const struct ibcc_change *change, json_t *more);

/*
 * Adds a line for a refusal, but at most one a second, so that a client that asks in a loop does not push older lines out of the
 * files. The next line has the number of those left out in `omitted`.
 */
void ibcc_change_log_refuse(struct ibcc_change_log *changes, const char *what, const char *message, int64_t now_ns);

/*
 * Returns the last `limit` lines with a `number` below `before` (0: any), oldest first, as a JSON array, which is empty if
 * `changes` is NULL. What is no line, such as half a line that a crash has left, is skipped. NULL: out of memory, or a file
 * cannot be read and `error` says why.
 */
json_t *ibcc_change_log_read(const struct ibcc_change_log *changes, uint64_t before, uint32_t limit, struct ccp_error *error);

#ifdef __cplusplus
}
#endif
#endif
