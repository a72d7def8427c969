/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "ccpolicy/resolve.h"

#include <stdlib.h>
#include <string.h>

#include "ccpolicy/cct.h"
#include "ccpolicy/error_format.h"
#include "key_values.h"
#include "match.h"
#include "resolve_nvidia.h"
#include "resolve_warnings.h"

struct resolver {
	const struct ccp_profile *profile;
	const struct ccp_fabric_view *view;
	struct ccp_tables *tables;
	struct ccp_error *error;
	bool annex_a10;                    /* the profile gives values for annex A10's tables; else they clear */
	uint32_t port_keys;                /* bits of the keys of `switch` that single ports can have */
	struct ccp_ca_setting own_ca;      /* of a port that no override changes, as most are */
	struct ccp_override_use *uses;     /* by layer: 0 is the profile itself, i + 1 its overrides[i] */
	struct ccp_cct_entry **entries;    /* by layer: its encoded table, once a port has needed it */
	struct ccp_nvidia_resolver nvidia; /* if the profile has that section */
};

static void fill_mask(uint8_t out[CCP_PORT_MASK_BYTES], const struct ccp_mask *mask, const struct ccp_fabric_view *view,
		      const struct ccp_fabric_node *node)
{
	for (uint32_t port = 1; port <= node->num_ports; port++) {
		bool set = mask->kind == CCP_MASK_ALL || (mask->kind == CCP_MASK_CA_PORTS && ccp_faces_ca(view, node, port)) ||
			   (mask->kind == CCP_MASK_PORTS && ccp_port_mask_test(mask->ports, port));
		if (set)
			ccp_port_mask_set(out, port);
	}
}

static void fill_switch_setting(const struct resolver *r, const struct ccp_fabric_node *node, struct ccp_switch_setting *out,
				const struct ccp_profile_switch *sw)
{
	ccp_keys_to_tables(&ccp_switch_keys, out, sw);
	for (unsigned i = 0; i < ccp_switch_keys.num_keys; i++) {
		const struct ccp_key *key = &ccp_switch_keys.keys[i];
		if (key->type == CCP_KEY_MASK)
			fill_mask((uint8_t *)out + key->place.tables, (const void *)((const char *)sw + key->place.profile),
				  r->view, node);
	}
}

/* Gives the ports that an override singles out its keys, or takes back from all ports the keys that it sets for the switch. */
static void apply_to_ports(const struct resolver *r, const struct ccp_fabric_node *node, uint32_t layer,
			   struct ccp_profile_switch *ports)
{
	const struct ccp_override *o = &r->profile->overrides[layer - 1];

	for (uint32_t port = 1; port <= node->num_ports; port++) {
		if (o->match.port_match == CCP_PORTS_ANY) {
			ports[port].present &= ~o->sw.present;
		} else if (ccp_match_port(&o->match, r->view, node, port)) {
			ccp_keys_copy(&ccp_switch_keys, &ports[port], &o->sw, o->sw.present & r->port_keys);
			ports[port].present |= o->sw.present & r->port_keys;
			ccp_port_mask_set(r->uses[layer].ports, port);
			r->uses[layer].of_switch = true;
		}
	}
}

static int resolve_switch(struct resolver *r, uint32_t index)
{
	const struct ccp_fabric_node *node = &r->view->nodes[index];
	struct ccp_switch_tables *out = &r->tables->switches[r->tables->num_switches];
	struct ccp_profile_switch whole = {0};
	struct ccp_profile_switch ports[CCP_PORT_MAX + 1];

	memset(ports, 0, (node->num_ports + 1u) * sizeof(ports[0])); /* most switches have far fewer than CCP_PORT_MAX */
	out->node = index;
	out->guid = node->guid;
	out->num_ports = node->num_ports;
	out->ports = calloc(node->num_ports + 1u, sizeof(*out->ports));
	if (!out->ports)
		return ccp_fail_no_memory(r->error);
	r->tables->num_switches++;
	if (r->profile->nvidia && ccp_resolve_nvidia_switch(&r->nvidia, out))
		return -1;
	out->setting.control_map = CCP_CONTROL_MAP_ALL;
	if (!r->annex_a10)
		return 0;

	whole = r->profile->sw;
	ccp_note_switch(&r->uses[0], node->num_ports);
	for (uint32_t i = 0; i < r->profile->num_overrides; i++) {
		const struct ccp_override *o = &r->profile->overrides[i];
		if (!o->sw.present || !ccp_match_node(&o->match, r->view, node))
			continue;
		ccp_note_switch(&r->uses[i + 1], node->num_ports);
		if (o->match.port_match == CCP_PORTS_ANY) {
			ccp_keys_copy(&ccp_switch_keys, &whole, &o->sw, o->sw.present);
			r->uses[i + 1].of_switch = true;
		}
		apply_to_ports(r, node, i + 1, ports);
	}

	fill_switch_setting(r, node, &out->setting, &whole);
	for (uint32_t port = 1; port <= node->num_ports; port++) {
		struct ccp_profile_switch merged = whole;
		if (!ports[port].present)
			continue;
		ccp_keys_copy(&ccp_switch_keys, &merged, &ports[port], ports[port].present);
		out->ports[port].valid = true;
		ccp_keys_to_port(&out->ports[port], &merged);
	}
	return 0;
}

