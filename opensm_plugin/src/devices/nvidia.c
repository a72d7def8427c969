/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* nvidia.c: the tests of a device, one Get each, in the order of a table. */
#include "devices/nvidia.h"

#include <stdio.h>
#include <string.h>

#include "ccpolicy/wire.h"
#include "mad/cc_mad.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define NO_SLOT CCP_PPCC_SLOTS

/* What the answer to a step must be. */
enum expectation {
	ANSWER,
	SAME,       /* as the last answer */
	REFUSAL,    /* the device must not have this */
	VL_BY_MASK, /* tells whether vl_mask chooses the VL */
	VL_BY_MODIFIER,
	ANOTHER_VL, /* as many data VLs as the device answers */
};

enum place {
	NOWHERE, /* modifier 0 */
	PORT_1,
	NO_PORT,
	SLOT_0,
	SLOT_TOO_HIGH,
};

enum need {
	ALWAYS,
	VERSION_0,
	VERSION_1,
	BY_MODIFIER, /* the VL stands there */
	VLS_2,       /* so many data VLs are known */
	VLS_8,
};

struct step {
	uint16_t attribute;
	enum place place;
	enum expectation expectation;
	enum need need;
	uint8_t vl;
	bool of_fact; /* it is asked of each device, even where the answers of its model are trusted */
};

/* VLCap is 1, 2, 4, 8 or 15, so that three Gets tell the number of data VLs. */
static const struct step switch_steps[] = {
	{CCP_CONGESTION_SWITCH_GENERAL_SETTINGS, NOWHERE, ANSWER, ALWAYS, 0, true},
	{CCP_CONGESTION_SL_MAPPING_SETTINGS, PORT_1, ANSWER, ALWAYS, 0, false},
	{CCP_CONGESTION_SL_MAPPING_SETTINGS, NO_PORT, REFUSAL, ALWAYS, 0, false},
	{CCP_CONGESTION_SL_MAPPING_SETTINGS, PORT_1, SAME, ALWAYS, 0, false},
	{CCP_CONGESTION_PORT_PROFILE_SETTINGS, PORT_1, ANSWER, ALWAYS, 0, false},
	{CCP_CONGESTION_PORT_PROFILE_SETTINGS, NO_PORT, REFUSAL, ALWAYS, 0, false},
	{CCP_CONGESTION_PORT_PROFILE_SETTINGS, PORT_1, SAME, ALWAYS, 0, false},
	{CCP_CONGESTION_PORT_PROFILE_SETTINGS, PORT_1, VL_BY_MASK, ALWAYS, 1, true},
	{CCP_CONGESTION_PORT_PROFILE_SETTINGS, PORT_1, VL_BY_MODIFIER, BY_MODIFIER, 1, true},
	{CCP_CONGESTION_PORT_PROFILE_SETTINGS, PORT_1, ANOTHER_VL, VLS_2, 4, true},
	{CCP_CONGESTION_PORT_PROFILE_SETTINGS, PORT_1, ANOTHER_VL, VLS_2, 2, true},
	{CCP_CONGESTION_PORT_PROFILE_SETTINGS, PORT_1, ANOTHER_VL, VLS_8, 8, true},
};

/* An adapter has no second port at its LID: an attribute of switches and a slot beyond the last stand for it. */
static const struct step adapter_steps[] = {
	{CCP_CONGESTION_SWITCH_GENERAL_SETTINGS, NOWHERE, REFUSAL, ALWAYS, 0, false},
	{CCP_CONGESTION_HCA_GENERAL_SETTINGS, NOWHERE, ANSWER, ALWAYS, 0, false}, /* of fact where somebody looks */
	{CCP_CONGESTION_HCA_GENERAL_SETTINGS, NOWHERE, SAME, ALWAYS, 0, false},
	{CCP_CONGESTION_HCA_RP_PARAMETERS, NOWHERE, ANSWER, VERSION_0, 0, false},
	{CCP_CONGESTION_HCA_RP_PARAMETERS, NOWHERE, SAME, VERSION_0, 0, false},
	{CCP_CONGESTION_HCA_NP_PARAMETERS, NOWHERE, ANSWER, VERSION_0, 0, false},
	{CCP_CONGESTION_HCA_NP_PARAMETERS, NOWHERE, SAME, VERSION_0, 0, false},
	{CCP_CONGESTION_HCA_ALGO_CONFIG, SLOT_0, ANSWER, VERSION_1, 0, true},
	{CCP_CONGESTION_HCA_ALGO_CONFIG, SLOT_TOO_HIGH, REFUSAL, VERSION_1, 0, false},
	{CCP_CONGESTION_HCA_ALGO_CONFIG, SLOT_0, SAME, VERSION_1, 0, false},
	{CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS, SLOT_0, ANSWER, VERSION_1, 0, false},
	{CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS, SLOT_0, SAME, VERSION_1, 0, false},
};

