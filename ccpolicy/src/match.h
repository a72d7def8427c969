/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* match.h: what the match of an override means on a fabric. Internal. */
#ifndef CCPOLICY_MATCH_H
#define CCPOLICY_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "ccpolicy/fabric_view.h"
#include "ccpolicy/profile.h"

/* Kind of the neighbour on `port`; false if there is none. */
bool ccp_peer_kind(const struct ccp_fabric_view *view, const struct ccp_fabric_node *node, uint32_t port,
		   enum ccp_node_kind *kind);

/* True if the port faces a host or an aggregation node. */
bool ccp_faces_ca(const struct ccp_fabric_view *view, const struct ccp_fabric_node *node, uint32_t port);

/* True for a host and an aggregation node. */
bool ccp_is_ca(const struct ccp_fabric_node *node);

/* True if the node fits guid, node and role; ports are not looked at. */
bool ccp_match_node(const struct ccp_match *match, const struct ccp_fabric_view *view, const struct ccp_fabric_node *node);

/* True if the port of a node that fits, fits too. */
bool ccp_match_port(const struct ccp_match *match, const struct ccp_fabric_view *view, const struct ccp_fabric_node *node,
		    uint32_t port);

#endif
