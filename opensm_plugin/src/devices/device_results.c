/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* device_results.c: what a device's answers say, and what no answer leaves unknown. */
#include <string.h>

#include "devices/device.h"

static void take_failure(struct ibcc_device *device, uint32_t pass, struct ibcc_device_findings *findings)
{
	findings->failed = device->support == IBCC_SUPPORTED && !device->silent;
	device->timeouts++;
	device->silent = true;
	device->failed_pass = pass;
	if (findings->failed)
		device->fell_silent_pass = pass;
	if (device->support == IBCC_SUPPORT_UNKNOWN)
		device->support = IBCC_SILENT;
	if (device->nvidia.state == IBCC_NVIDIA_SILENT) /* so that says nothing of this attribute */
		device->nvidia.state = IBCC_NVIDIA_UNKNOWN;
}

/* What all probes together say of the class. */
static void conclude(struct ibcc_device *device)
{
	if (device->has_congestion_info || ibcc_nvidia_is_spoken(&device->nvidia))
		device->support = IBCC_SUPPORTED;
	else
		device->support = ibcc_nvidia_is_known(&device->nvidia) ? IBCC_UNSUPPORTED : IBCC_SUPPORT_UNKNOWN;
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
	if (device->nvidia.state == IBCC_NVIDIA_SILENT)
		device->nvidia.state = IBCC_NVIDIA_ABSENT;
	device->refusal = result->status;
	device->refusal_doubted = false;
	device->has_congestion_info = !result->status && !ccp_unpack(CCP_CONGESTION_INFO, result->data, &value);
	if (device->has_congestion_info) {
		device->congestion_info = value.info.congestion_info;
		device->control_table_cap = value.info.control_table_cap;
	}
	conclude(device);
	findings->probed = device->support == IBCC_SUPPORTED;
}

/* Replaces the payload in `place` by another, whose hold it takes over. */
static void replace(struct ibcc_payload_pool *pool, const struct ibcc_payload **place, const struct ibcc_payload *payload)
{
	ibcc_payload_release(pool, *place);
	*place = payload;
}

/* What was read of a part may be otherwise when the device answers again. */
static void forget_half_read(struct ibcc_device *device, struct ibcc_payload_pool *pool)
{
	if (!device->found_reading.is_over)
		ibcc_found_forget(&device->found_reading, pool);
	if (!device->nvidia_reading.is_over)
		ibcc_nvidia_reading_forget(&device->nvidia_reading, pool);
}

static void take_nvidia(struct ibcc_device *device, struct ibcc_payload_pool *pool, const struct ibcc_result *result,
			bool is_test, struct ibcc_device_findings *findings)
{
	struct ibcc_nvidia *nvidia = &device->nvidia;
	const struct ibcc_payload *said = NULL;
	bool has_lost = false;

	if (!is_test) {
		if (!device->nvidia_reading.is_over) /* it was read by facts that may be others now */
			ibcc_nvidia_reading_forget(&device->nvidia_reading, pool);
		nvidia->has_former = nvidia->state == IBCC_NVIDIA_TESTED;
		nvidia->former = nvidia->facts;
		ibcc_nvidia_take_info(nvidia, device->kind == IBCC_SWITCH, result->status, result->data);
		has_lost = nvidia->has_former && nvidia->state == IBCC_NVIDIA_ABSENT;
	} else {
		if (nvidia->state != IBCC_NVIDIA_TESTING) /* it is asked anew from the start */
			return;
		if (!result->status) {
			said = ibcc_payload_intern(pool, result->data);
			if (!said) /* it is asked again */
				return;
		}
		if (ibcc_nvidia_judge(nvidia, device->kind == IBCC_SWITCH ? device->num_ports : 0, result->status, result->data,
				      said == nvidia->first))
			replace(pool, &nvidia->first, ibcc_payload_hold(said));
		ibcc_payload_release(pool, said);
	}
	findings->learned = findings->probed = nvidia->state != IBCC_NVIDIA_TESTING;
	if (findings->learned)
		replace(pool, &nvidia->first, NULL);
	conclude(device);
	/* Its firmware is another one, which may have annex A10's attributes. */
	if (has_lost && device->support == IBCC_UNSUPPORTED) {
		device->support = IBCC_SUPPORT_UNKNOWN;
		device->refusal = 0;
	}
}

