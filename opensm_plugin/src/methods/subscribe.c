/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* subscribe: chooses the events that the client receives. */
#include <stddef.h>
#include <stdio.h>

#include "ccpolicy/error_format.h"
#include "rpc/client.h"
#include "rpc/events.h"
#include "rpc/method.h"

static const char *list_events(char *names, size_t bytes)
{
	size_t at = 0;

	for (unsigned i = 0; i < IBCC_NUM_EVENTS && at < bytes; i++)
		at += (size_t)snprintf(names + at, bytes - at, "%s%s", i ? ", " : "", ibcc_event_names[i]);
	return names;
}

static int take_events(const json_t *list, uint32_t *events, struct ibcc_rpc_error *error)
{
	size_t i;
	const json_t *each;

	if (!json_is_array(list)) {
		ibcc_rpc_fail(error, IBCC_RPC_INVALID_PARAMS, "IBCC0601: events must be a list of names");
		return -1;
	}
	json_array_foreach(list, i, each)
	{
		int event = json_is_string(each) ? ibcc_event_find(json_string_value(each)) : -1;
		char quoted[CCP_QUOTE_BYTES];

		if (event < 0) {
			char names[256];
			ibcc_rpc_fail(
				error, IBCC_RPC_INVALID_PARAMS, "IBCC0601: there is no event %s; there are %s",
				ccp_quote(quoted, json_is_string(each) ? json_string_value(each) : "", json_string_length(each)),
				list_events(names, sizeof(names)));
			return -1;
		}
		*events |= 1u << event;
	}
	return 0;
}

static json_t *subscribe(struct ibcc_call *call, struct ibcc_rpc_error *error)
{
	const json_t *list = json_object_get(call->params, "events");
	uint32_t events = list ? 0 : (1u << IBCC_NUM_EVENTS) - 1;

	if (list && take_events(list, &events, error))
		return NULL;
	json_t *names = json_array();
	int failed = names ? 0 : -1;
	for (unsigned i = 0; i < IBCC_NUM_EVENTS; i++)
		if (events & 1u << i)
			failed |= json_array_append_new(names, json_string(ibcc_event_names[i]));
	json_t *result = json_pack("{s:o}", "events", names);
	if (failed || !result) {
		json_decref(result);
		return NULL;
	}
	call->client->events = events;
	return result;
}

static const char *const params[] = {"events", NULL};
static struct ibcc_rpc_method method = {
	.name = "subscribe",
	.help = "Choose the events that this connection receives.",
	.params = params,
	.call = subscribe,
};
IBCC_RPC_METHOD(method)
