/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _POSIX_C_SOURCE 200809L /* strdup() */
#include "profiles/profiles_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/ns.h"
#include "ccpolicy/error_format.h"
#include "profiles/revision.h"

#define RETRY_NS (10 * NS_PER_S)

const struct ibcc_state_form ibcc_as_found_form = {
	.name = "as_found.json",
	.version_key = "ibcc_as_found",
	.version = 1,
	.max_bytes = (size_t)1 << 28,
};

static void complain(struct ibcc_profiles *profiles, const struct ccp_error *error)
{
	char quote[CCP_QUOTE_BYTES];
	char place[48] = "";
	char complaint[sizeof(profiles->complaint)];

	if (error->line)
		snprintf(place, sizeof(place), ", line %u, column %u", error->line, error->column);
	snprintf(complaint, sizeof(complaint), "the profile file %s%s: %s",
		 ccp_quote(quote, profiles->path, strlen(profiles->path)), place, error->message);
	if (!profiles->lacked_memory)
		profiles->read_next_ns = 0; /* at once; then after pauses */
	profiles->lacked_memory = ibcc_error_is_no_memory(error);
	if (strcmp(complaint, profiles->complaint)) {
		memcpy(profiles->complaint, complaint, sizeof(complaint));
		ibcc_log(profiles->log, IBCC_LOG_ERROR, "IBCC0106: %s; %s", complaint,
			 profiles->state.base ? "the last good base stays in force" : "there is no base yet");
	}
}

/* Whoever writes the file, a person or configuration management, must know when another profile is in force. */
static void review_file(struct ibcc_profiles *profiles)
{
	static const char *const words[IBCC_NUM_SOURCES] = {[IBCC_SOURCE_APPLY] = "was applied",
							    [IBCC_SOURCE_COMMIT] = "was committed",
							    [IBCC_SOURCE_ROLLBACK] = "was restored by a rollback",
							    [IBCC_SOURCE_TAKEOVER] = "was taken over from the former master"};
	const struct ibcc_profile_state *state = &profiles->state;
	const struct ibcc_revision *base = state->base;
	const bool was_told = profiles->not_in_force[0];
	char quote[CCP_QUOTE_BYTES], since[32] = "";
	struct tm when;

	profiles->not_in_force[0] = '\0';
	if (!profiles->file || !state->file.known || (base && base->source == IBCC_SOURCE_FILE))
		return;
	if (!base) {
		snprintf(profiles->not_in_force, sizeof(profiles->not_in_force),
			 "the profile file %s is not in force: revision 0, which devices were found with, is",
			 ccp_quote(quote, profiles->path, strlen(profiles->path)));
		if (!was_told)
			ibcc_log(profiles->log, IBCC_LOG_INFO, "IBCC0115: %s", profiles->not_in_force);
		return;
	}
	const struct ibcc_file_content content = ibcc_file_content_of(base->text, strlen(base->text));
	if (content.bytes == state->file.bytes && content.hash == state->file.hash)
		return;
	if (gmtime_r(&base->since_s, &when))
		(void)strftime(since, sizeof(since), " since %Y-%m-%d %H:%M:%SZ", &when);
	snprintf(profiles->not_in_force, sizeof(profiles->not_in_force),
		 "the profile file %s is not in force%s: revision %" PRIu64 ", profile '%.60s', %s",
		 ccp_quote(quote, profiles->path, strlen(profiles->path)), since, base->number, base->profile->name,
		 words[base->source]);
	if (!was_told)
		ibcc_log(profiles->log, IBCC_LOG_INFO, "IBCC0115: %s; `ibcc profile apply` with the file puts it in force again",
			 profiles->not_in_force);
}

int ibcc_profiles_save(struct ibcc_profiles *profiles, const struct ibcc_profile_state *next, struct ccp_error *error)
{
	if (ibcc_profile_state_save(profiles->folder, next, error))
		return -1;
	profiles->is_unsaved = false;
	return 0;
}

void ibcc_profiles_adopt(struct ibcc_profiles *profiles, const struct ibcc_profile_state *next)
{
	ibcc_profile_state_replace(&profiles->state, next);
	review_file(profiles);
}

void ibcc_profiles_record(struct ibcc_profiles *profiles, const char *what, json_t *more)
{
	const struct ibcc_revision *wanted = ibcc_profiles_wanted(profiles);
	const struct ibcc_change change = {
		.what = what,
		.revision = wanted ? wanted->number : 0,
		.profile = wanted                   ? wanted->profile->name
			   : profiles->has_as_found ? IBCC_AS_FOUND_NAME
						    : NULL,
		.result = "acknowledged",
	};

	ibcc_change_log_add(profiles->changes, &change, more);
}

/*
 * Makes the file's content the base if it has changed, even if the state cannot be written: the next process finds the file
 * again. True: the base has changed.
 */
