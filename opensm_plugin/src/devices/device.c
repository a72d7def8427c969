/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* device.c: finds the next request of a device, and handles its results. */
#include "devices/device.h"

#include <string.h>

const char *const ibcc_state_names[IBCC_NUM_STATES] = {
	[IBCC_STATE_UNSUPPORTED] = "unsupported", [IBCC_STATE_TIMING_OUT] = "timing-out", [IBCC_STATE_REFUSED] = "refused",
	[IBCC_STATE_DRIFTED] = "drifted",         [IBCC_STATE_UNKNOWN] = "unknown",       [IBCC_STATE_CLAMPED] = "clamped",
	[IBCC_STATE_APPLIED] = "applied",
};

/* Wire structs of one attribute at a time. */
union attribute {
	struct ccp_switch_setting switch_setting;
	struct ccp_switch_port_block ports;
	struct ccp_ca_setting ca_setting;
	struct ccp_cct_block cct;
};

static void clear_what_has_no_effect(uint16_t attribute, uint32_t block, union attribute *value)
{
	switch (attribute) {
	case CCP_SWITCH_PORT_CONGESTION_SETTING:
		for (unsigned i = 0; i < CCP_PORTS_PER_BLOCK; i++) {
			if (!value->ports.ports[i].valid)
				memset(&value->ports.ports[i], 0, sizeof(value->ports.ports[i]));
		}
		break;
	case CCP_CA_CONGESTION_SETTING:
		for (unsigned sl = 0; sl < CCP_NUM_SLS; sl++) {
			if (!(value->ca_setting.control_map >> sl & 1u))
				memset(&value->ca_setting.sls[sl], 0, sizeof(value->ca_setting.sls[sl]));
		}
		break;
	case CCP_CONGESTION_CONTROL_TABLE:
		for (unsigned i = 0; i < CCP_CCT_ENTRIES_PER_BLOCK; i++) {
			if (block * CCP_CCT_ENTRIES_PER_BLOCK + i > value->cct.ccti_limit)
				memset(&value->cct.entries[i], 0, sizeof(value->cct.entries[i]));
		}
		break;
	default:
		break;
	}
}

void ibcc_canonical(uint16_t attribute, uint32_t block, const uint8_t data[CCP_ATTRIBUTE_BYTES], uint8_t out[CCP_ATTRIBUTE_BYTES])
{
	union attribute value = {0};
	struct ccp_error error;

	memset(out, 0, CCP_ATTRIBUTE_BYTES);
	/* Fields as wide as on the wire always fit, so neither fails. */
	if (ccp_unpack(attribute, data, &value))
		return;
	clear_what_has_no_effect(attribute, block, &value);
	(void)ccp_pack(attribute, &value, out, &error);
}

bool ibcc_item_is_settled(const struct ibcc_item *item)
{
	if (item->drifted)
		return false;
	return item->held == item->wanted || (item->asked == item->wanted && (item->held || item->refusal));
}

bool ibcc_device_is_settled(const struct ibcc_device *device)
{
	for (uint32_t i = 0; i < device->num_items; i++) {
		if (!ibcc_item_is_settled(&device->items[i]))
			return false;
	}
	return device->num_items > 0;
}

bool ibcc_device_is_repaired(const struct ibcc_device *device)
{
	for (uint32_t i = 0; i < device->num_items; i++) {
		if (device->items[i].to_be_read)
			return false;
	}
	return ibcc_device_state(device) == IBCC_STATE_APPLIED;
}

static bool is_refused(const struct ibcc_item *item)
{
	return item->refusal && item->asked == item->wanted && item->held != item->wanted;
}

static bool is_clamped(const struct ibcc_item *item)
{
	return !item->refusal && item->asked == item->wanted && item->held && item->held != item->wanted && !item->drifted;
}

bool ibcc_device_refuses(const struct ibcc_device *device)
{
	for (uint32_t i = 0; i < device->num_items; i++) {
		if (is_refused(&device->items[i]))
			return true;
	}
	return false;
}

