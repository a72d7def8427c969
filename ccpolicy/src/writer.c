/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _POSIX_C_SOURCE 200809L /* uselocale() */
#include "ccpolicy/writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "emitter.h"
#include "keys.h"
#include "locale_scope.h"

static void write_numbers(struct ccp_emitter *e, const char *key, const uint8_t mask[CCP_PORT_MASK_BYTES])
{
	ccp_emit_begin_list(e, key, true);
	for (unsigned i = 0; i < 256; i++)
		if (ccp_port_mask_test(mask, i))
			ccp_emit_uint(e, NULL, i);
	ccp_emit_end(e);
}

static void write_entry(struct ccp_emitter *e, const char *key, const struct ccp_cct_entry *entry)
{
	ccp_emit_begin_map(e, key, true);
	ccp_emit_uint(e, "shift", entry->shift);
	ccp_emit_uint(e, "multiplier", entry->multiplier);
	ccp_emit_end(e);
}

static void write_sls(struct ccp_emitter *e, const char *key, uint16_t sls)
{
	if (sls == 0xFFFF) {
		ccp_emit_word(e, key, "all");
		return;
	}
	ccp_emit_begin_list(e, key, true);
	for (unsigned sl = 0; sl < CCP_NUM_SLS; sl++)
		if (sls >> sl & 1u)
			ccp_emit_uint(e, NULL, sl);
	ccp_emit_end(e);
}

static void write_row(struct ccp_emitter *e, const struct ccp_key_row *row, const void *section)
{
	const void *member = (const char *)section + row->offset;
	const struct ccp_mask *mask = member;

	switch (row->type) {
	case CCP_KEY_U8:
		ccp_emit_uint(e, row->key, *(const uint8_t *)member);
		return;
	case CCP_KEY_U16:
		ccp_emit_uint(e, row->key, *(const uint16_t *)member);
		return;
	case CCP_KEY_MASK:
		if (mask->kind == CCP_MASK_PORTS)
			write_numbers(e, row->key, mask->ports);
		else
			ccp_emit_word(e, row->key, ccp_mask_words[mask->kind]);
		return;
	case CCP_KEY_ENTRY:
		write_entry(e, row->key, member);
		return;
	case CCP_KEY_LEVEL:
		ccp_emit_word(e, row->key, ccp_level_words[*(const enum ccp_level *)member]);
		return;
	case CCP_KEY_SLS:
		write_sls(e, row->key, *(const uint16_t *)member);
		return;
	}
}

static void write_section(struct ccp_emitter *e, const char *key, const struct ccp_key_row *rows, unsigned num_rows,
			  const void *section, uint32_t present)
{
	if (!present)
		return;
	ccp_emit_begin_map(e, key, false);
	for (unsigned i = 0; i < num_rows; i++)
		if (present & rows[i].bit)
			write_row(e, &rows[i], section);
	ccp_emit_end(e);
}

static void write_table(struct ccp_emitter *e, const struct ccp_profile_cct *cct)
{
	const struct ccp_power_curve *power = &cct->curve.power;

	ccp_emit_uint(e, "ccti_limit", cct->ccti_limit);
	if (cct->source == CCP_CCT_ENTRIES) {
		ccp_emit_begin_list(e, "entries", false);
		for (unsigned i = 0; i <= cct->ccti_limit; i++)
			write_entry(e, NULL, &cct->entries[i]);
		ccp_emit_end(e);
		return;
	}
	ccp_emit_begin_map(e, "curve", false);
	if (cct->source == CCP_CCT_POWER) {
		ccp_emit_word(e, "kind", "power");
		ccp_emit_real(e, power->unit == CCP_FULL_SCALE_US ? "full_scale_us" : "full_scale_packet_times",
			      power->full_scale);
		if (power->at_index)
			ccp_emit_uint(e, "at_index", power->at_index);
		ccp_emit_real(e, "exponent", power->exponent);
	} else {
		ccp_emit_word(e, "kind", "geometric");
		ccp_emit_real(e, "first", cct->curve.geometric.first);
		ccp_emit_real(e, "last", cct->curve.geometric.last);
	}
	ccp_emit_end(e);
}