static const struct step *steps_of(unsigned num_ports, unsigned *count)
{
	*count = num_ports ? COUNT(switch_steps) : COUNT(adapter_steps);
	return num_ports ? switch_steps : adapter_steps;
}

bool ibcc_nvidia_is_known(const struct ibcc_nvidia *nvidia)
{
	return !nvidia->to_ask || nvidia->state == IBCC_NVIDIA_ABSENT || ibcc_nvidia_is_spoken(nvidia);
}

bool ibcc_nvidia_is_spoken(const struct ibcc_nvidia *nvidia)
{
	return nvidia->state == IBCC_NVIDIA_TESTED || nvidia->state == IBCC_NVIDIA_UNTRUSTED;
}

bool ibcc_nvidia_is_answered(const struct ibcc_nvidia *nvidia)
{
	const uint16_t code = nvidia->refusal & IBCC_STATUS_CODE;

	return ibcc_nvidia_is_spoken(nvidia) ||
	       (nvidia->state == IBCC_NVIDIA_ABSENT && (code == IBCC_STATUS_BAD_METHOD || code == IBCC_STATUS_BAD_ATTRIBUTE));
}

bool ibcc_nvidia_is_same_algorithm(const struct ccp_ppcc_algorithm *a, const struct ccp_ppcc_algorithm *b)
{
	return a->algo_id == b->algo_id && a->major == b->major && a->minor == b->minor;
}

uint16_t ibcc_nvidia_vls(const struct ibcc_nvidia_facts *facts)
{
	return (uint16_t)((1u << facts->num_vls) - 1u);
}

const char *ibcc_nvidia_fault_text(char text[IBCC_NVIDIA_FAULT_BYTES], const struct ibcc_nvidia_facts *facts)
{
	static const char *const texts[IBCC_NUM_NVIDIA_FAULTS] = {
		[IBCC_NVIDIA_FINE] = "",
		[IBCC_NVIDIA_REFUSED] = "a Get is refused",
		[IBCC_NVIDIA_RESERVED] = "reserved bits are not zero",
		[IBCC_NVIDIA_RANGE] = "a value is out of range",
		[IBCC_NVIDIA_NO_SUCH] = "a Get of what it cannot have is answered",
		[IBCC_NVIDIA_DIFFERENT] = "two Gets have different answers",
		[IBCC_NVIDIA_WHICH_VL] = "an answer is about another VL",
	};
	const struct ccp_wire_attribute *attribute = ccp_find_attribute(facts->fault_attribute);

	text[0] = '\0';
	if (facts->fault)
		(void)snprintf(text, IBCC_NVIDIA_FAULT_BYTES, "%s: %s", attribute ? attribute->name : "?", texts[facts->fault]);
	return text;
}

/* For adapters alone: a switch is asked for this step in any case. */
static bool tells_whether_on(const struct step *step)
{
	return step->attribute == CCP_CONGESTION_HCA_GENERAL_SETTINGS && step->expectation == ANSWER;
}

static bool is_needed(const struct ibcc_nvidia *nvidia, const struct step *step)
{
	const struct ibcc_nvidia_facts *facts = &nvidia->facts;

	if (nvidia->trust.tested && !step->of_fact && !(nvidia->looks && tells_whether_on(step)))
		return false;
	switch (step->need) {
	case VERSION_0:
		return facts->ver0;
	case VERSION_1:
		return facts->ver1;
	case BY_MODIFIER:
		return facts->by_modifier;
	case VLS_2:
		return facts->num_vls == 2;
	case VLS_8:
		return facts->num_vls == 8;
	case ALWAYS:
		break;
	}
	return true;
}

