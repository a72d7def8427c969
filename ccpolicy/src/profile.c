/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "ccpolicy/profile.h"

#include <stdlib.h>
#include <string.h>

#include "key_values.h"

void ccp_profile_destroy(struct ccp_profile *profile)
{
	if (!profile)
		return;
	for (uint32_t i = 0; i < profile->num_overrides; i++) {
		free(profile->overrides[i].match.node);
		free(profile->overrides[i].cct.entries);
		ccp_nvidia_destroy(profile->overrides[i].nvidia);
	}
	free(profile->overrides);
	free(profile->cct.entries);
	ccp_nvidia_destroy(profile->nvidia);
	free(profile->name);
	free(profile);
}

static bool switch_equal(const struct ccp_profile_switch *a, const struct ccp_profile_switch *b)
{
	return a->present == b->present && ccp_keys_equal(&ccp_switch_keys, a, b, a->present);
}

static bool ca_equal(const struct ccp_profile_ca *a, const struct ccp_profile_ca *b)
{
	return a->present == b->present && ccp_keys_equal(&ccp_ca_keys, a, b, a->present);
}

static bool curve_equal(const struct ccp_profile_cct *a, const struct ccp_profile_cct *b)
{
	switch (a->source) {
	case CCP_CCT_ABSENT:
		return true;
	case CCP_CCT_ENTRIES:
		for (unsigned i = 0; i <= a->ccti_limit; i++)
			if (a->entries[i].shift != b->entries[i].shift || a->entries[i].multiplier != b->entries[i].multiplier)
				return false;
		return true;
	case CCP_CCT_POWER:
		return a->curve.power.unit == b->curve.power.unit && a->curve.power.full_scale == b->curve.power.full_scale &&
		       a->curve.power.at_index == b->curve.power.at_index && a->curve.power.exponent == b->curve.power.exponent &&
		       a->curve.power.knee_at == b->curve.power.knee_at &&
		       a->curve.power.end_exponent == b->curve.power.end_exponent;
	case CCP_CCT_GEOMETRIC:
		return a->curve.geometric.first == b->curve.geometric.first && a->curve.geometric.last == b->curve.geometric.last;
	}
	return false;
}

static bool cct_equal(const struct ccp_profile_cct *a, const struct ccp_profile_cct *b)
{
	return a->source == b->source && a->has_limit_mode == b->has_limit_mode &&
	       (!a->has_limit_mode || a->limit_mode == b->limit_mode) &&
	       (a->source == CCP_CCT_ABSENT || a->ccti_limit == b->ccti_limit) && curve_equal(a, b);
}

static bool match_equal(const struct ccp_match *a, const struct ccp_match *b)
{
	return a->guid == b->guid && a->role == b->role && !a->node == !b->node && (!a->node || !strcmp(a->node, b->node)) &&
	       a->port_match == b->port_match &&
	       (a->port_match != CCP_PORTS_LISTED || !memcmp(a->ports, b->ports, sizeof(a->ports)));
}

bool ccp_profile_equal(const struct ccp_profile *a, const struct ccp_profile *b)
{
	if (strcmp(a->name, b->name) || a->enable != b->enable || a->rate_gbps != b->rate_gbps || a->mtu_bytes != b->mtu_bytes ||
	    a->num_overrides != b->num_overrides)
		return false;
	if (!switch_equal(&a->sw, &b->sw) || !ca_equal(&a->ca, &b->ca) || !cct_equal(&a->cct, &b->cct) ||
	    !ccp_nvidia_equal(a->nvidia, b->nvidia))
		return false;
	for (uint32_t i = 0; i < a->num_overrides; i++) {
		const struct ccp_override *x = &a->overrides[i];
		const struct ccp_override *y = &b->overrides[i];
		if (!match_equal(&x->match, &y->match) || !switch_equal(&x->sw, &y->sw) || !ca_equal(&x->ca, &y->ca) ||
		    !cct_equal(&x->cct, &y->cct) || !ccp_nvidia_equal(x->nvidia, y->nvidia))
			return false;
	}
	return true;
}