static bool take_file(struct ibcc_profiles *profiles)
{
	struct ibcc_profile_state next = profiles->state;
	struct ibcc_revision *revision = NULL;
	struct ccp_error error = {.message = ""};
	char *text = NULL;
	size_t length;
	bool is_new;

	if (ibcc_profile_file_read(profiles->file, &text, &length, &error)) {
		complain(profiles, &error);
		return false;
	}
	struct ibcc_file_content content = ibcc_file_content_of(text, length);
	bool same = next.file.known && next.file.bytes == content.bytes && next.file.hash == content.hash;
	if (!same)
		revision = ibcc_revision_create(text, length, next.next_number, IBCC_SOURCE_FILE, &error);
	free(text);
	if (!same && !revision) {
		complain(profiles, &error);
		return false;
	}
	profiles->complaint[0] = '\0';
	profiles->lacked_memory = false;
	if (same)
		return false;
	next.file = content;
	is_new = !next.base || strcmp(next.base->text, revision->text);
	if (is_new) {
		next.next_number++;
		ibcc_profile_state_push(&next, revision);
	} else {
		ibcc_revision_destroy(revision); /* the file was brought up to what had been applied */
	}
	if (ibcc_profiles_save(profiles, &next, &error)) {
		ibcc_log(profiles->log, IBCC_LOG_ERROR,
			 "IBCC0107: the profile file is in force, but the state cannot be written: %s", error.message);
		profiles->is_unsaved = true;
	}
	ibcc_profiles_adopt(profiles, &next);
	if (!is_new)
		return false;
	ibcc_log(profiles->log, IBCC_LOG_INFO, "base is revision %" PRIu64 ", profile '%s', from the file",
		 profiles->state.base->number, profiles->state.base->profile->name);
	ibcc_profiles_record(profiles, "file", NULL);
	return true;
}

static int load(struct ibcc_profiles *profiles, struct ccp_error *error)
{
	const enum ibcc_state_found found =
		ibcc_profile_state_load(profiles->folder, &profiles->state, &profiles->was_cut_short, error);

	profiles->has_former = found != IBCC_STATE_ABSENT;
	switch (found) {
	case IBCC_STATE_FAILED:
		return -1;
	case IBCC_STATE_BROKEN:
		return ibcc_state_json_set_aside(profiles->folder, &ibcc_profile_state_form, error->message,
						 "the former base and history are in that file, and the profile file is in force",
						 profiles->log, error);
	case IBCC_STATE_ABSENT:
	case IBCC_STATE_READ:
		break;
	}
	if (profiles->was_cut_short) {
		ibcc_log(profiles->log, IBCC_LOG_INFO,
			 "a trial run was cut short by the end of the former process: the base is in force");
		if (ibcc_profile_state_save(profiles->folder, &profiles->state, error))
			ibcc_log(profiles->log, IBCC_LOG_ERROR,
				 "IBCC0108: the end of the trial run cannot be written to the state: %s", error->message);
		ibcc_profiles_record(profiles, "cut-short", NULL);
	}
	return 0;
}

/*
 * A folder without it has belonged to a release that kept none, or its owner has removed it. It may be there before any state is: a
 * node without a profile has taken it over from another.
 */
static void begin_as_found(struct ibcc_profiles *profiles)
{
	struct ccp_error error;
	char *text = NULL;
	size_t length;
	const bool is_there = ibcc_state_file_read(profiles->folder, ibcc_as_found_form.name, ibcc_as_found_form.max_bytes, &text,
						   &length, &error);

	free(text);
	if (!is_there &&
	    ibcc_state_json_save(profiles->folder, &ibcc_as_found_form, json_pack("{s:[], s:[]}", "payloads", "devices"), &error))
		ibcc_log(profiles->log, IBCC_LOG_ERROR, "IBCC0109: what devices hold cannot be kept now: %s", error.message);
}

struct ibcc_profiles *ibcc_profiles_open(const char *state_dir, const char *profile_path, const char *journal,
					 struct ibcc_log *log, struct ccp_error *error)
{
	struct ibcc_profiles *profiles = calloc(1, sizeof(*profiles));

	if (!profiles) {
		(void)ccp_fail_no_memory(error);
		return NULL;
	}
	profiles->log = log;
	profiles->deadline_ns = INT64_MAX;
	profiles->folder = ibcc_state_folder_open(state_dir, error);
	if (!profiles->folder)
		goto fail;
	profiles->changes = ibcc_change_log_open(profiles->folder, journal, log);
	if (!profiles->changes) {
		(void)ccp_fail_no_memory(error);
		goto fail;
	}
	if (profile_path) {
		profiles->path = strdup(profile_path);
		if (!profiles->path) {
			(void)ccp_fail_no_memory(error);
			goto fail;
		}
		profiles->file = ibcc_profile_file_open(profile_path, error);
		if (!profiles->file)
			goto fail;
	}
	if (load(profiles, error))
		goto fail;
	if (!profiles->has_former)
		begin_as_found(profiles);
	if (profiles->file && !take_file(profiles))
		review_file(profiles);
	return profiles;
fail:
	ibcc_profiles_close(profiles);
	return NULL;
}

