/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "profiles/profile_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ccpolicy/error_format.h"
#include "ccpolicy/reader.h"
#include "profiles/revision.h"

#define MAX_NUMBER ((uint64_t)1 << 53) /* numbers that every reader of JSON keeps exact */
/* A document of the largest size in each place, with as many newlines and quotes, which take two bytes, as characters. */
#define MAX_STATE_BYTES ((IBCC_MAX_HISTORY + 2) * 2 * (size_t)CCP_DOCUMENT_MAX_BYTES + 65536)

const struct ibcc_state_form ibcc_profile_state_form = {
	.name = "state.json",
	.version_key = "ibcc_opensm_state",
	.version = 1,
	.max_bytes = MAX_STATE_BYTES,
};

struct ibcc_file_content ibcc_file_content_of(const char *text, size_t length)
{
	uint64_t hash = UINT64_C(0xCBF29CE484222325);

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001B3);
	return (struct ibcc_file_content){.known = true, .bytes = length, .hash = hash};
}

static bool has(const struct ibcc_profile_state *state, const struct ibcc_revision *revision)
{
	if (revision == state->base || revision == state->experiment)
		return true;
	for (uint32_t i = 0; i < state->num_history; i++)
		if (revision == state->history[i])
			return true;
	return false;
}

void ibcc_profile_state_replace(struct ibcc_profile_state *state, const struct ibcc_profile_state *next)
{
	struct ibcc_profile_state old = *state;

	*state = *next;
	if (!has(state, old.base))
		ibcc_revision_destroy(old.base);
	if (!has(state, old.experiment))
		ibcc_revision_destroy(old.experiment);
	for (uint32_t i = 0; i < old.num_history; i++)
		if (!has(state, old.history[i]))
			ibcc_revision_destroy(old.history[i]);
}

void ibcc_profile_state_push(struct ibcc_profile_state *state, struct ibcc_revision *base)
{
	if (state->base) {
		if (state->num_history < IBCC_MAX_HISTORY)
			state->num_history++;
		memmove(state->history + 1, state->history, (state->num_history - 1) * sizeof(state->history[0]));
		state->history[0] = state->base;
	}
	state->base = base;
}

static json_t *file_to_json(const struct ibcc_file_content *file)
{
	char hash[24];

	if (!file->known)
		return json_null();
	snprintf(hash, sizeof(hash), "%016" PRIx64, file->hash);
	return json_pack("{s:I, s:s}", "bytes", (json_int_t)file->bytes, "hash", hash);
}

static json_t *history_to_json(const struct ibcc_profile_state *state)
{
	json_t *history = json_array();

	if (!history)
		return NULL;
	for (uint32_t i = 0; i < state->num_history; i++) {
		if (json_array_append_new(history, ibcc_revision_to_json(state->history[i]))) {
			json_decref(history);
			return NULL;
		}
	}
	return history;
}

int ibcc_profile_state_save(const struct ibcc_state_folder *folder, const struct ibcc_profile_state *state,
			    struct ccp_error *error)
{
	/* A NULL for one of the values makes json_pack fail, and free the others. */
	json_t *root = json_pack("{s:I, s:o, s:o, s:o, s:I, s:o}", "next_revision", (json_int_t)state->next_number, "file",
				 file_to_json(&state->file), "base", ibcc_revision_to_json(state->base), "experiment",
				 ibcc_revision_to_json(state->experiment), "ttl_s", (json_int_t)state->ttl_s, "history",
				 history_to_json(state));

	return ibcc_state_json_save(folder, &ibcc_profile_state_form, root, error);
}

static int read_file_content(json_t *json, struct ibcc_file_content *file, struct ccp_error *error)
{
	json_error_t json_error;
	json_int_t bytes;
	const char *hash;
	char *end;

	if (json_is_null(json))
		return 0;
	if (json_unpack_ex(json, &json_error, 0, "{s:I, s:s}", "bytes", &bytes, "hash", &hash))
		return ibcc_fail_json(error, "file", &json_error);
	file->known = true;
	file->bytes = (uint64_t)bytes;
	file->hash = strtoull(hash, &end, 16);
	return *hash && !*end ? 0 : ccp_fail(error, "file is wrong: hash is '%.32s'", hash);
}

static int read_revisions(json_t *base, json_t *history, struct ibcc_profile_state *state, struct ccp_error *error)
{
	if (!json_is_null(base)) {
		state->base = ibcc_revision_from_json(base, error);
		if (!state->base)
			return -1;
	}
	if (!json_is_array(history) || json_array_size(history) > IBCC_MAX_HISTORY)
		return ccp_fail(error, "history must be a list of at most %u revisions", IBCC_MAX_HISTORY);
	for (size_t i = 0; i < json_array_size(history); i++) {
		state->history[i] = ibcc_revision_from_json(json_array_get(history, i), error);
		if (!state->history[i])
			return -1;
		state->num_history++;
	}
	return 0;
}

/* 0; or -1, out of memory or broken as `error` says. */
static int read_state(json_t *root, struct ibcc_profile_state *state, bool *was_cut_short, struct ccp_error *error)
{
	json_error_t json_error;
	json_int_t next;
	json_t *file, *base, *experiment, *history;

	if (json_unpack_ex(root, &json_error, 0, "{s:I, s:o, s:o, s:o, s:o}", "next_revision", &next, "file", &file, "base",
			   &base, "experiment", &experiment, "history", &history))
		return ibcc_fail_json(error, "the state", &json_error);
	if (next < 1 || (uint64_t)next > MAX_NUMBER)
		return ccp_fail(error, "next_revision is %lld", (long long)next);
	state->next_number = (uint64_t)next;
	*was_cut_short = !json_is_null(experiment);
	return read_file_content(file, &state->file, error) || read_revisions(base, history, state, error) ? -1 : 0;
}

/* Returns the next number from a damaged state, if it can be found there, so that later revisions have new numbers. */
static uint64_t salvage_next_number(const struct ibcc_state_folder *folder)
{
	static const char key[] = "\"next_revision\":";
	struct ccp_error ignored;
	char *text = NULL;
	size_t length;

	if (ibcc_state_file_read(folder, ibcc_profile_state_form.name, MAX_STATE_BYTES, &text, &length, &ignored) <= 0)
		return 1;
	const char *at = strstr(text, key);
	unsigned long long number = at ? strtoull(at + sizeof(key) - 1, NULL, 10) : 0;
	free(text);
	return number >= 1 && number <= MAX_NUMBER ? number : 1;
}

enum ibcc_state_found ibcc_profile_state_load(const struct ibcc_state_folder *folder, struct ibcc_profile_state *state,
					      bool *was_cut_short, struct ccp_error *error)
{
	static const struct ibcc_profile_state empty = {.next_number = 1};
	json_t *root;

	*state = empty;
	*was_cut_short = false;
	enum ibcc_state_found found = ibcc_state_json_load(folder, &ibcc_profile_state_form, &root, error);
	if (found == IBCC_STATE_READ && read_state(root, state, was_cut_short, error)) {
		found = ibcc_error_is_no_memory(error) ? IBCC_STATE_FAILED : IBCC_STATE_BROKEN;
		ibcc_profile_state_replace(state, &empty);
		*was_cut_short = false;
	}
	if (found == IBCC_STATE_BROKEN)
		state->next_number = salvage_next_number(folder);
	json_decref(root);
	return found;
}
