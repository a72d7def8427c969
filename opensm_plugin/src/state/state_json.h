/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* state_json.h: state files (state_file.h) that hold a JSON object with a version. */
#ifndef IBCC_STATE_JSON_H
#define IBCC_STATE_JSON_H

#include <jansson.h>
#include <stdbool.h>

#include "base/log.h"
#include "state/state_file.h"

#ifdef __cplusplus
extern "C" {
#endif

enum ibcc_state_found {
	IBCC_STATE_FAILED = -1, /* could not be read, is of a newer version, or memory was refused */
	IBCC_STATE_ABSENT,
	IBCC_STATE_READ,
	IBCC_STATE_BROKEN, /* damaged */
};

struct ibcc_state_form {
	const char *name;        /* of the file */
	const char *version_key; /* of the member that has the version */
	int version;             /* the newest that is read, and the one that is written */
	size_t max_bytes;
};

/* *root is new if READ, else NULL. `error` is filled for FAILED and BROKEN. */
enum ibcc_state_found ibcc_state_json_load(const struct ibcc_state_folder *folder, const struct ibcc_state_form *form,
					   json_t **root, struct ccp_error *error);

/* Adds the version to `root`, writes it and releases it, also on failure. NULL for `root` counts as refused memory. */
int ibcc_state_json_save(const struct ibcc_state_folder *folder, const struct ibcc_state_form *form, json_t *root,
			 struct ccp_error *error);

/* Sets a BROKEN file aside, with a line in the log that says `why` and ends with `consequence`. -1 with `error` filled. */
int ibcc_state_json_set_aside(const struct ibcc_state_folder *folder, const struct ibcc_state_form *form, const char *why,
			      const char *consequence, struct ibcc_log *log, struct ccp_error *error);

/* Fills `error` with what jansson says about `what`, without the place, and returns -1. */
int ibcc_fail_json(struct ccp_error *error, const char *what, const json_error_t *json_error);

/* True if `error` says that memory was refused, and not that something is wrong. */
bool ibcc_error_is_no_memory(const struct ccp_error *error);

#ifdef __cplusplus
}
#endif
#endif