static uint32_t modifier_of(const struct ibcc_nvidia_facts *facts, const struct step *step, unsigned num_ports)
{
	const bool has_vl = step->expectation == VL_BY_MODIFIER || (step->expectation == ANOTHER_VL && facts->by_modifier);

	switch (step->place) {
	case PORT_1:
		return has_vl ? (uint32_t)step->vl << 16 | 1u : 1u;
	case NO_PORT:
		return num_ports + 1u;
	case SLOT_TOO_HIGH:
		return NO_SLOT;
	case NOWHERE:
	case SLOT_0:
		break;
	}
	return 0;
}

/* Fields as wide as on the wire always fit, so packing does not fail. */
static void fill_data(const struct step *step, uint8_t data[CCP_ATTRIBUTE_BYTES])
{
	struct ccp_error error;

	memset(data, 0, CCP_ATTRIBUTE_BYTES);
	if (step->attribute == CCP_CONGESTION_PORT_PROFILE_SETTINGS) {
		const struct ccp_congestion_port_profile_settings about = {.vl_mask = (uint16_t)(1u << step->vl)};
		(void)ccp_pack(CCP_CONGESTION_PORT_PROFILE_SETTINGS, &about, data, &error);
	} else if (step->attribute == CCP_CONGESTION_HCA_ALGO_CONFIG) {
		const struct ccp_congestion_hca_algo_config list = {.encap_type = CCP_PPCC_ENCAP_ALGORITHMS};
		(void)ccp_pack(CCP_CONGESTION_HCA_ALGO_CONFIG, &list, data, &error);
	} else if (step->attribute == CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS) {
		const struct ccp_congestion_hca_algo_config_params values = {.encap_type = CCP_PPCC_ENCAP_PARAMETERS};
		(void)ccp_pack(CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS, &values, data, &error);
	}
}

/* Returns the present step; NULL: all are done. */
static const struct step *present_step(const struct ibcc_nvidia *nvidia, unsigned num_ports)
{
	unsigned count, step = nvidia->step;
	const struct step *steps = steps_of(num_ports, &count);

	while (step < count && !is_needed(nvidia, &steps[step]))
		step++;
	return step < count ? &steps[step] : NULL;
}

bool ibcc_nvidia_next_test(const struct ibcc_nvidia *nvidia, unsigned num_ports, struct ibcc_nvidia_test *test)
{
	const struct step *step = present_step(nvidia, num_ports);

	if (!step)
		return false;
	test->attribute = step->attribute;
	test->modifier = modifier_of(&nvidia->facts, step, num_ports);
	fill_data(step, test->data);
	return true;
}

/* All that the tests unpack. */
union answer {
	struct ccp_enhanced_congestion_info info;
	struct ccp_congestion_switch_general_settings general;
	struct ccp_congestion_port_profile_settings profiles;
	struct ccp_congestion_sl_mapping_settings sl_mapping;
	struct ccp_congestion_hca_general_settings hca;
	struct ccp_congestion_hca_rp_parameters rp;
	struct ccp_congestion_hca_np_parameters np;
	struct ccp_congestion_hca_algo_config_support list;
	struct ccp_congestion_hca_algo_config_params params;
};

/* The form in which an attribute's answer to a test is unpacked. */
static enum ccp_attribute_id form_of(uint16_t attribute)
{
	return attribute == CCP_CONGESTION_HCA_ALGO_CONFIG ? CCP_CONGESTION_HCA_ALGO_CONFIG_SUPPORT
							   : (enum ccp_attribute_id)attribute;
}

static bool has_reserved_bits(uint16_t attribute, const uint8_t *data, union answer *value)
{
	uint8_t again[CCP_ATTRIBUTE_BYTES];
	struct ccp_error error;

	memset(value, 0, sizeof(*value));
	return ccp_unpack(form_of(attribute), data, value) || ccp_pack(form_of(attribute), value, again, &error) ||
	       memcmp(data, again, sizeof(again)) != 0;
}

