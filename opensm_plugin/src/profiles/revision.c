/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _POSIX_C_SOURCE 200809L /* strndup() */
#include "profiles/revision.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ccpolicy/error_format.h"
#include "ccpolicy/reader.h"
#include "ccpolicy/writer.h"
#include "state/state_json.h"

const char *const ibcc_source_names[IBCC_NUM_SOURCES] = {
	[IBCC_SOURCE_FILE] = "file",         [IBCC_SOURCE_APPLY] = "apply",       [IBCC_SOURCE_COMMIT] = "commit",
	[IBCC_SOURCE_ROLLBACK] = "rollback", [IBCC_SOURCE_TAKEOVER] = "takeover",
};

/* The reader accepts UTF-16 with a byte order mark, and UTF-8 without NULs. */
static bool is_utf16(const char *text, size_t length)
{
	return length >= 2 && (!memcmp(text, "\xFE\xFF", 2) || !memcmp(text, "\xFF\xFE", 2));
}

static char *keep_text(const char *text, size_t length, const struct ccp_profile *profile)
{
	if (is_utf16(text, length))
		return ccp_profile_write(profile, CCP_FORMAT_YAML, NULL);
	char *kept = malloc(length + 1);
	if (kept) {
		memcpy(kept, text, length);
		kept[length] = '\0';
	}
	return kept;
}

struct ibcc_revision *ibcc_revision_create(const char *text, size_t length, uint64_t number, enum ibcc_source source,
					   struct ccp_error *error)
{
	return ibcc_revision_of(NULL, text, length, number, source, error);
}

struct ibcc_revision *ibcc_revision_of(struct ccp_profile *profile, const char *text, size_t length, uint64_t number,
				       enum ibcc_source source, struct ccp_error *error)
{
	struct ibcc_revision *revision;

	if (length > CCP_DOCUMENT_MAX_BYTES) {
		(void)ccp_fail(error, "the profile has %zu bytes, but must have at most %u", length, CCP_DOCUMENT_MAX_BYTES);
		ccp_profile_destroy(profile);
		return NULL;
	}
	revision = calloc(1, sizeof(*revision));
	if (!revision) {
		(void)ccp_fail_no_memory(error);
		ccp_profile_destroy(profile);
		return NULL;
	}
	revision->number = number;
	revision->source = source;
	revision->since_s = time(NULL);
	revision->profile = profile ? profile : ccp_profile_read(text, length, error);
	if (!revision->profile)
		goto fail;
	revision->text = keep_text(text, length, revision->profile);
	if (!revision->text) {
		(void)ccp_fail_no_memory(error);
		goto fail;
	}
	return revision;
fail:
	ibcc_revision_destroy(revision);
	return NULL;
}

struct ibcc_revision *ibcc_revision_again(const struct ibcc_revision *revision, uint64_t number, enum ibcc_source source,
					  struct ccp_error *error)
{
	struct ibcc_revision *again = calloc(1, sizeof(*again));

	if (again)
		again->text = strdup(revision->text);
	if (!again || !again->text) {
		free(again);
		(void)ccp_fail_no_memory(error);
		return NULL;
	}
	again->number = number;
	again->source = source;
	again->since_s = time(NULL);
	again->profile = revision->profile;
	return again;
}

void ibcc_revision_destroy(struct ibcc_revision *revision)
{
	if (!revision)
		return;
	ccp_profile_destroy(revision->profile);
	free(revision->text);
	free(revision);
}

json_t *ibcc_revision_to_json(const struct ibcc_revision *revision)
{
	/* Former releases read the file too, and refuse a source that they do not know. */
	const bool is_taken = revision && revision->source == IBCC_SOURCE_TAKEOVER;
	const enum ibcc_source source = is_taken ? IBCC_SOURCE_APPLY : revision ? revision->source : IBCC_SOURCE_FILE;

	if (!revision)
		return json_null();
	return json_pack("{s:I, s:s, s:b, s:I, s:s}", "number", (json_int_t)revision->number, "source", ibcc_source_names[source],
			 "taken_over", (int)is_taken, "since_s", (json_int_t)revision->since_s, "text", revision->text);
}

struct ibcc_revision *ibcc_revision_from_json(json_t *json, struct ccp_error *error)
{
	json_error_t json_error;
	json_int_t number, since_s;
	const char *source_name, *text;
	size_t length;
	unsigned source = 0;

	if (json_unpack_ex(json, &json_error, 0, "{s:I, s:s, s:I, s:s%}", "number", &number, "source", &source_name, "since_s",
			   &since_s, "text", &text, &length)) {
		(void)ibcc_fail_json(error, "a revision", &json_error);
		return NULL;
	}
	while (source < IBCC_NUM_SOURCES && strcmp(source_name, ibcc_source_names[source]))
		source++;
	if (source == IBCC_NUM_SOURCES || number < 1) {
		(void)ccp_fail(error, "a revision is wrong: number %lld from '%.32s'", (long long)number, source_name);
		return NULL;
	}
	if (json_is_true(json_object_get(json, "taken_over"))) /* older files lack it */
		source = IBCC_SOURCE_TAKEOVER;
	struct ibcc_revision *revision = ibcc_revision_create(text, length, (uint64_t)number, (enum ibcc_source)source, error);
	if (revision)
		revision->since_s = since_s;
	return revision;
}
