/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _POSIX_C_SOURCE 200809L /* clock_gettime() */
/* manager_topology.c: keeps the topology after each sweep, and reports what has changed in it. */
#include <string.h>
#include <time.h>

#include "devices/port_words.h"
#include "manager/manager_state.h"
#include "manager/topology_json.h"

/*
 * As many as a fabric of the largest size can bring at once, so that they fit into what may wait for a client. Whoever needs the rest asks
 * for the differences.
 */
#define MAX_EVENTS 20000u

static const char *const events[IBCC_NUM_TOPOLOGY_CHANGES] = {
	[IBCC_NODE_LOST] = "device.lost", [IBCC_NODE_BACK] = "device.back",     [IBCC_LINK_DOWN] = "link.down",
	[IBCC_LINK_UP] = "link.up",       [IBCC_LINK_CHANGED] = "link.changed",
};

static uint16_t lid_of(const struct ibcc_snapshot *snapshot, uint32_t node)
{
	const uint32_t last = snapshot->nodes[node].kind == CCP_NODE_SWITCH ? 0 : snapshot->nodes[node].num_ports;

	for (uint32_t port = 0; port <= last; port++) {
		const struct ibcc_subnet_port *found = &snapshot->ports[ibcc_snapshot_place(snapshot, node, port)];

		if (found->lid)
			return found->lid;
	}
	return 0;
}

static json_t *node_params(const struct ibcc_topology_step *step)
{
	const struct ccp_fabric_node *node = &step->snapshot->nodes[step->node];
	const uint16_t lid = lid_of(step->snapshot, step->node);
	char guid[IBCC_GUID_TEXT_BYTES];
	json_t *params =
		json_pack("{s:s, s:s, s:s, s:o, s:o}", "guid", ibcc_guid_text(guid, node->guid), "kind",
			  ibcc_subnet_kind_words[ibcc_subnet_kind_of(node->kind)], "description", node->description, "lid",
			  lid ? json_integer(lid) : json_null(), "links", ibcc_node_links_json(step->snapshot, step->node));

	return step->change == IBCC_NODE_BACK ? ibcc_json_with(params, "known", json_boolean(step->known)) : params;
}

static json_t *link_params(const struct ibcc_topology_step *step)
{
	json_t *params = ibcc_link_json(step->snapshot, &step->link);
	const struct ccp_fabric_node *nodes = step->snapshot->nodes;

	params = ibcc_json_with(params, "description", json_string(nodes[step->link.ends[0].node].description));
	params = ibcc_json_with(params, "peer_description", json_string(nodes[step->link.ends[1].node].description));
	return step->change == IBCC_LINK_CHANGED ? ibcc_json_with(params, "before", ibcc_link_values_json(&step->before))
						 : params;
}

struct telling {
	struct ibcc_manager *manager;
	uint32_t count, told;
};

static void count_step(void *owner, const struct ibcc_topology_step *step)
{
	(void)step;
	((struct telling *)owner)->count++;
}

/* Whoever is told of the loss forgets a drift, also while this OpenSM sets the devices itself and the list of devices stays as it is. */
static void end_drifts(struct ibcc_manager *manager, const struct ccp_fabric_node *node)
{
	for (uint32_t port = 0; port <= (node->kind == CCP_NODE_SWITCH ? 0 : node->num_ports); port++) {
		struct ibcc_device *device = ibcc_devices_find(&manager->devices, node->guid, (uint8_t)port);

		if (device)
			device->reported_drift = false;
	}
}

static void tell_step(void *owner, const struct ibcc_topology_step *step)
{
	struct telling *telling = owner;
	const uint32_t left = telling->count - telling->told;
	json_t *params;

	if (step->change == IBCC_NODE_LOST)
		end_drifts(telling->manager, &step->snapshot->nodes[step->node]);
	if (telling->told == MAX_EVENTS)
		return;
	params = step->change <= IBCC_NODE_BACK ? node_params(step) : link_params(step);
	telling->told++;
	if (telling->told == MAX_EVENTS && left > 1)
		params = ibcc_json_with(params, "omitted", json_integer(left - 1));
	manager_publish_live(telling->manager, events[step->change], params);
}

void manager_take_topology(struct ibcc_manager *manager, struct ibcc_snapshot *snapshot)
{
	struct telling telling = {.manager = manager};
	struct ibcc_topology_former former;
	struct timespec now;

	/* Microseconds since 1970: greater than all epochs of former processes, and exact in any JSON reader. */
	(void)clock_gettime(CLOCK_REALTIME, &now);
	const uint64_t first_epoch = (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
	if (ibcc_topology_take(&manager->topology, snapshot, first_epoch, &former)) {
		ibcc_log(manager->log, IBCC_LOG_ERROR,
			 "IBCC0209: out of memory: the topology that is told stays that of an earlier sweep until the next one");
		return;
	}
	manager->topology_swept_s = (int64_t)now.tv_sec;
	manager->topology_sweep_ok = snapshot->sweep_ok;
	ibcc_topology_steps(&manager->topology, &former, count_step, &telling);
	ibcc_topology_steps(&manager->topology, &former, tell_step, &telling);
	if (telling.count > MAX_EVENTS)
		ibcc_log(manager->log, IBCC_LOG_INFO, "topology: %u changes, %u reported as events", telling.count, MAX_EVENTS);
	ibcc_topology_former_free(&former);
}

bool manager_note_other_sms(struct ibcc_manager *manager, const struct ibcc_other_sms *others)
{
	const struct ibcc_other_sms *known = &manager->other_sms;
	bool same = known->count == others->count;

	for (uint32_t i = 0; same && i < others->count; i++)
		same = known->list[i].guid == others->list[i].guid && known->list[i].priority == others->list[i].priority &&
		       known->list[i].state == others->list[i].state;
	manager->other_sms = *others;
	return !same;
}
