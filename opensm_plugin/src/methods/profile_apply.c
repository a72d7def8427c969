/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* profile.apply: applies a profile: with ttl_s as a trial run (0: until commit or rollback), without as the new base. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "ccpolicy/profile.h"
#include "methods/profile_calls.h"
#include "rpc/params.h"

static int take_owner(const struct ibcc_call *call, int64_t ttl_s, const char **owner, struct ibcc_rpc_error *error)
{
	if (ibcc_param_text(call, "owner", owner, error))
		return -1;
	if (**owner && ttl_s < 0) {
		ibcc_rpc_fail(error, IBCC_RPC_INVALID_PARAMS, "IBCC0601: owner needs ttl_s: only a trial run has an owner");
		return -1;
	}
	if (strlen(*owner) > IBCC_MAX_OWNER_BYTES) {
		ibcc_rpc_fail(error, IBCC_RPC_INVALID_PARAMS, "IBCC0601: owner has %zu bytes, but must have at most %u",
			      strlen(*owner), IBCC_MAX_OWNER_BYTES);
		return -1;
	}
	return 0;
}

static json_t *apply(struct ibcc_call *call, struct ibcc_rpc_error *error)
{
	struct ibcc_profiles *profiles = ibcc_manager_profiles(call->manager);
	struct ibcc_document document;
	struct ccp_error why = {0};
	enum ibcc_profiles_fault fault;
	int64_t ttl_s = -1, if_revision = 0;
	const char *owner = "";
	json_t *result = NULL;

	if (ibcc_param_number(call, "ttl_s", 0, IBCC_MAX_TTL_S, &ttl_s, error) ||
	    ibcc_param_number(call, "if_revision", 1, INT64_MAX, &if_revision, error) || take_owner(call, ttl_s, &owner, error) ||
	    ibcc_check_role(call, error) || ibcc_param_document(call, &document, error))
		return NULL;
	struct ccp_profile *profile = ibcc_document_read(call, &document, error);
	if (!profile)
		goto done;
	result = ibcc_change_result();
	if (!result) {
		ccp_profile_destroy(profile);
		goto done;
	}
	if (ttl_s < 0)
		fault = ibcc_profiles_replace_base_by(profiles, profile, document.text, document.length, (uint64_t)if_revision,
						      &why);
	else
		fault = ibcc_profiles_begin_experiment_of(profiles, profile, document.text, document.length, (uint32_t)ttl_s,
							  owner, (uint64_t)if_revision, call->now_ns, &why);
	if (fault) {
		ibcc_profiles_fail(error, fault, &why);
		json_decref(result);
		result = NULL;
	} else {
		ibcc_change_done(call, result, "apply");
	}
done:
	ibcc_document_clear(&document);
	return result;
}

static const char *const params[] = {"profile", "ttl_s", "if_revision", "owner", NULL};
static struct ibcc_rpc_method method = {
	.name = "profile.apply",
	.help = "Apply a profile, for a time or for good.",
	.params = params,
	.changes = true,
	.call = apply,
};
IBCC_RPC_METHOD(method)
