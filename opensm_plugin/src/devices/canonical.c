/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "devices/canonical.h"

#include <stdbool.h>
#include <string.h>

#include "ccpolicy/nvidia_wire.h"
#include "devices/device.h"

/* Wire structs of one attribute at a time. */
union attribute {
	struct ccp_switch_setting switch_setting;
	struct ccp_switch_port_block ports;
	struct ccp_ca_setting ca_setting;
	struct ccp_cct_block cct;
	struct ccp_congestion_port_profile_settings profiles;
	struct ccp_congestion_hca_algo_config algo;
	struct ccp_congestion_hca_algo_config_params params;
};

static bool marks_nothing(const struct ccp_congestion_port_profile_settings *settings)
{
	for (unsigned i = 0; i < CCP_NVIDIA_NUM_PROFILES; i++) {
		const struct ccp_congestion_threshold_profile *one = &settings->profiles[i];

		if (one->min || one->max || one->percent)
			return false;
	}
	return true;
}

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
	case CCP_CONGESTION_PORT_PROFILE_SETTINGS:
		if (marks_nothing(&value->profiles))
			value->profiles.mode = value->profiles.granularity = 0;
		break;
	case CCP_CONGESTION_HCA_ALGO_CONFIG:
		value->algo = (struct ccp_congestion_hca_algo_config){.algo_en = value->algo.algo_en,
								      .sl_bitmask = value->algo.sl_bitmask};
		break;
	case CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS:
		value->params.encap_len = value->params.encap_type = 0;
		break;
	default:
		break;
	}
}

/* Fields as wide as on the wire always fit, so neither unpacking nor packing fails below. */
void ibcc_canonical(uint16_t attribute, uint32_t block, const uint8_t data[CCP_ATTRIBUTE_BYTES], uint8_t out[CCP_ATTRIBUTE_BYTES])
{
	union {
		union attribute attribute;
		uint8_t room[1024]; /* attributes without a case above have structs of other types */
	} value = {0};
	struct ccp_error error;

	memset(out, 0, CCP_ATTRIBUTE_BYTES);
	if (ccp_unpack(attribute, data, &value))
		return;
	clear_what_has_no_effect(attribute, block, &value.attribute);
	(void)ccp_pack_set(attribute, &value, out, &error);
}

static void keep_vls(const struct ibcc_item *item, uint8_t bytes[CCP_ATTRIBUTE_BYTES])
{
	struct ccp_congestion_port_profile_settings settings = {0};
	struct ccp_error error;

	(void)ccp_unpack(CCP_CONGESTION_PORT_PROFILE_SETTINGS, bytes, &settings);
	settings.vl_mask &= item->scope; /* all of `scope`, if the answer is about more */
	(void)ccp_pack(CCP_CONGESTION_PORT_PROFILE_SETTINGS, &settings, bytes, &error);
}

static void keep_sls(const struct ibcc_item *item, uint8_t bytes[CCP_ATTRIBUTE_BYTES])
{
	struct ccp_congestion_hca_algo_config config = {0};
	struct ccp_error error;

	(void)ccp_unpack(CCP_CONGESTION_HCA_ALGO_CONFIG, bytes, &config);
	config.sl_bitmask = item->scope;
	(void)ccp_pack(CCP_CONGESTION_HCA_ALGO_CONFIG, &config, bytes, &error);
}

static void keep_given(const struct ibcc_item *item, uint8_t bytes[CCP_ATTRIBUTE_BYTES])
{
	struct ccp_congestion_hca_algo_config_params params = {0};
	struct ccp_error error;

	(void)ccp_unpack(CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS, bytes, &params);
	for (unsigned i = 0; i < CCP_PPCC_PARAMETERS_MAX; i++) {
		if (!(item->given >> i & 1u))
			params.parameters[i] = 0;
	}
	(void)ccp_pack(CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS, &params, bytes, &error);
}

void ibcc_canonical_of_item(const struct ibcc_item *item, const uint8_t data[CCP_ATTRIBUTE_BYTES],
			    uint8_t out[CCP_ATTRIBUTE_BYTES])
{
	ibcc_canonical(item->attribute, item->block, data, out);
	if (item->attribute == CCP_CONGESTION_PORT_PROFILE_SETTINGS)
		keep_vls(item, out);
	else if (item->attribute == CCP_CONGESTION_HCA_ALGO_CONFIG)
		keep_sls(item, out);
	else if (item->attribute == CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS)
		keep_given(item, out);
}

bool ibcc_whole_has_given(const struct ibcc_item *item)
{
	struct ccp_congestion_hca_algo_config_params params = {0};

	(void)ccp_unpack(CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS, item->whole->bytes, &params);
	if (params.encap_len % 4u || params.encap_len > CCP_PPCC_ENCAPSULATION_BYTES)
		return false;
	return !(item->given >> params.encap_len / 4u);
}

