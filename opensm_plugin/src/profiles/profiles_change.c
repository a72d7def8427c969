/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* profiles_change.c: the calls that change the profile in force. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/ns.h"
#include "ccpolicy/error_format.h"
#include "profiles/profiles_internal.h"
#include "profiles/revision.h"
#include "state/state_json.h"

static enum ibcc_profiles_fault check_free(const struct ibcc_profiles *profiles, struct ccp_error *error)
{
	if (!profiles->state.experiment)
		return IBCC_PROFILES_OK;
	(void)ccp_fail(error, "a trial run is in force, revision %" PRIu64 ", profile '%s'%s%s: commit it or roll it back first",
		       profiles->state.experiment->number, profiles->state.experiment->profile->name,
		       profiles->owner[0] ? ", owned by " : "", profiles->owner);
	return IBCC_PROFILES_BUSY;
}

static enum ibcc_profiles_fault check_ttl(uint32_t ttl_s, struct ccp_error *error)
{
	if (ttl_s <= IBCC_MAX_TTL_S)
		return IBCC_PROFILES_OK;
	(void)ccp_fail(error, "ttl_s is %u, but must be at most %u seconds, or 0 for a trial run without a time limit", ttl_s,
		       IBCC_MAX_TTL_S);
	return IBCC_PROFILES_INVALID;
}

static int64_t deadline_of(uint32_t ttl_s, int64_t now_ns)
{
	return ttl_s ? now_ns + ttl_s * NS_PER_S : INT64_MAX;
}

static enum ibcc_profiles_fault check_revision(const struct ibcc_profiles *profiles, uint64_t if_revision,
					       struct ccp_error *error)
{
	const struct ibcc_revision *wanted = ibcc_profiles_wanted(profiles);
	uint64_t number = wanted ? wanted->number : 0;

	if (!if_revision || if_revision == number)
		return IBCC_PROFILES_OK;
	(void)ccp_fail(error,
		       "if_revision is %" PRIu64 ", but the revision in force is %" PRIu64 ": somebody else changed it first",
		       if_revision, number);
	return IBCC_PROFILES_CONFLICT;
}

static enum ibcc_profiles_fault fail_nothing(struct ccp_error *error, const char *sentence)
{
	(void)ccp_fail(error, "%s", sentence);
	return IBCC_PROFILES_NOTHING;
}

/* A revision could not be made: its document is wrong, or memory was refused. */
static enum ibcc_profiles_fault fault_of(const struct ccp_error *error)
{
	return ibcc_error_is_no_memory(error) ? IBCC_PROFILES_DISK : IBCC_PROFILES_INVALID;
}

static void record_experiment(struct ibcc_profiles *profiles, const char *what, uint32_t ttl_s)
{
	ibcc_profiles_record(profiles, what, json_pack("{s:I, s:s}", "ttl_s", (json_int_t)ttl_s, "owner", profiles->owner));
}

/* Writes `next` and adopts it; if it cannot be written, frees `created`, which only `next` has. */
static enum ibcc_profiles_fault change(struct ibcc_profiles *profiles, const struct ibcc_profile_state *next,
				       struct ibcc_revision *created, struct ccp_error *error)
{
	if (ibcc_profiles_save(profiles, next, error)) {
		ibcc_revision_destroy(created);
		return IBCC_PROFILES_DISK;
	}
	ibcc_profiles_adopt(profiles, next);
	return IBCC_PROFILES_OK;
}

/* A revision that is another's document under a new number or source has its profile too, which is taken over with the change. */
static enum ibcc_profiles_fault change_again(struct ibcc_profiles *profiles, const struct ibcc_profile_state *next,
					     struct ibcc_revision *created, struct ibcc_revision *former, struct ccp_error *error)
{
	if (ibcc_profiles_save(profiles, next, error)) {
		created->profile = NULL;
		ibcc_revision_destroy(created);
		return IBCC_PROFILES_DISK;
	}
	former->profile = NULL;
	ibcc_profiles_adopt(profiles, next);
	return IBCC_PROFILES_OK;
}

static enum ibcc_profiles_fault check_experiment(const struct ibcc_profiles *profiles, uint32_t ttl_s, uint64_t if_revision,
						 struct ccp_error *error)
{
	const struct ibcc_profile_state *state = &profiles->state;
	enum ibcc_profiles_fault fault;

	if (!state->experiment || state->experiment->number != if_revision) {
		fault = check_free(profiles, error);
		if (!fault)
			fault = check_revision(profiles, if_revision, error);
		if (fault)
			return fault;
	}
	if (!state->base && !profiles->has_as_found)
		return fail_nothing(error,
				    "a trial run needs a base profile to return to, as what devices held before ibcc is not "
				    "kept: apply one without ttl_s first");
	return check_ttl(ttl_s, error);
}

