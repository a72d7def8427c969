/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * snapshot_opensm.h: snapshots of OpenSM's subnet.
 */
#ifndef IBCC_SNAPSHOT_OPENSM_H
#define IBCC_SNAPSHOT_OPENSM_H

#include <stdbool.h>

#include "devices/snapshot.h"

struct osm_opensm;

/*
 * Copies the subnet under OpenSM's lock, shared, in O(n log n) of its nodes. NULL: out of memory. Not from OpenSM's own threads,
 * which may hold the lock. `sweep_ok` is of the last SUBNET_UP: OpenSM clears its own flag when the next sweep begins.
 *
 * All paths get this SL (0..15). Asking the routing engine for each path's own would be a race with OpenSM's end, which frees
 * routing engines before plugins.
 */
struct ibcc_snapshot *ibcc_snapshot_opensm(struct osm_opensm *osm, uint8_t sl, bool sweep_ok);

/* Returns the state of OpenSM's subnet manager. Takes no lock: it reads one byte, which may be another the moment after. */
enum ibcc_sm_state ibcc_opensm_state(const struct osm_opensm *osm);

#endif
