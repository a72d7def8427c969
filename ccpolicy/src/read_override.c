/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "read_override.h"

#include <stdio.h>

#include "ccpolicy/error_format.h"
#include "key_values.h"
#include "read_nvidia.h"
#include "read_section.h"

static bool is_switch_role(enum ccp_role role)
{
	return role == CCP_ROLE_SWITCH || role == CCP_ROLE_LEAF || role == CCP_ROLE_SPINE;
}

static int read_ports(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path, struct ccp_match *match)
{
	static const char right[] = "a list of ports, each 1 to 254, or ca_ports or switch_ports (by what they face)";
	unsigned word;

	if (node->kind == CCP_TREE_LIST) {
		match->port_match = CCP_PORTS_LISTED;
		return ccp_read_numbers(r, node, path, 1, CCP_PORT_MAX, right, match->ports);
	}
	if (ccp_read_word(r, node, path, ccp_port_match_words, right, &word))
		return -1;
	match->port_match = (enum ccp_port_match)word;
	return 0;
}

static int read_match(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path, struct ccp_match *match)
{
	struct ccp_slot slots[] = {{.key = "guid"}, {.key = "node"}, {.key = "role"}, {.key = "ports"}};
	char child[CCP_PATH_BYTES];
	unsigned word;

	if (ccp_read_map(r, node, path, slots, 4))
		return -1;
	if (!node->count)
		return ccp_fail_at(r->error, node->line, node->column,
				   "%s is empty, and must have at least one of guid, node, role and ports", path);
	if (slots[0].value && ccp_read_guid(r, slots[0].value, ccp_path_of(child, path, "guid"), &match->guid))
		return -1;
	if (slots[1].value &&
	    ccp_read_text(r, slots[1].value, ccp_path_of(child, path, "node"),
			  "a pattern of 1 to 255 printable characters, put between quotes if it looks like a number or "
			  "starts with *, [ or ?",
			  &match->node))
		return -1;
	if (slots[2].value) {
		if (ccp_read_word(r, slots[2].value, ccp_path_of(child, path, "role"), ccp_role_words,
				  "switch, leaf (a switch with hosts), spine (a switch without), ca, host or aggregation", &word))
			return -1;
		match->role = (enum ccp_role)word;
	}
	if (slots[3].value && read_ports(r, slots[3].value, ccp_path_of(child, path, "ports"), match))
		return -1;
	return 0;
}

/* "threshold, marking_rate and packet_size". Returns `out`. */
static const char *list_port_keys(char *out, size_t size)
{
	unsigned left = 0;
	size_t at = 0;

	for (unsigned i = 0; i < ccp_switch_keys.num_keys; i++)
		left += ccp_switch_keys.keys[i].place.port != CCP_NO_PLACE;
	out[0] = '\0';
	for (unsigned i = 0; i < ccp_switch_keys.num_keys && at < size; i++)
		if (ccp_switch_keys.keys[i].place.port != CCP_NO_PLACE)
			at += (size_t)snprintf(out + at, size - at, "%s%s", ccp_switch_keys.keys[i].name,
					       --left > 1 ? ", "
					       : left     ? " and "
							  : "");
	return out;
}

static int check_role_of_switch(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path,
				const struct ccp_override *o)
{
	if (o->match.role != CCP_ROLE_ANY && !is_switch_role(o->match.role))
		return ccp_fail_at(r->error, node->line, node->column,
				   "%s gives switch settings to the role %s, which no switch has", path,
				   ccp_role_words[o->match.role]);
	return 0;
}

/* Refuses keys that no device which the match describes can have. */
static int check_switch_fits(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path,
			     const struct ccp_override *o)
{
	const struct ccp_tree_node *nodes = r->tree->nodes;
	const uint32_t misplaced = o->match.port_match == CCP_PORTS_ANY ? 0 : o->sw.present & ~ccp_port_keys();
	char port_keys[256];

	if (check_role_of_switch(r, node, path, o))
		return -1;
	for (unsigned i = 0; i < ccp_switch_keys.num_keys; i++) {
		const char *name = ccp_switch_keys.keys[i].name;
		if (!(misplaced >> i & 1u))
			continue;
		for (uint32_t k = node->first; k != CCP_TREE_NONE; k = nodes[nodes[k].next].next)
			if (ccp_is_word(r, &nodes[k], name))
				return ccp_fail_at(r->error, nodes[k].line, nodes[k].column,
						   "%s sets %s for single ports, which can have only %s of their own", path, name,
						   list_port_keys(port_keys, sizeof(port_keys)));
	}
	return 0;
}