static void take_found(struct ibcc_device *device, struct ibcc_payload_pool *pool, const struct ibcc_request *request,
		       const struct ibcc_result *result, int64_t now_ns, struct ibcc_device_findings *findings)
{
	const struct ibcc_found_extent extent = ibcc_device_found_extent(device);
	const struct ibcc_found_item asked = {.attribute = request->attribute, .block = request->modifier, .seen_ns = now_ns};

	if (!ibcc_device_is_to_be_found(device) ||
	    ibcc_found_take(&device->found_reading, &extent, pool, &asked, result->status, result->data))
		return;
	findings->found = findings->probed = device->found_reading.is_over;
}

static void take_nvidia_found(struct ibcc_device *device, struct ibcc_payload_pool *pool, const struct ibcc_request *request,
			      const struct ibcc_result *result, int64_t now_ns, struct ibcc_device_findings *findings)
{
	const struct ibcc_nvidia_get asked = {.attribute = request->attribute, .modifier = request->modifier, .asked_ns = now_ns};
	const struct ibcc_nvidia_reading *reading = &device->nvidia_reading;

	if (!ibcc_device_is_nvidia_to_be_found(device) ||
	    ibcc_nvidia_reading_take(&device->nvidia_reading, &device->nvidia.facts, ibcc_device_nvidia_ports(device), pool,
				     &asked, result->status, result->data))
		return;
	device->nvidia_found_is_news = reading->is_over && !reading->has_gaps;
	findings->found_nvidia = findings->probed = reading->is_over;
}

/* A Set may have arrived even if no answer came: what the device holds is unknown. NULL is fine. */
static void forget_item(struct ibcc_item *item, struct ibcc_payload_pool *pool)
{
	if (!item)
		return;
	replace(pool, &item->asked, NULL);
	replace(pool, &item->held, NULL);
	replace(pool, &item->whole, NULL);
	item->turn = item->rewrites = 0;
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
	uint8_t canonical[CCP_ATTRIBUTE_BYTES];
	const struct ibcc_payload *asked;

	ibcc_canonical_of_item(item, request->data, canonical);
	asked = ibcc_payload_intern(pool, canonical);
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

	item->to_be_read = item->unreadable = false;
	item->read = true;
	/* After a repair, a difference means that the device takes other values than it is sent: it is clamped. */
	if (item->held && item->held != said && said != item->wanted && !repaired) {
		/* What is not set need not be repaired. */
		item->drifted = findings->drifted = !item->withheld;
		device->drifts += item->drifted;
	} else if (said == item->wanted) {
		item->drifted = false;
		item->refusal = 0;
		if (!repaired) /* it has lasted from one reading to the next */
			item->rewrites = 0;
	}
	replace(pool, &item->held, said);
}

static bool is_for_whole(const struct ibcc_item *item, const struct ibcc_result *result)
{
	return item->given && !result->status;
}

/* No Set can make the device hold what is wanted, so none is sent. */
static void refuse(struct ibcc_item *item, struct ibcc_payload_pool *pool, uint16_t status)
{
	replace(pool, &item->asked, ibcc_payload_hold(item->wanted));
	item->refusal = status;
}

