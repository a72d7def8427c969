/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _DEFAULT_SOURCE /* be64toh(), which headers of OpenSM's call */
#include "opensm/subnet_opensm.h"

#include <string.h>

#include <opensm/osm_config.h> /* before the others, whose structures depend on it */
#include <opensm/osm_opensm.h>

#include "opensm/flavor.h"
#include "opensm/port_opensm.h"

static const osm_physp_t *port_zero(const osm_node_t *node)
{
	return osm_physp_is_valid(&node->physp_table[0]) ? &node->physp_table[0] : NULL;
}

static void copy_ports(struct ibcc_subnet_node *copy, const osm_node_t *node)
{
	for (uint32_t number = 1; number <= copy->num_ports; number++) {
		const osm_physp_t *physp = &node->physp_table[number];
		if (osm_physp_is_valid(physp))
			ibcc_port_opensm(&copy->ports[copy->num_known++], node, physp);
	}
}

static void copy_lft(struct ibcc_subnet_node *copy, const osm_switch_t *sw)
{
	copy->num_lids = sw->lft ? sw->max_lid_ho + 1u : 0;
	if (copy->num_lids > sw->lft_size)
		copy->num_lids = sw->lft_size;
	if (copy->num_lids > IBCC_MAX_LIDS)
		copy->num_lids = IBCC_MAX_LIDS;
	if (copy->num_lids)
		memcpy(copy->lft, sw->lft, copy->num_lids);
}

static bool is_up(const osm_node_t *node, uint32_t port)
{
	const osm_physp_t *physp = &node->physp_table[port];

	return osm_physp_is_valid(physp) && osm_physp_get_port_state(physp) > IB_LINK_DOWN;
}

/*
 * OpenSM keeps what switches have confirmed. It reads no tables, so without its option `qos` there is nothing but zeros, as there is
 * for ports that are down.
 */
static void copy_sl2vl(struct ibcc_subnet_node *copy, const osm_node_t *node)
{
	uint8_t *place = copy->sl2vl;
	const uint8_t *first = NULL;

	copy->one_sl2vl = true;
	for (uint32_t egress = 1; egress <= copy->num_ports; egress++) {
		const osm_physp_t *physp = &node->physp_table[egress];
		const bool known = osm_physp_is_valid(physp), up = is_up(node, egress);
		for (uint32_t ingress = 0; ingress <= copy->num_ports; ingress++, place += IBCC_SL2VL_BYTES) {
			if (known && ingress < cl_ptr_vector_get_size(&physp->slvl_by_port))
				memcpy(place, cl_ptr_vector_get(&physp->slvl_by_port, ingress), IBCC_SL2VL_BYTES);
			else
				memset(place, 0, IBCC_SL2VL_BYTES);
			if (!up || !ingress || !is_up(node, ingress))
				continue;
			first = first ? first : place;
			copy->one_sl2vl = copy->one_sl2vl && !memcmp(place, first, IBCC_SL2VL_BYTES);
		}
	}
	if (copy->one_sl2vl && first)
		memmove(copy->sl2vl, first, IBCC_SL2VL_BYTES);
}

static void copy_node(struct ibcc_subnet_node *copy, const osm_subn_t *subnet, enum ibcc_subnet_part part, const osm_node_t *node)
{
	const uint32_t places = node->physp_tbl_size;
	const osm_physp_t *port0 = places ? port_zero(node) : NULL;

	copy->guid = cl_ntoh64(node->node_info.node_guid);
	copy->kind = ibcc_kind_opensm(node);
	ibcc_description_copy(copy->description, (const char *)node->node_desc.description, sizeof(node->node_desc.description));
	copy->lid = copy->kind == IBCC_SUBNET_SWITCH && port0 ? cl_ntoh16(port0->port_info.base_lid) : 0;
	copy->num_ports = (uint8_t)(!places ? 0 : places - 1 > IBCC_MAX_PORTS ? IBCC_MAX_PORTS : places - 1);
	copy->num_known = 0;
	copy->num_lids = 0;
	copy->has_sl2vl = copy->one_sl2vl = false;
	if (part == IBCC_SUBNET_LINKS) {
		copy_ports(copy, node);
		return;
	}
	if (node->sw)
		copy_lft(copy, node->sw);
	copy->has_sl2vl = subnet->opt.qos;
	if (copy->has_sl2vl)
		copy_sl2vl(copy, node);
}

/* The two tables have the same keys: GUIDs in the fabric's order of bytes. */
static const osm_node_t *node_of(const osm_subn_t *subnet, enum ibcc_subnet_part part, const cl_map_item_t *item)
{
	if (part == IBCC_SUBNET_LINKS)
		return item == cl_qmap_end(&subnet->node_guid_tbl) ? NULL : (const osm_node_t *)item;
	return item == cl_qmap_end(&subnet->sw_guid_tbl) ? NULL : ((const osm_switch_t *)item)->p_node;
}

typedef cl_map_item_t *look_up(const cl_qmap_t *map, const uint64_t key);

static bool copy_one(struct ibcc_subnet_opensm *owner, enum ibcc_subnet_part part, look_up *look, uint64_t guid,
		     struct ibcc_subnet_node *node)
{
	const osm_subn_t *subnet = &owner->osm->subn;

	cl_plock_acquire(&owner->osm->lock);
	const cl_qmap_t *table = part == IBCC_SUBNET_LINKS ? &subnet->node_guid_tbl : &subnet->sw_guid_tbl;
	const osm_node_t *found = node_of(subnet, part, look(table, cl_hton64(guid)));
	if (found)
		copy_node(node, subnet, part, found);
	cl_plock_release(&owner->osm->lock);
	return found;
}

static bool next(void *owner, enum ibcc_subnet_part part, uint64_t after, struct ibcc_subnet_node *node)
{
	return copy_one(owner, part, cl_qmap_get_next, after, node);
}

static bool find(void *owner, enum ibcc_subnet_part part, uint64_t guid, struct ibcc_subnet_node *node)
{
	return copy_one(owner, part, cl_qmap_get, guid, node);
}

static struct ibcc_routing routing(void *data)
{
	struct ibcc_subnet_opensm *owner = data;

	return (struct ibcc_routing){
		.engine = ibcc_flavor_engine_name(atomic_load(&owner->engine)),
		.sl_by_path = atomic_load(&owner->sl_by_path),
	};
}

struct ibcc_subnet ibcc_subnet_opensm(struct ibcc_subnet_opensm *owner)
{
	return (struct ibcc_subnet){.owner = owner, .routing = routing, .next = next, .find = find};
}

void ibcc_subnet_opensm_note_routing(struct ibcc_subnet_opensm *owner)
{
	const struct osm_routing_engine *engine = ibcc_flavor_engine(owner->osm);

	atomic_store(&owner->engine, engine ? (int)engine->type : OSM_ROUTING_ENGINE_TYPE_NONE);
	atomic_store(&owner->sl_by_path, engine && engine->path_sl);
}
