/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* profile.rollback: ends the trial run of that revision; without one, replaces the base of that revision by the former base. */
#include <stdbool.h>
#include <stddef.h>

#include "methods/profile_calls.h"

static json_t *rollback(struct ibcc_call *call, struct ibcc_rpc_error *error)
{
	struct ibcc_profiles *profiles = ibcc_manager_profiles(call->manager);
	const bool experiment = ibcc_profiles_experiment(profiles) != NULL;
	struct ccp_error why = {0};
	enum ibcc_profiles_fault fault;

	if (ibcc_check_role(call, error) || ibcc_check_revision(call, ibcc_profiles_wanted(profiles), error))
		return NULL;
	json_t *result = ibcc_change_result();
	if (json_object_set_new(result, "ended_experiment", json_boolean(experiment)))
		goto failed;
	fault = experiment ? ibcc_profiles_end_experiment(profiles, &why) : ibcc_profiles_rollback_base(profiles, &why);
	if (fault) {
		ibcc_profiles_fail(error, fault, &why);
		goto failed;
	}
	ibcc_change_done(call, result, "restore");
	return result;
failed:
	json_decref(result);
	return NULL;
}

static const char *const params[] = {"revision", NULL};
static struct ibcc_rpc_method method = {
	.name = "profile.rollback",
	.help = "End the trial run, or return to the former base profile.",
	.params = params,
	.changes = true,
	.call = rollback,
};
IBCC_RPC_METHOD(method)
