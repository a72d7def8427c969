/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * topology.h: the last snapshot with the history that led to it: an epoch for each state, and what has changed since an earlier one.
 *
 * Each node and link has the epoch of its last change, and gone.h those that have left. So the differences since any epoch from `oldest`
 * on are found without copies of former states, and all of it is bounded by the size of the fabric.
 */
#ifndef IBCC_TOPOLOGY_H
#define IBCC_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>

#include "devices/gone.h"
#include "devices/snapshot.h"
#include "devices/snapshot_links.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ibcc_topology {
	uint64_t epoch;                 /* 0: there is none yet */
	uint64_t oldest;                /* the first epoch since which the differences are known */
	struct ibcc_snapshot *snapshot; /* held; NULL: none yet */
	uint64_t *node_epochs;          /* of the last change, by node */
	uint64_t *link_epochs;          /* and by the place of a link */
	struct ibcc_gone_list gone;
};

enum ibcc_topology_change {
	IBCC_NODE_LOST,
	IBCC_NODE_BACK,
	IBCC_LINK_DOWN, /* of links, only those both of whose nodes were there before and are there now */
	IBCC_LINK_UP,
	IBCC_LINK_CHANGED,
	IBCC_NUM_TOPOLOGY_CHANGES,
};

/* A change from one epoch to the next. */
struct ibcc_topology_step {
	enum ibcc_topology_change change;
	const struct ibcc_snapshot *snapshot; /* the former one of what is lost or down, else the present one */
	uint32_t node;                        /* lost or back: index into that snapshot's view */
	bool known;                           /* back: it was there before */
	struct ibcc_link link, before;        /* `before`: of a link that has changed */
};

typedef void ibcc_topology_listener(void *owner, const struct ibcc_topology_step *step);

/* How to see the last change: the former snapshot, which the caller destroys. */
struct ibcc_topology_former {
	struct ibcc_snapshot *snapshot; /* NULL: there was none, or nothing has changed */
	struct ibcc_gone_list gone;
};

/*
 * Compares the topology with `snapshot`, and holds that if they differ: a new epoch. The first one is `first_epoch`, which must be
 * greater than all epochs of earlier processes. -1: out of memory, and the topology is as it was.
 */
int ibcc_topology_take(struct ibcc_topology *topology, struct ibcc_snapshot *snapshot, uint64_t first_epoch,
		       struct ibcc_topology_former *former);
/* Calls the listener for each step from `former` to the present epoch: nodes first, lost ones before others; then links. */
void ibcc_topology_steps(const struct ibcc_topology *topology, const struct ibcc_topology_former *former,
			 ibcc_topology_listener *listener, void *owner);
/* True if the node is in the topology, whose next epoch is to have it as changed: to be followed by ibcc_topology_next_epoch. */
bool ibcc_topology_touch(struct ibcc_topology *topology, uint64_t node_guid);
void ibcc_topology_next_epoch(struct ibcc_topology *topology);
void ibcc_topology_former_free(struct ibcc_topology_former *former);
void ibcc_topology_free(struct ibcc_topology *topology);

/* True if the differences since `epoch` are known: it is of this process, and not too old. */
bool ibcc_topology_knows(const struct ibcc_topology *topology, uint64_t epoch);

#ifdef __cplusplus
}
#endif
#endif
