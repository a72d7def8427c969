/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* profiles_internal.h: struct ibcc_profiles, for profiles.c and profiles_change.c. */
#ifndef IBCC_PROFILES_INTERNAL_H
#define IBCC_PROFILES_INTERNAL_H

#include "changes/change_log.h"
#include "profiles/profile_file.h"
#include "profiles/profile_state.h"
#include "profiles/profiles.h"

struct ibcc_profiles {
	struct ibcc_log *log;
	struct ibcc_state_folder *folder;
	struct ibcc_change_log *changes;
	struct ibcc_profile_file *file; /* NULL: no path was given */
	char *path;
	struct ibcc_profile_state state;
	bool was_cut_short;
	bool has_former;      /* a former process has left a state, be it damaged */
	bool has_as_found;    /* revision 0 is kept */
	bool is_unsaved;      /* the state in memory is newer than the one on disk */
	int64_t save_next_ns; /* when it is written again */
	bool lacked_memory;   /* the complaint is that memory was refused: the profile file is read again */
	int64_t read_next_ns; /* when */
	int64_t deadline_ns;
	char owner[IBCC_MAX_OWNER_BYTES + 1];          /* of the trial run; "": none */
	char complaint[CCP_ERROR_MESSAGE_BYTES + 256]; /* "": none */
	char not_in_force[384];                        /* "": the base is what the profile file says */
};

/* Writes `next`, which is about to be adopted. -1 with `error` filled. */
int ibcc_profiles_save(struct ibcc_profiles *profiles, const struct ibcc_profile_state *next, struct ccp_error *error);

/*
 * Adds a line to the log of changes, of the revision in force. `what`: as in struct ibcc_change. `more`: as for
 * ibcc_change_log_add.
 */
void ibcc_profiles_record(struct ibcc_profiles *profiles, const char *what, json_t *more);

/* Replaces the state by `next`; revisions that `next` lacks are freed. */
void ibcc_profiles_adopt(struct ibcc_profiles *profiles, const struct ibcc_profile_state *next);

#endif
