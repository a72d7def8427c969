/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * subnet_copy.h: OpenSM's subnet, copied as it lies there, so that its lock is held for nothing else.
 *
 * Sorting, finding neighbours and checking text come after the lock, from this copy (snapshot_opensm.c). The room is kept from sweep to
 * sweep: memory that has been written before costs no page faults under the lock.
 */
#ifndef IBCC_SUBNET_COPY_H
#define IBCC_SUBNET_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "devices/snapshot.h"

struct osm_opensm;

struct ibcc_copied_port {
	struct ibcc_subnet_port port;
	bool may_be_reset; /* as of struct ibcc_endport */
};

struct ibcc_copied_node {
	uint64_t guid;
	enum ibcc_subnet_kind kind;
	uint8_t num_ports;    /* 1..254 */
	uint8_t num_known;    /* ports of which OpenSM has the PortInfo */
	uint32_t first_port;  /* of them in the list of all */
	char description[64]; /* any bytes */
	struct ibcc_node_identity identity;
	/* Port 0 of a switch. */
	bool has_port0, port0_may_be_reset;
	uint16_t port0_lid;
	uint64_t port0_guid;
};

/* At first zeros. */
struct ibcc_subnet_copy {
	struct ibcc_copied_node *nodes; /* in OpenSM's order */
	struct ibcc_copied_port *ports;
	uint32_t num_nodes, max_nodes, num_ports, max_ports;
	struct ibcc_other_sms other_sms;
	enum ibcc_sm_state sm_state;
	bool opensm_cc_on;
	uint64_t sm_port_guid, subnet_prefix;
	uint16_t sm_lid; /* of that port, as OpenSM notes it apart from the port */
};

/* Copies the subnet under OpenSM's lock, shared. -1: out of memory. Not from OpenSM's own threads, which may hold the lock. */
int ibcc_subnet_copy_take(struct ibcc_subnet_copy *copy, struct osm_opensm *osm);
void ibcc_subnet_copy_free(struct ibcc_subnet_copy *copy);

/* Copies the other subnet managers that OpenSM knows, under its lock. */
void ibcc_other_sms_opensm(struct osm_opensm *osm, struct ibcc_other_sms *others);

/* Returns the state of OpenSM's subnet manager. Takes no lock: it reads one byte, which may be another the moment after. */
enum ibcc_sm_state ibcc_opensm_state(const struct osm_opensm *osm);

#endif