int64_t ibcc_device_seen_ns(const struct ibcc_device *device)
{
	int64_t seen_ns = device->num_items ? INT64_MAX : 0;

	for (uint32_t i = 0; i < device->num_items; i++) {
		if (device->items[i].seen_ns < seen_ns)
			seen_ns = device->items[i].seen_ns;
	}
	return seen_ns;
}

enum ibcc_device_state ibcc_device_state(const struct ibcc_device *device)
{
	return device->silent && device->support != IBCC_UNSUPPORTED ? IBCC_STATE_TIMING_OUT : ibcc_device_last_state(device);
}

enum ibcc_device_state ibcc_device_last_state(const struct ibcc_device *device)
{
	bool refused = false, drifted = false, clamped = device->cut;

	if (device->support == IBCC_UNSUPPORTED)
		return IBCC_STATE_UNSUPPORTED;
	for (uint32_t i = 0; i < device->num_items; i++) {
		const struct ibcc_item *item = &device->items[i];

		refused |= is_refused(item);
		drifted |= item->drifted;
		clamped |= item->held != item->wanted;
	}
	if (refused)
		return IBCC_STATE_REFUSED;
	if (drifted)
		return IBCC_STATE_DRIFTED;
	if (device->support != IBCC_SUPPORTED || !ibcc_device_is_settled(device))
		return IBCC_STATE_UNKNOWN;
	return clamped ? IBCC_STATE_CLAMPED : IBCC_STATE_APPLIED;
}

static bool ask(const struct ibcc_device *device, enum ibcc_method method, uint16_t attribute, uint32_t modifier,
		struct ibcc_request *request)
{
	memset(request, 0, sizeof(*request));
	request->lid = device->lid;
	request->sl = device->sl;
	request->method = method;
	request->attribute = attribute;
	request->modifier = modifier;
	request->tag = device->epoch;
	return true;
}

static bool set(const struct ibcc_device *device, const struct ibcc_item *item, struct ibcc_request *request)
{
	ask(device, IBCC_SET, item->attribute, item->block, request);
	memcpy(request->data, item->wanted->bytes, CCP_ATTRIBUTE_BYTES);
	return true;
}

static bool next_probe(const struct ibcc_device *device, struct ibcc_request *request)
{
	/* A device that did not answer is asked this first, even if nothing is to be set, to find out when it responds again. */
	if (!device->has_congestion_info || device->silent)
		return ask(device, IBCC_GET, CCP_CONGESTION_INFO, 0, request);
	if (!device->asked_class_port_info)
		return ask(device, IBCC_GET, CCP_CLASS_PORT_INFO, 0, request);
	for (uint32_t i = 0; i < device->num_items; i++) {
		const struct ibcc_item *item = &device->items[i];

		if (item->optional && !item->held)
			return ask(device, IBCC_GET, item->attribute, item->block, request);
	}
	return false;
}

/* Once a pass, a refused or clamped item is set again, as the device may take it now. */
static bool is_tried_again(const struct ibcc_item *item, bool set_clamped, uint32_t pass)
{
	return item->tried_pass != pass && (is_refused(item) || (set_clamped && is_clamped(item)));
}

static bool next_set(const struct ibcc_device *device, bool set_clamped, uint32_t pass, struct ibcc_request *request)
{
	for (uint32_t i = 0; i < device->num_items; i++) {
		const struct ibcc_item *item = &device->items[i];

		if (item->to_be_read)
			return ask(device, IBCC_GET, item->attribute, item->block, request);
		if (device->read_first && !item->held && !item->asked && !item->unreadable)
			return ask(device, IBCC_GET, item->attribute, item->block, request);
		if (!ibcc_item_is_settled(item) || is_tried_again(item, set_clamped, pass))
			return set(device, item, request);
	}
	return false;
}

static bool next_read(const struct ibcc_device *device, uint32_t pass, struct ibcc_request *request)
{
	for (uint32_t i = 0; i < device->num_items; i++) {
		const struct ibcc_item *item = &device->items[i];

		if (item->read_pass != pass)
			return ask(device, IBCC_GET, item->attribute, item->block, request);
	}
	return false;
}

