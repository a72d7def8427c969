/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* nvidia.probe: asks all devices anew whether they have NVIDIA's attributes, tests their answers, and may read what they hold; nothing is set. */
#include <stddef.h>

#include "methods/profile_calls.h"
#include "rpc/params.h"

enum read {
	FACTS,
	VALUES,
};
static const char *const read_names[] = {"facts", "values"};

static json_t *probe(struct ibcc_call *call, struct ibcc_rpc_error *error)
{
	json_t *result;
	int read = FACTS;

	if (ibcc_param_choice(call, "read", read_names, sizeof(read_names) / sizeof(read_names[0]), &read, error) ||
	    ibcc_check_role(call, error))
		return NULL;
	result = json_pack("{s:i}", "job", 0);
	if (!result)
		return NULL;
	const uint64_t job = ibcc_manager_probe_nvidia(call->manager, read == VALUES);
	if (!job) {
		const char *pending = ibcc_manager_pending(call->manager);
		json_decref(result);
		ibcc_rpc_fail(error, IBCC_RPC_BUSY, "IBCC0702: devices cannot be asked now: %s",
			      pending ? pending : "no sweep of this OpenSM has ended yet");
		return NULL;
	}
	json_integer_set(json_object_get(result, "job"), (json_int_t)job);
	return result;
}

static const char *const params[] = {"read", NULL};
static struct ibcc_rpc_method method = {
	.name = "nvidia.probe",
	.help = "Ask all devices which congestion-control attributes they have.",
	.params = params,
	.call = probe,
};
IBCC_RPC_METHOD(method)