static void write_cct(struct ccp_emitter *e, const struct ccp_profile_cct *cct)
{
	if (cct->source == CCP_CCT_ABSENT && !cct->has_limit_mode)
		return;
	ccp_emit_begin_map(e, "cct", false);
	if (cct->source != CCP_CCT_ABSENT)
		write_table(e, cct);
	if (cct->has_limit_mode)
		ccp_emit_word(e, "limit_mode", ccp_limit_mode_words[cct->limit_mode]);
	ccp_emit_end(e);
}

static void write_match(struct ccp_emitter *e, const struct ccp_match *match)
{
	ccp_emit_begin_map(e, "match", false);
	if (match->guid) {
		/* A string, as JSON has no hexadecimal numbers and many of its readers no 64-bit ones. */
		char guid[32];
		snprintf(guid, sizeof(guid), "0x%016" PRIx64, match->guid);
		ccp_emit_text(e, "guid", guid);
	}
	if (match->node)
		ccp_emit_text(e, "node", match->node);
	if (match->role != CCP_ROLE_ANY)
		ccp_emit_word(e, "role", ccp_role_words[match->role]);
	if (match->port_match == CCP_PORTS_LISTED)
		write_numbers(e, "ports", match->ports);
	else if (match->port_match != CCP_PORTS_ANY)
		ccp_emit_word(e, "ports", ccp_port_match_words[match->port_match]);
	ccp_emit_end(e);
}

static void write_profile(struct ccp_emitter *e, const struct ccp_profile *profile)
{
	ccp_emit_begin_map(e, NULL, false);
	ccp_emit_uint(e, "ibcc_profile", CCP_PROFILE_VERSION);
	ccp_emit_text(e, "name", profile->name);
	ccp_emit_bool(e, "enable", profile->enable);
	if (profile->rate_gbps > 0.0) {
		ccp_emit_begin_map(e, "link", false);
		ccp_emit_real(e, "rate_gbps", profile->rate_gbps);
		ccp_emit_uint(e, "mtu_bytes", profile->mtu_bytes);
		ccp_emit_end(e);
	}
	write_section(e, "switch", ccp_switch_keys, CCP_NUM_SWITCH_KEYS, &profile->sw, profile->sw.present);
	write_section(e, "ca", ccp_ca_keys, CCP_NUM_CA_KEYS, &profile->ca, profile->ca.present);
	write_cct(e, &profile->cct);
	if (profile->num_overrides) {
		ccp_emit_begin_list(e, "overrides", false);
		for (uint32_t i = 0; i < profile->num_overrides; i++) {
			const struct ccp_override *o = &profile->overrides[i];
			ccp_emit_begin_map(e, NULL, false);
			write_match(e, &o->match);
			write_section(e, "switch", ccp_switch_keys, CCP_NUM_SWITCH_KEYS, &o->sw, o->sw.present);
			write_section(e, "ca", ccp_ca_keys, CCP_NUM_CA_KEYS, &o->ca, o->ca.present);
			write_cct(e, &o->cct);
			ccp_emit_end(e);
		}
		ccp_emit_end(e);
	}
	ccp_emit_end(e);
}

char *ccp_profile_write(const struct ccp_profile *profile, enum ccp_format format, size_t *length)
{
	struct ccp_emitter e = {.format = format};
	struct ccp_locale_scope scope;

	if (!ccp_locale_scope_begin(&scope))
		return NULL;
	write_profile(&e, profile);
	ccp_locale_scope_end(&scope);
	if (e.failed) {
		free(e.text);
		return NULL;
	}
	if (length)
		*length = e.length;
	return e.text;
}