/* Parameters that the profile does not give stay as the device has them; `whole` has what is wanted. */
static void fill_params(const struct ibcc_item *item, uint8_t data[CCP_ATTRIBUTE_BYTES])
{
	struct ccp_congestion_hca_algo_config_params wanted = {0}, params = {0};
	struct ccp_error error;

	(void)ccp_unpack(CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS, item->wanted->bytes, &wanted);
	(void)ccp_unpack(CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS, item->whole->bytes, &params);
	for (unsigned i = 0; i < CCP_PPCC_PARAMETERS_MAX; i++) {
		if (item->given >> i & 1u)
			params.parameters[i] = wanted.parameters[i];
	}
	params.encap_type = CCP_PPCC_ENCAP_PARAMETERS;
	for (unsigned i = params.encap_len / 4u; i < CCP_PPCC_PARAMETERS_MAX; i++)
		params.parameters[i] = 0; /* what an answer has behind its end */
	(void)ccp_pack_set(CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS, &params, data, &error);
}

/* Sets all bits of the Control_Map. */
static void widen(uint16_t attribute, uint8_t bytes[CCP_ATTRIBUTE_BYTES])
{
	union attribute value = {0};
	struct ccp_error error;

	if ((attribute != CCP_SWITCH_CONGESTION_SETTING && attribute != CCP_CA_CONGESTION_SETTING) ||
	    ccp_unpack(attribute, bytes, &value))
		return;
	if (attribute == CCP_SWITCH_CONGESTION_SETTING)
		value.switch_setting.control_map = CCP_CONTROL_MAP_ALL;
	else
		value.ca_setting.control_map = CCP_ALL_SLS;
	(void)ccp_pack(attribute, &value, bytes, &error);
}

/*
 * A device may take only those fields of a Set whose bits are in the Control_Map, and so keep what a profile has set of the others.
 * Profiles have all bits there; what a device was found with need not. So that is set with all bits first, and then as it was.
 */
static void set_all_first(const struct ibcc_item *item, uint8_t data[CCP_ATTRIBUTE_BYTES])
{
	uint8_t wide[CCP_ATTRIBUTE_BYTES], held[CCP_ATTRIBUTE_BYTES];

	memcpy(wide, item->wanted->bytes, sizeof(wide));
	widen(item->attribute, wide);
	if (item->asked && !memcmp(item->asked->bytes, wide, sizeof(wide)))
		return;
	if (item->held) {
		memcpy(held, item->held->bytes, sizeof(held));
		widen(item->attribute, held);
		if (!memcmp(held, wide, sizeof(wide)))
			return;
	}
	memcpy(data, wide, sizeof(wide));
}

void ibcc_set_data(const struct ibcc_item *item, uint8_t data[CCP_ATTRIBUTE_BYTES])
{
	memcpy(data, item->wanted->bytes, CCP_ATTRIBUTE_BYTES);
	if (item->was_found)
		set_all_first(item, data);
	if (item->attribute == CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS)
		fill_params(item, data);
}

/* Returns the number of the n-th bit of a mask, from 0; the mask has more than n bits. */
static unsigned nth_bit(uint16_t mask, unsigned n)
{
	unsigned bit = 0;

	for (;; bit++) {
		if ((mask >> bit & 1u) && n-- == 0)
			return bit;
	}
}

void ibcc_get_data(const struct ibcc_item *item, uint8_t data[CCP_ATTRIBUTE_BYTES])
{
	struct ccp_error error;

	memset(data, 0, CCP_ATTRIBUTE_BYTES);
	if (item->attribute == CCP_CONGESTION_PORT_PROFILE_SETTINGS) {
		const struct ccp_congestion_port_profile_settings about = {.vl_mask = (uint16_t)(1u << nth_bit(item->scope, 0))};
		(void)ccp_pack(CCP_CONGESTION_PORT_PROFILE_SETTINGS, &about, data, &error);
	} else if (item->attribute == CCP_CONGESTION_HCA_ALGO_CONFIG) {
		const struct ccp_congestion_hca_algo_config about = {.sl_bitmask =
									     (uint16_t)(1u << nth_bit(item->scope, item->turn))};
		(void)ccp_pack(CCP_CONGESTION_HCA_ALGO_CONFIG, &about, data, &error);
	} else if (item->attribute == CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS) {
		const struct ccp_congestion_hca_algo_config_params about = {.encap_type = CCP_PPCC_ENCAP_PARAMETERS};
		(void)ccp_pack(CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS, &about, data, &error);
	}
}