void ibcc_profiles_close(struct ibcc_profiles *profiles)
{
	static const struct ibcc_profile_state empty;

	if (!profiles)
		return;
	ibcc_profile_state_replace(&profiles->state, &empty);
	ibcc_profile_file_close(profiles->file);
	ibcc_change_log_close(profiles->changes);
	ibcc_state_folder_close(profiles->folder);
	free(profiles->path);
	free(profiles);
}

const struct ibcc_revision *ibcc_profiles_base(const struct ibcc_profiles *profiles)
{
	return profiles->state.base;
}

const struct ibcc_revision *ibcc_profiles_experiment(const struct ibcc_profiles *profiles)
{
	return profiles->state.experiment;
}

const struct ibcc_revision *ibcc_profiles_wanted(const struct ibcc_profiles *profiles)
{
	return profiles->state.experiment ? profiles->state.experiment : profiles->state.base;
}

void ibcc_profiles_keep_as_found(struct ibcc_profiles *profiles, bool has_as_found)
{
	profiles->has_as_found = has_as_found;
}

uint64_t ibcc_profiles_base_number(const struct ibcc_profiles *profiles)
{
	return profiles->state.base ? profiles->state.base->number : profiles->has_as_found ? IBCC_REVISION_AS_FOUND : 0;
}

uint64_t ibcc_profiles_wanted_number(const struct ibcc_profiles *profiles)
{
	return profiles->state.experiment ? profiles->state.experiment->number : ibcc_profiles_base_number(profiles);
}

uint32_t ibcc_profiles_history(const struct ibcc_profiles *profiles, const struct ibcc_revision *revisions[IBCC_MAX_HISTORY])
{
	for (uint32_t i = 0; i < profiles->state.num_history; i++)
		revisions[i] = profiles->state.history[i];
	return profiles->state.num_history;
}

const char *ibcc_profiles_complaint(const struct ibcc_profiles *profiles)
{
	if (profiles->complaint[0])
		return profiles->complaint;
	if (profiles->is_unsaved)
		return "the profile file is in force, but the state folder cannot be written: see the log";
	return profiles->not_in_force[0] ? profiles->not_in_force : NULL;
}

bool ibcc_profiles_file_is_in_force(const struct ibcc_profiles *profiles)
{
	return !profiles->complaint[0] && !profiles->not_in_force[0];
}

bool ibcc_profiles_was_cut_short(const struct ibcc_profiles *profiles)
{
	return profiles->was_cut_short;
}

bool ibcc_profiles_have_former(const struct ibcc_profiles *profiles)
{
	return profiles->has_former;
}

bool ibcc_profiles_tick(struct ibcc_profiles *profiles, int64_t now_ns)
{
	struct ccp_error error;
	bool has_changed = false;

	if (profiles->lacked_memory && profiles->read_next_ns <= now_ns) {
		profiles->read_next_ns = now_ns + RETRY_NS;
		has_changed = take_file(profiles);
	}
	if (profiles->is_unsaved && profiles->save_next_ns <= now_ns) {
		profiles->save_next_ns = now_ns + RETRY_NS;
		if (!ibcc_profiles_save(profiles, &profiles->state, &error))
			ibcc_log(profiles->log, IBCC_LOG_INFO, "the state folder can be written again");
	}
	return has_changed;
}

int64_t ibcc_profiles_next_ns(const struct ibcc_profiles *profiles)
{
	const int64_t save_ns = profiles->is_unsaved ? profiles->save_next_ns : INT64_MAX;
	const int64_t read_ns = profiles->lacked_memory ? profiles->read_next_ns : INT64_MAX;

	return save_ns < read_ns ? save_ns : read_ns;
}

int64_t ibcc_profiles_deadline_ns(const struct ibcc_profiles *profiles)
{
	return profiles->deadline_ns;
}

struct ibcc_change_log *ibcc_profiles_changes(const struct ibcc_profiles *profiles)
{
	return profiles->changes;
}

const struct ibcc_state_folder *ibcc_profiles_folder(const struct ibcc_profiles *profiles)
{
	return profiles->folder;
}

int ibcc_profiles_watch_fd(const struct ibcc_profiles *profiles)
{
	return profiles->file ? ibcc_profile_file_fd(profiles->file) : -1;
}

bool ibcc_profiles_file_event(struct ibcc_profiles *profiles)
{
	return profiles->file && ibcc_profile_file_drain(profiles->file) && take_file(profiles);
}
