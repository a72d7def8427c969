/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * profiles.h: the profile in force: the base, or a trial run in place of it. Both are on disk, so that a crash changes nothing.
 *
 * The base is in force until another takes its place. A trial run (`experiment` in the API) replaces it until its time limit,
 * until it is committed, which makes it the base, or rolled back, and at the latest until OpenSM ends, however it ends: a new
 * process begins with the base. Revisions are numbered for ever; each change of the wanted profile is a new one. One thread only.
 */
#ifndef IBCC_PROFILES_H
#define IBCC_PROFILES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/log.h"
#include "ccpolicy/error.h"
#include "profiles/revision.h"
#include "state/state_json.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ibcc_change_log;
struct ibcc_profiles;

#define IBCC_MAX_TTL_S (30u * 24u * 3600u)
#define IBCC_MAX_OWNER_BYTES 120u /* of the text that names the owner of a trial run */

/*
 * The number that stands for revision 0: what devices were found with, before anything was set. It is in force where there is no base,
 * if it is kept (ibcc_profiles_keep_as_found); ibcc_revision_shown makes 0 of it for people.
 */
#define IBCC_REVISION_AS_FOUND UINT64_MAX
static inline uint64_t ibcc_revision_shown(uint64_t number)
{
	return number == IBCC_REVISION_AS_FOUND ? 0 : number;
}
#define IBCC_AS_FOUND_NAME "as found" /* in place of a profile's name */

/*
 * Opens the state in `state_dir` (made 0700 if missing), and reads `profile_path` (NULL: none). `journal`: as for
 * ibcc_change_log_open. A committed or applied base lasts over restarts until the content of the profile file differs from when
 * it was last read and good; then the file wins. NULL with `error` filled: the folder is in use by another process, the state
 * cannot be read or is of a newer version, or memory is refused.
 *
 * These are no errors, but have a line in the log: a damaged state, which is set aside, so that the profile file is in force; a
 * state that cannot be written now; and a profile file that is missing or wrong, so that the last good base stays in force
 * (ibcc_profiles_complaint). A trial run in the state was cut short by the end of the former process
 * (ibcc_profiles_was_cut_short).
 */
struct ibcc_profiles *ibcc_profiles_open(const char *state_dir, const char *profile_path, const char *journal,
					 struct ibcc_log *log, struct ccp_error *error);
void ibcc_profiles_close(struct ibcc_profiles *profiles); /* leaves the state on disk as it is */

const struct ibcc_revision *ibcc_profiles_base(const struct ibcc_profiles *profiles);       /* NULL: none yet */
const struct ibcc_revision *ibcc_profiles_experiment(const struct ibcc_profiles *profiles); /* NULL: none */
const struct ibcc_revision *
ibcc_profiles_wanted(const struct ibcc_profiles *profiles); /* the experiment, else the base, else NULL */
uint32_t ibcc_profiles_history(const struct ibcc_profiles *profiles,
			       const struct ibcc_revision *revisions[IBCC_MAX_HISTORY]); /* newest first */
const char *ibcc_profiles_complaint(
	const struct ibcc_profiles
		*profiles); /* what is wrong with the profile file, or what is in force instead of it; NULL: nothing */
bool ibcc_profiles_file_is_in_force(
	const struct ibcc_profiles *profiles); /* the profile file can be read and is the base; or there is none */
bool ibcc_profiles_was_cut_short(const struct ibcc_profiles *profiles);
bool ibcc_profiles_have_former(const struct ibcc_profiles *profiles); /* a former process used this state folder */

/*
 * Revision 0. A folder that no former process used gets the file of this form, without devices, before its first revision is written:
 * so nothing was set where it is empty. `has_as_found`: revision 0 is kept, so that a trial run without a base, and a rollback
 * without a former base, return to it.
 */
extern const struct ibcc_state_form ibcc_as_found_form;
void ibcc_profiles_keep_as_found(struct ibcc_profiles *profiles, bool has_as_found);
uint64_t ibcc_profiles_wanted_number(const struct ibcc_profiles *profiles); /* IBCC_REVISION_AS_FOUND, or 0: none */
uint64_t ibcc_profiles_base_number(const struct ibcc_profiles *profiles);   /* the same */

/*
 * Does what is due: writes a base from the profile file that could not be written, so that a later process does not give its
 * number to another document; and reads a profile file again for which memory was refused. Each is retried every 10 s. True: the
 * base has changed. next_ns is INT64_MAX if nothing is due.
 */
bool ibcc_profiles_tick(struct ibcc_profiles *profiles, int64_t now_ns);
int64_t ibcc_profiles_next_ns(const struct ibcc_profiles *profiles);

/* Returns when the trial run times out, in ns of the monotonic clock; INT64_MAX: there is none, or it has no time limit. */
int64_t ibcc_profiles_deadline_ns(const struct ibcc_profiles *profiles);

