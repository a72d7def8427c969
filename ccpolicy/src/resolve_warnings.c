/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "resolve_warnings.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ccpolicy/error_format.h"
#include "ccpolicy/keys.h"

#define WARNING_BYTES 512

static int add_warning(struct ccp_tables *tables, const char *text)
{
	char **warnings = realloc(tables->warnings, (tables->num_warnings + 1u) * sizeof(*warnings));

	if (!warnings)
		return -1;
	tables->warnings = warnings;
	size_t size = strlen(text) + 1;
	warnings[tables->num_warnings] = malloc(size);
	if (!warnings[tables->num_warnings])
		return -1;
	memcpy(warnings[tables->num_warnings++], text, size);
	return 0;
}

/* "1, 2 and 40": the ports in `mask`, the first few. Returns `out`. */
static const char *list_ports(const uint8_t mask[CCP_PORT_MASK_BYTES], char *out, size_t size)
{
	unsigned listed = 0;
	size_t at = 0;

	out[0] = '\0';
	for (unsigned port = 0; port < 256 && at < size; port++) {
		if (!ccp_port_mask_test(mask, port))
			continue;
		if (listed++ == 8) {
			snprintf(out + at, size - at, ", ...");
			break;
		}
		at += (size_t)snprintf(out + at, size - at, "%s%u", listed > 1 ? ", " : "", port);
	}
	return out;
}

/* "overrides[2] (guid 0x..., node 'S*', role leaf, ports 1, 2)". Returns `out`. */
static const char *name_override(const struct ccp_override *o, uint32_t index, char *out, size_t size)
{
	char guid[32] = "", node[CCP_QUOTE_BYTES + 8] = "", role[32] = "", ports[64] = "";
	char quote[CCP_QUOTE_BYTES], list[48];

	if (o->match.guid)
		snprintf(guid, sizeof(guid), ", guid 0x%016" PRIx64, o->match.guid);
	if (o->match.node)
		snprintf(node, sizeof(node), ", node %s", ccp_quote(quote, o->match.node, strlen(o->match.node)));
	if (o->match.role != CCP_ROLE_ANY)
		snprintf(role, sizeof(role), ", role %s", ccp_role_words[o->match.role]);
	if (o->match.port_match == CCP_PORTS_LISTED)
		snprintf(ports, sizeof(ports), ", ports %s", list_ports(o->match.ports, list, sizeof(list)));
	else if (o->match.port_match != CCP_PORTS_ANY)
		snprintf(ports, sizeof(ports), ", ports %s", ccp_port_match_words[o->match.port_match]);

	char all[256];
	snprintf(all, sizeof(all), "%s%s%s%s", guid, node, role, ports);
	snprintf(out, size, "overrides[%u] (%s)", index, all + 2);
	return out;
}

/* Ports of `wanted` above `max`, into `missing`; false if there are none. */
static bool beyond(const uint8_t wanted[CCP_PORT_MASK_BYTES], uint32_t max, uint8_t missing[CCP_PORT_MASK_BYTES])
{
	bool any = false;

	memset(missing, 0, CCP_PORT_MASK_BYTES);
	for (unsigned port = max + 1u; port < 256; port++) {
		if (ccp_port_mask_test(wanted, port)) {
			ccp_port_mask_set(missing, port);
			any = true;
		}
	}
	return any;
}

static int warn_of_mask(struct ccp_tables *tables, const char *who, const char *key, const struct ccp_mask *mask,
			uint32_t max_ports)
{
	uint8_t missing[CCP_PORT_MASK_BYTES];
	char list[48];
	char text[WARNING_BYTES];

	if (mask->kind != CCP_MASK_PORTS || !max_ports || !beyond(mask->ports, max_ports, missing))
		return 0;
	snprintf(text, sizeof(text), "%s.%s names port %s, and no switch that it applies to has more than %u", who, key,
		 list_ports(missing, list, sizeof(list)), max_ports);
	return add_warning(tables, text);
}

static int warn_of_masks(struct ccp_tables *tables, const char *who, const struct ccp_profile_switch *sw, uint32_t max_ports)
{
	for (unsigned i = 0; i < ccp_switch_keys.num_keys; i++) {
		const struct ccp_key *key = &ccp_switch_keys.keys[i];
		const void *mask = (const char *)sw + key->place.profile;
		if (key->type == CCP_KEY_MASK && (sw->present >> i & 1u) && warn_of_mask(tables, who, key->name, mask, max_ports))
			return -1;
	}
	return 0;
}

static int warn_of_override(const struct ccp_override *o, uint32_t index, const struct ccp_override_use *use,
			    struct ccp_tables *tables)
{
	const bool has_nvidia_ca = ccp_has_nvidia_adapter(o->nvidia);
	bool has_switch = o->sw.present || ccp_has_nvidia_switch(o->nvidia);
	bool has_ca = has_nvidia_ca || o->ca.present || o->cct.source != CCP_CCT_ABSENT || o->cct.has_limit_mode;
	uint8_t missing[CCP_PORT_MASK_BYTES];
	char name[320], list[48], text[WARNING_BYTES];

	name_override(o, index, name, sizeof(name));
	if (has_switch && !use->of_switch) {
		snprintf(text, sizeof(text), "%s matches no %s, so its switch settings have no effect", name,
			 o->match.port_match == CCP_PORTS_ANY ? "switch" : "port of a switch");
		if (add_warning(tables, text))
			return -1;
	}
	if (has_ca && !use->of_ca) {
		snprintf(text, sizeof(text),
			 "%s matches no connected port of a channel adapter, so its %s settings have no effect", name,
			 has_nvidia_ca                                              ? "adapter"
			 : !o->ca.present                                           ? "cct"
			 : o->cct.source != CCP_CCT_ABSENT || o->cct.has_limit_mode ? "ca and cct"
										    : "ca");
		if (add_warning(tables, text))
			return -1;
	}
	if (o->match.port_match == CCP_PORTS_LISTED && (use->of_switch || use->of_ca)) {
		for (unsigned i = 0; i < CCP_PORT_MASK_BYTES; i++)
			missing[i] = (uint8_t)(o->match.ports[i] & ~use->ports[i]);
		if (list_ports(missing, list, sizeof(list))[0]) {
			snprintf(text, sizeof(text), "%s lists port %s, which no device that it matches has", name, list);
			if (add_warning(tables, text))
				return -1;
		}
	}
	snprintf(name, sizeof(name), "overrides[%u].switch", index);
	return warn_of_masks(tables, name, &o->sw, use->max_ports);
}

int ccp_add_warnings(const struct ccp_profile *profile, const struct ccp_override_use *uses, struct ccp_tables *tables)
{
	if (warn_of_masks(tables, "switch", &profile->sw, uses[0].max_ports))
		return -1;
	for (uint32_t i = 0; i < profile->num_overrides; i++)
		if (warn_of_override(&profile->overrides[i], i, &uses[i + 1], tables))
			return -1;
	return 0;
}
