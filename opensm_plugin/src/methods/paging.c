/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "methods/paging.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "ccpolicy/error_format.h"
#include "rpc/params.h"

#define MAX_LIMIT 100000

struct cursor {
	uint64_t guid;
	unsigned port;
};

static int take_cursor(const struct ibcc_call *call, struct cursor *cursor, struct ibcc_rpc_error *error)
{
	const char *after = NULL;
	int end = 0;

	if (ibcc_param_text(call, "after", &after, error))
		return -1;
	if (!after)
		return 0;
	if (strlen(after) <= 22 && sscanf(after, "0x%16" SCNx64 "/%3u%n", &cursor->guid, &cursor->port, &end) == 2 && !after[end])
		return 0;
	char quoted[CCP_QUOTE_BYTES];
	ibcc_rpc_fail(error, IBCC_RPC_INVALID_PARAMS, "IBCC0601: after is %s, but must be `next` of the previous page",
		      ccp_quote(quoted, after, strlen(after)));
	return -1;
}

static bool is_after(const struct ibcc_device *device, const struct cursor *cursor)
{
	return device->node_guid > cursor->guid || (device->node_guid == cursor->guid && device->port > cursor->port);
}

json_t *ibcc_page(const struct ibcc_call *call, ibcc_add_device *add, const void *asked, struct ibcc_rpc_error *error)
{
	const struct ibcc_devices *devices = ibcc_manager_devices(call->manager);
	const bool from_begin = !json_object_get(call->params, "after");
	struct cursor cursor = {0};
	int64_t left = MAX_LIMIT;
	json_t *list, *next = json_null();

	if (ibcc_param_number(call, "limit", 1, MAX_LIMIT, &left, error) || take_cursor(call, &cursor, error))
		return NULL;
	const struct ibcc_device *last = NULL;
	int added = 0;
	list = json_array();
	for (uint32_t i = 0; i < devices->count && added >= 0; i++) {
		const struct ibcc_device *device = devices->list[i];

		if (!from_begin && !is_after(device, &cursor))
			continue;
		if (!left && last) {
			char text[32];
			snprintf(text, sizeof(text), "0x%016" PRIx64 "/%u", last->node_guid, last->port);
			next = json_string(text);
			break;
		}
		added = list ? add(device, asked, list) : -1;
		left -= added > 0;
		last = device;
	}
	json_t *result = json_pack("{s:o, s:o}", "devices", list, "next", next);
	if (added >= 0)
		return result;
	json_decref(result);
	return NULL;
}
