/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* throttles.set: reports whether an adapter was seen to throttle. */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "changes/change_log.h"
#include "devices/throttle_reports.h"
#include "methods/one_device.h"
#include "rpc/params.h"
#include "rpc/server_settings.h"
#include "rpc/text.h"

#define NUM_THROTTLES 3u

static int take_report(const struct ibcc_call *call, struct ibcc_throttle_report *report, struct ibcc_rpc_error *error)
{
	const char *by = NULL;
	int throttles = IBCC_THROTTLES_UNKNOWN;

	if (ibcc_require_param(call, "throttles", error) || ibcc_require_param(call, "by", error) ||
	    ibcc_param_choice(call, "throttles", ibcc_throttles_names, NUM_THROTTLES, &throttles, error) ||
	    ibcc_param_text(call, "by", &by, error))
		return -1;
	if (!*by || strlen(by) >= sizeof(report->by)) {
		ibcc_rpc_fail(error, IBCC_RPC_INVALID_PARAMS, "IBCC0601: by has %zu bytes, but must have 1 to %zu", strlen(by),
			      sizeof(report->by) - 1);
		return -1;
	}
	const struct ibcc_device *device = ibcc_param_device(call, error);
	if (!device)
		return -1;
	if (device->kind != IBCC_CA) {
		ibcc_rpc_fail(error, IBCC_RPC_INVALID_PARAMS,
			      "IBCC0601: guid is a switch's, but must be a channel adapter's: switches do not throttle");
		error->guid = device->node_guid;
		return -1;
	}
	memset(report, 0, sizeof(*report));
	report->node_guid = device->node_guid;
	report->port = device->port;
	report->throttles = (enum ibcc_throttles)throttles;
	report->at_s = (int64_t)time(NULL);
	snprintf(report->by, sizeof(report->by), "%s", by);
	return 0;
}

static json_t *set(struct ibcc_call *call, struct ibcc_rpc_error *error)
{
	struct ibcc_throttle_report report;
	struct ccp_error why = {0};

	if (!call->settings->throttle_reports) {
		ibcc_rpc_fail(error, IBCC_RPC_DISK, "IBCC0711: reports cannot be kept: see OpenSM's log");
		return NULL;
	}
	if (take_report(call, &report, error))
		return NULL;
	/* Made before the report is kept: a call that fails has changed nothing. */
	json_t *result = json_pack("{s:o, s:i, s:s}", "guid", ibcc_json_guid(report.node_guid), "port", (int)report.port,
				   "throttles", ibcc_throttles_names[report.throttles]);
	if (!result)
		return NULL;
	if (ibcc_throttle_reports_add(call->settings->throttle_reports, &report, 1, &why)) {
		ibcc_rpc_fail(error, IBCC_RPC_DISK, "IBCC0711: %s", why.message);
		json_decref(result);
		return NULL;
	}
	const struct ibcc_change change = {.what = "throttles", .result = "acknowledged", .message = report.by};
	ibcc_change_log_add(ibcc_profiles_changes(ibcc_manager_profiles(call->manager)), &change, json_copy(result));
	return result;
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
