/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "devices/nvidia_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ccpolicy/error_format.h"
#include "state/state_json.h"

static const char *const state_names[IBCC_NUM_NVIDIA_STATES] = {
	[IBCC_NVIDIA_ABSENT] = "absent",
	[IBCC_NVIDIA_TESTED] = "tested",
	[IBCC_NVIDIA_UNTRUSTED] = "untrusted",
};

#define MASK_BYTES 19

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

json_t *ibcc_nvidia_model_to_json(const struct ibcc_nvidia_model *model)
{
	const struct ibcc_nvidia_facts *facts = &model->facts;
	const struct ibcc_firmware *firmware = &model->firmware;
	char mask[MASK_BYTES];

	return json_pack("{s:i, s:i, s:[I, I, I], s:s, s:s, s:i, s:b, s:b, s:s, s:b, s:i, s:I, s:o, s:i, s:i}", "vendor_id",
			 (int)model->identity.vendor_id, "device_id", (int)model->identity.device_id, "firmware",
			 (json_int_t)firmware->major, (json_int_t)firmware->minor, (json_int_t)firmware->sub_minor, "psid",
			 firmware->psid, "state", state_names[model->state], "refusal", (int)model->refusal, "ver0",
			 (int)facts->ver0, "ver1", (int)facts->ver1, "capabilities", mask_text(mask, facts->capabilities),
			 "by_modifier", (int)facts->by_modifier, "num_vls", (int)facts->num_vls, "buffer_bytes",
			 (json_int_t)facts->buffer_bytes, "algorithms", algorithms_to_json(facts->algorithms), "fault",
			 (int)facts->fault, "fault_attribute", (int)facts->fault_attribute);
}

static int read_algorithms(json_t *list, struct ccp_ppcc_algorithm *algorithms, struct ccp_error *error)
{
	for (size_t slot = 0; slot < json_array_size(list) && slot < CCP_PPCC_SLOTS; slot++) {
		int id, major, minor;

		if (json_unpack(json_array_get(list, slot), "[i, i, i]", &id, &major, &minor))
			return ccp_fail(error, "an algorithm of a model must be three numbers");
		algorithms[slot] =
			(struct ccp_ppcc_algorithm){.algo_id = (uint16_t)id, .major = (uint8_t)major, .minor = (uint8_t)minor};
	}
	return 0;
}

int ibcc_nvidia_model_from_json(json_t *json, struct ibcc_nvidia_model *model, struct ccp_error *error)
{
	struct ibcc_nvidia_facts *facts = &model->facts;
	json_error_t json_error;
	json_int_t version[3], buffer_bytes;
	int vendor_id, device_id, refusal, ver0, ver1, by_modifier, num_vls, fault, fault_attribute;
	const char *psid, *state, *capabilities;
	json_t *algorithms;

	memset(model, 0, sizeof(*model));
	if (json_unpack_ex(json, &json_error, 0,
			   "{s:i, s:i, s:[I, I, I], s:s, s:s, s:i, s:b, s:b, s:s, s:b, s:i, s:I, s:o, s:i, s:i}", "vendor_id",
			   &vendor_id, "device_id", &device_id, "firmware", &version[0], &version[1], &version[2], "psid", &psid,
			   "state", &state, "refusal", &refusal, "ver0", &ver0, "ver1", &ver1, "capabilities", &capabilities,
			   "by_modifier", &by_modifier, "num_vls", &num_vls, "buffer_bytes", &buffer_bytes, "algorithms",
			   &algorithms, "fault", &fault, "fault_attribute", &fault_attribute))
		return ibcc_fail_json(error, "a model", &json_error);
	while (model->state < IBCC_NUM_NVIDIA_STATES &&
	       (!state_names[model->state] || strcmp(state, state_names[model->state]) != 0))
		model->state++;
	if (model->state == IBCC_NUM_NVIDIA_STATES || strlen(psid) >= sizeof(model->firmware.psid) || num_vls < 0 ||
	    num_vls > 15 || fault < 0 || fault >= IBCC_NUM_NVIDIA_FAULTS)
		return ccp_fail(error, "a model is wrong: state '%.32s', psid '%.32s', num_vls %d, fault %d", state, psid,
				num_vls, fault);
	model->identity = (struct ibcc_node_identity){.vendor_id = (uint32_t)vendor_id, .device_id = (uint16_t)device_id};
	model->firmware = (struct ibcc_firmware){
		.major = (uint32_t)version[0], .minor = (uint32_t)version[1], .sub_minor = (uint32_t)version[2]};
	memcpy(model->firmware.psid, psid, strlen(psid) + 1);
	model->refusal = (uint16_t)refusal;
	facts->ver0 = ver0;
	facts->ver1 = ver1;
	facts->capabilities = strtoull(capabilities, NULL, 16);
	facts->by_modifier = by_modifier;
	facts->num_vls = (uint8_t)num_vls;
	facts->buffer_bytes = (uint32_t)buffer_bytes;
	facts->fault = (enum ibcc_nvidia_fault)fault;
	facts->fault_attribute = (uint16_t)fault_attribute;
	return read_algorithms(algorithms, facts->algorithms, error);
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