bool ibcc_device_next(const struct ibcc_device *device, enum ibcc_work work, uint32_t pass, struct ibcc_request *request)
{
	if (!device->present || device->in_flight || device->support == IBCC_UNSUPPORTED || device->failed_pass == pass)
		return false;
	if (work == IBCC_WORK_PROBE)
		return next_probe(device, request);
	if (device->support != IBCC_SUPPORTED)
		return false;
	return work == IBCC_WORK_READ ? next_read(device, pass, request)
				      : next_set(device, work == IBCC_WORK_SET_CLAMPED, pass, request);
}

static void take_failure(struct ibcc_device *device, uint32_t pass, struct ibcc_device_findings *findings)
{
	findings->failed = device->support == IBCC_SUPPORTED && !device->silent;
	device->timeouts++;
	device->silent = true;
	device->failed_pass = pass;
	if (device->support == IBCC_SUPPORT_UNKNOWN)
		device->support = IBCC_SILENT;
}

static void take_probe(struct ibcc_device *device, uint16_t attribute, const struct ibcc_result *result,
		       struct ibcc_device_findings *findings)
{
	union {
		struct ccp_congestion_info info;
		struct ccp_class_port_info class_port_info;
	} value = {0};

	if (attribute == CCP_CLASS_PORT_INFO) {
		device->asked_class_port_info = true;
		if (!result->status && !ccp_unpack(CCP_CLASS_PORT_INFO, result->data, &value))
			device->capability_mask = value.class_port_info.capability_mask;
		return;
	}
	if (result->status) {
		device->support = IBCC_UNSUPPORTED;
		device->refusal = result->status;
		return;
	}
	if (ccp_unpack(CCP_CONGESTION_INFO, result->data, &value))
		return;
	device->support = IBCC_SUPPORTED;
	device->refusal = 0;
	device->has_congestion_info = true;
	device->congestion_info = value.info.congestion_info;
	device->control_table_cap = value.info.control_table_cap;
	findings->probed = true;
}

static struct ibcc_item *find_item(const struct ibcc_device *device, uint16_t attribute, uint32_t block)
{
	for (uint32_t i = 0; i < device->num_items; i++) {
		if (device->items[i].attribute == attribute && device->items[i].block == block)
			return &device->items[i];
	}
	return NULL;
}

/* Replaces the payload in `place` by another, whose hold it takes over. */
static void replace(struct ibcc_payload_pool *pool, const struct ibcc_payload **place, const struct ibcc_payload *payload)
{
	ibcc_payload_release(pool, *place);
	*place = payload;
}

/* A Set may have arrived even if no answer came: what the device holds is unknown. NULL is fine. */
static void forget_item(struct ibcc_item *item, struct ibcc_payload_pool *pool)
{
	if (!item)
		return;
	replace(pool, &item->asked, NULL);
	replace(pool, &item->held, NULL);
	item->drifted = item->to_be_read = item->read = item->unreadable = false;
	item->refusal = 0;
	item->read_pass = item->tried_pass = 0;
	item->seen_ns = 0;
}

/* Handles the answer to a Set: the values that the device took, or a status; but it may have taken an earlier try. */
static void take_set(struct ibcc_item *item, struct ibcc_payload_pool *pool, const struct ibcc_request *request,
		     const struct ibcc_result *result, const struct ibcc_payload *said)
{
	const uint16_t status = result->status;
	const struct ibcc_payload *asked = ibcc_payload_intern(pool, request->data);

	if (!asked) { /* as if there was no answer: it is sent again */
		ibcc_payload_release(pool, said);
		return;
	}
	replace(pool, &item->asked, asked);
	item->refusal = status;
	/* After a repair the item is read, as some devices answer a Set with what they were sent. */
	item->to_be_read = item->drifted && !status;
	item->drifted = false;
	item->read = false;
	if (!status || result->tries > 1)
		replace(pool, &item->held, said);
}

