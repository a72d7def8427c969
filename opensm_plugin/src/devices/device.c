/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* device.c: the state of a device, and its next request. */
#include "devices/device.h"

#include <string.h>

#include "devices/nvidia_items.h"

const char *const ibcc_dialect_names[IBCC_NUM_DIALECTS] = {
	[IBCC_DIALECT_UNKNOWN] = "unknown", [IBCC_DIALECT_NONE] = "none", [IBCC_DIALECT_A10] = "a10",
	[IBCC_DIALECT_NVIDIA] = "nvidia",   [IBCC_DIALECT_BOTH] = "both",
};

bool ibcc_item_is_settled(const struct ibcc_item *item)
{
	if (item->withheld)
		return true;
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
	/* What a device held when a former process watched it, or before it left, it need not hold now; without annex A10's
	 * attributes there is nothing to watch. */
	return device->num_items > 0 && ibcc_nvidia_is_known(&device->nvidia) &&
	       (!device->is_watched || device->refusal || device->found_reading.is_over);
}

bool ibcc_device_gets_nvidia(const struct ibcc_device *device)
{
	for (uint32_t i = 0; i < device->num_items; i++) {
		if (ibcc_nvidia_is_attribute(device->items[i].attribute) && !device->items[i].withheld)
			return true;
	}
	return false;
}

bool ibcc_device_holds_unowned(const struct ibcc_device *device)
{
	return device->nvidia.is_wanted && !device->nvidia.written && ibcc_device_is_known(device) &&
	       ibcc_device_is_settled(device) && ibcc_device_gets_nvidia(device);
}

enum ibcc_dialect ibcc_device_dialect(const struct ibcc_device *device)
{
	const bool is_spoken = ibcc_nvidia_is_spoken(&device->nvidia);

	if ((!device->has_congestion_info && !device->refusal) || (!is_spoken && device->nvidia.state != IBCC_NVIDIA_ABSENT))
		return IBCC_DIALECT_UNKNOWN;
	if (device->has_congestion_info)
		return is_spoken ? IBCC_DIALECT_BOTH : IBCC_DIALECT_A10;
	return is_spoken ? IBCC_DIALECT_NVIDIA : IBCC_DIALECT_NONE;
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
	return !item->withheld && item->refusal && item->asked == item->wanted && item->held != item->wanted;
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
	int64_t seen_ns = INT64_MAX;

	for (uint32_t i = 0; i < device->num_items; i++) {
		if ((!device->items[i].withheld || device->is_watched) && device->items[i].seen_ns < seen_ns)
			seen_ns = device->items[i].seen_ns;
	}
	return seen_ns == INT64_MAX ? 0 : seen_ns;
}

enum ibcc_device_state ibcc_device_state(const struct ibcc_device *device)
{
	return (device->silent || device->left_out) && device->support != IBCC_UNSUPPORTED ? IBCC_STATE_TIMING_OUT
											   : ibcc_device_last_state(device);
}

enum ibcc_device_state ibcc_device_last_state(const struct ibcc_device *device)
{
	bool refused = false, drifted = false, clamped = device->cut;

	if (device->support == IBCC_UNSUPPORTED)
		return IBCC_STATE_UNSUPPORTED;
	for (uint32_t i = 0; i < device->num_items; i++) {
		const struct ibcc_item *item = &device->items[i];

		if (item->withheld)
			continue;
		refused |= is_refused(item);
		drifted |= item->drifted;
		clamped |= item->held != item->wanted;
	}
	if (refused)
		return IBCC_STATE_REFUSED;
	if (drifted)
		return IBCC_STATE_DRIFTED;
	if (device->nvidia.foreign && device->support == IBCC_SUPPORTED)
		return IBCC_STATE_FOREIGN;
	if (!device->num_items && device->refusal && device->support == IBCC_SUPPORTED)
		return IBCC_STATE_UNSUPPORTED; /* it has NVIDIA's attributes alone, and the profile none of these */
	if (device->support != IBCC_SUPPORTED || !ibcc_device_is_settled(device))
		return IBCC_STATE_UNKNOWN;
	if (device->nvidia.withheld[0])
		return IBCC_STATE_WITHHELD;
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
	request->tag |= (uint32_t)item->scope << IBCC_TAG_SCOPE_SHIFT;
	ibcc_set_data(item, request->data);
	return true;
}

static bool get(const struct ibcc_device *device, const struct ibcc_item *item, struct ibcc_request *request)
{
	ask(device, IBCC_GET, item->attribute, item->block, request);
	request->tag |= (uint32_t)item->scope << IBCC_TAG_SCOPE_SHIFT;
	ibcc_get_data(item, request->data);
	return true;
}