/* True: this was a Get of one SL of several, which is as it should be, and the others are still to be read. */
static bool is_one_of_several(struct ibcc_item *item, const struct ibcc_payload *said)
{
	if (item->attribute != CCP_CONGESTION_HCA_ALGO_CONFIG || said != item->wanted ||
	    ++item->turn >= __builtin_popcount(item->scope)) {
		item->turn = 0;
		return false;
	}
	return true;
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
	struct ibcc_item *item = ibcc_device_item_of(device, request);
	const struct ibcc_payload *said = NULL;
	uint8_t canonical[CCP_ATTRIBUTE_BYTES];

	if (!item) /* the wanted items have changed, and this is none of them */
		return;
	if (!result->status) {
		ibcc_canonical_of_item(item, result->data, canonical);
		said = ibcc_payload_intern(pool, canonical);
		if (!said) {
			take_failure(device, pass, findings);
			return;
		}
	}
	if (is_for_whole(item, result))
		replace(pool, &item->whole, ibcc_payload_intern(pool, result->data));
	if (request->method == IBCC_GET && said && is_one_of_several(item, said)) {
		ibcc_payload_release(pool, said);
		return;
	}
	if (request->method == IBCC_GET)
		item->read_pass = pass;
	else
		item->tried_pass = pass;
	/* A refusal says nothing about the held values; but without the attribute there is nothing else to see. */
	if (!result->status || !item->held)
		item->seen_ns = now_ns;
	if (request->method == IBCC_SET)
		take_set(item, pool, request, result, said);
	else if (said)
		take_get(device, item, pool, said, findings);
	else
		take_refused_get(item, pool);
	if (item->whole ? !ibcc_whole_has_given(item) : item->given && item->unreadable)
		refuse(item, pool, IBCC_STATUS_BAD_FIELD);
	if (ibcc_nvidia_is_attribute(item->attribute) && findings->drifted && ++item->rewrites >= IBCC_NVIDIA_REWRITES)
		findings->contested = device->nvidia.contested = true;
}

void ibcc_device_handle_result(struct ibcc_device *device, struct ibcc_payload_pool *pool, uint32_t pass,
			       const struct ibcc_request *request, const struct ibcc_result *result, int64_t now_ns,
			       struct ibcc_device_findings *findings)
{
	const bool was_settled = ibcc_device_is_settled(device);
	struct ibcc_item *item;

	memset(findings, 0, sizeof(*findings));
	device->in_flight = false;
	if ((uint16_t)request->tag != device->epoch)
		return;
	item = ibcc_device_item_of(device, request);
	if (request->method == IBCC_SET && result->outcome != IBCC_ANSWERED)
		forget_item(item, pool);
	if (item && result->outcome != IBCC_ANSWERED) /* SLs that were read before may be otherwise when it answers again */
		item->turn = 0;
	if (result->outcome == IBCC_CANCELLED)
		return;
	if (request->attribute == CCP_ENHANCED_CONGESTION_INFO && result->outcome != IBCC_ANSWERED &&
	    device->nvidia.state != IBCC_NVIDIA_TESTED) {
		if (device->nvidia.state != IBCC_NVIDIA_ABSENT)
			device->nvidia.state = IBCC_NVIDIA_SILENT;
		device->nvidia.again = false;
		return;
	}
	if (result->outcome != IBCC_ANSWERED || (result->status & IBCC_STATUS_BUSY)) {
		forget_half_read(device, pool);
		take_failure(device, pass, findings);
		return;
	}
	device->silent = false;
	if (request->attribute == CCP_CONGESTION_INFO || request->attribute == CCP_CLASS_PORT_INFO)
		take_probe(device, request->attribute, result, findings);
	else if (request->attribute == CCP_ENHANCED_CONGESTION_INFO || request->purpose == IBCC_PURPOSE_TEST)
		take_nvidia(device, pool, result, request->purpose == IBCC_PURPOSE_TEST, findings);
	else if (request->purpose == IBCC_PURPOSE_FOUND && ibcc_nvidia_is_attribute(request->attribute))
		take_nvidia_found(device, pool, request, result, now_ns, findings);
	else if (request->purpose == IBCC_PURPOSE_FOUND)
		take_found(device, pool, request, result, now_ns, findings);
	else
		take_item(device, pool, pass, request, result, now_ns, findings);
	findings->applied = !was_settled && ibcc_device_is_settled(device);
}

