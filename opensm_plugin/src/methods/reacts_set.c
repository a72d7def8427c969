/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * throttles.set: whether an adapter was seen to throttle, as reported by whoever has measured it. reacts.set is its old name, by which it
 * can be called until 0.3.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "change_log.h"
#include "one_device.h"
#include "reacts.h"
#include "rpc/params.h"
#include "rpc/server.h"
#include "rpc/text.h"

#define NUM_REACTS 3u

static int take_report(const struct ibcc_call *call, const char *key, struct ibcc_reacts_report *report,
		       struct ibcc_rpc_error *error)
{
	const char *by = NULL;
	int reacts = IBCC_REACTS_UNKNOWN;

	if (ibcc_need(call, key, error) || ibcc_need(call, "by", error) ||
	    ibcc_take_choice(call, key, ibcc_reacts_names, NUM_REACTS, &reacts, error) || ibcc_take_text(call, "by", &by, error))
		return -1;
	if (!*by || strlen(by) >= sizeof(report->by)) {
		ibcc_rpc_fail(error, IBCC_RPC_INVALID_PARAMS, "by is %zu bytes long; it may have 1 to %zu", strlen(by),
			      sizeof(report->by) - 1);
		return -1;
	}
	const struct ibcc_device *device = ibcc_take_device(call, error);
	if (!device)
		return -1;
	if (device->kind != IBCC_CA) {
		ibcc_rpc_fail(error, IBCC_RPC_INVALID_PARAMS, "guid is a switch's; only channel adapters throttle");
		error->guid = device->node_guid;
		return -1;
	}
	memset(report, 0, sizeof(*report));
	report->node_guid = device->node_guid;
	report->port = device->port;
	report->reacts = (enum ibcc_reacts)reacts;
	report->at_s = (int64_t)time(NULL);
	snprintf(report->by, sizeof(report->by), "%s", by);
	return 0;
}

static json_t *set_by(const char *key, struct ibcc_call *call, struct ibcc_rpc_error *error)
{
	struct ibcc_reacts_report report;
	struct ccp_error why = {0};

	if (!call->settings->reacts) {
		ibcc_rpc_fail(error, IBCC_RPC_DISK, "reports cannot be kept: OpenSM's log says why");
		return NULL;
	}
	if (take_report(call, key, &report, error))
		return NULL;
	/* Built before the report is kept: a client that is told of a failure may rely on that nothing has changed. */
	json_t *result = json_pack("{s:o, s:i, s:s}", "guid", ibcc_json_guid(report.node_guid), "port", (int)report.port, key,
				   ibcc_reacts_names[report.reacts]);
	if (!result)
		return NULL;
	if (ibcc_reacts_store_take(call->settings->reacts, &report, 1, &why)) {
		ibcc_rpc_fail(error, IBCC_RPC_DISK, "%s", why.message);
		json_decref(result);
		return NULL;
	}
	const struct ibcc_change change = {.what = "throttles", .result = "acknowledged", .message = report.by};
	ibcc_change_log_add(ibcc_profiles_changes(ibcc_manager_profiles(call->manager)), &change, json_copy(result));
	return result;
}

static json_t *set(struct ibcc_call *call, struct ibcc_rpc_error *error)
{
	return set_by("throttles", call, error);
}

static json_t *set_by_old_name(struct ibcc_call *call, struct ibcc_rpc_error *error)
{
	return set_by("reacts", call, error);
}

static const char *const params[] = {"guid", "port", "throttles", "by", NULL};
static struct ibcc_rpc_method method = {
	.name = "throttles.set",
	.help = "Report whether an adapter was seen to throttle.",
	.params = params,
	.changes = true,
	.call = set,
};
IBCC_RPC_METHOD(method)

static const char *const old_params[] = {"guid", "port", "reacts", "by", NULL};
static struct ibcc_rpc_method old_method = {
	.name = "reacts.set",
	.help = "Do the same as throttles.set, by its old name.",
	.params = old_params,
	.changes = true,
	.call = set_by_old_name,
};
IBCC_RPC_METHOD(old_method)