struct ibcc_item *ibcc_device_item_of(const struct ibcc_device *device, const struct ibcc_request *request)
{
	for (uint32_t i = 0; i < device->num_items; i++) {
		struct ibcc_item *item = &device->items[i];

		if (item->attribute == request->attribute && item->block == request->modifier &&
		    item->scope == request->tag >> IBCC_TAG_SCOPE_SHIFT)
			return item;
	}
	return NULL;
}

bool ibcc_device_is_current(const struct ibcc_device *device, const struct ibcc_request *request)
{
	const struct ibcc_item *item;
	uint8_t data[CCP_ATTRIBUTE_BYTES];

	if (request->method != IBCC_SET || request->attribute == CCP_CONGESTION_KEY_INFO)
		return true;
	item = ibcc_device_item_of(device, request);
	if (!item || item->withheld)
		return false;
	ibcc_set_data(item, data);
	return memcmp(data, request->data, sizeof(data)) == 0;
}

struct ibcc_found_extent ibcc_device_found_extent(const struct ibcc_device *device)
{
	return (struct ibcc_found_extent){.is_switch = device->kind == IBCC_SWITCH,
					  .num_ports = device->num_ports,
					  .num_blocks = device->control_table_cap};
}

/* What it was found with is kept as it is once a profile has been in force. */
bool ibcc_device_is_to_be_found(const struct ibcc_device *device)
{
	return device->keeps_found && !(device->found && device->found->frozen) && device->has_congestion_info &&
	       !device->found_reading.is_over;
}

static bool ask_found(const struct ibcc_device *device, struct ibcc_request *request)
{
	const struct ibcc_found_extent extent = ibcc_device_found_extent(device);
	struct ibcc_found_item next;

	if (!ibcc_device_is_to_be_found(device) || !ibcc_found_next(&device->found_reading, &extent, &next))
		return false;
	ask(device, IBCC_GET, next.attribute, next.block, request);
	request->purpose = IBCC_PURPOSE_FOUND;
	return true;
}

unsigned ibcc_device_nvidia_ports(const struct ibcc_device *device)
{
	return device->kind == IBCC_SWITCH ? device->num_ports : 0;
}

/* A device that was written to was read before; if a former release wrote to it, nobody knows what it held. */
bool ibcc_device_is_nvidia_to_be_found(const struct ibcc_device *device)
{
	const struct ibcc_nvidia *nvidia = &device->nvidia;
	const bool is_of_use = nvidia->is_wanted || nvidia->reads || (nvidia->looks && nvidia->facts.is_on);

	return device->keeps_found && device->rules && device->rules->founds && is_of_use &&
	       nvidia->state == IBCC_NVIDIA_TESTED && !nvidia->written && !device->nvidia_reading.is_over &&
	       !ibcc_nvidia_founds_kept(device->rules->founds, device->node_guid, device->port);
}

static bool ask_nvidia_found(const struct ibcc_device *device, struct ibcc_request *request)
{
	struct ibcc_nvidia_get next;

	if (!ibcc_device_is_nvidia_to_be_found(device) ||
	    !ibcc_nvidia_reading_next(&device->nvidia_reading, &device->nvidia.facts, ibcc_device_nvidia_ports(device), &next))
		return false;
	ask(device, IBCC_GET, next.attribute, next.modifier, request);
	memcpy(request->data, next.data, sizeof(request->data));
	request->purpose = IBCC_PURPOSE_FOUND;
	return true;
}

/* A device that has spoken, or may hold what it was sent, is asked as often as for anything else. */
static bool ask_info(const struct ibcc_device *device, struct ibcc_request *request)
{
	const bool is_doubtful = !device->nvidia.written && !ibcc_nvidia_is_spoken(&device->nvidia);

	ask(device, IBCC_GET, CCP_ENHANCED_CONGESTION_INFO, 0, request);
	request->tries = is_doubtful ? IBCC_NVIDIA_TRIES : 0;
	return true;
}

static bool next_nvidia_probe(const struct ibcc_device *device, struct ibcc_request *request)
{
	struct ibcc_nvidia_test test;

	if (device->nvidia.again)
		return ask_info(device, request);
	switch (device->nvidia.state) {
	case IBCC_NVIDIA_UNKNOWN:
		return ask_info(device, request);
	case IBCC_NVIDIA_SILENT: /* if it answers this, it does not know the other */
		return ask(device, IBCC_GET, CCP_CONGESTION_INFO, 0, request);
	case IBCC_NVIDIA_TESTING:
		if (!ibcc_nvidia_next_test(&device->nvidia, ibcc_device_nvidia_ports(device), &test))
			return false;
		ask(device, IBCC_GET, test.attribute, test.modifier, request);
		memcpy(request->data, test.data, sizeof(request->data));
		request->purpose = IBCC_PURPOSE_TEST;
		return true;
	default:
		return ask_nvidia_found(device, request);
	}
}