static void forget_nvidia(struct ibcc_nvidia *nvidia, struct ibcc_payload_pool *pool)
{
	replace(pool, &nvidia->first, NULL);
	nvidia->state = IBCC_NVIDIA_UNKNOWN;
	nvidia->refusal = 0;
	nvidia->foreign = nvidia->contested = nvidia->again = nvidia->has_former = nvidia->said_untrusted = false;
	memset(&nvidia->trust, 0, sizeof(nvidia->trust));
}

void ibcc_device_ask_nvidia(struct ibcc_device *device, bool to_ask)
{
	/* It may have been silent long ago, and what it answers now would say nothing of that. */
	if (to_ask && !device->nvidia.to_ask && device->nvidia.state == IBCC_NVIDIA_SILENT)
		device->nvidia.state = IBCC_NVIDIA_UNKNOWN;
	device->nvidia.to_ask = to_ask;
	if (device->refusal)
		conclude(device);
}

void ibcc_device_end_contest(struct ibcc_device *device)
{
	device->nvidia.contested = false;
	for (uint32_t i = 0; i < device->num_items; i++)
		device->items[i].rewrites = 0;
}

void ibcc_device_doubt_nvidia(struct ibcc_device *device, struct ibcc_payload_pool *pool, enum ibcc_doubt doubt)
{
	const struct ibcc_nvidia *nvidia = &device->nvidia;
	const bool was_silent = nvidia->state == IBCC_NVIDIA_ABSENT && !ibcc_nvidia_is_answered(nvidia);

	if (doubt == IBCC_DOUBT_ALL || was_silent || (doubt == IBCC_DOUBT_FAULT && nvidia->state == IBCC_NVIDIA_UNTRUSTED))
		forget_nvidia(&device->nvidia, pool);
	if (device->refusal)
		conclude(device);
}

void ibcc_device_ask_facts(struct ibcc_device *device)
{
	device->nvidia.again |= device->nvidia.to_ask && device->nvidia.state == IBCC_NVIDIA_TESTED;
}

void ibcc_device_look_again(struct ibcc_device *device)
{
	if (device->nvidia.looks && !device->nvidia.written)
		ibcc_device_ask_facts(device);
}

void ibcc_device_ask_silent(struct ibcc_device *device)
{
	device->nvidia.again |=
		device->nvidia.to_ask && device->nvidia.state == IBCC_NVIDIA_ABSENT && !ibcc_nvidia_is_answered(&device->nvidia);
}

void ibcc_device_distrust_nvidia(struct ibcc_device *device, const struct ibcc_nvidia_trust *trust)
{
	device->nvidia.state = IBCC_NVIDIA_UNTRUSTED;
	device->nvidia.again = false;
	device->nvidia.trust = *trust;
	device->nvidia.facts.fault = trust->fault;
	device->nvidia.facts.fault_attribute = trust->fault_attribute;
}

void ibcc_device_forget(struct ibcc_device *device, struct ibcc_payload_pool *pool)
{
	device->epoch++;
	device->support = IBCC_SUPPORT_UNKNOWN;
	device->refusal = 0;
	device->silent = device->left_out = device->read_first = false;
	device->failed_pass = 0;
	device->pause_ns = device->again_ns = 0;
	device->has_congestion_info = device->asked_class_port_info = device->has_no_log = false;
	device->firmware.to_ask = true;
	device->found_is_news = device->nvidia_found_is_news = false;
	ibcc_found_forget(&device->found_reading, pool);
	ibcc_nvidia_reading_forget(&device->nvidia_reading, pool);
	forget_nvidia(&device->nvidia, pool);
	memset(&device->key, 0, sizeof(device->key));
	for (uint32_t i = 0; i < device->num_items; i++)
		forget_item(&device->items[i], pool);
}