/* The encoded table of a layer; NULL if it cannot be encoded. */
static const struct ccp_cct_entry *encode_layer(struct resolver *r, uint32_t layer)
{
	static struct ccp_cct_entry no_delay; /* 0:0, never written to */
	static const struct ccp_profile_cct cleared = {.source = CCP_CCT_ENTRIES, .entries = &no_delay};
	const struct ccp_profile_cct *cct = !r->annex_a10 ? &cleared
					    : layer       ? &r->profile->overrides[layer - 1].cct
							  : &r->profile->cct;
	double packet_time_ns =
		r->profile->rate_gbps > 0.0 ? ccp_packet_time_ns(r->profile->rate_gbps, r->profile->mtu_bytes) : 0.0;
	uint32_t count = cct->ccti_limit + 1u;

	if (r->entries[layer])
		return r->entries[layer];
	struct ccp_cct_row *rows = malloc(count * sizeof(*rows));
	struct ccp_cct_entry *entries = calloc(count, sizeof(*entries));
	if (!rows || !entries) {
		(void)ccp_fail_no_memory(r->error);
	} else if (!ccp_cct_evaluate(cct, packet_time_ns, rows, r->error)) {
		for (uint32_t i = 0; i < count; i++)
			entries[i] = rows[i].entry;
		r->entries[layer] = entries;
		r->tables->cct_pool[r->tables->num_cct_pool++] = entries;
		entries = NULL;
	}
	free(rows);
	free(entries);
	return r->entries[layer];
}

/* The settings of channel adapters, overrides aside. */
static struct ccp_profile_ca own_ca(const struct resolver *r)
{
	return r->annex_a10 ? r->profile->ca : (struct ccp_profile_ca){.sls = CCP_ALL_SLS}; /* the latter clear a port */
}

static void fill_ca_setting(struct ccp_ca_setting *out, const struct ccp_profile_ca *ca)
{
	const struct ccp_ca_sl_setting *first = NULL;

	*out = (struct ccp_ca_setting){0};
	out->port_control = ca->level == CCP_LEVEL_SL;
	out->control_map = ca->sls;
	for (unsigned sl = 0; sl < CCP_NUM_SLS; sl++) {
		if (!(ca->sls >> sl & 1u))
			continue;
		if (first) {
			out->sls[sl] = *first;
		} else {
			ccp_keys_to_tables(&ccp_ca_keys, &out->sls[sl], ca);
			first = &out->sls[sl];
		}
	}
}

static int resolve_ca_port(struct resolver *r, uint32_t index, uint32_t port)
{
	const struct ccp_fabric_node *node = &r->view->nodes[index];
	struct ccp_ca_tables *out = &r->tables->cas[r->tables->num_cas++];
	struct ccp_profile_ca ca = own_ca(r);
	uint32_t cct_layer = 0;
	bool is_own = true;

	out->node = index;
	out->guid = node->guid;
	out->port = port;
	if (r->profile->nvidia && ccp_resolve_nvidia_ca(&r->nvidia, out))
		return -1;
	out->setting = r->own_ca;
	if (r->annex_a10) {
		out->cct.limit_mode = r->profile->cct.limit_mode;
		for (uint32_t i = 0; i < r->profile->num_overrides; i++) {
			const struct ccp_override *o = &r->profile->overrides[i];
			bool has_cct = o->cct.source != CCP_CCT_ABSENT || o->cct.has_limit_mode;
			if ((!o->ca.present && !has_cct) || !ccp_match_node(&o->match, r->view, node) ||
			    !ccp_match_port(&o->match, r->view, node, port))
				continue;
			r->uses[i + 1].of_ca = true;
			ccp_port_mask_set(r->uses[i + 1].ports, port);
			if (o->ca.present) {
				ccp_keys_copy(&ccp_ca_keys, &ca, &o->ca, o->ca.present);
				is_own = false;
			}
			if (o->cct.source != CCP_CCT_ABSENT)
				cct_layer = i + 1;
			if (o->cct.has_limit_mode)
				out->cct.limit_mode = o->cct.limit_mode;
		}
		out->cct.ccti_limit =
			cct_layer ? r->profile->overrides[cct_layer - 1].cct.ccti_limit : r->profile->cct.ccti_limit;
	}
	if (!is_own)
		fill_ca_setting(&out->setting, &ca);
	if (ca.ccti_min > out->cct.ccti_limit) {
		char name[CCP_QUOTE_BYTES];
		return ccp_fail(
			r->error,
			"port %u of %s ends up with ccti_min %u and ccti_limit %u, and ccti_min must be at most ccti_limit", port,
			ccp_quote(name, node->description, strlen(node->description)), (unsigned)ca.ccti_min,
			(unsigned)out->cct.ccti_limit);
	}
	out->cct.entries = encode_layer(r, cct_layer);
	return out->cct.entries ? 0 : -1;
}

