/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "key_values.h"

#include <assert.h>
#include <string.h>

static_assert(sizeof(enum ccp_level) == sizeof(unsigned), "the value of a CCP_KEY_WORD is an enum of this size");

static inline void copy(const struct ccp_key *key, void *to, const void *from)
{
	switch (key->type) {
	case CCP_KEY_BOOL:
		*(bool *)to = *(const bool *)from;
		return;
	case CCP_KEY_UINT8:
		*(uint8_t *)to = *(const uint8_t *)from;
		return;
	case CCP_KEY_UINT32:
		*(uint32_t *)to = *(const uint32_t *)from;
		return;
	case CCP_KEY_SL_PROFILES:
		*(struct ccp_congestion_sl_mapping_settings *)to = *(const struct ccp_congestion_sl_mapping_settings *)from;
		return;
	case CCP_KEY_UINT16:
	case CCP_KEY_SLS:
		*(uint16_t *)to = *(const uint16_t *)from;
		return;
	case CCP_KEY_WORD:
		memcpy(to, from, sizeof(unsigned));
		return;
	case CCP_KEY_MASK:
		*(struct ccp_mask *)to = *(const struct ccp_mask *)from;
		return;
	case CCP_KEY_ENTRY:
		*(struct ccp_cct_entry *)to = *(const struct ccp_cct_entry *)from;
		return;
	default:
		assert(!"a type that sections have");
	}
}

void ccp_keys_copy(const struct ccp_key_part *section, void *to, const void *from, uint32_t keys)
{
	for (unsigned i = 0; i < section->num_keys && keys >> i; i++) {
		const struct ccp_key *key = &section->keys[i];
		if (keys >> i & 1u)
			copy(key, (char *)to + key->place.profile, (const char *)from + key->place.profile);
	}
}

void ccp_keys_to_tables(const struct ccp_key_part *section, void *tables, const void *from)
{
	for (unsigned i = 0; i < section->num_keys; i++) {
		const struct ccp_key *key = &section->keys[i];
		if (key->place.tables != CCP_NO_PLACE && key->type != CCP_KEY_MASK)
			copy(key, (char *)tables + key->place.tables, (const char *)from + key->place.profile);
	}
}

void ccp_keys_to_port(struct ccp_switch_port_setting *port, const struct ccp_profile_switch *from)
{
	for (unsigned i = 0; i < ccp_switch_keys.num_keys; i++) {
		const struct ccp_key *key = &ccp_switch_keys.keys[i];
		if (key->place.port != CCP_NO_PLACE)
			copy(key, (char *)port + key->place.port, (const char *)from + key->place.profile);
	}
}

void ccp_key_set_default(const struct ccp_key *key, void *to)
{
	const unsigned word = (unsigned)key->default_value;

	assert(key->default_value != CCP_NO_DEFAULT);
	switch (key->type) {
	case CCP_KEY_BOOL:
		*(bool *)to = key->default_value;
		return;
	case CCP_KEY_UINT8:
		*(uint8_t *)to = (uint8_t)key->default_value;
		return;
	case CCP_KEY_UINT32:
		*(uint32_t *)to = (uint32_t)key->default_value;
		return;
	case CCP_KEY_SL_PROFILES:
		memset(to, key->default_value, sizeof(struct ccp_congestion_sl_mapping_settings));
		return;
	case CCP_KEY_UINT16:
	case CCP_KEY_SLS:
		*(uint16_t *)to = (uint16_t)key->default_value;
		return;
	case CCP_KEY_WORD:
		memcpy(to, &word, sizeof(word));
		return;
	case CCP_KEY_MASK:
		*(struct ccp_mask *)to = (struct ccp_mask){.kind = (enum ccp_mask_kind)word};
		return;
	case CCP_KEY_ENTRY:
		*(struct ccp_cct_entry *)to = (struct ccp_cct_entry){0};
		return;
	default:
		assert(!"a type that sections have");
	}
}

void ccp_keys_set_defaults(const struct ccp_key_part *section, void *to)
{
	for (unsigned i = 0; i < section->num_keys; i++)
		ccp_key_set_default(&section->keys[i], (char *)to + section->keys[i].place.profile);
}

static bool masks_equal(const struct ccp_mask *a, const struct ccp_mask *b)
{
	return a->kind == b->kind && (a->kind != CCP_MASK_PORTS || !memcmp(a->ports, b->ports, sizeof(a->ports)));
}

static bool parameters_equal(const struct ccp_ppcc_parameters *a, const struct ccp_ppcc_parameters *b)
{
	if (a->count != b->count)
		return false;
	for (uint32_t i = 0; i < a->count; i++)
		if (strcmp(a->list[i].name, b->list[i].name) || a->list[i].index != b->list[i].index ||
		    a->list[i].value != b->list[i].value)
			return false;
	return true;
}

static bool values_equal(const struct ccp_key *key, const void *a, const void *b)
{
	const struct ccp_cct_entry *x = a, *y = b;

	switch (key->type) {
	case CCP_KEY_BOOL:
		return *(const bool *)a == *(const bool *)b;
	case CCP_KEY_UINT8:
		return *(const uint8_t *)a == *(const uint8_t *)b;
	case CCP_KEY_UINT32:
		return *(const uint32_t *)a == *(const uint32_t *)b;
	case CCP_KEY_SL_PROFILES:
		return !memcmp(a, b, sizeof(struct ccp_congestion_sl_mapping_settings));
	case CCP_KEY_NAME:
		return !strcmp(a, b);
	case CCP_KEY_PARAMETERS:
		return parameters_equal(a, b);
	case CCP_KEY_UINT16:
	case CCP_KEY_SLS:
		return *(const uint16_t *)a == *(const uint16_t *)b;
	case CCP_KEY_WORD:
		return !memcmp(a, b, sizeof(unsigned));
	case CCP_KEY_MASK:
		return masks_equal(a, b);
	case CCP_KEY_ENTRY:
		return x->shift == y->shift && x->multiplier == y->multiplier;
	default:
		assert(!"a type that sections have");
		return false;
	}
}

bool ccp_keys_equal(const struct ccp_key_part *section, const void *a, const void *b, uint32_t keys)
{
	for (unsigned i = 0; i < section->num_keys && keys >> i; i++) {
		const struct ccp_key *key = &section->keys[i];
		if ((keys >> i & 1u) &&
		    !values_equal(key, (const char *)a + key->place.profile, (const char *)b + key->place.profile))
			return false;
	}
	return true;
}

uint32_t ccp_port_keys(void)
{
	uint32_t keys = 0;

	for (unsigned i = 0; i < ccp_switch_keys.num_keys; i++)
		if (ccp_switch_keys.keys[i].place.port != CCP_NO_PLACE)
			keys |= 1u << i;
	return keys;
}