static bool profiles_are_in_range(const struct ccp_congestion_port_profile_settings *profiles)
{
	for (unsigned i = 0; i < CCP_NVIDIA_NUM_PROFILES; i++) {
		const struct ccp_congestion_threshold_profile *one = &profiles->profiles[i];

		if (one->percent > 100 || one->min > one->max || (profiles->mode == CCP_THRESHOLD_PERCENTAGE && one->max > 100))
			return false;
	}
	return (profiles->vl_mask & 1u) != 0; /* all tests but those of other VLs are about VL 0 */
}

static bool mapping_is_in_range(const struct ccp_congestion_sl_mapping_settings *mapping)
{
	for (unsigned sl = 0; sl < CCP_NUM_SLS; sl++) {
		if (!mapping->sl_profile[sl])
			return false;
	}
	return true;
}

/* Ranges of docs/use/profiles.md, which the defaults of all documented adapters are in. Zeros are out of them. */
static bool rp_is_in_range(const struct ccp_congestion_hca_rp_parameters *rp)
{
	return rp->rpg_time_reset && rp->rpg_threshold && rp->rpg_ai_rate && rp->rpg_hai_rate && rp->rpg_min_rate &&
	       rp->dce_tcp_rtt && rp->rpg_min_dec_fac <= 100;
}

static bool list_is_in_range(const struct ccp_congestion_hca_algo_config_support *list)
{
	return list->algorithms[0].algo_id && list->encap_len && list->encap_len % 4u == 0 &&
	       list->encap_len <= sizeof(list->algorithms);
}

static bool is_in_range(uint16_t attribute, const union answer *value)
{
	switch (attribute) {
	case CCP_CONGESTION_SWITCH_GENERAL_SETTINGS:
		return value->general.cap_total_buffer_size && value->general.aqs_time <= CCP_NVIDIA_AQS_TIME_MAX;
	case CCP_CONGESTION_PORT_PROFILE_SETTINGS:
		return profiles_are_in_range(&value->profiles);
	case CCP_CONGESTION_SL_MAPPING_SETTINGS:
		return mapping_is_in_range(&value->sl_mapping);
	case CCP_CONGESTION_HCA_RP_PARAMETERS:
		return rp_is_in_range(&value->rp);
	case CCP_CONGESTION_HCA_ALGO_CONFIG:
		return list_is_in_range(&value->list);
	case CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS:
		return value->params.encap_len % 4u == 0 && value->params.encap_len <= CCP_PPCC_ENCAPSULATION_BYTES;
	default:
		return true;
	}
}

static void keep(struct ibcc_nvidia_facts *facts, uint16_t attribute, const union answer *value)
{
	if (attribute == CCP_CONGESTION_SWITCH_GENERAL_SETTINGS) {
		facts->buffer_bytes = value->general.cap_total_buffer_size;
		facts->num_vls = 1;
		facts->is_on = value->general.en;
		facts->knows_on = true;
	} else if (attribute == CCP_CONGESTION_HCA_GENERAL_SETTINGS) {
		facts->is_on = value->hca.en_notify || value->hca.en_react;
		facts->knows_on = true;
	} else if (attribute == CCP_CONGESTION_HCA_ALGO_CONFIG) {
		memcpy(facts->algorithms, value->list.algorithms, sizeof(facts->algorithms));
	}
}

static enum ibcc_nvidia_fault judge_answer(struct ibcc_nvidia_facts *facts, uint16_t attribute, uint16_t status,
					   const uint8_t *data)
{
	union answer value;

	if (status)
		return IBCC_NVIDIA_REFUSED;
	if (has_reserved_bits(attribute, data, &value))
		return IBCC_NVIDIA_RESERVED;
	if (!is_in_range(attribute, &value))
		return IBCC_NVIDIA_RANGE;
	keep(facts, attribute, &value);
	return IBCC_NVIDIA_FINE;
}