static bool next_probe(const struct ibcc_device *device, struct ibcc_request *request)
{
	/* A device that did not answer is asked this first, even if nothing is to be set, to find out when it responds again. */
	if ((!device->has_congestion_info && (!device->refusal || device->refusal_doubted)) || device->silent)
		return ask(device, IBCC_GET, CCP_CONGESTION_INFO, 0, request);
	if (!device->asked_class_port_info)
		return ask(device, IBCC_GET, CCP_CLASS_PORT_INFO, 0, request);
	if (ask_found(device, request))
		return true;
	/* First, as items take what was found when it is known which attributes the device has. */
	if (device->nvidia.to_ask && next_nvidia_probe(device, request))
		return true;
	for (uint32_t i = 0; i < device->num_items; i++) {
		const struct ibcc_item *item = &device->items[i];

		/* What parameters of all devices are is known before the first one is set, so that it is noted at once. */
		if ((item->optional && !item->held) || (item->given && !item->whole && !item->unreadable && !item->withheld))
			return get(device, item, request);
	}
	return false;
}

/* Once a pass, a refused or clamped item is set again, as the device may take it now. */
static bool is_tried_again(const struct ibcc_item *item, bool set_clamped, uint32_t pass)
{
	return item->tried_pass != pass && (is_refused(item) || (set_clamped && is_clamped(item)));
}

/* Parameters that are not given are set as the device has them, so it is asked for them first. */
static bool is_read_first(const struct ibcc_device *device, const struct ibcc_item *item)
{
	if (item->unreadable)
		return false;
	if (item->given && !item->whole)
		return true;
	return device->read_first && !item->held && !item->asked;
}

/* A device with both kinds of attributes gets the kind that is cleared before the one that is set. */
static bool comes_first(const struct ibcc_device *device, const struct ibcc_item *item)
{
	return ibcc_nvidia_is_attribute(item->attribute) == device->nvidia.clears;
}

/* Until one kind is cleared, the other waits: else the device would obey both. */
static bool waits_for_clear(const struct ibcc_device *device)
{
	for (uint32_t i = 0; i < device->num_items; i++) {
		const struct ibcc_item *item = &device->items[i];

		if (comes_first(device, item) && !item->withheld && (!ibcc_item_is_settled(item) || is_refused(item)))
			return true;
	}
	return false;
}

static bool next_set(const struct ibcc_device *device, enum ibcc_work work, uint32_t pass, struct ibcc_request *request)
{
	const bool waits = waits_for_clear(device);

	for (uint32_t i = 0; i < device->num_items; i++) {
		const struct ibcc_item *item = &device->items[i];

		/* Without what the device holds, a Set would zero the parameters that the profile does not give. */
		if (item->whole ? !ibcc_whole_has_given(item) : item->given && item->unreadable)
			continue;
		if (item->withheld || (work == IBCC_WORK_CLEAR && !ibcc_nvidia_is_attribute(item->attribute)) ||
		    (waits && !comes_first(device, item)))
			continue;
		if (item->to_be_read || is_read_first(device, item))
			return get(device, item, request);
		if (!ibcc_item_is_settled(item) || is_tried_again(item, work == IBCC_WORK_SET_CLAMPED, pass))
			return set(device, item, request);
	}
	return false;
}

static bool next_read(const struct ibcc_device *device, uint32_t pass, struct ibcc_request *request)
{
	for (uint32_t i = 0; i < device->num_items; i++) {
		const struct ibcc_item *item = &device->items[i];

		if (item->read_pass != pass)
			return get(device, item, request);
	}
	return false;
}

bool ibcc_device_is_known(const struct ibcc_device *device)
{
	return device->support == IBCC_SUPPORTED && ibcc_nvidia_is_known(&device->nvidia) &&
	       !ibcc_device_is_to_be_found(device) && !ibcc_device_is_nvidia_to_be_found(device);
}

bool ibcc_device_is_left_out(const struct ibcc_device *device)
{
	return device->support == IBCC_UNSUPPORTED && !device->nvidia.again;
}

bool ibcc_device_next(const struct ibcc_device *device, enum ibcc_work work, uint32_t pass, struct ibcc_request *request)
{
	if (!device->present || device->in_flight || ibcc_device_is_left_out(device) || device->failed_pass == pass)
		return false;
	if (work == IBCC_WORK_PROBE)
		return next_probe(device, request);
	if (!ibcc_device_is_known(device))
		return false;
	return work == IBCC_WORK_READ ? next_read(device, pass, request) : next_set(device, work, pass, request);
}
