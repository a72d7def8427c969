/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* profile.renew: gives the trial run another time limit. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "methods/profile_calls.h"
#include "rpc/params.h"

static json_t *renew(struct ibcc_call *call, struct ibcc_rpc_error *error)
{
	int64_t revision = 0, ttl_s = 0;
	struct ccp_error why = {0};

	if (ibcc_require_param(call, "revision", error) || ibcc_require_param(call, "ttl_s", error) ||
	    ibcc_param_number(call, "revision", 1, INT64_MAX, &revision, error) ||
	    ibcc_param_number(call, "ttl_s", 0, IBCC_MAX_TTL_S, &ttl_s, error))
		return NULL;
	json_t *result = json_pack("{s:I, s:I}", "revision", (json_int_t)revision, "ttl_s", (json_int_t)ttl_s);
	if (!result)
		return NULL;
	enum ibcc_profiles_fault fault = ibcc_profiles_renew_experiment(ibcc_manager_profiles(call->manager), (uint64_t)revision,
									(uint32_t)ttl_s, call->now_ns, &why);
	if (!fault)
		return result;
	ibcc_profiles_fail(error, fault, &why);
	json_decref(result);
	return NULL;
}

static const char *const params[] = {"revision", "ttl_s", NULL};
static struct ibcc_rpc_method method = {
	.name = "profile.renew",
	.help = "Renew the time limit of the trial run.",
	.params = params,
	.changes = true,
	.call = renew,
};
IBCC_RPC_METHOD(method)
