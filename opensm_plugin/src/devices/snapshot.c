/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _POSIX_C_SOURCE 200809L
#include "devices/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "devices/description.h"

static void *behind(void *memory, size_t bytes)
{
	return (char *)memory + bytes;
}

struct ibcc_snapshot *ibcc_snapshot_create(uint32_t max_nodes, uint32_t max_ports, uint32_t max_endports)
{
	/* Each part is as aligned as those before it need: objects with pointers, ports and endports with 64 bits, 32 bits, bytes. */
	size_t max_peers = (size_t)max_nodes + max_ports; /* a place for port 0 of each */
	size_t nodes_at = sizeof(struct ibcc_snapshot);
	size_t endports_at = nodes_at + max_nodes * sizeof(struct ccp_fabric_node);
	size_t ports_at = endports_at + max_endports * sizeof(struct ibcc_endport);
	size_t peers_at = ports_at + max_peers * sizeof(struct ibcc_subnet_port);
	size_t identities_at = peers_at + max_peers * sizeof(uint32_t);
	size_t descriptions_at = identities_at + max_nodes * sizeof(struct ibcc_node_identity);
	struct ibcc_snapshot *snapshot = calloc(1, descriptions_at + (size_t)max_nodes * IBCC_DESCRIPTION_BYTES);

	if (!snapshot)
		return NULL;
	snapshot->holders = 1;
	snapshot->max_nodes = max_nodes;
	snapshot->max_peers = max_peers;
	snapshot->max_endports = max_endports;
	snapshot->nodes = behind(snapshot, nodes_at);
	snapshot->endports = behind(snapshot, endports_at);
	snapshot->ports = behind(snapshot, ports_at);
	snapshot->peers = behind(snapshot, peers_at);
	snapshot->identities = behind(snapshot, identities_at);
	snapshot->descriptions = behind(snapshot, descriptions_at);
	snapshot->view.nodes = snapshot->nodes;
	return snapshot;
}

void ibcc_snapshot_destroy(struct ibcc_snapshot *snapshot)
{
	if (snapshot && !--snapshot->holders)
		free(snapshot);
}

struct ibcc_snapshot *ibcc_snapshot_hold(struct ibcc_snapshot *snapshot)
{
	snapshot->holders++;
	return snapshot;
}

uint32_t ibcc_snapshot_add_node(struct ibcc_snapshot *snapshot, uint64_t guid, enum ccp_node_kind kind, uint32_t num_ports,
				const char *description, size_t length)
{
	uint32_t index = snapshot->view.num_nodes;

	if (index == snapshot->max_nodes || !num_ports || num_ports > 254 ||
	    snapshot->max_peers - snapshot->num_peers < num_ports + 1 || (index && snapshot->nodes[index - 1].guid >= guid))
		return CCP_NO_PEER;
	uint32_t *peers = snapshot->peers + snapshot->num_peers;
	for (uint32_t port = 0; port <= num_ports; port++)
		peers[port] = CCP_NO_PEER;
	char *copy = snapshot->descriptions + (size_t)index * IBCC_DESCRIPTION_BYTES;
	ibcc_description_copy(copy, description, length);
	snapshot->nodes[index] = (struct ccp_fabric_node){
		.guid = guid, .description = copy, .kind = kind, .num_ports = num_ports, .peer_nodes = peers};
	snapshot->num_peers += num_ports + 1;
	snapshot->view.num_nodes++;
	return index;
}

void ibcc_snapshot_identify(struct ibcc_snapshot *snapshot, uint32_t node, struct ibcc_node_identity identity)
{
	if (node < snapshot->view.num_nodes)
		snapshot->identities[node] = identity;
}

bool ibcc_snapshot_connect(struct ibcc_snapshot *snapshot, uint32_t node, uint32_t port, uint32_t peer)
{
	if (node >= snapshot->view.num_nodes || peer >= snapshot->view.num_nodes || !port ||
	    port > snapshot->nodes[node].num_ports)
		return false;
	snapshot->peers[ibcc_snapshot_place(snapshot, node, port)] = peer;
	return true;
}

