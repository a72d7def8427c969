/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "resolve_nvidia.h"

#include <stdlib.h>
#include <string.h>

#include "ccpolicy/error_format.h"
#include "key_values.h"
#include "match.h"
#include "nvidia_checks.h"

int ccp_nvidia_resolver_init(struct ccp_nvidia_resolver *r)
{
	const uint32_t num_layers = r->profile->num_overrides + 1;

	r->profiles = calloc(num_layers, sizeof(*r->profiles));
	r->slots = calloc(num_layers, sizeof(*r->slots));
	r->tables->nvidia_pool = calloc(2u * num_layers, sizeof(void *));
	return r->profiles && r->slots && r->tables->nvidia_pool ? 0 : ccp_fail_no_memory(r->error);
}

void ccp_nvidia_resolver_fini(struct ccp_nvidia_resolver *r)
{
	free(r->profiles);
	free(r->slots);
}

static const struct ccp_profile_nvidia *section_of(const struct ccp_nvidia_resolver *r, uint32_t layer)
{
	return layer ? r->profile->overrides[layer - 1].nvidia : r->profile->nvidia;
}

/* The layer's thresholds as ports hold them; NULL if out of memory. */
static const struct ccp_congestion_port_profile_settings *profiles_of(struct ccp_nvidia_resolver *r, uint32_t layer)
{
	const struct ccp_profile_nvidia_switch *sw = &section_of(r, layer)->sw;
	struct ccp_congestion_port_profile_settings *made;

	if (r->profiles[layer])
		return r->profiles[layer];
	made = calloc(sw->num_thresholds + 1u, sizeof(*made));
	if (!made)
		return NULL;
	for (uint32_t i = 0; i < sw->num_thresholds; i++) {
		made[i] = sw->thresholds[i].values;
		made[i].mode = sw->thresholds[i].unit == CCP_THRESHOLD_PERCENT ? CCP_THRESHOLD_PERCENTAGE : CCP_THRESHOLD_FIXED;
		made[i].granularity = sw->thresholds[i].unit == CCP_THRESHOLD_KILOBYTES;
	}
	r->tables->nvidia_pool[r->tables->num_nvidia_pool++] = made;
	return r->profiles[layer] = made;
}

static const struct ccp_ppcc_slot *slots_of(struct ccp_nvidia_resolver *r, uint32_t layer)
{
	const struct ccp_profile_nvidia_adapter *adapter = &section_of(r, layer)->adapter;
	struct ccp_ppcc_slot *made;

	if (r->slots[layer])
		return r->slots[layer];
	made = calloc(adapter->num_slots + 1u, sizeof(*made));
	if (!made)
		return NULL;
	if (adapter->num_slots)
		memcpy(made, adapter->slots, adapter->num_slots * sizeof(*made));
	r->tables->nvidia_pool[r->tables->num_nvidia_pool++] = made;
	return r->slots[layer] = made;
}

static int fail_at_device(const struct ccp_nvidia_resolver *r, const struct ccp_fabric_node *node, const char *what,
			  const char *why)
{
	char name[CCP_QUOTE_BYTES];

	return ccp_fail(r->error, "%s %s %s", what, ccp_quote(name, node->description, strlen(node->description)), why);
}

/* What a port has of its own. */
struct port {
	uint32_t layer; /* that its thresholds are from */
	struct ccp_congestion_sl_mapping_settings sl_mapping;
};

static void apply_to_ports(const struct ccp_nvidia_resolver *r, const struct ccp_fabric_node *node, uint32_t layer,
			   struct port *ports)
{
	const struct ccp_override *o = &r->profile->overrides[layer - 1];
	const struct ccp_profile_nvidia_switch *sw = &o->nvidia->sw;

	for (uint32_t port = 1; port <= node->num_ports; port++) {
		if (!ccp_match_port(&o->match, r->view, node, port))
			continue;
		if (sw->num_thresholds)
			ports[port].layer = layer;
		if (sw->present & CCP_NVIDIA_PORT_KEYS)
			ports[port].sl_mapping = sw->sl_mapping;
		r->uses[layer].of_switch = true;
		if (o->match.port_match != CCP_PORTS_ANY)
			ccp_port_mask_set(r->uses[layer].ports, port);
	}
}

