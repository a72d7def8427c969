/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * fabric_view.h: the parts of a fabric that ccp_resolve() needs.
 *
 * The caller owns everything that a view points to, and keeps it for the time of the call. The OpenSM plugin, the simulator and
 * tests each fill one.
 */
#ifndef CCPOLICY_FABRIC_VIEW_H
#define CCPOLICY_FABRIC_VIEW_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CCP_NO_PEER UINT32_MAX

enum ccp_node_kind {
	CCP_NODE_SWITCH,
	CCP_NODE_HOST,        /* a channel adapter that carries users' traffic */
	CCP_NODE_AGGREGATION, /* a channel adapter inside a switch, for in-network reduction */
	CCP_NODE_ROUTER,
};

struct ccp_fabric_node {
	uint64_t guid;
	const char *description; /* UTF-8 node description */
	enum ccp_node_kind kind;
	uint32_t num_ports;         /* external ports, 1..254 */
	const uint32_t *peer_nodes; /* num_ports + 1 elements by port number: index of the neighbour, or CCP_NO_PEER */
};

struct ccp_fabric_view {
	uint32_t num_nodes;
	const struct ccp_fabric_node *nodes;
};

#ifdef __cplusplus
}
#endif
#endif