/* Counts the tables to make, and checks the view's port counts and links. */
static int count_devices(struct resolver *r, uint32_t *num_switches, uint32_t *num_ca_ports)
{
	for (uint32_t i = 0; i < r->view->num_nodes; i++) {
		const struct ccp_fabric_node *node = &r->view->nodes[i];
		if (node->num_ports < 1 || node->num_ports > CCP_PORT_MAX)
			return ccp_fail(r->error, "node %u of the fabric has %u ports, and a node has 1 to %u", i,
					node->num_ports, CCP_PORT_MAX);
		*num_switches += node->kind == CCP_NODE_SWITCH;
		for (uint32_t port = 1; port <= node->num_ports; port++) {
			uint32_t peer = node->peer_nodes[port];
			if (peer != CCP_NO_PEER && peer >= r->view->num_nodes)
				return ccp_fail(r->error, "port %u of node %u leads to node %u, and the fabric has %u nodes",
						port, i, peer, r->view->num_nodes);
			*num_ca_ports += ccp_is_ca(node) && peer != CCP_NO_PEER;
		}
	}
	return 0;
}

static int resolve_all(struct resolver *r)
{
	uint32_t num_layers = r->profile->num_overrides + 1;
	uint32_t num_switches = 0;
	uint32_t num_ca_ports = 0;

	if (count_devices(r, &num_switches, &num_ca_ports))
		return -1;
	const struct ccp_profile_ca ca = own_ca(r);
	fill_ca_setting(&r->own_ca, &ca);
	r->tables->enable = r->profile->enable;
	r->tables->switches = calloc(num_switches + 1u, sizeof(*r->tables->switches));
	r->tables->cas = calloc(num_ca_ports + 1u, sizeof(*r->tables->cas));
	r->tables->cct_pool = calloc(num_layers, sizeof(struct ccp_cct_entry *));
	r->uses = calloc(num_layers, sizeof(*r->uses));
	r->entries = calloc(num_layers, sizeof(struct ccp_cct_entry *));
	if (!r->tables->switches || !r->tables->cas || !r->tables->cct_pool || !r->uses || !r->entries)
		return ccp_fail_no_memory(r->error);
	if (r->profile->nvidia) {
		r->tables->has_nvidia = true;
		r->nvidia = (struct ccp_nvidia_resolver){
			.profile = r->profile, .view = r->view, .tables = r->tables, .error = r->error, .uses = r->uses};
		if (ccp_nvidia_resolver_init(&r->nvidia))
			return -1;
	}
	for (uint32_t i = 0; i < r->view->num_nodes; i++) {
		const struct ccp_fabric_node *node = &r->view->nodes[i];
		if (node->kind == CCP_NODE_SWITCH && resolve_switch(r, i))
			return -1;
		for (uint32_t port = 1; ccp_is_ca(node) && port <= node->num_ports; port++)
			if (node->peer_nodes[port] != CCP_NO_PEER && resolve_ca_port(r, i, port))
				return -1;
	}
	if (r->profile->enable && ccp_add_warnings(r->profile, r->uses, r->tables))
		return ccp_fail_no_memory(r->error);
	return 0;
}

struct ccp_tables *ccp_resolve(const struct ccp_profile *profile, const struct ccp_fabric_view *view, struct ccp_error *error)
{
	struct resolver r = {.profile = profile, .view = view, .error = error, .port_keys = ccp_port_keys()};

	r.annex_a10 = profile->enable && profile->sw.present;

	r.tables = calloc(1, sizeof(*r.tables));
	if (!r.tables) {
		(void)ccp_fail_no_memory(error);
		return NULL;
	}
	int status = resolve_all(&r);
	free(r.uses);
	free(r.entries);
	ccp_nvidia_resolver_fini(&r.nvidia);
	if (status) {
		ccp_tables_destroy(r.tables);
		return NULL;
	}
	return r.tables;
}
