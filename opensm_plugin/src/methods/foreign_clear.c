/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* foreign.clear: clears NVIDIA's attributes of devices that somebody else has switched on. */
#include <stddef.h>

#include "changes/change_log.h"
#include "methods/profile_calls.h"
#include "rpc/params.h"

static void record(const struct ibcc_call *call, uint32_t count)
{
	const struct ibcc_profiles *profiles = ibcc_manager_profiles(call->manager);
	const struct ibcc_revision *wanted = ibcc_profiles_wanted(profiles);
	const struct ibcc_change change = {.what = "clear-foreign",
					   .revision = wanted ? wanted->number : 0,
					   .profile = wanted ? wanted->profile->name : NULL,
					   .result = "acknowledged"};

	ibcc_change_log_add(ibcc_profiles_changes(profiles), &change, json_pack("{s:I}", "foreign", (json_int_t)count));
}

static json_t *clear(struct ibcc_call *call, struct ibcc_rpc_error *error)
{
	struct ccp_error why = {.message = ""};
	uint64_t guid = 0, job;
	uint32_t count;
	json_t *result;

	if (ibcc_check_role(call, error) || ibcc_param_guid(call, "guid", &guid, error))
		return NULL;
	result = json_pack("{s:i, s:i}", "devices", 0, "job", 0);
	if (!result)
		return NULL;
	job = ibcc_manager_clear_foreign(call->manager, guid, &count, &why);
	if (!count) {
		json_decref(result);
		ibcc_rpc_fail(error, IBCC_RPC_NOTHING, "IBCC0710: %s", why.message);
		return NULL;
	}
	record(call, count);
	json_integer_set(json_object_get(result, "devices"), count);
	if (job)
		json_integer_set(json_object_get(result, "job"), (json_int_t)job);
	else
		json_object_set_new(result, "job", json_null());
	return result;
}

static const char *const params[] = {"guid", NULL};
static struct ibcc_rpc_method method = {
	.name = "foreign.clear",
	.help = "Clear NVIDIA's attributes of devices that somebody else has switched on.",
	.params = params,
	.changes = true,
	.call = clear,
};
IBCC_RPC_METHOD(method)
