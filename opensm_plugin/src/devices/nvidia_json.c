/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "devices/nvidia_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ccpolicy/error_format.h"
#include "state/state_json.h"

#define MASK_BYTES 19
#define PLACE_BYTES 32

static const char *mask_text(char text[MASK_BYTES], uint64_t mask)
{
	(void)snprintf(text, MASK_BYTES, "0x%" PRIx64, mask);
	return text;
}

/* Algorithms up to the last one that there is: [[1, 1, 0], …]. */
static json_t *algorithms_to_json(const struct ccp_ppcc_algorithm *algorithms)
{
	json_t *list = json_array();
	unsigned count = 0;
	int failed = list ? 0 : -1;

	for (unsigned slot = 0; slot < CCP_PPCC_SLOTS; slot++) {
		if (algorithms[slot].algo_id)
			count = slot + 1;
	}
	for (unsigned slot = 0; slot < count && !failed; slot++)
		failed = json_array_append_new(list, json_pack("[i, i, i]", (int)algorithms[slot].algo_id,
							       (int)algorithms[slot].major, (int)algorithms[slot].minor));
	if (!failed)
		return list;
	json_decref(list);
	return NULL;
}

static json_t *failures_to_json(const struct ibcc_nvidia_model *model)
{
	json_t *list = json_array();
	char place[PLACE_BYTES];
	int failed = list ? 0 : -1;

	for (uint32_t i = 0; i < model->num_failures && !failed; i++) {
		const struct ibcc_nvidia_failure *one = &model->failures[i];

		(void)snprintf(place, sizeof(place), "0x%016" PRIx64 "/%u", one->node_guid, one->port);
		failed = json_array_append_new(list, json_pack("[s, i, i]", place, (int)one->fault, (int)one->attribute));
	}
	if (!failed)
		return list;
	json_decref(list);
	return NULL;
}

json_t *ibcc_nvidia_model_to_json(const struct ibcc_nvidia_model *model)
{
	const struct ibcc_firmware *firmware = &model->firmware;

	return json_pack("{s:i, s:i, s:[I, I, I], s:s, s:b, s:b, s:o}", "vendor_id", (int)model->identity.vendor_id, "device_id",
			 (int)model->identity.device_id, "firmware", (json_int_t)firmware->major, (json_int_t)firmware->minor,
			 (json_int_t)firmware->sub_minor, "psid", firmware->psid, "tested", (int)model->tested, "misleads",
			 (int)model->misleads, "failures", failures_to_json(model));
}

static int read_failures(json_t *list, struct ibcc_nvidia_model *model, struct ccp_error *error)
{
	json_error_t json_error;

	if (json_array_size(list) > IBCC_NVIDIA_FAILURES)
		return ccp_fail(error, "failures of a model are %zu, and must be at most %u", json_array_size(list),
				IBCC_NVIDIA_FAILURES);
	for (size_t i = 0; i < json_array_size(list); i++) {
		struct ibcc_nvidia_failure *one = &model->failures[i];
		unsigned long port;
		const char *place;
		int fault, attribute;
		char *end;

		if (json_unpack_ex(json_array_get(list, i), &json_error, 0, "[s, i, i]", &place, &fault, &attribute))
			return ibcc_fail_json(error, "a failure of a model", &json_error);
		one->node_guid = strtoull(place, &end, 16);
		port = *end == '/' ? strtoul(end + 1, &end, 10) : 256;
		if (*end || port > 255 || fault <= IBCC_NVIDIA_FINE || fault >= IBCC_NUM_NVIDIA_FAULTS)
			return ccp_fail(error,
					"a failure of a model is of '%.40s' with fault %d, and must be of 0x…/1 with 1 to %d",
					place, fault, IBCC_NUM_NVIDIA_FAULTS - 1);
		one->port = (uint8_t)port;
		one->fault = (enum ibcc_nvidia_fault)fault;
		one->attribute = (uint16_t)attribute;
		model->num_failures++;
	}
	return 0;
}

