/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "devices/topology.h"

#include <stdlib.h>
#include <string.h>

/* What is made of a snapshot before the topology becomes it; all of it may fail. */
struct next {
	uint64_t epoch;
	bool differs;
	uint64_t *node_epochs, *link_epochs;
	struct ibcc_gone_list lost, gone;
};

static bool look_alike(const struct ibcc_subnet_port *a, const struct ibcc_subnet_port *b)
{
	return a->guid == b->guid && a->lid == b->lid && a->number == b->number && a->state == b->state &&
	       a->physical == b->physical;
}

static bool nodes_look_alike(const struct ibcc_snapshot *a, uint32_t i, const struct ibcc_snapshot *b, uint32_t k)
{
	const struct ccp_fabric_node *one = &a->nodes[i], *other = &b->nodes[k];

	if (a->identities[i].vendor_id != b->identities[k].vendor_id || a->identities[i].device_id != b->identities[k].device_id)
		return false;
	if (one->kind != other->kind || one->num_ports != other->num_ports || strcmp(one->description, other->description) != 0)
		return false;
	for (uint32_t port = 0; port <= one->num_ports; port++) {
		if (!look_alike(&a->ports[ibcc_snapshot_place(a, i, port)], &b->ports[ibcc_snapshot_place(b, k, port)]))
			return false;
	}
	return true;
}

static bool add_gone(struct ibcc_gone_list *list, uint32_t *room, const struct ibcc_gone *gone)
{
	if (list->count == *room) {
		const uint32_t more = *room ? *room * 2 : 16;
		struct ibcc_gone *larger = realloc(list->list, more * sizeof(*larger));

		if (!larger)
			return false;
		list->list = larger;
		*room = more;
	}
	list->list[list->count++] = *gone;
	return true;
}

struct comparison {
	const struct ibcc_topology *topology;
	const struct ibcc_snapshot *snapshot; /* the new one */
	struct next *next;
	uint32_t room; /* of next->lost */
};

static bool note_lost_link(void *owner, const struct ibcc_snapshot *former, const struct ibcc_link *link)
{
	struct comparison *on = owner;
	struct ibcc_link found;
	const struct ibcc_gone gone = {
		.guid = former->nodes[link->ends[0].node].guid,
		.peer_guid = former->nodes[link->ends[1].node].guid,
		.port = link->ends[0].port,
		.peer_port = link->ends[1].port,
		.epoch = on->next->epoch,
	};

	return ibcc_snapshot_find_link_in(on->snapshot, former, link, &found) || add_gone(&on->next->lost, &on->room, &gone);
}

static bool note_link(void *owner, const struct ibcc_snapshot *snapshot, const struct ibcc_link *link)
{
	struct comparison *on = owner;
	struct ibcc_link before;
	const bool is_same = ibcc_snapshot_find_link_in(on->topology->snapshot, snapshot, link, &before) &&
			     ibcc_links_look_alike(&before, link);

	on->next->link_epochs[link->place] = is_same ? on->topology->link_epochs[before.place] : on->next->epoch;
	on->next->differs |= !is_same;
	return true;
}

static bool note_lost_nodes(struct comparison *on)
{
	const struct ibcc_snapshot *former = on->topology->snapshot;

	for (uint32_t i = 0; i < former->view.num_nodes; i++) {
		const struct ibcc_gone gone = {.guid = former->nodes[i].guid, .epoch = on->next->epoch};

		if (ibcc_snapshot_find_in(on->snapshot, former, i) == CCP_NO_PEER && !add_gone(&on->next->lost, &on->room, &gone))
			return false;
	}
	return true;
}

static void note_nodes(struct comparison *on)
{
	const struct ibcc_snapshot *former = on->topology->snapshot;

	for (uint32_t i = 0; i < on->snapshot->view.num_nodes; i++) {
		const uint32_t before = ibcc_snapshot_find_in(former, on->snapshot, i);
		const bool is_same = before != CCP_NO_PEER && nodes_look_alike(former, before, on->snapshot, i);

		on->next->node_epochs[i] = is_same ? on->topology->node_epochs[before] : on->next->epoch;
		on->next->differs |= !is_same;
	}
}