enum ibcc_profiles_fault {
	IBCC_PROFILES_OK = 0,
	IBCC_PROFILES_INVALID,  /* the document or a parameter: `error` has the sentence and the place */
	IBCC_PROFILES_BUSY,     /* there is a trial run already */
	IBCC_PROFILES_CONFLICT, /* if_revision is not the wanted revision */
	IBCC_PROFILES_NOTHING,  /* there is nothing to commit or to return to */
	IBCC_PROFILES_DISK,     /* the state could not be written, or memory was refused: nothing has changed */
};

/*
 * Each of these writes the state before it changes anything here, and fills `error` unless it returns OK. `if_revision`: 0 for
 * any. Revisions that it replaces are freed when it returns OK.
 *
 * begin_experiment: the document becomes the trial run, for ttl_s seconds (1..IBCC_MAX_TTL_S; 0: until commit or rollback).
 *     `owner` (at most IBCC_MAX_OWNER_BYTES bytes; NULL: not given) names its owner to others, who find it BUSY. BUSY if there is
 *     a trial run, unless if_revision is its number: its owner replaces it without the base coming between. NOTHING without a
 *     base where revision 0 is not kept: there would be nothing to return to.
 * renew_experiment: the trial run of that number times out ttl_s seconds from now. CONFLICT if another is in force, NOTHING if
 *     there is none. Nothing is written: the next process ends it in any case.
 * replace_base: the document becomes the base, the present base history. BUSY while there is a trial run.
 * commit_experiment: the trial run becomes the base and keeps its number. end_experiment: the trial run ends, and the base is in
 *     force again; never DISK, as a state that still has the trial run means the same to the next process.
 * rollback_base: the last of the history leaves it and becomes the base, under a new number; the present base is dropped, so that
 *     each rollback returns to the one before. Without a history there is no base any more, and revision 0 is in force, if it is
 *     kept. BUSY while there is a trial run: end that instead.
 */
enum ibcc_profiles_fault ibcc_profiles_begin_experiment(struct ibcc_profiles *profiles, const char *text, size_t length,
							uint32_t ttl_s, const char *owner, uint64_t if_revision, int64_t now_ns,
							struct ccp_error *error);
enum ibcc_profiles_fault ibcc_profiles_replace_base(struct ibcc_profiles *profiles, const char *text, size_t length,
						    uint64_t if_revision, struct ccp_error *error);
/* The same of a document that was read already: `profile` is what it says, stolen also where that fails. */
enum ibcc_profiles_fault ibcc_profiles_begin_experiment_of(struct ibcc_profiles *profiles, struct ccp_profile *profile,
							   const char *text, size_t length, uint32_t ttl_s, const char *owner,
							   uint64_t if_revision, int64_t now_ns, struct ccp_error *error);
enum ibcc_profiles_fault ibcc_profiles_replace_base_by(struct ibcc_profiles *profiles, struct ccp_profile *profile,
						       const char *text, size_t length, uint64_t if_revision,
						       struct ccp_error *error);
enum ibcc_profiles_fault ibcc_profiles_renew_experiment(struct ibcc_profiles *profiles, uint64_t revision, uint32_t ttl_s,
							int64_t now_ns, struct ccp_error *error);
enum ibcc_profiles_fault ibcc_profiles_commit_experiment(struct ibcc_profiles *profiles, struct ccp_error *error);
enum ibcc_profiles_fault ibcc_profiles_end_experiment(struct ibcc_profiles *profiles, struct ccp_error *error);
enum ibcc_profiles_fault ibcc_profiles_rollback_base(struct ibcc_profiles *profiles, struct ccp_error *error);

/*
 * Takes over the base of the OpenSM that was master before: the document becomes the base, unless it is that already, and a trial run
 * ends. NULL: there was no base, and this one's own stays. The log of changes gets a line. OK also if the state cannot be written now,
 * as the fabric must have a base; it is written later. INVALID or DISK with `error` filled: the document is no profile, or memory was
 * refused; nothing has changed.
 */
enum ibcc_profiles_fault ibcc_profiles_take_over(struct ibcc_profiles *profiles, const char *text, size_t length,
						 struct ccp_error *error);

/* The owner of the trial run; "" if it has none, or there is no trial run. */
const char *ibcc_profiles_owner(const struct ibcc_profiles *profiles);

/* A descriptor that becomes readable when the profile file may have changed, -1: there is none to watch. */
int ibcc_profiles_watch_fd(const struct ibcc_profiles *profiles);
/*
 * Takes what the descriptor has to say, and reads the profile file if that may have changed. True: the base has changed (a trial
 * run stays in force before it). A wrong file changes nothing but the complaint.
 */
bool ibcc_profiles_file_event(struct ibcc_profiles *profiles);

/* The log of all changes that these functions make. Lasts as long as the profiles are open; never NULL. */
struct ibcc_change_log *ibcc_profiles_changes(const struct ibcc_profiles *profiles);

/* The folder for other state of this process. Lasts as long as the profiles are open. */
const struct ibcc_state_folder *ibcc_profiles_folder(const struct ibcc_profiles *profiles);

#ifdef __cplusplus
}
#endif
#endif
