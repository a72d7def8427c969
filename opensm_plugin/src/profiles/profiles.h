/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * profiles.h: which profile counts: the base, and perhaps an experiment before it; on disk so that a crash changes nothing.
 *
 * The base is what an administrator wants for good. An experiment stands before it until its time runs out, until somebody commits it
 * (it becomes the base) or rolls it back, or until OpenSM ends, however it ends: a new process begins with the base. Revisions are
 * numbered for ever; each change of what is wanted is a new one. One thread only.
 */
#ifndef IBCC_PROFILES_H
#define IBCC_PROFILES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/log.h"
#include "ccpolicy/error.h"
#include "profiles/revision.h"
#include "state/state_file.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ibcc_change_log;
struct ibcc_profiles;

#define IBCC_MAX_TTL_S (30u * 24u * 3600u)
#define IBCC_MAX_OWNER_BYTES 120u /* of the text by which an experiment's owner is known */

/*
 * Opens the state in `state_dir` (made 0700 if missing), and reads `profile_path` (NULL: none). `journal`: as of ibcc_change_log_open. A committed or applied base lasts over
 * restarts until the content of that file is another than when it was last read and good; then the file wins. NULL with `error` filled if
 * the folder cannot be had for this process alone, the state cannot be read or is of a newer version, or memory is refused.
 *
 * No such error, but a line in the log: a state that makes no sense (it is set aside, and the profile file is begun with), and one that
 * cannot be written now (what the file says needs no state to be found again). Nor is a profile file that is missing or wrong: the last
 * good base stays, and ibcc_profiles_complaint says what is wrong. An experiment found there was cut short by the end of the former
 * process; ibcc_profiles_was_cut_short.
 */
struct ibcc_profiles *ibcc_profiles_open(const char *state_dir, const char *profile_path, const char *journal,
					 struct ibcc_log *log, struct ccp_error *error);
void ibcc_profiles_close(struct ibcc_profiles *profiles); /* leaves the state on disk as it is */

const struct ibcc_revision *ibcc_profiles_base(const struct ibcc_profiles *profiles);       /* NULL: none yet */
const struct ibcc_revision *ibcc_profiles_experiment(const struct ibcc_profiles *profiles); /* NULL: none */
const struct ibcc_revision *ibcc_profiles_wanted(const struct ibcc_profiles *profiles);     /* experiment, else base, else NULL */
uint32_t ibcc_profiles_history(const struct ibcc_profiles *profiles,
			       const struct ibcc_revision *revisions[IBCC_MAX_HISTORY]); /* newest first */
const char *ibcc_profiles_complaint(
	const struct ibcc_profiles *profiles); /* what is wrong with the profile file, or what counts before it; NULL: nothing */
bool ibcc_profiles_file_is_in_force(
	const struct ibcc_profiles *profiles); /* it can be read, and is what the base says; or there is none */
bool ibcc_profiles_was_cut_short(const struct ibcc_profiles *profiles);

/*
 * A base from the profile file counts even if it could not be written; the complaint says so. It is tried again now and then, at the next
 * change at the latest, so that its number is not given to another document by a later process. next_ns: INT64_MAX: nothing is due.
 */
void ibcc_profiles_tick(struct ibcc_profiles *profiles, int64_t now_ns);
int64_t ibcc_profiles_next_ns(const struct ibcc_profiles *profiles);

/* When the experiment ends, in ns of the monotonic clock; INT64_MAX: there is none, or none that ends by itself. */
int64_t ibcc_profiles_deadline_ns(const struct ibcc_profiles *profiles);

enum ibcc_profiles_fault {
	IBCC_PROFILES_OK = 0,
	IBCC_PROFILES_INVALID,  /* the document or a parameter: `error` has the sentence and the place */
	IBCC_PROFILES_BUSY,     /* there is an experiment already */
	IBCC_PROFILES_CONFLICT, /* if_revision is not the wanted revision */
	IBCC_PROFILES_NOTHING,  /* nothing to commit, or to go back to */
	IBCC_PROFILES_DISK,     /* the state could not be written, or memory was refused: nothing has changed */
};

/*
 * Each of these writes the state before it changes anything here, and fills `error` unless it returns OK. `if_revision`: 0 for any.
 * Revisions that it replaces are gone when it returns OK.
 *
 * begin: the document becomes the experiment, for ttl_s seconds (1..IBCC_MAX_TTL_S; 0: until commit or rollback). `owner` (at most
 *     IBCC_MAX_OWNER_BYTES bytes; NULL: not said) is who holds it, in words that another who finds it BUSY is told. BUSY if there is one,
 *     unless if_revision is its number: who has that holds the experiment, and puts another in its place without the base coming between.
 *     NOTHING without a base: there would be nothing to go back to.
 * renew: the experiment of that number ends so many seconds from now. CONFLICT if another counts, NOTHING if none runs. Nothing is written:
 *     the next process ends it in any case.
 * replace: the document becomes the base, the present base history. BUSY while there is an experiment.
 * commit: the experiment becomes the base and keeps its number. end: the experiment is over, the base counts again; never
 *     DISK, as a state that still has the experiment means the same to the next process.
 * rollback: the last of the history leaves it and becomes the base, under a new number; the present base is dropped, so that each
 *     rollback goes one further back. BUSY while there is an experiment: end it instead.
 */
enum ibcc_profiles_fault ibcc_profiles_begin_experiment(struct ibcc_profiles *profiles, const char *text, size_t length,
							uint32_t ttl_s, const char *owner, uint64_t if_revision, int64_t now_ns,
							struct ccp_error *error);
enum ibcc_profiles_fault ibcc_profiles_replace_base(struct ibcc_profiles *profiles, const char *text, size_t length,
						    uint64_t if_revision, struct ccp_error *error);
enum ibcc_profiles_fault ibcc_profiles_renew_experiment(struct ibcc_profiles *profiles, uint64_t revision, uint32_t ttl_s,
							int64_t now_ns, struct ccp_error *error);
enum ibcc_profiles_fault ibcc_profiles_commit_experiment(struct ibcc_profiles *profiles, struct ccp_error *error);
enum ibcc_profiles_fault ibcc_profiles_end_experiment(struct ibcc_profiles *profiles, struct ccp_error *error);
enum ibcc_profiles_fault ibcc_profiles_rollback_base(struct ibcc_profiles *profiles, struct ccp_error *error);

/* The experiment's owner; "" if nobody has said, or none runs. */
const char *ibcc_profiles_owner(const struct ibcc_profiles *profiles);

/* A descriptor that becomes readable when the profile file may have changed, -1: there is none to watch. */
int ibcc_profiles_watch_fd(const struct ibcc_profiles *profiles);
/*
 * Reads what the descriptor has, and the file if it was it, or if it could not be read for want of memory: so a call now and then, as at
 * audits, gets over that. True: the base is another now (an experiment goes on before it). A wrong file changes nothing but the complaint.
 */
bool ibcc_profiles_file_event(struct ibcc_profiles *profiles);

/* Who changed what: each change of these functions is in there. As long as the profiles are open; never NULL. */
struct ibcc_change_log *ibcc_profiles_changes(const struct ibcc_profiles *profiles);

/* Where other state of this process may be kept; as long as the profiles are open. */
const struct ibcc_state_folder *ibcc_profiles_folder(const struct ibcc_profiles *profiles);

#ifdef __cplusplus
}
#endif
#endif