static bool is_there(const void *owner, const struct ibcc_gone *gone)
{
	const struct ibcc_snapshot *snapshot = owner;
	const uint32_t node = ibcc_snapshot_find(snapshot, gone->guid);
	struct ibcc_link link;

	if (!gone->peer_guid)
		return node != CCP_NO_PEER;
	return ibcc_snapshot_find_link(
		snapshot, (struct ibcc_link_end){.node = node, .port = gone->port},
		(struct ibcc_link_end){.node = ibcc_snapshot_find(snapshot, gone->peer_guid), .port = gone->peer_port}, &link);
}

static int compare(const struct ibcc_topology *topology, const struct ibcc_snapshot *snapshot, struct next *next,
		   uint64_t *forgotten)
{
	struct comparison on = {.topology = topology, .snapshot = snapshot, .next = next};

	if (!topology->snapshot) {
		for (uint32_t i = 0; i < snapshot->view.num_nodes; i++)
			next->node_epochs[i] = next->epoch;
		for (size_t i = 0; i < snapshot->num_peers; i++)
			next->link_epochs[i] = next->epoch;
		next->differs = true;
		return 0;
	}
	note_nodes(&on);
	(void)ibcc_snapshot_each_link(snapshot, note_link, &on);
	if (!note_lost_nodes(&on) || !ibcc_snapshot_each_link(topology->snapshot, note_lost_link, &on))
		return -1;
	next->differs |= next->lost.count > 0;
	return next->differs ? ibcc_gone_merge(&next->gone, &topology->gone, &next->lost, is_there, snapshot, forgotten) : 0;
}

int ibcc_topology_take(struct ibcc_topology *topology, struct ibcc_snapshot *snapshot, uint64_t first_epoch,
		       struct ibcc_topology_former *former)
{
	struct next next = {
		.epoch = topology->epoch ? topology->epoch + 1 : first_epoch,
		.node_epochs = calloc(snapshot->view.num_nodes + 1u, sizeof(uint64_t)),
		.link_epochs = calloc(snapshot->num_peers + 1u, sizeof(uint64_t)),
	};
	uint64_t forgotten = topology->epoch ? topology->oldest : next.epoch;
	const bool failed = !next.node_epochs || !next.link_epochs || compare(topology, snapshot, &next, &forgotten);

	*former = (struct ibcc_topology_former){0};
	free(next.lost.list);
	if (failed || !next.differs) {
		free(next.node_epochs);
		free(next.link_epochs);
		ibcc_gone_free(&next.gone);
		return failed ? -1 : 0;
	}
	*former = (struct ibcc_topology_former){.snapshot = topology->snapshot, .gone = topology->gone};
	free(topology->node_epochs);
	free(topology->link_epochs);
	*topology = (struct ibcc_topology){
		.epoch = next.epoch,
		.oldest = forgotten,
		.snapshot = ibcc_snapshot_hold(snapshot),
		.node_epochs = next.node_epochs,
		.link_epochs = next.link_epochs,
		.gone = next.gone,
	};
	return 0;
}

bool ibcc_topology_touch(struct ibcc_topology *topology, uint64_t node_guid)
{
	const uint32_t node = topology->snapshot ? ibcc_snapshot_find(topology->snapshot, node_guid) : CCP_NO_PEER;

	if (node == CCP_NO_PEER)
		return false;
	topology->node_epochs[node] = topology->epoch + 1;
	return true;
}

void ibcc_topology_next_epoch(struct ibcc_topology *topology)
{
	topology->epoch++;
}

void ibcc_topology_former_free(struct ibcc_topology_former *former)
{
	ibcc_snapshot_destroy(former->snapshot);
	ibcc_gone_free(&former->gone);
	*former = (struct ibcc_topology_former){0};
}

void ibcc_topology_free(struct ibcc_topology *topology)
{
	ibcc_snapshot_destroy(topology->snapshot);
	free(topology->node_epochs);
	free(topology->link_epochs);
	ibcc_gone_free(&topology->gone);
	*topology = (struct ibcc_topology){0};
}

bool ibcc_topology_knows(const struct ibcc_topology *topology, uint64_t epoch)
{
	return epoch >= topology->oldest && epoch <= topology->epoch;
}
