/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* device.tables: returns the tables that one device should hold, was sent, and holds, field by field. */
#include <stddef.h>

#include "devices/fields.h"
#include "methods/one_device.h"
#include "rpc/text.h"

static json_t *payload_json(const struct ibcc_item *item, const struct ibcc_payload *payload)
{
	return payload ? ibcc_fields_json(item->attribute, payload->bytes) : json_null();
}

static json_t *item_json(const struct ibcc_item *item)
{
	return json_pack("{s:s, s:i, s:o, s:b, s:b, s:b, s:i, s:o, s:o, s:o}", "attribute", ibcc_attribute_name(item->attribute),
			 "block", (int)item->block, "scope", item->scope ? json_integer(item->scope) : json_null(), "settled",
			 (int)ibcc_item_is_settled(item), "drifted", (int)item->drifted, "read", (int)item->read, "refusal",
			 (int)item->refusal, "wanted", payload_json(item, item->wanted), "sent", payload_json(item, item->asked),
			 "held", payload_json(item, item->held));
}

static json_t *tables(struct ibcc_call *call, struct ibcc_rpc_error *error)
{
	const struct ibcc_device *device = ibcc_param_device(call, error);
	json_t *items;
	int failed = 0;

	if (!device)
		return NULL;
	items = json_array();
	for (uint32_t i = 0; i < device->num_items && !failed; i++)
		failed = json_array_append_new(items, item_json(&device->items[i]));
	json_t *result =
		json_pack("{s:o, s:i, s:s, s:o}", "guid", ibcc_json_guid(device->node_guid), "port", (int)device->port, "state",
			  ibcc_device_states[ibcc_manager_device_state(call->manager, device)].name, "items", items);
	if (!failed)
		return result;
	json_decref(result);
	return NULL;
}

static const char *const params[] = {"guid", "port", NULL};
static struct ibcc_rpc_method method = {
	.name = "device.tables",
	.help = "Show the tables that a device should hold, was sent, and holds.",
	.params = params,
	.call = tables,
};
IBCC_RPC_METHOD(method)
