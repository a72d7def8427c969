/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * subnet_opensm.h: nodes of OpenSM's subnet database, for struct ibcc_subnet.
 *
 * A copy takes OpenSM's lock, shared, for one node, so that no sweep waits for a whole fabric: some microseconds for a switch with 36
 * ports; at most about a millisecond, for 254 ports with an SL-to-VL table for each pair of them. Not from OpenSM's own threads, which
 * may hold the lock.
 */
#ifndef IBCC_SUBNET_OPENSM_H
#define IBCC_SUBNET_OPENSM_H

#include <stdatomic.h>

#include "devices/subnet.h"

struct osm_opensm;

struct ibcc_subnet_opensm {
	struct osm_opensm *osm;
	atomic_int engine; /* osm_routing_engine_type_t of the last sweep; 0: none */
	atomic_bool sl_by_path;
};

/* Returns the functions; `owner`, which they borrow, is zeros at first but for `osm`. */
struct ibcc_subnet ibcc_subnet_opensm(struct ibcc_subnet_opensm *owner);

/*
 * Notes the routing engine. From OpenSM's thread at the end of a sweep: at other times the engine may be freed, as OpenSM's end does
 * with engines before it unloads plugins.
 */
void ibcc_subnet_opensm_note_routing(struct ibcc_subnet_opensm *owner);

#endif
