/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _DEFAULT_SOURCE /* be64toh(), which headers of OpenSM's call */
#include "opensm/subnet_copy.h"

#include <stdlib.h>
#include <string.h>

#include "opensm/flavor.h"
#include "opensm/port_opensm.h"

#define MOST_PORTS (UINT32_MAX / 2)

static void copy_node(struct ibcc_subnet_copy *copy, const osm_node_t *node, uint32_t num_ports)
{
	struct ibcc_copied_node *place = &copy->nodes[copy->num_nodes++];
	const osm_physp_t *port0 = &node->physp_table[0];

	*place = (struct ibcc_copied_node){
		.guid = cl_ntoh64(node->node_info.node_guid),
		.kind = ibcc_kind_opensm(node),
		.num_ports = (uint8_t)num_ports,
		.first_port = copy->num_ports,
		.identity = {.vendor_id = cl_ntoh32(ib_node_info_get_vendor_id(&node->node_info)),
			     .device_id = cl_ntoh16(node->node_info.device_id)},
	};
	memcpy(place->description, node->node_desc.description, sizeof(place->description));
	if (place->kind == IBCC_SUBNET_SWITCH && osm_physp_is_valid(port0)) {
		place->has_port0 = true;
		place->port0_may_be_reset = port0->need_update;
		place->port0_lid = cl_ntoh16(port0->port_info.base_lid);
		place->port0_guid = cl_ntoh64(port0->port_guid);
	}
	for (uint32_t number = 1; number <= num_ports; number++) {
		const osm_physp_t *physp = &node->physp_table[number];
		if (!osm_physp_is_valid(physp))
			continue;
		struct ibcc_copied_port *port = &copy->ports[copy->num_ports++];
		ibcc_port_opensm(&port->port, node, physp);
		port->may_be_reset = physp->need_update;
	}
	place->num_known = (uint8_t)(copy->num_ports - place->first_port);
}

static void copy_sms(struct ibcc_other_sms *others, cl_qmap_t *table)
{
	others->count = 0;
	for (cl_map_item_t *item = cl_qmap_head(table); item != cl_qmap_end(table) && others->count < IBCC_MAX_OTHER_SMS;
	     item = cl_qmap_next(item)) {
		const ib_sm_info_t *info = &((const osm_remote_sm_t *)item)->smi;
		others->list[others->count++] = (struct ibcc_other_sm){
			.guid = cl_ntoh64(info->guid),
			.priority = ib_sminfo_get_priority(info),
			.state = ib_sminfo_get_state(info),
		};
	}
}

enum ibcc_sm_state ibcc_opensm_state(const struct osm_opensm *osm)
{
	switch (ibcc_flavor_sm_state(osm)) {
	case IB_SMINFO_STATE_MASTER:
		return IBCC_SM_MASTER;
	case IB_SMINFO_STATE_DISCOVERING:
		return IBCC_SM_DISCOVERING;
	default:
		return IBCC_SM_STANDBY;
	}
}

/* Counts the room that is needed, if it is more than there is; 0: all is copied. */
static uint64_t copy_subnet(struct ibcc_subnet_copy *copy, struct osm_opensm *osm)
{
	cl_qmap_t *table = &osm->subn.node_guid_tbl;
	uint64_t missing = 0;

	const bool has_room = cl_qmap_count(table) <= copy->max_nodes;

	copy->num_nodes = copy->num_ports = 0;
	for (cl_map_item_t *item = cl_qmap_head(table); item != cl_qmap_end(table); item = cl_qmap_next(item)) {
		const osm_node_t *node = (const osm_node_t *)item;
		/* The table has a place for port 0 also of adapters. */
		const uint32_t num_ports = node->physp_tbl_size ? node->physp_tbl_size - 1 : 0;

		if (!num_ports || num_ports > IBCC_MAX_PORTS)
			continue; /* impossible: the node is ignored */
		if (!has_room || missing || copy->max_ports - copy->num_ports < num_ports)
			missing += num_ports;
		else
			copy_node(copy, node, num_ports);
	}
	copy_sms(&copy->other_sms, &osm->subn.sm_guid_tbl);
	copy->sm_state = ibcc_opensm_state(osm);
	copy->opensm_cc_on = ibcc_flavor_cc_is_on(osm);
	copy->sm_port_guid = cl_ntoh64(osm->subn.sm_port_guid);
	copy->sm_lid = cl_ntoh16(osm->subn.sm_base_lid);
	copy->subnet_prefix = cl_ntoh64(osm->subn.opt.subnet_prefix);
	return missing;
}

/* Writes all of the new room, so that its pages are there. */
static void *larger(void *old, size_t count, size_t bytes)
{
	void *new = calloc(count, bytes);

	if (!new)
		return NULL;
	memset(new, 0xff, count * bytes);
	free(old);
	return new;
}

static int make_room(struct ibcc_subnet_copy *copy, uint32_t nodes, uint64_t ports)
{
	if (ports > MOST_PORTS || nodes > MOST_PORTS)
		return -1;
	if (nodes > copy->max_nodes) {
		struct ibcc_copied_node *new = larger(copy->nodes, nodes, sizeof(*copy->nodes));
		if (!new)
			return -1;
		copy->nodes = new;
		copy->max_nodes = nodes;
	}
	if (ports > copy->max_ports) {
		struct ibcc_copied_port *new = larger(copy->ports, ports, sizeof(*copy->ports));
		if (!new)
			return -1;
		copy->ports = new;
		copy->max_ports = (uint32_t)ports;
	}
	return 0;
}

/* The fabric may have grown when the lock is taken again, so a little more is made than was missing. */
int ibcc_subnet_copy_take(struct ibcc_subnet_copy *copy, struct osm_opensm *osm)
{
	for (;;) {
		cl_plock_acquire(&osm->lock);
		const uint64_t missing = copy_subnet(copy, osm);
		const uint32_t nodes = cl_qmap_count(&osm->subn.node_guid_tbl);
		cl_plock_release(&osm->lock);
		if (!missing)
			return 0;
		if (make_room(copy, nodes + nodes / 16 + 1, copy->num_ports + missing + missing / 16))
			return -1;
	}
}

void ibcc_subnet_copy_free(struct ibcc_subnet_copy *copy)
{
	free(copy->nodes);
	free(copy->ports);
	*copy = (struct ibcc_subnet_copy){0};
}

void ibcc_other_sms_opensm(struct osm_opensm *osm, struct ibcc_other_sms *others)
{
	cl_plock_acquire(&osm->lock);
	copy_sms(others, &osm->subn.sm_guid_tbl);
	cl_plock_release(&osm->lock);
}
