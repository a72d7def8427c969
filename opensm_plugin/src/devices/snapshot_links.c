/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "devices/snapshot_links.h"

#define PORT_DOWN 1u

static const struct ibcc_subnet_port *port_at(const struct ibcc_snapshot *snapshot, struct ibcc_link_end end)
{
	return &snapshot->ports[ibcc_snapshot_place(snapshot, end.node, end.port)];
}

static bool is_port(const struct ibcc_snapshot *snapshot, struct ibcc_link_end end)
{
	return end.node < snapshot->view.num_nodes && end.port && end.port <= snapshot->nodes[end.node].num_ports;
}

/* Finds the other end, as this port has it. */
static bool find_peer(const struct ibcc_snapshot *snapshot, struct ibcc_link_end end, struct ibcc_link_end *peer)
{
	const size_t place = ibcc_snapshot_place(snapshot, end.node, end.port);

	*peer = (struct ibcc_link_end){.node = snapshot->peers[place], .port = snapshot->ports[place].peer_port};
	return is_port(snapshot, *peer);
}

static bool comes_before(struct ibcc_link_end a, struct ibcc_link_end b)
{
	return a.node < b.node || (a.node == b.node && a.port <= b.port); /* nodes ascend by GUID */
}

static bool is_same_end(struct ibcc_link_end a, struct ibcc_link_end b)
{
	return a.node == b.node && a.port == b.port;
}

bool ibcc_snapshot_link(const struct ibcc_snapshot *snapshot, uint32_t node, uint32_t port, struct ibcc_link *link)
{
	const struct ibcc_link_end end = {.node = node, .port = (uint8_t)port};
	struct ibcc_link_end peer, back;

	if (!is_port(snapshot, end) || !find_peer(snapshot, end, &peer))
		return false;
	const bool is_mutual = find_peer(snapshot, peer, &back) && is_same_end(back, end);
	const bool is_first = comes_before(end, peer);
	/* OpenSM may know a link from its other end alone. */
	if (is_mutual && !is_first)
		return false;
	const struct ibcc_subnet_port *here = port_at(snapshot, end), *there = port_at(snapshot, peer);
	*link = (struct ibcc_link){
		.ends = {is_first ? end : peer, is_first ? peer : end},
		.place = ibcc_snapshot_place(snapshot, node, port),
		.state = there->state && there->state < here->state ? there->state : here->state,
		.width = here->width,
		.speed = here->speed,
		.mtu = here->mtu,
	};
	return link->state > PORT_DOWN;
}

bool ibcc_snapshot_find_link(const struct ibcc_snapshot *snapshot, struct ibcc_link_end one, struct ibcc_link_end other,
			     struct ibcc_link *link)
{
	const struct ibcc_link_end ends[] = {one, other};
	struct ibcc_link_end peer;

	for (unsigned i = 0; i < 2; i++) {
		if (is_port(snapshot, ends[i]) && find_peer(snapshot, ends[i], &peer) && is_same_end(peer, ends[1 - i]) &&
		    ibcc_snapshot_link(snapshot, ends[i].node, ends[i].port, link))
			return true;
	}
	return false;
}

bool ibcc_links_look_alike(const struct ibcc_link *a, const struct ibcc_link *b)
{
	return a->state == b->state && a->width == b->width && a->speed == b->speed && a->mtu == b->mtu;
}

bool ibcc_snapshot_find_link_in(const struct ibcc_snapshot *other, const struct ibcc_snapshot *snapshot,
				const struct ibcc_link *link, struct ibcc_link *found)
{
	struct ibcc_link_end ends[2];

	for (unsigned i = 0; i < 2; i++) {
		ends[i].node = ibcc_snapshot_find_in(other, snapshot, link->ends[i].node);
		ends[i].port = link->ends[i].port;
	}
	return ibcc_snapshot_find_link(other, ends[0], ends[1], found);
}

bool ibcc_snapshot_each_link(const struct ibcc_snapshot *snapshot, ibcc_each_link *each, void *owner)
{
	struct ibcc_link link;

	for (uint32_t node = 0; node < snapshot->view.num_nodes; node++) {
		for (uint32_t port = 1; port <= snapshot->nodes[node].num_ports; port++) {
			if (ibcc_snapshot_link(snapshot, node, port, &link) && !each(owner, snapshot, &link))
				return false;
		}
	}
	return true;
}
