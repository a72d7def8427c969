/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _DEFAULT_SOURCE /* be64toh(), which headers of OpenSM's call */
#include "opensm/port_opensm.h"

#include <stdbool.h>

enum ibcc_subnet_kind ibcc_kind_opensm(const osm_node_t *node)
{
	switch (node->node_info.node_type) {
	case IB_NODE_TYPE_SWITCH:
		return IBCC_SUBNET_SWITCH;
	case IB_NODE_TYPE_ROUTER:
		return IBCC_SUBNET_ROUTER;
	default:
		return IBCC_SUBNET_CA;
	}
}

static const osm_physp_t *port_zero(const osm_node_t *node)
{
	return osm_physp_is_valid(&node->physp_table[0]) ? &node->physp_table[0] : NULL;
}

/* Without this bit the fields of extended speeds are reserved. That of a switch is port 0's. */
static bool has_extended_speeds(const osm_node_t *node, const osm_physp_t *physp)
{
	const osm_physp_t *teller = ibcc_kind_opensm(node) == IBCC_SUBNET_SWITCH ? port_zero(node) : physp;

	return teller && teller->port_info.capability_mask & IB_PORT_CAP_HAS_EXT_SPEEDS;
}

/* `base`: bits of SDR, DDR, QDR; `extended`: of FDR, EDR, HDR, NDR; `vendor`: of FDR10. */
static uint8_t speeds(uint8_t base, uint8_t extended, uint8_t vendor)
{
	return (uint8_t)((base & 7u) | (vendor & FDR10 ? IBCC_SPEED_FDR10 : 0) | (extended & 15u) << 4);
}

void ibcc_port_opensm(struct ibcc_subnet_port *port, const osm_node_t *node, const osm_physp_t *physp)
{
	const ib_port_info_t *info = &physp->port_info;
	const ib_mlnx_ext_port_info_t *vendor = &physp->ext_port_info;
	const bool extended = has_extended_speeds(node, physp);
	const osm_physp_t *peer = physp->p_remote_physp;
	const bool is_switch = ibcc_kind_opensm(node) == IBCC_SUBNET_SWITCH;

	*port = (struct ibcc_subnet_port){
		.number = physp->port_num,
		.guid = is_switch ? 0 : cl_ntoh64(physp->port_guid),
		.lid = is_switch ? 0 : cl_ntoh16(info->base_lid),
		.lmc = ib_port_info_get_lmc(info),
		.state = ib_port_info_get_port_state(info),
		.physical = ib_port_info_get_port_phys_state(info),
		.mtu = ib_port_info_get_neighbor_mtu(info),
		.vls = ib_port_info_get_op_vls(info),
		.width = info->link_width_active,
		.width_supported = info->link_width_supported,
		.width_enabled = info->link_width_enabled,
		.speed = speeds(ib_port_info_get_link_speed_active(info),
				extended ? ib_port_info_get_link_speed_ext_active(info) : 0, vendor->link_speed_active),
		.speed_supported = speeds(ib_port_info_get_link_speed_sup(info),
					  extended ? ib_port_info_get_link_speed_ext_sup(info) : 0, vendor->link_speed_supported),
		.speed_enabled = speeds(ib_port_info_get_link_speed_enabled(info),
					extended ? ib_port_info_get_link_speed_ext_enabled(info) : 0, vendor->link_speed_enabled),
	};
	if (peer && peer->p_node) {
		port->peer_guid = cl_ntoh64(peer->p_node->node_info.node_guid);
		port->peer_port = peer->port_num;
	}
}
