/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* congestion: returns the readings of CongestionLogs, a row for each device that was read. */
#include "devices/congestion.h"

#include <stddef.h>
#include <string.h>

#include "methods/paging.h"
#include "rpc/params.h"
#include "rpc/text.h"

/* [{key: index, readings: n}] of those above 0. */
static json_t *counts_json(const char *key, const uint32_t *counts, unsigned count)
{
	json_t *list = json_array();
	int failed = list ? 0 : -1;

	for (unsigned i = 0; i < count && !failed; i++)
		if (counts[i])
			failed = json_array_append_new(list,
						       json_pack("{s:i, s:I}", key, (int)i, "readings", (json_int_t)counts[i]));
	if (!failed)
		return list;
	json_decref(list);
	return NULL;
}

static json_t *flows_json(const struct ibcc_congestion *congestion)
{
	json_t *list = json_array();
	int failed = list ? 0 : -1;

	for (uint32_t i = 0; i < congestion->num_flows && !failed; i++) {
		const struct ibcc_congestion_flow *flow = &congestion->flows[i];
		failed = json_array_append_new(list, json_pack("{s:o, s:i, s:i}", "slid",
							       flow->slid ? json_integer(flow->slid) : json_null(), "dlid",
							       (int)flow->dlid, "sl", (int)flow->sl));
	}
	if (!failed)
		return list;
	json_decref(list);
	return NULL;
}

static int add(const struct ibcc_device *device, const void *asked, json_t *list)
{
	const struct ibcc_congestion *congestion = device->congestion;
	const uint64_t *guid = asked;
	const bool is_switch = device->kind == IBCC_SWITCH;

	if (!congestion || (*guid && device->node_guid != *guid))
		return 0;
	json_t *row = json_pack(
		"{s:o, s:i, s:s, s:o, s:I, s:I, s:I, s:o, s:o, s:o, s:o}", "guid", ibcc_json_guid(device->node_guid), "port",
		(int)device->port, "kind", is_switch ? "switch" : "ca", "description",
		ibcc_json_text(device->description, strlen(device->description)), "readings", (json_int_t)congestion->readings,
		"congested", (json_int_t)congestion->congested, "events", (json_int_t)congestion->events, "last_events_s",
		congestion->last_events_s ? json_integer(congestion->last_events_s) : json_null(), "ports",
		is_switch ? counts_json("port", congestion->ports, 256) : json_array(), "sls",
		is_switch ? json_array() : counts_json("sl", congestion->sls, CCP_NUM_SLS), "flows", flows_json(congestion));
	return json_array_append_new(list, row) ? -1 : 1;
}

static json_t *congestion(struct ibcc_call *call, struct ibcc_rpc_error *error)
{
	uint64_t guid = 0;

	if (ibcc_param_guid(call, "guid", &guid, error))
		return NULL;
	json_t *result = ibcc_page(call, add, &guid, error);
	if (!result)
		return NULL;
	if (!json_object_set_new(result, "interval_s", json_integer(ibcc_manager_options(call->manager)->log_interval_s)))
		return result;
	json_decref(result);
	return NULL;
}

static const char *const params[] = {"guid", "limit", "after", NULL};
static struct ibcc_rpc_method method = {
	.name = "congestion",
	.help = "Show the readings of CongestionLogs.",
	.params = params,
	.call = congestion,
};
IBCC_RPC_METHOD(method)