/* Reads what a model is; both releases have written that in one way. */
static int read_key(json_t *json, struct ibcc_nvidia_model *model, struct ccp_error *error)
{
	json_error_t json_error;
	json_int_t version[3];
	int vendor_id, device_id;
	const char *psid;

	memset(model, 0, sizeof(*model));
	if (json_unpack_ex(json, &json_error, 0, "{s:i, s:i, s:[I, I, I], s:s}", "vendor_id", &vendor_id, "device_id", &device_id,
			   "firmware", &version[0], &version[1], &version[2], "psid", &psid))
		return ibcc_fail_json(error, "a model", &json_error);
	if (strlen(psid) >= sizeof(model->firmware.psid))
		return ccp_fail(error, "psid of a model is '%.32s', and must have at most %zu characters", psid,
				sizeof(model->firmware.psid) - 1);
	model->identity = (struct ibcc_node_identity){.vendor_id = (uint32_t)vendor_id, .device_id = (uint16_t)device_id};
	model->firmware = (struct ibcc_firmware){
		.major = (uint32_t)version[0], .minor = (uint32_t)version[1], .sub_minor = (uint32_t)version[2]};
	memcpy(model->firmware.psid, psid, strlen(psid) + 1);
	return 0;
}

int ibcc_nvidia_model_from_json(json_t *json, struct ibcc_nvidia_model *model, struct ccp_error *error)
{
	json_error_t json_error;
	int tested, misleads;
	json_t *failures;

	if (read_key(json, model, error))
		return -1;
	if (json_unpack_ex(json, &json_error, 0, "{s:b, s:b, s:o}", "tested", &tested, "misleads", &misleads, "failures",
			   &failures))
		return ibcc_fail_json(error, "a model", &json_error);
	model->tested = tested;
	model->misleads = misleads;
	if (read_failures(failures, model, error))
		return -1;
	if (!misleads || model->num_failures)
		return 0;
	return ccp_fail(error, "a model misleads and has no failures, and must have one");
}

int ibcc_nvidia_model_from_former_json(json_t *json, struct ibcc_nvidia_model *model, struct ccp_error *error)
{
	json_error_t json_error;
	const char *state;
	int fault, attribute;

	if (read_key(json, model, error))
		return -1;
	if (json_unpack_ex(json, &json_error, 0, "{s:s, s:i, s:i}", "state", &state, "fault", &fault, "fault_attribute",
			   &attribute))
		return ibcc_fail_json(error, "a model", &json_error);
	model->tested = !strcmp(state, "tested");
	model->misleads = !strcmp(state, "untrusted");
	if (!model->tested && !model->misleads && strcmp(state, "absent") != 0)
		return ccp_fail(error, "state of a model is '%.32s', and must be absent, tested or untrusted", state);
	if (!model->misleads)
		return 0;
	if (fault <= IBCC_NVIDIA_FINE || fault >= IBCC_NUM_NVIDIA_FAULTS)
		return ccp_fail(error, "fault of a model is %d, and must be 1 to %d", fault, IBCC_NUM_NVIDIA_FAULTS - 1);
	model->num_failures = 1;
	model->failures[0] =
		(struct ibcc_nvidia_failure){.fault = (enum ibcc_nvidia_fault)fault, .attribute = (uint16_t)attribute};
	return 0;
}

json_t *ibcc_nvidia_facts_to_json(const struct ibcc_nvidia_facts *facts, bool is_switch)
{
	char mask[MASK_BYTES], fault[IBCC_NVIDIA_FAULT_BYTES];

	return json_pack("{s:b, s:b, s:s, s:s?, s:o, s:o, s:o, s:s?}", "ver0", (int)facts->ver0, "ver1", (int)facts->ver1,
			 "capabilities", mask_text(mask, facts->capabilities), "vl_in",
			 !is_switch           ? NULL
			 : facts->by_modifier ? "modifier"
					      : "mask",
			 "vls", is_switch ? json_integer(facts->num_vls) : json_null(), "buffer_bytes",
			 is_switch ? json_integer(facts->buffer_bytes) : json_null(), "algorithms",
			 facts->ver1 ? algorithms_to_json(facts->algorithms) : json_null(), "fault",
			 facts->fault ? ibcc_nvidia_fault_text(fault, facts) : NULL);
}
