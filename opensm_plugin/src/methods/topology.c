/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* topology: returns the nodes, ports and links of the last sweep, or what has changed in them since an epoch. */
#include <stddef.h>
#include <string.h>

#include "devices/port_words.h"
#include "manager/topology_json.h"
#include "rpc/method.h"
#include "rpc/object.h"
#include "rpc/params.h"
#include "rpc/text.h"

#define MAX_LIMIT 100000
#define PAGE_BYTES 900000 /* so that a page is a line in most cases */
/* About: as text. */
#define NODE_BYTES 220 /* without the description */
#define PORT_BYTES 100
#define LINK_BYTES 190
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct page {
	const struct ibcc_topology *topology;
	const struct ibcc_snapshot *snapshot;
	const struct ibcc_devices *devices;
	bool full, has_after;
	int64_t since, limit;
	uint64_t after;
	json_t *nodes, *links, *removed_nodes, *removed_links, *next;
	size_t bytes;
};

static json_t *word_or_null(const char *word)
{
	return word ? json_string(word) : json_null();
}

static json_t *number_or_null(unsigned number)
{
	return number ? json_integer(number) : json_null();
}

static json_t *ports_json(struct page *page, uint32_t node)
{
	json_t *list = json_array();

	for (uint32_t i = 1; list && i <= page->snapshot->nodes[node].num_ports; i++) {
		const struct ibcc_subnet_port *port = &page->snapshot->ports[ibcc_snapshot_place(page->snapshot, node, i)];
		const struct ibcc_json_member members[] = {
			{"port", json_integer(i)},
			{"guid", port->guid ? ibcc_json_guid(port->guid) : json_null()},
			{"lid", number_or_null(port->lid)},
			{"state", word_or_null(ibcc_port_state_word(port->state))},
			{"physical", word_or_null(ibcc_port_physical_word(port->physical))},
		};
		json_t *row = ibcc_json_object(members, COUNT(members));

		if (!port->state) { /* OpenSM does not know it */
			json_decref(row);
		} else if (json_array_append_new(list, row)) {
			json_decref(list);
			return NULL;
		}
		page->bytes += PORT_BYTES;
	}
	return list;
}

/* Returns the firmware of the node's first device that has told it. */
static struct ibcc_firmware firmware_of(const struct page *page, const struct ccp_fabric_node *node)
{
	const uint32_t last = node->kind == CCP_NODE_SWITCH ? 0 : node->num_ports;

	for (uint32_t port = node->kind == CCP_NODE_SWITCH ? 0 : 1; port <= last; port++) {
		const struct ibcc_device *device = ibcc_devices_find(page->devices, node->guid, (uint8_t)port);

		if (device && ibcc_firmware_is_known(&device->firmware.told))
			return device->firmware.told;
	}
	return (struct ibcc_firmware){0};
}

static int add_node(struct page *page, uint32_t index)
{
	const struct ibcc_node_identity identity = page->snapshot->identities[index];
	const struct ccp_fabric_node *node = &page->snapshot->nodes[index];
	const struct ibcc_firmware firmware = firmware_of(page, node);
	const struct ibcc_json_member members[] = {
		{"guid", ibcc_json_guid(node->guid)},
		{"kind", json_string(ibcc_subnet_kind_words[ibcc_subnet_kind_of(node->kind)])},
		{"description", ibcc_json_text(node->description, strlen(node->description))},
		{"lid", number_or_null(page->snapshot->ports[ibcc_snapshot_place(page->snapshot, index, 0)].lid)},
		{"vendor_id", ibcc_hexadecimal_json(6, identity.vendor_id)},
		{"device_id", ibcc_hexadecimal_json(4, identity.device_id)},
		{"firmware", ibcc_firmware_json(&firmware)},
		{"num_ports", json_integer(node->num_ports)},
		{"ports", ports_json(page, index)},
	};

	page->bytes += NODE_BYTES + strlen(node->description);
	return json_array_append_new(page->nodes, ibcc_json_object(members, COUNT(members)));
}

/* Adds what is wanted of a node and of the links that are listed at it. 1: something was added, 0: nothing, -1: out of memory. */
static int add_all_of(struct page *page, uint32_t index)
{
	const struct ibcc_topology *topology = page->topology;
	const uint64_t since = (uint64_t)page->since;
	struct ibcc_link link;
	int added = 0;

	if (page->full || topology->node_epochs[index] > since) {
		if (add_node(page, index))
			return -1;
		added = 1;
	}
	for (uint32_t port = 1; port <= page->snapshot->nodes[index].num_ports; port++) {
		if (!ibcc_snapshot_link(page->snapshot, index, port, &link) ||
		    (!page->full && topology->link_epochs[link.place] <= since))
			continue;
		if (json_array_append_new(page->links, ibcc_link_json(page->snapshot, &link)))
			return -1;
		page->bytes += LINK_BYTES;
		added = 1;
	}
	return added;
}

