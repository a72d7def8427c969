/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* topology_steps.c: the steps from the former epoch to the present one, found again from the two snapshots. */
#include "devices/topology.h"

struct walk {
	const struct ibcc_topology *topology;
	const struct ibcc_snapshot *former;
	ibcc_topology_listener *listener;
	void *owner;
};

static bool has_nodes_of(const struct ibcc_snapshot *other, const struct ibcc_snapshot *snapshot, const struct ibcc_link *link)
{
	return ibcc_snapshot_find_in(other, snapshot, link->ends[0].node) != CCP_NO_PEER &&
	       ibcc_snapshot_find_in(other, snapshot, link->ends[1].node) != CCP_NO_PEER;
}

static bool tell_lost_link(void *owner, const struct ibcc_snapshot *former, const struct ibcc_link *link)
{
	const struct walk *walk = owner;
	const struct ibcc_snapshot *present = walk->topology->snapshot;
	struct ibcc_topology_step step = {.change = IBCC_LINK_DOWN, .snapshot = former, .link = *link};
	struct ibcc_link found;

	if (has_nodes_of(present, former, link) && !ibcc_snapshot_find_link_in(present, former, link, &found))
		walk->listener(walk->owner, &step);
	return true;
}

static bool tell_link(void *owner, const struct ibcc_snapshot *present, const struct ibcc_link *link)
{
	const struct walk *walk = owner;
	struct ibcc_topology_step step = {.change = IBCC_LINK_CHANGED, .snapshot = present, .link = *link};

	if (walk->topology->link_epochs[link->place] != walk->topology->epoch || !has_nodes_of(walk->former, present, link))
		return true;
	if (!ibcc_snapshot_find_link_in(walk->former, present, link, &step.before))
		step.change = IBCC_LINK_UP;
	walk->listener(walk->owner, &step);
	return true;
}

void ibcc_topology_steps(const struct ibcc_topology *topology, const struct ibcc_topology_former *former,
			 ibcc_topology_listener *listener, void *owner)
{
	struct walk walk = {.topology = topology, .former = former->snapshot, .listener = listener, .owner = owner};

	if (!walk.former)
		return;
	for (uint32_t i = 0; i < walk.former->view.num_nodes; i++) {
		const struct ibcc_topology_step step = {.change = IBCC_NODE_LOST, .snapshot = walk.former, .node = i};

		if (ibcc_snapshot_find_in(topology->snapshot, walk.former, i) == CCP_NO_PEER)
			listener(owner, &step);
	}
	for (uint32_t i = 0; i < topology->snapshot->view.num_nodes; i++) {
		const uint64_t guid = topology->snapshot->nodes[i].guid;
		const struct ibcc_topology_step step = {.change = IBCC_NODE_BACK,
							.snapshot = topology->snapshot,
							.node = i,
							.known = ibcc_gone_has_node(&former->gone, guid)};

		if (topology->node_epochs[i] == topology->epoch &&
		    ibcc_snapshot_find_in(walk.former, topology->snapshot, i) == CCP_NO_PEER)
			listener(owner, &step);
	}
	(void)ibcc_snapshot_each_link(walk.former, tell_lost_link, &walk);
	(void)ibcc_snapshot_each_link(topology->snapshot, tell_link, &walk);
}
