/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _POSIX_C_SOURCE 200809L /* clock_gettime() */
/* devices: returns a row for each switch and each port of a channel adapter. */
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "base/ns.h"
#include "devices/fields.h"
#include "devices/nvidia_json.h"
#include "devices/throttle_reports.h"
#include "mad/cc_mad.h"
#include "manager/topology_json.h"
#include "methods/paging.h"
#include "rpc/object.h"
#include "rpc/params.h"
#include "rpc/server_settings.h"
#include "rpc/text.h"

static const char *const kind_names[] = {[IBCC_SWITCH] = "switch", [IBCC_CA] = "ca"};

struct asked {
	int state; /* -1: any */
	int kind;
	uint64_t guid; /* 0: any */
	int64_t now_ns;
	const struct ibcc_manager *manager;
	const struct ibcc_throttle_reports *throttle_reports;
};

static const char *throttles_name(const struct ibcc_throttle_reports *reports, const struct ibcc_device *device)
{
	const struct ibcc_throttle_report *report =
		reports ? ibcc_throttle_reports_find(reports, device->node_guid, device->port) : NULL;

	return ibcc_throttles_names[report ? report->throttles : IBCC_THROTTLES_UNKNOWN];
}

/* Converts a time of the monotonic clock to the wall clock's. In nanoseconds, or one time would be told as two seconds in turn. */
static int64_t wall_s(const struct asked *asked, int64_t at_ns)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	return ((int64_t)now.tv_sec * NS_PER_S + now.tv_nsec - (asked->now_ns - at_ns)) / NS_PER_S;
}

static json_t *status_or_null(uint16_t status)
{
	char text[64];

	return status ? json_string(ibcc_status_text(status, text, sizeof(text))) : json_null();
}

static json_t *refused_json(const struct ibcc_device *device)
{
	json_t *list = json_array();
	int failed = list ? 0 : -1;

	for (uint32_t i = 0; i < device->num_items && json_array_size(list) < IBCC_MOST_DIFFERENCES && !failed; i++) {
		const struct ibcc_item *item = &device->items[i];
		if (item->refusal)
			failed = json_array_append_new(list, json_pack("{s:s, s:i, s:i, s:o}", "attribute",
								       ibcc_attribute_name(item->attribute), "block",
								       (int)item->block, "status", (int)item->refusal, "text",
								       status_or_null(item->refusal)));
	}
	if (!failed)
		return list;
	json_decref(list);
	return NULL;
}

static json_t *differences_json(const struct ibcc_device *device)
{
	json_t *list = json_array();
	int failed = list ? 0 : -1;

	for (uint32_t i = 0; i < device->num_items && !failed; i++) {
		const struct ibcc_item *item = &device->items[i];
		if (item->held && item->held != item->wanted)
			failed = ibcc_fields_differences(list, IBCC_MOST_DIFFERENCES, item->attribute, item->block, item->scope,
							 item->wanted->bytes, item->held->bytes);
	}
	if (!failed)
		return list;
	json_decref(list);
	return NULL;
}

/* The last known state; null if the state is known now, or never was. */
static json_t *last_known_json(const struct ibcc_device *device, const struct asked *asked)
{
	const enum ibcc_device_state now = ibcc_manager_device_state(asked->manager, device);
	const enum ibcc_device_state last = ibcc_device_last_state(device);
	const int64_t seen_ns = ibcc_device_seen_ns(device);

	if ((now != IBCC_STATE_UNKNOWN && now != IBCC_STATE_TIMING_OUT) || !seen_ns || last == IBCC_STATE_UNKNOWN)
		return json_null();
	return json_pack("{s:s, s:I}", "state", ibcc_device_states[last].name, "as_of_s", (json_int_t)wall_s(asked, seen_ns));
}

static json_t *as_of_json(const struct ibcc_device *device, const struct asked *asked)
{
	const int64_t seen_ns = ibcc_device_seen_ns(device);

	return seen_ns ? json_integer((json_int_t)wall_s(asked, seen_ns)) : json_null();
}

/* Returns why the firmware is not known; null: it is. */
static json_t *firmware_reason_json(const struct ibcc_device *device)
{
	const char *reason = ibcc_firmware_reasons[device->firmware.state];
	char status[64];

	if (!reason)
		return json_null();
	if (device->firmware.state == IBCC_FIRMWARE_REFUSED)
		return json_sprintf("%s: %s", reason, ibcc_status_text(device->firmware.refusal, status, sizeof(status)));
	return json_string(reason);
}

static json_t *dialect_json(const struct ibcc_device *device)
{
	const enum ibcc_dialect dialect = ibcc_device_dialect(device);

	return dialect == IBCC_DIALECT_UNKNOWN ? json_null() : json_string(ibcc_dialect_names[dialect]);
}

