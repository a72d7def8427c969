/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* as_found: returns what devices were found with, field by field. */
#include <stddef.h>
#include <string.h>

#include "devices/fields.h"
#include "devices/nvidia_items.h"
#include "methods/paging.h"
#include "rpc/object.h"
#include "rpc/params.h"
#include "rpc/text.h"

static json_t *item_json(const struct ibcc_found *found, const struct ibcc_found_item *item)
{
	return json_pack("{s:s, s:i, s:b, s:o}", "attribute", ibcc_attribute_name(item->attribute), "block", (int)item->block,
			 "has_effect", (int)ibcc_found_has_effect(found, item), "held",
			 item->payload ? ibcc_fields_json(item->attribute, item->payload->bytes) : json_null());
}

static json_t *items_json(const struct ibcc_found *found)
{
	json_t *items = json_array();
	int failed = items ? 0 : -1;

	for (uint32_t i = 0; i < found->num_items && !failed; i++)
		failed = json_array_append_new(items, item_json(found, &found->items[i]));
	if (!failed)
		return items;
	json_decref(items);
	return NULL;
}

static json_t *algorithm_json(const struct ccp_ppcc_algorithm *algorithm)
{
	return algorithm->algo_id ? json_pack("[i, i, i]", (int)algorithm->algo_id, (int)algorithm->major, (int)algorithm->minor)
				  : json_null();
}

static json_t *nvidia_items_json(const struct ibcc_found *found)
{
	json_t *items = json_array();
	int failed = items ? 0 : -1;

	for (uint32_t i = 0; i < found->num_items && !failed; i++) {
		const struct ibcc_found_item *item = &found->items[i];

		failed = json_array_append_new(
			items, json_pack("{s:s, s:I, s:o, s:o, s:o}", "attribute", ibcc_attribute_name(item->attribute), "block",
					 (json_int_t)item->block, "scope", item->scope ? json_integer(item->scope) : json_null(),
					 "algorithm", algorithm_json(&item->algorithm), "held",
					 ibcc_fields_json(item->attribute, item->payload->bytes)));
	}
	if (!failed)
		return items;
	json_decref(items);
	return NULL;
}

/* Null: NVIDIA's attributes were not read, or the device has none. */
static json_t *nvidia_json(const struct ibcc_found *found)
{
	return found ? json_pack("{s:I, s:b, s:b, s:o}", "at_s", (json_int_t)found->at_s, "kept", (int)found->frozen, "on",
				 (int)ibcc_nvidia_found_is_on(found), "items", nvidia_items_json(found))
		     : json_null();
}

static int add(const struct ibcc_device *device, const void *data, json_t *list)
{
	static const struct ibcc_found nothing; /* of annex A10's attributes */
	const struct ibcc_found *nvidia =
		device->rules ? ibcc_nvidia_founds_find(device->rules->founds, device->node_guid, device->port) : NULL;
	const struct ibcc_found *found = device->found ? device->found : &nothing;
	const uint64_t *guid = data;

	if ((!device->found && !nvidia) || (*guid && device->node_guid != *guid))
		return 0;
	const struct ibcc_json_member members[] = {
		{"guid", ibcc_json_guid(device->node_guid)},
		{"port", json_integer(device->port)},
		{"kind", json_string(device->kind == IBCC_SWITCH ? "switch" : "ca")},
		{"description", ibcc_json_text(device->description, strlen(device->description))},
		{"num_ports", json_integer((json_int_t)device->num_ports)},
		{"present", json_boolean(device->present)},
		{"at_s", json_integer((json_int_t)(device->found ? found->at_s : nvidia->at_s))},
		{"kept", json_boolean(found->frozen || (nvidia && nvidia->frozen))},
		{"items", items_json(found)},
		{"nvidia", nvidia_json(nvidia)},
	};

	return json_array_append_new(list, ibcc_json_object(members, sizeof(members) / sizeof(members[0]))) ? -1 : 1;
}

static json_t *as_found(struct ibcc_call *call, struct ibcc_rpc_error *error)
{
	const char *reason;
	uint64_t guid = 0;

	if (ibcc_param_guid(call, "guid", &guid, error))
		return NULL;
	if (!ibcc_manager_as_found(call->manager, &reason)) {
		ibcc_rpc_fail(error, IBCC_RPC_NOTHING, "IBCC0708: what devices were found with is not kept: %s", reason);
		return NULL;
	}
	return ibcc_page(call, add, &guid, error);
}

static const char *const params[] = {"guid", "limit", "after", NULL};
static struct ibcc_rpc_method method = {
	.name = "as_found",
	.help = "Show what devices were found with before anything was set.",
	.params = params,
	.call = as_found,
};
IBCC_RPC_METHOD(method)