int ccp_resolve_nvidia_switch(struct ccp_nvidia_resolver *r, struct ccp_switch_tables *out)
{
	const struct ccp_fabric_node *node = &r->view->nodes[out->node];
	struct ccp_profile_nvidia_switch whole = r->profile->nvidia->sw;
	struct port ports[CCP_PORT_MAX + 1];
	char why[CCP_NVIDIA_WHY_BYTES];
	const char *wrong;

	if (!ccp_has_nvidia_switch(r->profile->nvidia))
		return 0;
	out->nvidia = calloc(1, sizeof(*out->nvidia) + (out->num_ports + 1u) * sizeof(out->nvidia->ports[0]));
	if (!out->nvidia)
		return ccp_fail_no_memory(r->error);
	if (!r->profile->enable)
		return 0;
	for (uint32_t port = 1; port <= node->num_ports; port++)
		ports[port] = (struct port){.layer = 0, .sl_mapping = whole.sl_mapping};
	for (uint32_t i = 0; i < r->profile->num_overrides; i++) {
		const struct ccp_override *o = &r->profile->overrides[i];
		if (!ccp_has_nvidia_switch(o->nvidia) || !ccp_match_node(&o->match, r->view, node))
			continue;
		if (o->match.port_match == CCP_PORTS_ANY) {
			ccp_keys_copy(&ccp_nvidia_switch_keys, &whole, &o->nvidia->sw, o->nvidia->sw.present);
			if (o->nvidia->sw.num_thresholds)
				whole.num_thresholds = o->nvidia->sw.num_thresholds;
		}
		apply_to_ports(r, node, i + 1, ports);
	}
	wrong = ccp_check_nvidia_switch(&whole, why);
	if (wrong)
		return fail_at_device(r, node, "switch", wrong);
	out->nvidia->general = whole.general;
	for (uint32_t port = 1; port <= node->num_ports; port++) {
		struct ccp_nvidia_switch_port *to = &out->nvidia->ports[port];
		to->sl_mapping = ports[port].sl_mapping;
		to->num_profiles = section_of(r, ports[port].layer)->sw.num_thresholds;
		to->profiles = profiles_of(r, ports[port].layer);
		if (!to->profiles)
			return ccp_fail_no_memory(r->error);
	}
	return 0;
}

int ccp_resolve_nvidia_ca(struct ccp_nvidia_resolver *r, struct ccp_ca_tables *out)
{
	const struct ccp_fabric_node *node = &r->view->nodes[out->node];
	struct ccp_profile_nvidia_adapter whole = r->profile->nvidia->adapter;
	uint32_t layer = 0; /* that the slots are from */
	char why[CCP_NVIDIA_WHY_BYTES];
	const char *wrong;

	if (!ccp_has_nvidia_adapter(r->profile->nvidia))
		return 0;
	out->nvidia = calloc(1, sizeof(*out->nvidia));
	if (!out->nvidia)
		return ccp_fail_no_memory(r->error);
	out->nvidia->type = whole.type;
	if (!r->profile->enable)
		return 0;
	for (uint32_t i = 0; i < r->profile->num_overrides; i++) {
		const struct ccp_override *o = &r->profile->overrides[i];
		if (!ccp_has_nvidia_adapter(o->nvidia) || !ccp_match_node(&o->match, r->view, node) ||
		    !ccp_match_port(&o->match, r->view, node, out->port))
			continue;
		r->uses[i + 1].of_ca = true;
		ccp_port_mask_set(r->uses[i + 1].ports, out->port);
		ccp_keys_copy(&ccp_nvidia_adapter_keys, &whole, &o->nvidia->adapter, o->nvidia->adapter.present);
		ccp_keys_copy(&ccp_nvidia_rp_keys, &whole.rp, &o->nvidia->adapter.rp, o->nvidia->adapter.rp_present);
		ccp_keys_copy(&ccp_nvidia_np_keys, &whole.np, &o->nvidia->adapter.np, o->nvidia->adapter.np_present);
		if (o->nvidia->adapter.num_slots) {
			whole.num_slots = o->nvidia->adapter.num_slots;
			layer = i + 1;
		}
	}
	wrong = ccp_check_nvidia_adapter(&whole, why);
	if (wrong)
		return fail_at_device(r, node, "adapter", wrong);
	out->nvidia->type = whole.type;
	out->nvidia->general = whole.general;
	out->nvidia->np = whole.np;
	if (whole.type == CCP_NVIDIA_DCQCN) {
		out->nvidia->rp = whole.rp;
		return 0;
	}
	out->nvidia->num_slots = whole.num_slots;
	out->nvidia->slots = slots_of(r, layer);
	return out->nvidia->slots ? 0 : ccp_fail_no_memory(r->error);
}
