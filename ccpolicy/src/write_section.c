/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "write_section.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

void ccp_write_numbers(struct ccp_emitter *e, const char *key, const uint8_t mask[CCP_PORT_MASK_BYTES])
{
	ccp_emit_begin_list(e, key, true);
	for (unsigned i = 0; i < 256; i++)
		if (ccp_port_mask_test(mask, i))
			ccp_emit_uint(e, NULL, i);
	ccp_emit_end(e);
}

void ccp_write_entry(struct ccp_emitter *e, const char *key, const struct ccp_cct_entry *entry)
{
	ccp_emit_begin_map(e, key, true);
	ccp_emit_uint(e, "shift", entry->shift);
	ccp_emit_uint(e, "multiplier", entry->multiplier);
	ccp_emit_end(e);
}

static void write_sls(struct ccp_emitter *e, const char *key, uint16_t sls)
{
	if (sls == CCP_ALL_SLS) {
		ccp_emit_word(e, key, "all");
		return;
	}
	ccp_emit_begin_list(e, key, true);
	for (unsigned sl = 0; sl < CCP_NUM_SLS; sl++)
		if (sls >> sl & 1u)
			ccp_emit_uint(e, NULL, sl);
	ccp_emit_end(e);
}

/* One number if all SLs have the same. */
static void write_sl_profiles(struct ccp_emitter *e, const char *key, const struct ccp_congestion_sl_mapping_settings *mapping)
{
	const uint8_t *profiles = mapping->sl_profile;
	unsigned sl = 1;

	while (sl < CCP_NUM_SLS && profiles[sl] == profiles[0])
		sl++;
	if (sl == CCP_NUM_SLS) {
		ccp_emit_uint(e, key, profiles[0]);
		return;
	}
	ccp_emit_begin_list(e, key, true);
	for (sl = 0; sl < CCP_NUM_SLS; sl++)
		ccp_emit_uint(e, NULL, profiles[sl]);
	ccp_emit_end(e);
}

static void write_parameters(struct ccp_emitter *e, const char *key, const struct ccp_ppcc_parameters *parameters)
{
	ccp_emit_begin_map(e, key, true);
	for (uint32_t i = 0; i < parameters->count; i++) {
		const struct ccp_ppcc_parameter *one = &parameters->list[i];
		char index[8];
		snprintf(index, sizeof(index), "%u", (unsigned)one->index);
		ccp_emit_uint(e, *one->name ? one->name : index, one->value);
	}
	ccp_emit_end(e);
}

static void write_key(struct ccp_emitter *e, const struct ccp_key *key, const void *member)
{
	const struct ccp_mask *mask = member;
	unsigned word;

	switch (key->type) {
	case CCP_KEY_BOOL:
		ccp_emit_bool(e, key->name, *(const bool *)member);
		return;
	case CCP_KEY_UINT32:
		ccp_emit_uint(e, key->name, *(const uint32_t *)member);
		return;
	case CCP_KEY_SL_PROFILES:
		write_sl_profiles(e, key->name, member);
		return;
	case CCP_KEY_NAME:
		ccp_emit_word(e, key->name, member);
		return;
	case CCP_KEY_PARAMETERS:
		write_parameters(e, key->name, member);
		return;
	case CCP_KEY_UINT8:
		ccp_emit_uint(e, key->name, *(const uint8_t *)member);
		return;
	case CCP_KEY_UINT16:
		ccp_emit_uint(e, key->name, *(const uint16_t *)member);
		return;
	case CCP_KEY_MASK:
		if (mask->kind == CCP_MASK_PORTS)
			ccp_write_numbers(e, key->name, mask->ports);
		else
			ccp_emit_word(e, key->name, ccp_mask_words[mask->kind]);
		return;
	case CCP_KEY_ENTRY:
		ccp_write_entry(e, key->name, member);
		return;
	case CCP_KEY_WORD:
		memcpy(&word, member, sizeof(word));
		ccp_emit_word(e, key->name, key->words[word]);
		return;
	case CCP_KEY_SLS:
		write_sls(e, key->name, *(const uint16_t *)member);
		return;
	default:
		assert(!"a type that sections have");
	}
}

void ccp_write_keys(struct ccp_emitter *e, const struct ccp_key_part *keys, const void *section, uint32_t present)
{
	for (unsigned i = 0; i < keys->num_keys; i++)
		if (present >> i & 1u)
			write_key(e, &keys->keys[i], (const char *)section + keys->keys[i].place.profile);
}

void ccp_write_section(struct ccp_emitter *e, const char *name, const struct ccp_key_part *keys, const void *section,
		       uint32_t present)
{
	if (!present)
		return;
	ccp_emit_begin_map(e, name, false);
	ccp_write_keys(e, keys, section, present);
	ccp_emit_end(e);
}
