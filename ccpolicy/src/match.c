/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "match.h"

#include "ccpolicy/glob.h"

bool ccp_peer_kind(const struct ccp_fabric_view *view, const struct ccp_fabric_node *node, uint32_t port,
		   enum ccp_node_kind *kind)
{
	uint32_t peer = node->peer_nodes[port];

	if (peer == CCP_NO_PEER)
		return false;
	*kind = view->nodes[peer].kind;
	return true;
}

bool ccp_faces_ca(const struct ccp_fabric_view *view, const struct ccp_fabric_node *node, uint32_t port)
{
	enum ccp_node_kind kind;

	return ccp_peer_kind(view, node, port, &kind) && (kind == CCP_NODE_HOST || kind == CCP_NODE_AGGREGATION);
}

bool ccp_is_ca(const struct ccp_fabric_node *node)
{
	return node->kind == CCP_NODE_HOST || node->kind == CCP_NODE_AGGREGATION;
}

static bool has_host(const struct ccp_fabric_view *view, const struct ccp_fabric_node *node)
{
	enum ccp_node_kind kind;

	for (uint32_t port = 1; port <= node->num_ports; port++)
		if (ccp_peer_kind(view, node, port, &kind) && kind == CCP_NODE_HOST)
			return true;
	return false;
}

static bool fits_role(enum ccp_role role, const struct ccp_fabric_view *view, const struct ccp_fabric_node *node)
{
	switch (role) {
	case CCP_ROLE_ANY:
		return true;
	case CCP_ROLE_SWITCH:
		return node->kind == CCP_NODE_SWITCH;
	case CCP_ROLE_LEAF:
		return node->kind == CCP_NODE_SWITCH && has_host(view, node);
	case CCP_ROLE_SPINE:
		return node->kind == CCP_NODE_SWITCH && !has_host(view, node);
	case CCP_ROLE_CA:
		return ccp_is_ca(node);
	case CCP_ROLE_HOST:
		return node->kind == CCP_NODE_HOST;
	case CCP_ROLE_AGGREGATION:
		return node->kind == CCP_NODE_AGGREGATION;
	}
	return false;
}

bool ccp_match_node(const struct ccp_match *match, const struct ccp_fabric_view *view, const struct ccp_fabric_node *node)
{
	return (!match->guid || match->guid == node->guid) && fits_role(match->role, view, node) &&
	       (!match->node || ccp_glob_match(match->node, node->description));
}

bool ccp_match_port(const struct ccp_match *match, const struct ccp_fabric_view *view, const struct ccp_fabric_node *node,
		    uint32_t port)
{
	enum ccp_node_kind kind;

	switch (match->port_match) {
	case CCP_PORTS_ANY:
		return true;
	case CCP_PORTS_LISTED:
		return ccp_port_mask_test(match->ports, port);
	case CCP_PORTS_CA:
		return ccp_faces_ca(view, node, port);
	case CCP_PORTS_SWITCH:
		return ccp_peer_kind(view, node, port, &kind) && kind == CCP_NODE_SWITCH;
	}
	return false;
}
