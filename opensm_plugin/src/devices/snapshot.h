/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * snapshot.h: a copy of the subnet at one moment, so that nothing else needs OpenSM's lock or its objects.
 *
 * A snapshot is also the fabric view that a profile is resolved against: node i of `view` is node i here.
 */
#ifndef IBCC_SNAPSHOT_H
#define IBCC_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ccpolicy/fabric_view.h"
#include "devices/subnet_port.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A port that answers MADs: a switch's port 0, or a port of a channel adapter. */
struct ibcc_endport {
	uint32_t node;      /* index into the view */
	uint8_t port;       /* 0 of a switch, 1..num_ports of an adapter */
	uint16_t lid;       /* base LID, host order; 0 only of one that is not ready */
	uint8_t sl;         /* of the path from the SM's port, 0..15 */
	uint64_t port_guid; /* host order */
	/* OpenSM has found the port uninitialised in this sweep, or a change at its switch: it may have been reset. A flag of the sweep,
	 * not of the fabric. */
	bool may_be_reset;
	/*
	 * Its link is up, but OpenSM has not brought it to ACTIVE or given it a LID: MADs other than OpenSM's own do not reach
	 * it.
	 */
	bool not_ready;
};

/* OpenSM's state among the subnet managers (IBA 14.4.1). */
enum ibcc_sm_state {
	IBCC_SM_MASTER,
	IBCC_SM_DISCOVERING,
	IBCC_SM_STANDBY, /* or NOTACTIVE: another is MASTER */
};

/* A node's maker and model, as NodeInfo has them. Zeros: not known. */
struct ibcc_node_identity {
	uint32_t vendor_id; /* OUI, 24 bits */
	uint16_t device_id;
};

#define IBCC_MAX_OTHER_SMS 16u

/* Another subnet manager, as this OpenSM knows it. */
struct ibcc_other_sm {
	uint64_t guid; /* of its port */
	uint8_t priority;
	uint8_t state; /* SMInfo: 0 not active, 1 discovering, 2 standby, 3 master */
};

struct ibcc_other_sms {
	uint32_t count;
	struct ibcc_other_sm list[IBCC_MAX_OTHER_SMS];
};

struct ibcc_snapshot {
	uint32_t holders; /* who calls ibcc_snapshot_destroy */
	struct ibcc_other_sms other_sms;
	enum ibcc_sm_state sm_state;
	bool sweep_ok;     /* the last heavy sweep ended without errors */
	bool opensm_cc_on; /* OpenSM's option congestion_control: it writes the same tables */
	uint64_t sm_port_guid;
	const char *doubt; /* why it is not to be believed; NULL: it is */
	uint64_t subnet_prefix;
	struct ccp_fabric_view view; /* nodes ascending by GUID; only those whose NodeInfo is there */
	uint32_t num_endports;
	struct ibcc_endport *endports; /* ascending (node, port); only ports whose link is up */
	/*
	 * By node, then by port as peer_nodes (ibcc_snapshot_place). PortState 0: OpenSM does not know the port. Of port 0 of a
	 * switch there are `guid` and `lid`.
	 */
	struct ibcc_subnet_port *ports;
	struct ibcc_node_identity *identities; /* by node */

	/* The room there is, and how much of it is used: for the functions below. */
	uint32_t max_nodes, max_endports;
	size_t num_peers, max_peers;
	struct ccp_fabric_node *nodes; /* view.nodes */
	uint32_t *peers;
	char *descriptions;
};

/*
 * Room, in one allocation, for at most `max_nodes` nodes with `max_ports` external ports in all, and `max_endports` endports; none
 * of them yet. NULL: no memory.
 */
struct ibcc_snapshot *ibcc_snapshot_create(uint32_t max_nodes, uint32_t max_ports, uint32_t max_endports);
void ibcc_snapshot_destroy(struct ibcc_snapshot *snapshot);               /* the last holder frees it; NULL is fine */
struct ibcc_snapshot *ibcc_snapshot_hold(struct ibcc_snapshot *snapshot); /* for one holder more */

/*
 * Adds a node without neighbours. `description`: up to `length` bytes from the fabric, ending before the first 0; what is not
 * printable UTF-8 becomes a blank, as ibnetdiscover shows it. Its index; or CCP_NO_PEER, and nothing is added: there is no room,
 * num_ports is not 1..254, or `guid` is not above the last one's.
 */
uint32_t ibcc_snapshot_add_node(struct ibcc_snapshot *snapshot, uint64_t guid, enum ccp_node_kind kind, uint32_t num_ports,
				const char *description, size_t length);

void ibcc_snapshot_identify(struct ibcc_snapshot *snapshot, uint32_t node, struct ibcc_node_identity identity);

/* Sets the neighbour of a node's port; a link needs a call for each of its ends. False: no such node or port. */
bool ibcc_snapshot_connect(struct ibcc_snapshot *snapshot, uint32_t node, uint32_t port, uint32_t peer);

/* Sets a port as OpenSM knows it, at its number. False: no such node or port. */
bool ibcc_snapshot_set_port(struct ibcc_snapshot *snapshot, uint32_t node, const struct ibcc_subnet_port *port);

/* Returns the place of a node's port, 0..num_ports, in `ports` and in lists that are as long: snapshot->num_peers. */
size_t ibcc_snapshot_place(const struct ibcc_snapshot *snapshot, uint32_t node, uint32_t port);

/* Returns the index of the node with this GUID, or CCP_NO_PEER. */
uint32_t ibcc_snapshot_find(const struct ibcc_snapshot *snapshot, uint64_t guid);
/* The same, of a node of `other`; at once where few nodes have come or left. */
uint32_t ibcc_snapshot_find_in(const struct ibcc_snapshot *snapshot, const struct ibcc_snapshot *other, uint32_t node);

/* False, and nothing is added: no room, no such node or port, LID 0 though it is ready, or not above the last one. */
bool ibcc_snapshot_add_endport(struct ibcc_snapshot *snapshot, const struct ibcc_endport *endport);

/* True if there is an endport with this GUID and LID; `lid` 0: whatever its LID is. */
bool ibcc_snapshot_has_port(const struct ibcc_snapshot *snapshot, uint64_t port_guid, uint16_t lid);

/* True if both have the same nodes, makers, descriptions, links and endports; flags apart. */
bool ibcc_snapshot_same_fabric(const struct ibcc_snapshot *a, const struct ibcc_snapshot *b);

#ifdef __cplusplus
}
#endif
#endif