bool ibcc_snapshot_set_port(struct ibcc_snapshot *snapshot, uint32_t node, const struct ibcc_subnet_port *port)
{
	if (node >= snapshot->view.num_nodes || port->number > snapshot->nodes[node].num_ports)
		return false;
	snapshot->ports[ibcc_snapshot_place(snapshot, node, port->number)] = *port;
	return true;
}

size_t ibcc_snapshot_place(const struct ibcc_snapshot *snapshot, uint32_t node, uint32_t port)
{
	return (size_t)(snapshot->nodes[node].peer_nodes - snapshot->peers) + port;
}

uint32_t ibcc_snapshot_find(const struct ibcc_snapshot *snapshot, uint64_t guid)
{
	uint32_t low = 0, high = snapshot->view.num_nodes;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (snapshot->nodes[middle].guid < guid)
			low = middle + 1;
		else
			high = middle;
	}
	return low < snapshot->view.num_nodes && snapshot->nodes[low].guid == guid ? low : CCP_NO_PEER;
}

uint32_t ibcc_snapshot_find_in(const struct ibcc_snapshot *snapshot, const struct ibcc_snapshot *other, uint32_t node)
{
	const uint64_t guid = other->nodes[node].guid;

	if (node < snapshot->view.num_nodes && snapshot->nodes[node].guid == guid)
		return node;
	return ibcc_snapshot_find(snapshot, guid);
}

bool ibcc_snapshot_has_port(const struct ibcc_snapshot *snapshot, uint64_t port_guid, uint16_t lid)
{
	for (uint32_t i = 0; i < snapshot->num_endports; i++) {
		const struct ibcc_endport *one = &snapshot->endports[i];

		if (one->port_guid == port_guid && (!lid || one->lid == lid))
			return true;
	}
	return false;
}

static bool comes_after(const struct ibcc_endport *endport, const struct ibcc_endport *last)
{
	return endport->node > last->node || (endport->node == last->node && endport->port > last->port);
}

bool ibcc_snapshot_add_endport(struct ibcc_snapshot *snapshot, const struct ibcc_endport *endport)
{
	struct ibcc_endport *place = snapshot->endports + snapshot->num_endports;

	if (snapshot->num_endports == snapshot->max_endports || endport->node >= snapshot->view.num_nodes ||
	    (!endport->lid && !endport->not_ready) || endport->port > snapshot->nodes[endport->node].num_ports ||
	    (snapshot->num_endports && !comes_after(endport, place - 1)))
		return false;
	*place = *endport;
	snapshot->num_endports++;
	return true;
}

static bool same_endport(const struct ibcc_endport *a, const struct ibcc_endport *b)
{
	return a->node == b->node && a->port == b->port && a->lid == b->lid && a->sl == b->sl && a->port_guid == b->port_guid &&
	       a->not_ready == b->not_ready;
}

static bool same_node(const struct ccp_fabric_node *a, const struct ccp_fabric_node *b)
{
	return a->guid == b->guid && a->kind == b->kind && a->num_ports == b->num_ports &&
	       !strcmp(a->description, b->description) &&
	       !memcmp(a->peer_nodes, b->peer_nodes, (a->num_ports + 1) * sizeof(*a->peer_nodes));
}

bool ibcc_snapshot_same_fabric(const struct ibcc_snapshot *a, const struct ibcc_snapshot *b)
{
	if (a->view.num_nodes != b->view.num_nodes || a->num_endports != b->num_endports)
		return false;
	for (uint32_t i = 0; i < a->view.num_nodes; i++) {
		if (!same_node(&a->nodes[i], &b->nodes[i]) || a->identities[i].vendor_id != b->identities[i].vendor_id ||
		    a->identities[i].device_id != b->identities[i].device_id)
			return false;
	}
	for (uint32_t i = 0; i < a->num_endports; i++) {
		if (!same_endport(&a->endports[i], &b->endports[i]))
			return false;
	}
	return true;
}
