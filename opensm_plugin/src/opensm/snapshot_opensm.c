/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _DEFAULT_SOURCE /* be64toh(), which headers of OpenSM's call */
#include "opensm/snapshot_opensm.h"

#include <stdlib.h>
#include <string.h>

#include "opensm/subnet_copy.h"

#define PORT_DOWN 1u
#define PORT_ACTIVE 4u

/* A node of the copy; its index in the array is that in the snapshot's view. */
struct place {
	uint64_t guid;
	const struct ibcc_copied_node *node;
};

static int compare_places(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	return (a->guid > b->guid) - (a->guid < b->guid);
}

/* The name of the adapter within a switch that reduces data; tuner/fabric/importers uses the same. */
static bool is_aggregation_node(const struct ibcc_copied_node *node)
{
	static const char name[] = "Mellanox Technologies Aggregation Node";

	return !strncmp(node->description, name, sizeof(node->description));
}

static enum ccp_node_kind kind_of(const struct ibcc_copied_node *node)
{
	switch (node->kind) {
	case IBCC_SUBNET_SWITCH:
		return CCP_NODE_SWITCH;
	case IBCC_SUBNET_ROUTER:
		return CCP_NODE_ROUTER;
	default:
		return is_aggregation_node(node) ? CCP_NODE_AGGREGATION : CCP_NODE_HOST;
	}
}

static void add_port0(struct ibcc_snapshot *snapshot, uint32_t index, const struct ibcc_copied_node *node)
{
	/* Port 0 need not be ACTIVE. */
	const struct ibcc_endport endport = {
		.node = index,
		.port = 0,
		.lid = node->port0_lid,
		.port_guid = node->port0_guid,
		.may_be_reset = node->port0_may_be_reset,
		.not_ready = !node->port0_lid,
	};

	const struct ibcc_subnet_port port = {.guid = node->port0_guid, .lid = node->port0_lid};

	(void)ibcc_snapshot_add_endport(snapshot, &endport);
	(void)ibcc_snapshot_set_port(snapshot, index, &port);
}

static void add_adapter_port(struct ibcc_snapshot *snapshot, uint32_t index, const struct ibcc_copied_port *copied)
{
	const struct ibcc_endport endport = {
		.node = index,
		.port = copied->port.number,
		.lid = copied->port.lid,
		.port_guid = copied->port.guid,
		.may_be_reset = copied->may_be_reset,
		.not_ready = copied->port.state < PORT_ACTIVE || !copied->port.lid,
	};

	if (copied->port.state > PORT_DOWN)
		(void)ibcc_snapshot_add_endport(snapshot, &endport);
}

static void add_ports(struct ibcc_snapshot *snapshot, uint32_t index, const struct ibcc_subnet_copy *copy,
		      const struct place *places)
{
	const struct ibcc_copied_node *node = places[index].node;

	if (node->has_port0)
		add_port0(snapshot, index, node);
	for (uint32_t i = 0; i < node->num_known; i++) {
		const struct ibcc_copied_port *copied = &copy->ports[node->first_port + i];
		const struct place wanted = {.guid = copied->port.peer_guid};
		const struct place *peer =
			!wanted.guid ? NULL : bsearch(&wanted, places, copy->num_nodes, sizeof(*places), compare_places);

		(void)ibcc_snapshot_set_port(snapshot, index, &copied->port);
		if (peer)
			(void)ibcc_snapshot_connect(snapshot, index, copied->port.number, (uint32_t)(peer - places));
		if (node->kind != IBCC_SUBNET_SWITCH)
			add_adapter_port(snapshot, index, copied);
	}
}

/* The nodes ascending by GUID, and how many ports and endports they have at most. NULL: out of memory. */
static struct place *list_nodes(const struct ibcc_subnet_copy *copy, uint32_t *num_ports, uint32_t *num_endports)
{
	struct place *places = calloc(copy->num_nodes + 1u, sizeof(*places));

	*num_ports = *num_endports = 0;
	if (!places)
		return NULL;
	for (uint32_t i = 0; i < copy->num_nodes; i++) {
		const struct ibcc_copied_node *node = &copy->nodes[i];

		places[i] = (struct place){.guid = node->guid, .node = node};
		*num_ports += node->num_ports;
		*num_endports += node->kind == IBCC_SUBNET_SWITCH ? 1 : node->num_ports;
	}
	/* OpenSM's table has GUIDs as keys, so no two nodes have the same. */
	qsort(places, copy->num_nodes, sizeof(*places), compare_places);
	return places;
}

static struct ibcc_snapshot *snapshot_of(const struct ibcc_subnet_copy *copy)
{
	uint32_t num_ports, num_endports;
	struct place *places = list_nodes(copy, &num_ports, &num_endports);
	struct ibcc_snapshot *snapshot = places ? ibcc_snapshot_create(copy->num_nodes, num_ports, num_endports) : NULL;

	if (!snapshot)
		goto out;
	for (uint32_t i = 0; i < copy->num_nodes; i++)
		(void)ibcc_snapshot_add_node(snapshot, places[i].guid, kind_of(places[i].node), places[i].node->num_ports,
					     places[i].node->description, sizeof(places[i].node->description));
	for (uint32_t i = 0; i < copy->num_nodes; i++) {
		ibcc_snapshot_identify(snapshot, i, places[i].node->identity);
		add_ports(snapshot, i, copy, places);
	}
	snapshot->other_sms = copy->other_sms;
	snapshot->sm_state = copy->sm_state;
	snapshot->opensm_cc_on = copy->opensm_cc_on;
	snapshot->sm_port_guid = copy->sm_port_guid;
	snapshot->subnet_prefix = copy->subnet_prefix;
out:
	free(places);
	return snapshot;
}

struct ibcc_snapshot *ibcc_snapshot_opensm(struct osm_opensm *osm, struct ibcc_subnet_copy *room, uint8_t sl, bool sweep_ok)
{
	struct ibcc_snapshot *snapshot = ibcc_subnet_copy_take(room, osm) ? NULL : snapshot_of(room);

	if (!snapshot)
		return NULL;
	snapshot->sweep_ok = sweep_ok;
	/* Where OpenSM was built from patched structures, members are elsewhere than its headers say. LIDs may be missing after errors. */
	if (!ibcc_snapshot_has_port(snapshot, room->sm_port_guid, sweep_ok ? room->sm_lid : 0))
		snapshot->doubt =
			"the subnet that was copied does not have the subnet manager's own port, by GUID and LID, so this "
			"OpenSM is not built as its headers say";
	for (uint32_t i = 0; i < snapshot->num_endports; i++)
		snapshot->endports[i].sl = sl;
	return snapshot;
}
