/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* changes: returns lines of the log of changes, the latest last. */
#include "changes/change_log.h"

#include <stddef.h>

#include "rpc/method.h"
#include "rpc/params.h"

#define DEFAULT_LIMIT 50
#define MAX_LIMIT 1000

static json_t *list_changes(struct ibcc_call *call, struct ibcc_rpc_error *error)
{
	const struct ibcc_change_log *changes = ibcc_profiles_changes(ibcc_manager_profiles(call->manager));
	struct ccp_error why = {0};
	int64_t before = 0, limit = DEFAULT_LIMIT;

	if (ibcc_param_number(call, "before", 1, INT64_MAX, &before, error) ||
	    ibcc_param_number(call, "limit", 1, MAX_LIMIT, &limit, error))
		return NULL;
	json_t *lines = ibcc_change_log_read(changes, (uint64_t)before, (uint32_t)limit, &why);
	if (!lines) {
		if (why.message[0])
			ibcc_rpc_fail(error, IBCC_RPC_DISK, "IBCC0712: %s", why.message);
		return NULL;
	}
	return json_pack("{s:o}", "changes", lines);
}

static const char *const params[] = {"before", "limit", NULL};
static struct ibcc_rpc_method method = {
	.name = "changes",
	.help = "Show who changed what.",
	.params = params,
	.call = list_changes,
};
IBCC_RPC_METHOD(method)
