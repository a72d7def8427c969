/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * profile_state.h: what profiles.h keeps, in memory and as state.json in the state folder.
 *
 * The revisions belong to the owner of the state; copying the struct copies pointers. A change is made on a copy, the copy is
 * saved, and then takes the place of the original (ibcc_profile_state_replace).
 */
#ifndef IBCC_PROFILE_STATE_H
#define IBCC_PROFILE_STATE_H

#include "profiles/revision.h"
#include "state/state_json.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Size and hash of the profile file when it was last read and good. */
struct ibcc_file_content {
	bool known;
	uint64_t bytes;
	uint64_t hash; /* FNV-1a: detects an edit, not a forgery */
};

struct ibcc_profile_state {
	uint64_t next_number; /* from 1 */
	struct ibcc_file_content file;
	struct ibcc_revision *base;       /* NULL: none */
	struct ibcc_revision *experiment; /* NULL: none */
	uint32_t ttl_s;                   /* of the trial run */
	uint32_t num_history;
	struct ibcc_revision *history[IBCC_MAX_HISTORY]; /* newest first */
};

struct ibcc_file_content ibcc_file_content_of(const char *text, size_t length);

/*
 * Fills `state`, but not its trial run, which no process resumes: `was_cut_short` says whether there was one. Of a BROKEN state
 * only next_number is filled, as far as it can be found. `error` is filled for FAILED and BROKEN.
 */
enum ibcc_state_found ibcc_profile_state_load(const struct ibcc_state_folder *folder, struct ibcc_profile_state *state,
					      bool *was_cut_short, struct ccp_error *error);
int ibcc_profile_state_save(const struct ibcc_state_folder *folder, const struct ibcc_profile_state *state,
			    struct ccp_error *error);
extern const struct ibcc_state_form ibcc_profile_state_form;

/* Replaces `state` by `next`; revisions that `next` lacks are freed. */
void ibcc_profile_state_replace(struct ibcc_profile_state *state, const struct ibcc_profile_state *next);

/* Makes `base` the base, and the former base the newest of the history, whose oldest may be dropped. */
void ibcc_profile_state_push(struct ibcc_profile_state *state, struct ibcc_revision *base);

#ifdef __cplusplus
}
#endif
#endif
