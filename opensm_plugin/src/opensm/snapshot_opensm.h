/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * snapshot_opensm.h: snapshots of OpenSM's subnet.
 */
#ifndef IBCC_SNAPSHOT_OPENSM_H
#define IBCC_SNAPSHOT_OPENSM_H

#include <stdbool.h>

#include "devices/snapshot.h"

struct ibcc_subnet_copy;
struct osm_opensm;

/*
 * Copies the subnet to `room` under OpenSM's lock, shared, in one pass over its nodes and ports; and makes a snapshot of that after the
 * lock, in O(n log n). NULL: out of memory. Not from OpenSM's own threads, which may hold the lock. `sweep_ok` is of the last SUBNET_UP:
 * OpenSM clears its own flag when the next sweep begins.
 *
 * All paths get this SL (0..15). Asking the routing engine for each path's own would be a race with OpenSM's end, which frees
 * routing engines before plugins.
 */
struct ibcc_snapshot *ibcc_snapshot_opensm(struct osm_opensm *osm, struct ibcc_subnet_copy *room, uint8_t sl, bool sweep_ok);

#endif
