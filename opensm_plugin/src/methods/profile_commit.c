/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* profile.commit: makes the trial run of that revision the base. Devices hold it already, or are being brought to it. */
#include <stdbool.h>
#include <stddef.h>

#include "methods/profile_calls.h"

static json_t *commit(struct ibcc_call *call, struct ibcc_rpc_error *error)
{
	struct ccp_error why = {0};
	enum ibcc_profiles_fault fault;

	if (ibcc_check_role(call, error) ||
	    ibcc_check_revision(call, ibcc_profiles_experiment(ibcc_manager_profiles(call->manager)), error))
		return NULL;
	json_t *result = ibcc_change_result();
	if (!result)
		return NULL;
	fault = ibcc_profiles_commit_experiment(ibcc_manager_profiles(call->manager), &why);
	if (fault) {
		ibcc_profiles_fail(error, fault, &why);
		json_decref(result);
		return NULL;
	}
	ibcc_change_done(call, result, "apply");
	return result;
}

static const char *const params[] = {"revision", NULL};
static struct ibcc_rpc_method method = {
	.name = "profile.commit",
	.help = "Make the trial run the base profile.",
	.params = params,
	.changes = true,
	.call = commit,
};
IBCC_RPC_METHOD(method)
