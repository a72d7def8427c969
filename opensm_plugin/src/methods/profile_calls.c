/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "methods/profile_calls.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ccpolicy/reader.h"
#include "ccpolicy/resolve.h"
#include "profiles/revision.h"
#include "rpc/params.h"
#include "rpc/text.h"

int ibcc_param_document(const struct ibcc_call *call, struct ibcc_document *document, struct ibcc_rpc_error *error)
{
	const json_t *given = json_object_get(call->params, "profile");

	memset(document, 0, sizeof(*document));
	if (ibcc_require_param(call, "profile", error))
		return -1;
	if (json_is_string(given)) {
		document->text = json_string_value(given);
		document->length = json_string_length(given);
		return 0;
	}
	if (!json_is_object(given)) {
		ibcc_rpc_fail(error, IBCC_RPC_INVALID_PARAMS, "IBCC0601: profile must be the text of a document, or an object");
		return -1;
	}
	/* One key a line, so that what is wrong has a place. */
	document->own = json_dumps(given, JSON_INDENT(1));
	if (!document->own)
		return -1;
	document->text = document->own;
	document->length = strlen(document->own);
	return 0;
}

void ibcc_document_clear(struct ibcc_document *document)
{
	free(document->own);
	memset(document, 0, sizeof(*document));
}

/* `id`: of the message, as docs/operate/plugin-messages.md explains it. */
static void fail_at_place(struct ibcc_rpc_error *error, int code, const char *id, const struct ccp_error *why)
{
	if (why->line)
		ibcc_rpc_fail(error, code, "%s: profile, line %u: %s", id, why->line, why->message);
	else
		ibcc_rpc_fail(error, code, "%s: %s", id, why->message);
}

static void fail_as_invalid(struct ibcc_rpc_error *error, const struct ccp_error *why)
{
	fail_at_place(error, IBCC_RPC_INVALID_PARAMS, "IBCC0602", why);
}

struct ccp_profile *ibcc_document_read(const struct ibcc_call *call, const struct ibcc_document *document,
				       struct ibcc_rpc_error *error)
{
	const struct ibcc_snapshot *snapshot = ibcc_manager_snapshot(call->manager);
	struct ccp_error why = {0};
	struct ccp_profile *profile = ccp_profile_read(document->text, document->length, &why);

	if (!profile) {
		fail_as_invalid(error, &why);
		return NULL;
	}
	if (ibcc_manager_check(call->manager, profile, &why)) {
		fail_as_invalid(error, &why);
		ccp_profile_destroy(profile);
		return NULL;
	}
	struct ccp_tables *tables = snapshot ? ccp_resolve(profile, &snapshot->view, &why) : NULL;
	if (snapshot && !tables) {
		fail_as_invalid(error, &why);
		ccp_profile_destroy(profile);
		return NULL;
	}
	ccp_tables_destroy(tables);
	return profile;
}

int ibcc_check_role(const struct ibcc_call *call, struct ibcc_rpc_error *error)
{
	switch (ibcc_manager_role(call->manager)) {
	case IBCC_ROLE_DISCOVERING:
		ibcc_rpc_fail(error, IBCC_RPC_BUSY,
			      "IBCC0704: OpenSM is looking for other subnet managers; retry when it is MASTER or standby");
		return -1;
	case IBCC_ROLE_STANDBY:
		ibcc_rpc_fail(error, IBCC_RPC_BUSY, "IBCC0705: this OpenSM is standby; ask the plugin of the one that is master");
		return -1;
	case IBCC_ROLE_CONFLICT:
		ibcc_rpc_fail(error, IBCC_RPC_BUSY,
			      "IBCC0211: OpenSM's own congestion control is on; set congestion_control FALSE (or "
			      "mlnx_congestion_control 0, if "
			      "it is NVIDIA's) in opensm.conf, and send OpenSM a SIGHUP");
		return -1;
	default:
		return 0;
	}
}

int ibcc_check_revision(const struct ibcc_call *call, const struct ibcc_revision *meant, struct ibcc_rpc_error *error)
{
	int64_t revision = 0;

	if (ibcc_require_param(call, "revision", error) || ibcc_param_number(call, "revision", 1, INT64_MAX, &revision, error))
		return -1;
	if (!meant || meant->number == (uint64_t)revision)
		return 0;
	ibcc_rpc_fail(error, IBCC_RPC_CONFLICT,
		      "IBCC0706: revision is %" PRId64 ", but %s is revision %" PRIu64
		      ", profile '%.100s': somebody else changed it first",
		      revision, meant == ibcc_profiles_base(ibcc_manager_profiles(call->manager)) ? "the base" : "the trial run",
		      meant->number, meant->profile->name);
	return -1;
}

void ibcc_profiles_fail(struct ibcc_rpc_error *error, enum ibcc_profiles_fault fault, const struct ccp_error *why)
{
	static const struct {
		int code;
		const char *id;
	} refusals[] = {
		[IBCC_PROFILES_OK] = {IBCC_RPC_INTERNAL_ERROR, "IBCC0506"},
		[IBCC_PROFILES_INVALID] = {IBCC_RPC_INVALID_PARAMS, "IBCC0602"},
		[IBCC_PROFILES_BUSY] = {IBCC_RPC_BUSY, "IBCC0713"},
		[IBCC_PROFILES_CONFLICT] = {IBCC_RPC_CONFLICT, "IBCC0706"},
		[IBCC_PROFILES_NOTHING] = {IBCC_RPC_NOTHING, "IBCC0714"},
		[IBCC_PROFILES_DISK] = {IBCC_RPC_DISK, "IBCC0712"},
	};

	fail_at_place(error, refusals[fault].code, refusals[fault].id, why);
}

json_t *ibcc_change_result(void)
{
	return json_pack("{s:i, s:i}", "revision", 0, "job", 0);
}

static void fill_in(json_t *result, const char *key, uint64_t number)
{
	if (number)
		json_integer_set(json_object_get(result, key), (json_int_t)ibcc_revision_shown(number));
	else
		json_object_set_new(result, key, json_null()); /* in the place of the number */
}

void ibcc_change_done(const struct ibcc_call *call, json_t *result, const char *kind)
{
	const uint64_t job = ibcc_manager_converge(call->manager, kind);

	fill_in(result, "revision", ibcc_profiles_wanted_number(ibcc_manager_profiles(call->manager)));
	fill_in(result, "job", job);
}

json_t *ibcc_revision_json(const struct ibcc_revision *revision)
{
	return json_pack("{s:I, s:o, s:b, s:s, s:I}", "revision", (json_int_t)revision->number, "name",
			 ibcc_json_text(revision->profile->name, strlen(revision->profile->name)), "enable",
			 (int)revision->profile->enable, "source", ibcc_source_names[revision->source], "since_s",
			 (json_int_t)revision->since_s);
}