static int add_nodes(struct page *page)
{
	const struct ccp_fabric_node *nodes = page->snapshot->nodes;
	int64_t count = 0;
	uint64_t last = 0;

	for (uint32_t i = 0; i < page->snapshot->view.num_nodes; i++) {
		if (page->has_after && nodes[i].guid <= page->after)
			continue;
		if (count == page->limit || page->bytes >= PAGE_BYTES) {
			page->next = ibcc_json_guid(last);
			return page->next ? 0 : -1;
		}
		const int added = add_all_of(page, i);
		if (added < 0)
			return -1;
		count += added;
		last = nodes[i].guid;
	}
	page->next = json_null();
	return 0;
}

/* On the first page. There are at most IBCC_MAX_GONE. */
static int add_removed(struct page *page)
{
	const struct ibcc_gone_list *gone = &page->topology->gone;

	for (uint32_t i = 0; i < gone->count && !page->full && !page->has_after; i++) {
		const struct ibcc_gone *one = &gone->list[i];
		int failed;

		if (one->epoch <= (uint64_t)page->since)
			continue;
		if (one->peer_guid)
			failed = json_array_append_new(
				page->removed_links,
				json_pack("{s:o, s:i, s:o, s:i}", "guid", ibcc_json_guid(one->guid), "port", (int)one->port,
					  "peer_guid", ibcc_json_guid(one->peer_guid), "peer_port", (int)one->peer_port));
		else
			failed = json_array_append_new(page->removed_nodes, ibcc_json_guid(one->guid));
		if (failed)
			return -1;
	}
	return 0;
}

static int take_params(const struct ibcc_call *call, struct page *page, struct ibcc_rpc_error *error)
{
	const struct ibcc_role_rules *role = &ibcc_roles[ibcc_manager_role(call->manager)];

	if (ibcc_param_number(call, "since", 0, INT64_MAX, &page->since, error) ||
	    ibcc_param_number(call, "limit", 1, MAX_LIMIT, &page->limit, error) ||
	    ibcc_param_guid(call, "after", &page->after, error))
		return -1;
	page->has_after = json_object_get(call->params, "after") != NULL;
	page->full = !json_object_get(call->params, "since") || !ibcc_topology_knows(page->topology, (uint64_t)page->since);
	if (role->is_master && page->topology->epoch)
		return 0;
	ibcc_rpc_fail(error, IBCC_RPC_BUSY, "IBCC0703: the topology is not known now: %s",
		      role->pending ? role->pending : "no heavy sweep of this OpenSM could be copied yet");
	return -1;
}

static json_t *topology(struct ibcc_call *call, struct ibcc_rpc_error *error)
{
	struct page page = {.topology = ibcc_manager_topology(call->manager),
			    .devices = ibcc_manager_devices(call->manager),
			    .limit = MAX_LIMIT};
	bool sweep_ok;
	const int64_t swept_s = ibcc_manager_topology_swept_s(call->manager, &sweep_ok);

	if (take_params(call, &page, error))
		return NULL;
	page.snapshot = page.topology->snapshot;
	page.nodes = json_array();
	page.links = json_array();
	page.removed_nodes = json_array();
	page.removed_links = json_array();
	const int failed = !page.nodes || !page.links || !page.removed_nodes || !page.removed_links || add_removed(&page) ||
			   add_nodes(&page);
	const struct ibcc_json_member members[] = {
		{"epoch", json_integer((json_int_t)page.topology->epoch)},
		{"full", json_boolean(page.full)},
		{"nodes", page.nodes},
		{"links", page.links},
		{"removed_nodes", page.removed_nodes},
		{"removed_links", page.removed_links},
		{"next", page.next},
		{"subnet_managers", ibcc_other_sms_json(ibcc_manager_other_sms(call->manager))},
		{"swept_s", json_integer(swept_s)},
		{"sweep_ok", json_boolean(sweep_ok)},
	};
	json_t *result = ibcc_json_object(members, COUNT(members));

	if (!failed)
		return result;
	json_decref(result);
	return NULL;
}

static const char *const params[] = {"since", "limit", "after", NULL};
static struct ibcc_rpc_method method = {
	.name = "topology",
	.help = "List nodes, ports and links, or what has changed since an epoch.",
	.params = params,
	.call = topology,
};
IBCC_RPC_METHOD(method)