static int check_ca_fits(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path,
			 const struct ccp_override *o)
{
	if (is_switch_role(o->match.role))
		return ccp_fail_at(r->error, node->line, node->column,
				   "%s gives settings of channel adapters to the role %s, which only switches have", path,
				   ccp_role_words[o->match.role]);
	if (o->match.port_match == CCP_PORTS_CA || o->match.port_match == CCP_PORTS_SWITCH)
		return ccp_fail_at(
			r->error, node->line, node->column,
			"%s gives settings of channel adapters to %s, which only switches have; list port numbers instead", path,
			ccp_port_match_words[o->match.port_match]);
	return 0;
}

static int read_nvidia(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path,
		       const struct ccp_profile *profile, struct ccp_override *o)
{
	/* Keys of 0xFF09 and 0xFF10, which ports have; the others are the whole switch's. */
	static const char port_keys[] = "thresholds and sl_profile";
	const bool of_ports = o->match.port_match != CCP_PORTS_ANY;
	char child[CCP_PATH_BYTES];

	if (!profile->nvidia)
		return ccp_fail_at(r->error, node->line, node->column,
				   "%s changes a section that the profile lacks: give nvidia, with 'ibcc_profile: 2'", path);
	if (ccp_read_nvidia(r, node, path, profile->nvidia, &o->nvidia))
		return -1;
	if (ccp_has_nvidia_adapter(o->nvidia) && check_ca_fits(r, node, ccp_path_of(child, path, "adapter"), o))
		return -1;
	if (!ccp_has_nvidia_switch(o->nvidia))
		return 0;
	if (check_role_of_switch(r, node, ccp_path_of(child, path, "switch"), o))
		return -1;
	for (unsigned i = 0; of_ports && i < ccp_nvidia_switch_keys.num_keys; i++)
		if ((o->nvidia->sw.present & ~CCP_NVIDIA_PORT_KEYS) >> i & 1u)
			return ccp_fail_at(r->error, node->line, node->column,
					   "%s sets %s for single ports, which can have only %s of their own", child,
					   ccp_nvidia_switch_keys.keys[i].name, port_keys);
	return 0;
}

int ccp_read_override(const struct ccp_reading *r, const struct ccp_tree_node *node, const char *path, double packet_time_ns,
		      const struct ccp_profile *profile, struct ccp_override *o)
{
	struct ccp_slot slots[] = {
		{.key = "match", .required = true}, {.key = "switch"}, {.key = "ca"}, {.key = "cct"}, {.key = "nvidia"}};
	const struct ccp_tree_node *sw, *ca, *cct, *nvidia;
	char child[CCP_PATH_BYTES];

	if (ccp_read_map(r, node, path, slots, 5) || read_match(r, slots[0].value, ccp_path_of(child, path, "match"), &o->match))
		return -1;
	sw = slots[1].value;
	ca = slots[2].value;
	cct = slots[3].value;
	nvidia = slots[4].value;
	if (!sw && !ca && !cct && !nvidia)
		return ccp_fail_at(r->error, node->line, node->column, "%s sets nothing: give switch, ca or cct", path);
	for (unsigned i = 1; i <= 3; i++)
		if (slots[i].value && profile->nvidia && !profile->sw.present && profile->enable)
			return ccp_fail_at(r->error, slots[i].value->line, slots[i].value->column,
					   "%s gives %s, and the profile has no %s to change", path, slots[i].key, slots[i].key);
	if (sw && (ccp_read_section(r, sw, ccp_path_of(child, path, "switch"), &ccp_switch_keys, false, &o->sw, &o->sw.present) ||
		   check_switch_fits(r, sw, child, o)))
		return -1;
	if (ca && (ccp_read_section(r, ca, ccp_path_of(child, path, "ca"), &ccp_ca_keys, false, &o->ca, &o->ca.present) ||
		   check_ca_fits(r, ca, child, o)))
		return -1;
	if (cct && (ccp_read_cct(r, cct, ccp_path_of(child, path, "cct"), false, packet_time_ns, &o->cct) ||
		    check_ca_fits(r, cct, child, o)))
		return -1;
	return nvidia ? read_nvidia(r, nvidia, ccp_path_of(child, path, "nvidia"), profile, o) : 0;
}
