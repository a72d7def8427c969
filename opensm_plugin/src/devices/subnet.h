/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * subnet.h: nodes of OpenSM's own subnet database, copied one at a time for who asks: links, forwarding tables, SL-to-VL tables.
 *
 * The snapshot (snapshot.h) has what the plugin needs after each sweep. This has what others ask for now and then, so nothing of it
 * is copied or kept until somebody does.
 */
#ifndef IBCC_SUBNET_H
#define IBCC_SUBNET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "devices/description.h"
#include "devices/subnet_port.h"

#ifdef __cplusplus
extern "C" {
#endif

#define IBCC_MAX_LIDS 49152u /* unicast LIDs, and 0 */
#define IBCC_SL2VL_BYTES 8u  /* 16 VLs of 4 bits, that of SL 0 first */
#define IBCC_NO_PATH 255u

struct ibcc_subnet_node {
	uint64_t guid;
	enum ibcc_subnet_kind kind;
	char description[IBCC_DESCRIPTION_BYTES];
	uint16_t lid; /* of a switch; 0: none */
	uint8_t num_ports;
	uint8_t num_known; /* ports of which OpenSM has the PortInfo: those in `ports` */
	bool has_sl2vl;    /* OpenSM sets SL-to-VL tables, which it does with its option qos only */
	bool one_sl2vl;    /* all pairs of ports whose links are up have the table at sl2vl[0]; of the others nothing is known */
	uint32_t num_lids; /* entries of `lft`, from LID 0 */
	struct ibcc_subnet_port ports[IBCC_MAX_PORTS]; /* ascending */
	uint8_t lft[IBCC_MAX_LIDS];                    /* the port by LID, IBCC_NO_PATH: none; as the switch has confirmed it */
	/* By egress port 1..num_ports, then ingress port 0..num_ports. */
	uint8_t sl2vl[(size_t)IBCC_MAX_PORTS * (IBCC_MAX_PORTS + 1) * IBCC_SL2VL_BYTES];
};

enum ibcc_subnet_part {
	IBCC_SUBNET_LINKS,  /* `ports`, of all nodes */
	IBCC_SUBNET_ROUTES, /* `lft` and `sl2vl`, of switches alone */
};

/* The routing engine of the last sweep. */
struct ibcc_routing {
	const char *engine; /* "minhop"; NULL: none has succeeded yet */
	bool sl_by_path;    /* it chooses the SL of each path, and not the user alone */
};

struct ibcc_subnet {
	void *owner;
	struct ibcc_routing (*routing)(void *owner);
	/*
	 * Copies one part of the first node behind that of GUID `after`, in OpenSM's order (0: of the first node). False: there is
	 * none. Of the rest of `node` nothing is known afterwards.
	 */
	bool (*next)(void *owner, enum ibcc_subnet_part part, uint64_t after, struct ibcc_subnet_node *node);
	/* The same of that one node. False: there is none. */
	bool (*find)(void *owner, enum ibcc_subnet_part part, uint64_t guid, struct ibcc_subnet_node *node);
};

#ifdef __cplusplus
}
#endif
#endif
