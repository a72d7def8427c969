/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* verify: reads back all that devices hold, and repairs what differs. */
#include <stddef.h>

#include "methods/profile_calls.h"

static json_t *verify(struct ibcc_call *call, struct ibcc_rpc_error *error)
{
	if (ibcc_check_role(call, error))
		return NULL;
	const uint64_t job = ibcc_manager_verify(call->manager);
	if (!job) {
		const char *pending = ibcc_manager_pending(call->manager);
		ibcc_rpc_fail(error, IBCC_RPC_BUSY, "IBCC0701: nothing can be verified now: %s",
			      pending ? pending : "there is no profile");
		return NULL;
	}
	return json_pack("{s:I}", "job", (json_int_t)job);
}

static const char *const params[] = {NULL};
static struct ibcc_rpc_method method = {
	.name = "verify",
	.help = "Read back what all devices hold.",
	.params = params,
	.call = verify,
};
IBCC_RPC_METHOD(method)