static void take_get(struct ibcc_device *device, struct ibcc_item *item, struct ibcc_payload_pool *pool,
		     const struct ibcc_payload *said, struct ibcc_device_findings *findings)
{
	const bool repaired = item->to_be_read;

	item->to_be_read = false;
	item->read = true;
	/* After a repair, a difference means that the device takes other values than it is sent: it is clamped. */
	if (item->held && item->held != said && said != item->wanted && !repaired) {
		item->drifted = true;
		device->drifts++;
		findings->drifted = true;
	} else if (said == item->wanted) {
		item->drifted = false;
		item->refusal = 0;
	}
	replace(pool, &item->held, said);
}

/*
 * Handles a Get that was refused. An attribute that should be clear need not exist; one that took a Set cannot be read, and is
 * believed to hold it.
 */
static void take_refused_get(struct ibcc_item *item, struct ibcc_payload_pool *pool)
{
	item->to_be_read = false;
	item->unreadable = true;
	if (item->optional && !item->held)
		item->held = ibcc_payload_hold(item->wanted);
	else if (!item->held && item->asked && !item->refusal)
		replace(pool, &item->held, ibcc_payload_hold(item->asked));
}

static void take_item(struct ibcc_device *device, struct ibcc_payload_pool *pool, uint32_t pass,
		      const struct ibcc_request *request, const struct ibcc_result *result, int64_t now_ns,
		      struct ibcc_device_findings *findings)
{
	struct ibcc_item *item = find_item(device, request->attribute, request->modifier);
	const struct ibcc_payload *said = NULL;
	uint8_t canonical[CCP_ATTRIBUTE_BYTES];

	if (!item) /* the wanted items have changed, and this is none of them */
		return;
	if (request->method == IBCC_GET)
		item->read_pass = pass;
	else
		item->tried_pass = pass;
	/* A refusal says nothing about the held values; but without the attribute there is nothing else to see. */
	if (!result->status || !item->held)
		item->seen_ns = now_ns;
	if (!result->status) {
		ibcc_canonical(request->attribute, request->modifier, result->data, canonical);
		said = ibcc_payload_intern(pool, canonical);
		if (!said) {
			take_failure(device, pass, findings);
			return;
		}
	}
	if (request->method == IBCC_SET)
		take_set(item, pool, request, result, said);
	else if (said)
		take_get(device, item, pool, said, findings);
	else
		take_refused_get(item, pool);
}

void ibcc_device_handle_result(struct ibcc_device *device, struct ibcc_payload_pool *pool, uint32_t pass,
			       const struct ibcc_request *request, const struct ibcc_result *result, int64_t now_ns,
			       struct ibcc_device_findings *findings)
{
	const bool was_settled = ibcc_device_is_settled(device);

	memset(findings, 0, sizeof(*findings));
	device->in_flight = false;
	if ((uint16_t)request->tag != device->epoch)
		return;
	if (request->method == IBCC_SET && result->outcome != IBCC_ANSWERED)
		forget_item(find_item(device, request->attribute, request->modifier), pool);
	if (result->outcome == IBCC_CANCELLED)
		return;
	if (result->outcome != IBCC_ANSWERED || (result->status & IBCC_STATUS_BUSY)) {
		take_failure(device, pass, findings);
		return;
	}
	device->silent = false;
	if (request->attribute == CCP_CONGESTION_INFO || request->attribute == CCP_CLASS_PORT_INFO)
		take_probe(device, request->attribute, result, findings);
	else
		take_item(device, pool, pass, request, result, now_ns, findings);
	findings->applied = !was_settled && ibcc_device_is_settled(device);
}

void ibcc_device_forget(struct ibcc_device *device, struct ibcc_payload_pool *pool)
{
	device->epoch++;
	device->support = IBCC_SUPPORT_UNKNOWN;
	device->refusal = 0;
	device->silent = device->read_first = false;
	device->failed_pass = 0;
	device->pause_ns = device->again_ns = 0;
	device->has_congestion_info = device->asked_class_port_info = device->has_no_log = false;
	device->firmware.to_ask = true;
	memset(&device->key, 0, sizeof(device->key));
	for (uint32_t i = 0; i < device->num_items; i++)
		forget_item(&device->items[i], pool);
}