enum ibcc_profiles_fault ibcc_profiles_begin_experiment(struct ibcc_profiles *profiles, const char *text, size_t length,
							uint32_t ttl_s, const char *owner, uint64_t if_revision, int64_t now_ns,
							struct ccp_error *error)
{
	return ibcc_profiles_begin_experiment_of(profiles, NULL, text, length, ttl_s, owner, if_revision, now_ns, error);
}

enum ibcc_profiles_fault ibcc_profiles_begin_experiment_of(struct ibcc_profiles *profiles, struct ccp_profile *profile,
							   const char *text, size_t length, uint32_t ttl_s, const char *owner,
							   uint64_t if_revision, int64_t now_ns, struct ccp_error *error)
{
	struct ibcc_profile_state next = profiles->state;
	struct ccp_error own;
	enum ibcc_profiles_fault fault;

	error = error ? error : &own;
	fault = check_experiment(profiles, ttl_s, if_revision, error);
	if (fault) {
		ccp_profile_destroy(profile);
		return fault;
	}
	next.experiment = ibcc_revision_of(profile, text, length, next.next_number++, IBCC_SOURCE_APPLY, error);
	if (!next.experiment)
		return fault_of(error);
	next.ttl_s = ttl_s;
	fault = change(profiles, &next, next.experiment, error);
	if (fault)
		return fault;
	profiles->deadline_ns = deadline_of(ttl_s, now_ns);
	assert(!owner || strlen(owner) < sizeof(profiles->owner));
	(void)snprintf(profiles->owner, sizeof(profiles->owner), "%s", owner ? owner : "");
	record_experiment(profiles, "experiment", ttl_s);
	return IBCC_PROFILES_OK;
}

enum ibcc_profiles_fault ibcc_profiles_renew_experiment(struct ibcc_profiles *profiles, uint64_t revision, uint32_t ttl_s,
							int64_t now_ns, struct ccp_error *error)
{
	const struct ibcc_revision *experiment = profiles->state.experiment;
	struct ccp_error own;
	enum ibcc_profiles_fault fault;

	error = error ? error : &own;
	if (!experiment)
		return fail_nothing(error, "there is no trial run to renew: it has timed out, or somebody has ended it");
	if (experiment->number != revision) {
		(void)ccp_fail(error, "the trial run is revision %" PRIu64 ", not %" PRIu64, experiment->number, revision);
		return IBCC_PROFILES_CONFLICT;
	}
	fault = check_ttl(ttl_s, error);
	if (fault)
		return fault;
	profiles->state.ttl_s = ttl_s;
	profiles->deadline_ns = deadline_of(ttl_s, now_ns);
	record_experiment(profiles, "renew", ttl_s);
	return IBCC_PROFILES_OK;
}

const char *ibcc_profiles_owner(const struct ibcc_profiles *profiles)
{
	return profiles->owner;
}

enum ibcc_profiles_fault ibcc_profiles_replace_base(struct ibcc_profiles *profiles, const char *text, size_t length,
						    uint64_t if_revision, struct ccp_error *error)
{
	return ibcc_profiles_replace_base_by(profiles, NULL, text, length, if_revision, error);
}

enum ibcc_profiles_fault ibcc_profiles_replace_base_by(struct ibcc_profiles *profiles, struct ccp_profile *profile,
						       const char *text, size_t length, uint64_t if_revision,
						       struct ccp_error *error)
{
	struct ibcc_profile_state next = profiles->state;
	struct ibcc_revision *created;
	struct ccp_error own;
	enum ibcc_profiles_fault fault;

	error = error ? error : &own;
	fault = check_free(profiles, error);
	if (!fault)
		fault = check_revision(profiles, if_revision, error);
	if (fault) {
		ccp_profile_destroy(profile);
		return fault;
	}
	created = ibcc_revision_of(profile, text, length, next.next_number++, IBCC_SOURCE_APPLY, error);
	if (!created)
		return fault_of(error);
	ibcc_profile_state_push(&next, created);
	fault = change(profiles, &next, created, error);
	if (!fault)
		ibcc_profiles_record(profiles, "apply", NULL);
	return fault;
}

enum ibcc_profiles_fault ibcc_profiles_commit_experiment(struct ibcc_profiles *profiles, struct ccp_error *error)
{
	struct ibcc_profile_state next = profiles->state;
	struct ibcc_revision *experiment = next.experiment, *created;
	struct ccp_error own;
	enum ibcc_profiles_fault fault;

