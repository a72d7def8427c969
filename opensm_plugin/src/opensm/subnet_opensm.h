/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * subnet_opensm.h: nodes of OpenSM's subnet database, for struct ibcc_subnet. `owner` is a struct osm_opensm.
 *
 * Each call takes OpenSM's lock, shared, for the copy of one node, so that no sweep waits for a whole fabric: some microseconds for
 * a switch with 36 ports; at most about a millisecond, for 254 ports with an SL-to-VL table for each pair of them. Not from OpenSM's
 * own threads, which may hold the lock.
 */
#ifndef IBCC_SUBNET_OPENSM_H
#define IBCC_SUBNET_OPENSM_H

#include "devices/subnet.h"

bool ibcc_subnet_opensm_next(void *owner, enum ibcc_subnet_part part, uint64_t after, struct ibcc_subnet_node *node);
bool ibcc_subnet_opensm_find(void *owner, enum ibcc_subnet_part part, uint64_t guid, struct ibcc_subnet_node *node);

#endif