static json_t *nvidia_json(const struct ibcc_device *device)
{
	return ibcc_nvidia_is_spoken(&device->nvidia)
		       ? ibcc_nvidia_facts_to_json(&device->nvidia.facts, device->kind == IBCC_SWITCH)
		       : json_null();
}

static json_t *withheld_json(const struct ibcc_device *device)
{
	const char *withheld = device->nvidia.withheld;

	return withheld[0] ? ibcc_json_text(withheld, strlen(withheld)) : json_null();
}

/* Null: it was not read yet, or what devices were found with is not kept. */
static json_t *as_found_json(const struct ibcc_device *device)
{
	const struct ibcc_found *found = device->found;

	return found ? json_pack("{s:I, s:b}", "at_s", (json_int_t)found->at_s, "kept", (int)found->frozen) : json_null();
}

static json_t *device_json(const struct ibcc_device *device, const struct asked *asked)
{
	const struct ibcc_json_member members[] = {
		{"guid", ibcc_json_guid(device->node_guid)},
		{"port", json_integer(device->port)},
		{"kind", json_string(kind_names[device->kind])},
		{"port_guid", ibcc_json_guid(device->port_guid)},
		{"description", ibcc_json_text(device->description, strlen(device->description))},
		{"lid", json_integer(device->lid)},
		{"present", json_boolean(device->present)},
		{"not_ready", json_boolean(device->not_ready)},
		{"state", json_string(ibcc_device_states[ibcc_manager_device_state(asked->manager, device)].name)},
		{"as_of_s", as_of_json(device, asked)},
		{"last_known", last_known_json(device, asked)},
		{"refusal", status_or_null(device->refusal)},
		{"refused", refused_json(device)},
		{"differences", differences_json(device)},
		{"dialect", dialect_json(device)},
		{"nvidia", nvidia_json(device)},
		{"withheld", withheld_json(device)},
		{"as_found", as_found_json(device)},
		{"cct_truncated", json_boolean(device->cut)},
		{"throttles", json_string(throttles_name(asked->throttle_reports, device))},
		{"vendor_id", ibcc_hexadecimal_json(6, device->identity.vendor_id)},
		{"device_id", ibcc_hexadecimal_json(4, device->identity.device_id)},
		{"firmware", ibcc_firmware_json(&device->firmware.latest)},
		{"psid", device->firmware.latest.psid[0] ? json_string(device->firmware.latest.psid) : json_null()},
		{"firmware_reason", firmware_reason_json(device)},
		{"key", json_string(ibcc_manager_key_text(asked->manager, device))},
		{"congestion_info", device->has_congestion_info ? json_integer(device->congestion_info) : json_null()},
		{"control_table_cap", device->has_congestion_info ? json_integer(device->control_table_cap) : json_null()},
		{"drifts", json_integer((json_int_t)device->drifts)},
		{"timeouts", json_integer((json_int_t)device->timeouts)},
		{"applied_at_s", device->applied_at_s ? json_integer(device->applied_at_s) : json_null()},
	};

	return ibcc_json_object(members, sizeof(members) / sizeof(members[0]));
}

static int add(const struct ibcc_device *device, const void *data, json_t *list)
{
	const struct asked *asked = data;

	if ((asked->state >= 0 && (int)ibcc_manager_device_state(asked->manager, device) != asked->state) ||
	    (asked->kind >= 0 && (int)device->kind != asked->kind) || (asked->guid && device->node_guid != asked->guid))
		return 0;
	return json_array_append_new(list, device_json(device, asked)) ? -1 : 1;
}

static json_t *devices(struct ibcc_call *call, struct ibcc_rpc_error *error)
{
	struct asked asked = {.state = -1,
			      .kind = -1,
			      .now_ns = call->now_ns,
			      .manager = call->manager,
			      .throttle_reports = call->settings->throttle_reports};
	const char *states[IBCC_NUM_STATES];

	for (int i = 0; i < IBCC_NUM_STATES; i++)
		states[i] = ibcc_device_states[i].name;
	if (ibcc_param_choice(call, "state", states, IBCC_NUM_STATES, &asked.state, error) ||
	    ibcc_param_choice(call, "kind", kind_names, 2, &asked.kind, error) ||
	    ibcc_param_guid(call, "guid", &asked.guid, error))
		return NULL;
	return ibcc_page(call, add, &asked, error);
}

static const char *const params[] = {"state", "kind", "guid", "limit", "after", NULL};
static struct ibcc_rpc_method method = {
	.name = "devices",
	.help = "List switches and ports of channel adapters with their states.",
	.params = params,
	.call = devices,
};
IBCC_RPC_METHOD(method)