	error = error ? error : &own;
	if (!experiment)
		return fail_nothing(error, "there is no trial run to commit");
	created = ibcc_revision_again(experiment, experiment->number, IBCC_SOURCE_COMMIT, error);
	if (!created)
		return IBCC_PROFILES_DISK;
	ibcc_profile_state_push(&next, created);
	next.experiment = NULL;
	next.ttl_s = 0;
	fault = change_again(profiles, &next, created, experiment, error);
	if (fault)
		return fault;
	profiles->deadline_ns = INT64_MAX;
	ibcc_profiles_record(profiles, "commit", NULL);
	return IBCC_PROFILES_OK;
}

enum ibcc_profiles_fault ibcc_profiles_end_experiment(struct ibcc_profiles *profiles, struct ccp_error *error)
{
	struct ibcc_profile_state next = profiles->state;
	struct ccp_error disk;

	if (!next.experiment)
		return fail_nothing(error, "there is no trial run to roll back");
	next.experiment = NULL;
	next.ttl_s = 0;
	/* A full disk must not keep a trial run in force; if the next process finds it in the state, it ends it too. */
	if (ibcc_profiles_save(profiles, &next, &disk))
		ibcc_log(profiles->log, IBCC_LOG_ERROR, "IBCC0107: the trial run has ended, but the state cannot be written: %s",
			 disk.message);
	const uint64_t ended = profiles->state.experiment->number;
	ibcc_profiles_adopt(profiles, &next);
	profiles->deadline_ns = INT64_MAX;
	ibcc_profiles_record(profiles, "end", json_pack("{s:I}", "ended", (json_int_t)ended));
	return IBCC_PROFILES_OK;
}

enum ibcc_profiles_fault ibcc_profiles_rollback_base(struct ibcc_profiles *profiles, struct ccp_error *error)
{
	struct ibcc_profile_state next = profiles->state;
	struct ibcc_revision *created;
	struct ccp_error own;
	enum ibcc_profiles_fault fault;

	error = error ? error : &own;
	fault = check_free(profiles, error);
	if (fault)
		return fault;
	if (!next.num_history && (!next.base || !profiles->has_as_found))
		return fail_nothing(error, next.base ? "there is no former base to return to"
						     : "no profile is in force: there is nothing to take back");
	if (!next.num_history) {
		next.base = NULL;
		fault = change(profiles, &next, NULL, error);
		if (!fault)
			ibcc_profiles_record(profiles, "rollback", NULL);
		return fault;
	}
	struct ibcc_revision *former = next.history[0];
	created = ibcc_revision_again(former, next.next_number++, IBCC_SOURCE_ROLLBACK, error);
	if (!created)
		return IBCC_PROFILES_DISK;
	memmove(next.history, next.history + 1, --next.num_history * sizeof(next.history[0]));
	next.base = created;
	fault = change_again(profiles, &next, created, former, error);
	if (!fault)
		ibcc_profiles_record(profiles, "rollback", NULL);
	return fault;
}

enum ibcc_profiles_fault ibcc_profiles_take_over(struct ibcc_profiles *profiles, const char *text, size_t length,
						 struct ccp_error *error)
{
	struct ibcc_profile_state next = profiles->state;
	const uint64_t ended = next.experiment ? next.experiment->number : 0;
	struct ibcc_revision *created;
	struct ccp_error disk;

	if (text && (!next.base || strlen(next.base->text) != length || memcmp(next.base->text, text, length) != 0)) {
		created = ibcc_revision_create(text, length, next.next_number++, IBCC_SOURCE_TAKEOVER, error);
		if (!created)
			return fault_of(error);
		ibcc_profile_state_push(&next, created);
	} else if (!ended) {
		ibcc_profiles_record(profiles, "takeover", NULL);
		return IBCC_PROFILES_OK;
	}
	next.experiment = NULL;
	next.ttl_s = 0;
	if (ibcc_profiles_save(profiles, &next, &disk)) {
		ibcc_log(profiles->log, IBCC_LOG_ERROR, "IBCC0107: the base was taken over, but the state cannot be written: %s",
			 disk.message);
		profiles->is_unsaved = true;
	}
	ibcc_profiles_adopt(profiles, &next);
	profiles->deadline_ns = INT64_MAX;
	ibcc_profiles_record(profiles, "takeover", ended ? json_pack("{s:I}", "ended", (json_int_t)ended) : NULL);
	return IBCC_PROFILES_OK;
}