/* A VL that is refused is one that the device lacks. */
static enum ibcc_nvidia_fault judge_vl(struct ibcc_nvidia_facts *facts, const struct step *step, uint16_t status,
				       const uint8_t *data)
{
	union answer value;
	bool is_about_it;

	if (status)
		return IBCC_NVIDIA_FINE;
	if (has_reserved_bits(step->attribute, data, &value))
		return IBCC_NVIDIA_RESERVED;
	is_about_it = value.profiles.vl_mask >> step->vl & 1u;
	if (step->expectation == VL_BY_MASK && !is_about_it)
		facts->by_modifier = true; /* as the answer is about VL 0; the next step asks in the other way */
	else if (is_about_it)
		facts->num_vls = step->vl == 8 ? 15 : (uint8_t)(2 * step->vl);
	else
		return IBCC_NVIDIA_WHICH_VL;
	return IBCC_NVIDIA_FINE;
}

static enum ibcc_nvidia_fault judge(struct ibcc_nvidia_facts *facts, const struct step *step, uint16_t status,
				    const uint8_t *data, bool repeats)
{
	switch (step->expectation) {
	case ANSWER:
		return judge_answer(facts, step->attribute, status, data);
	case SAME:
		return status ? IBCC_NVIDIA_REFUSED : repeats ? IBCC_NVIDIA_FINE : IBCC_NVIDIA_DIFFERENT;
	case REFUSAL:
		return status ? IBCC_NVIDIA_FINE : IBCC_NVIDIA_NO_SUCH;
	case VL_BY_MASK:
	case VL_BY_MODIFIER:
	case ANOTHER_VL:
		break;
	}
	return judge_vl(facts, step, status, data);
}

static void end_if_done(struct ibcc_nvidia *nvidia, unsigned num_ports)
{
	if (present_step(nvidia, num_ports))
		return;
	nvidia->state = IBCC_NVIDIA_TESTED;
	nvidia->trust.tested = true;
}

static void find_fault(struct ibcc_nvidia *nvidia, enum ibcc_nvidia_fault fault, uint16_t attribute)
{
	nvidia->facts.fault = fault;
	nvidia->facts.fault_attribute = attribute;
	nvidia->state = IBCC_NVIDIA_UNTRUSTED;
}

bool ibcc_nvidia_judge(struct ibcc_nvidia *nvidia, unsigned num_ports, uint16_t status, const uint8_t *data, bool repeats)
{
	unsigned count;
	const struct step *steps = steps_of(num_ports, &count), *step = present_step(nvidia, num_ports);
	enum ibcc_nvidia_fault fault;

	if (!step)
		return false;
	fault = judge(&nvidia->facts, step, status, data, repeats);
	if (fault) {
		find_fault(nvidia, fault, step->attribute);
		return false;
	}
	nvidia->step = (uint8_t)(step - steps + 1);
	end_if_done(nvidia, num_ports);
	return step->expectation == ANSWER;
}

void ibcc_nvidia_take_info(struct ibcc_nvidia *nvidia, bool is_switch, uint16_t status, const uint8_t *data)
{
	union answer value;

	memset(&nvidia->facts, 0, sizeof(nvidia->facts));
	nvidia->step = 0;
	nvidia->refusal = status;
	nvidia->again = false;
	nvidia->state = IBCC_NVIDIA_ABSENT;
	if (status)
		return;
	if (has_reserved_bits(CCP_ENHANCED_CONGESTION_INFO, data, &value)) {
		find_fault(nvidia, IBCC_NVIDIA_RESERVED, CCP_ENHANCED_CONGESTION_INFO);
		return;
	}
	nvidia->facts.ver0 = value.info.ver0;
	nvidia->facts.ver1 = value.info.ver1 && (value.info.cc_capability_mask & CCP_ENHANCED_CAP_PPCC);
	nvidia->facts.capabilities = value.info.cc_capability_mask;
	/* Both versions are of adapters: one that has neither has nothing that could be set. */
	if (!is_switch && !nvidia->facts.ver0 && !nvidia->facts.ver1)
		return;
	nvidia->state = IBCC_NVIDIA_TESTING;
	if (nvidia->trust.fault)
		find_fault(nvidia, nvidia->trust.fault, nvidia->trust.fault_attribute);
	else
		end_if_done(nvidia, is_switch);
}
