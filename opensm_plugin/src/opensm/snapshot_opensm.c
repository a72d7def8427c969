/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _POSIX_C_SOURCE 200809L
#include "opensm/snapshot_opensm.h"

#include <stdlib.h>
#include <string.h>

#include <opensm/osm_config.h> /* before the others, whose structures depend on it */
#include <opensm/osm_opensm.h>

/* A node of OpenSM; its index in the array is that in the snapshot's view. */
struct place {
	uint64_t guid;
	osm_node_t *node;
};

static int compare_places(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	return (a->guid > b->guid) - (a->guid < b->guid);
}

static uint64_t guid_of(const osm_node_t *node)
{
	return cl_ntoh64(node->node_info.node_guid);
}

static uint32_t num_ports_of(const osm_node_t *node)
{
	/* The table has a place for port 0 also of adapters. */
	return node->physp_tbl_size ? node->physp_tbl_size - 1 : 0;
}

/* The name of the adapter within a switch that reduces data; tuner/fabric/importers uses the same. */
static bool is_aggregation_node(const osm_node_t *node)
{
	static const char name[] = "Mellanox Technologies Aggregation Node";

	return !strncmp((const char *)node->node_desc.description, name, sizeof(node->node_desc.description));
}

static enum ccp_node_kind kind_of(const osm_node_t *node)
{
	switch (node->node_info.node_type) {
	case IB_NODE_TYPE_SWITCH:
		return CCP_NODE_SWITCH;
	case IB_NODE_TYPE_ROUTER:
		return CCP_NODE_ROUTER;
	default:
		return is_aggregation_node(node) ? CCP_NODE_AGGREGATION : CCP_NODE_HOST;
	}
}

static void add_endport(struct ibcc_snapshot *snapshot, uint32_t index, const osm_physp_t *physp, bool is_active)
{
	struct ibcc_endport endport = {
		.node = index,
		.port = physp->port_num,
		.lid = cl_ntoh16(physp->port_info.base_lid),
		.port_guid = cl_ntoh64(physp->port_guid),
		.may_be_reset = physp->need_update,
		.not_ready = !is_active || !physp->port_info.base_lid,
	};

	(void)ibcc_snapshot_add_endport(snapshot, &endport);
}

static void add_endports(struct ibcc_snapshot *snapshot, uint32_t index, osm_node_t *node)
{
	if (kind_of(node) == CCP_NODE_SWITCH) {
		/* Port 0 need not be ACTIVE. */
		if (osm_physp_is_valid(&node->physp_table[0]))
			add_endport(snapshot, index, &node->physp_table[0], true);
		return;
	}
	for (uint32_t port = 1; port <= num_ports_of(node); port++) {
		const osm_physp_t *physp = &node->physp_table[port];
		if (osm_physp_is_valid(physp) && osm_physp_get_port_state(physp) >= IB_LINK_INIT)
			add_endport(snapshot, index, physp, osm_physp_get_port_state(physp) >= IB_LINK_ACTIVE);
	}
}

static void add_links(struct ibcc_snapshot *snapshot, uint32_t index, const struct place *places, uint32_t num_places)
{
	const osm_node_t *node = places[index].node;

	for (uint32_t port = 1; port <= num_ports_of(node); port++) {
		const osm_physp_t *physp = &node->physp_table[port];
		if (!osm_physp_is_valid(physp) || !physp->p_remote_physp || !physp->p_remote_physp->p_node)
			continue;
		struct place wanted = {.guid = guid_of(physp->p_remote_physp->p_node)};
		const struct place *peer = bsearch(&wanted, places, num_places, sizeof(*places), compare_places);
		if (peer)
			(void)ibcc_snapshot_connect(snapshot, index, port, (uint32_t)(peer - places));
	}
}

/* Lists the nodes that the view can hold, ascending by GUID, and counts the room for them and their ports. */
static struct place *list_nodes(cl_qmap_t *table, uint32_t *num_places, uint32_t *num_ports, uint32_t *num_endports)
{
	struct place *places = calloc(cl_qmap_count(table) + 1, sizeof(*places));

	*num_places = *num_ports = *num_endports = 0;
	if (!places)
		return NULL;
	for (cl_map_item_t *item = cl_qmap_head(table); item != cl_qmap_end(table); item = cl_qmap_next(item)) {
		osm_node_t *node = (osm_node_t *)item;
		uint32_t ports = num_ports_of(node);
		if (!ports || ports > 254)
			continue; /* impossible: the node is ignored */
		places[(*num_places)++] = (struct place){.guid = guid_of(node), .node = node};
		*num_ports += ports;
		*num_endports += kind_of(node) == CCP_NODE_SWITCH ? 1 : ports;
	}
	qsort(places, *num_places, sizeof(*places), compare_places);
	return places;
}

static enum ibcc_sm_state state_of(const osm_subn_t *subnet)
{
	switch (subnet->sm_state) {
	case IB_SMINFO_STATE_MASTER:
		return IBCC_SM_MASTER;
	case IB_SMINFO_STATE_DISCOVERING:
		return IBCC_SM_DISCOVERING;
	default:
		return IBCC_SM_STANDBY;
	}
}

static struct ibcc_snapshot *copy_subnet(osm_subn_t *subnet)
{
	uint32_t num_places, num_ports, num_endports;
	struct place *places = list_nodes(&subnet->node_guid_tbl, &num_places, &num_ports, &num_endports);
	struct ibcc_snapshot *snapshot = places ? ibcc_snapshot_create(num_places, num_ports, num_endports) : NULL;

	if (!snapshot)
		goto out;
	for (uint32_t i = 0; i < num_places; i++) {
		osm_node_t *node = places[i].node;
		(void)ibcc_snapshot_add_node(snapshot, places[i].guid, kind_of(node), num_ports_of(node),
					     (const char *)node->node_desc.description, sizeof(node->node_desc.description));
		add_endports(snapshot, i, node);
	}
	/* The table's keys are GUIDs, so no two nodes have the same. */
	for (uint32_t i = 0; i < num_places; i++)
		add_links(snapshot, i, places, num_places);
	snapshot->sm_state = state_of(subnet);
	snapshot->opensm_cc_on = subnet->opt.congestion_control;
	snapshot->sm_port_guid = cl_ntoh64(subnet->sm_port_guid);
out:
	free(places);
	return snapshot;
}

struct ibcc_snapshot *ibcc_snapshot_opensm(struct osm_opensm *osm, uint8_t sl, bool sweep_ok)
{
	cl_plock_acquire(&osm->lock);
	struct ibcc_snapshot *snapshot = copy_subnet(&osm->subn);
	cl_plock_release(&osm->lock);
	if (!snapshot)
		return NULL;
	snapshot->sweep_ok = sweep_ok;
	for (uint32_t i = 0; i < snapshot->num_endports; i++)
		snapshot->endports[i].sl = sl;
	return snapshot;
}

enum ibcc_sm_state ibcc_opensm_state(const struct osm_opensm *osm)
{
	return state_of(&osm->subn);
}
