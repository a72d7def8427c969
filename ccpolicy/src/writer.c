/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _POSIX_C_SOURCE 200809L /* uselocale() */
#include "ccpolicy/writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "ccpolicy/keys.h"
#include "emitter.h"
#include "locale_scope.h"
#include "write_section.h"

static void write_table(struct ccp_emitter *e, const struct ccp_profile_cct *cct)
{
	const struct ccp_power_curve *power = &cct->curve.power;
	const struct ccp_key *keys = ccp_curve_keys;

	ccp_emit_uint(e, ccp_cct_keys[CCP_CCT_CCTI_LIMIT].name, cct->ccti_limit);
	if (cct->source == CCP_CCT_ENTRIES) {
		ccp_emit_begin_list(e, ccp_cct_keys[CCP_CCT_ENTRY_LIST].name, false);
		for (unsigned i = 0; i <= cct->ccti_limit; i++)
			ccp_write_entry(e, NULL, &cct->entries[i]);
		ccp_emit_end(e);
		return;
	}
	ccp_emit_begin_map(e, "curve", false);
	if (cct->source == CCP_CCT_POWER) {
		const bool in_us = power->unit == CCP_FULL_SCALE_US;
		ccp_emit_word(e, keys[CCP_CURVE_KIND].name, ccp_curve_kind_words[CCP_CURVE_POWER]);
		ccp_emit_real(e, keys[in_us ? CCP_CURVE_FULL_SCALE_US : CCP_CURVE_FULL_SCALE_PACKET_TIMES].name,
			      power->full_scale);
		if (power->at_index)
			ccp_emit_uint(e, keys[CCP_CURVE_AT_INDEX].name, power->at_index);
		ccp_emit_real(e, keys[CCP_CURVE_EXPONENT].name, power->exponent);
		if (power->knee_at > 0.0)
			ccp_emit_real(e, keys[CCP_CURVE_KNEE_AT].name, power->knee_at);
		if (power->end_exponent > 0.0)
			ccp_emit_real(e, keys[CCP_CURVE_END_EXPONENT].name, power->end_exponent);
	} else {
		ccp_emit_word(e, keys[CCP_CURVE_KIND].name, ccp_curve_kind_words[CCP_CURVE_GEOMETRIC]);
		ccp_emit_real(e, keys[CCP_CURVE_FIRST].name, cct->curve.geometric.first);
		ccp_emit_real(e, keys[CCP_CURVE_LAST].name, cct->curve.geometric.last);
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
		ccp_emit_word(e, ccp_cct_keys[CCP_CCT_LIMIT_MODE].name, ccp_limit_mode_words[cct->limit_mode]);
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
		ccp_write_numbers(e, "ports", match->ports);
	else if (match->port_match != CCP_PORTS_ANY)
		ccp_emit_word(e, "ports", ccp_port_match_words[match->port_match]);
	ccp_emit_end(e);
}

static void write_profile(struct ccp_emitter *e, const struct ccp_profile *profile)
{
	ccp_emit_begin_map(e, NULL, false);
	ccp_emit_uint(e, "ibcc_profile", profile->nvidia ? CCP_PROFILE_VERSION_NVIDIA : CCP_PROFILE_VERSION);
	ccp_emit_text(e, "name", profile->name);
	ccp_emit_bool(e, ccp_enable_key.name, profile->enable);
	if (profile->rate_gbps > 0.0) {
		ccp_emit_begin_map(e, "link", false);
		ccp_emit_real(e, ccp_link_keys[CCP_LINK_RATE_GBPS].name, profile->rate_gbps);
		ccp_emit_uint(e, ccp_link_keys[CCP_LINK_MTU_BYTES].name, profile->mtu_bytes);
		ccp_emit_end(e);
	}
	ccp_write_section(e, "switch", &ccp_switch_keys, &profile->sw, profile->sw.present);
	ccp_write_section(e, "ca", &ccp_ca_keys, &profile->ca, profile->ca.present);
	write_cct(e, &profile->cct);
	ccp_write_nvidia(e, profile->nvidia);
	if (profile->num_overrides) {
		ccp_emit_begin_list(e, "overrides", false);
		for (uint32_t i = 0; i < profile->num_overrides; i++) {
			const struct ccp_override *o = &profile->overrides[i];
			ccp_emit_begin_map(e, NULL, false);
			write_match(e, &o->match);
			ccp_write_section(e, "switch", &ccp_switch_keys, &o->sw, o->sw.present);
			ccp_write_section(e, "ca", &ccp_ca_keys, &o->ca, o->ca.present);
			write_cct(e, &o->cct);
			ccp_write_nvidia(e, o->nvidia);
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
