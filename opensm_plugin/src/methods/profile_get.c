/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* profile.get: returns a profile that is or was in force, with its document. */
#include <inttypes.h>
#include <stddef.h>

#include "methods/profile_calls.h"
#include "rpc/params.h"

enum which {
	WANTED,
	BASE,
	EXPERIMENT,
};
static const char *const which_names[] = {"wanted", "base", "experiment"};

static const struct ibcc_revision *find(const struct ibcc_profiles *profiles, enum which which, uint64_t number)
{
	const struct ibcc_revision *now[] = {
		[WANTED] = ibcc_profiles_wanted(profiles),
		[BASE] = ibcc_profiles_base(profiles),
		[EXPERIMENT] = ibcc_profiles_experiment(profiles),
	};
	const struct ibcc_revision *history[IBCC_MAX_HISTORY];
	uint32_t count = ibcc_profiles_history(profiles, history);

	if (!number)
		return now[which];
	for (unsigned i = 0; i < sizeof(now) / sizeof(now[0]); i++)
		if (now[i] && now[i]->number == number)
			return now[i];
	for (uint32_t i = 0; i < count; i++)
		if (history[i]->number == number)
			return history[i];
	return NULL;
}

static json_t *get(struct ibcc_call *call, struct ibcc_rpc_error *error)
{
	const struct ibcc_profiles *profiles = ibcc_manager_profiles(call->manager);
	const struct ibcc_revision *history[IBCC_MAX_HISTORY];
	int which = WANTED;
	int64_t number = 0;

	if (ibcc_param_choice(call, "which", which_names, sizeof(which_names) / sizeof(which_names[0]), &which, error) ||
	    ibcc_param_number(call, "revision", 1, INT64_MAX, &number, error))
		return NULL;
	const struct ibcc_revision *revision = find(profiles, (enum which)which, (uint64_t)number);
	if (!revision && number)
		ibcc_rpc_fail(error, IBCC_RPC_NOTHING, "IBCC0709: revision %" PRId64 " is not kept", number);
	else if (!revision)
		ibcc_rpc_fail(error, IBCC_RPC_NOTHING, "IBCC0709: there is no %s profile", which_names[which]);
	if (!revision)
		return NULL;

	json_t *kept = json_array(), *result = ibcc_revision_json(revision);
	uint32_t count = ibcc_profiles_history(profiles, history);
	int failed = kept ? 0 : -1;
	for (uint32_t i = 0; i < count; i++)
		failed |= json_array_append_new(kept, ibcc_revision_json(history[i]));
	failed |= json_object_set_new(result, "history", kept);
	failed |= json_object_set_new(result, "document", json_string(revision->text));
	if (!failed)
		return result;
	json_decref(result);
	return NULL;
}

static const char *const params[] = {"which", "revision", NULL};
static struct ibcc_rpc_method method = {
	.name = "profile.get",
	.help = "Get the document of the wanted profile, the base, the trial run, or a former base.",
	.params = params,
	.call = get,
};
IBCC_RPC_METHOD(method)
