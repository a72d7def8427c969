/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * snapshot_links.h: the links of a snapshot, each once.
 *
 * A link is up if both its ends are known and OpenSM has found neither of them down. Its first end is the one with the lower GUID, or,
 * of a cable from a node to itself, the lower port.
 */
#ifndef IBCC_SNAPSHOT_LINKS_H
#define IBCC_SNAPSHOT_LINKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "devices/snapshot.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ibcc_link_end {
	uint32_t node; /* index into the view */
	uint8_t port;
};

struct ibcc_link {
	struct ibcc_link_end ends[2]; /* the first one first */
	size_t place;                 /* in lists as of ibcc_snapshot_place; no other link has it */
	uint8_t state;                /* PortState of the end that is less far: 2 init, 3 armed, 4 active */
	uint8_t width, speed, mtu;    /* as of struct ibcc_subnet_port */
};

/* Returns true if a link is listed at this port of a node, and fills `link`: so each link comes once from a walk over all ports. */
bool ibcc_snapshot_link(const struct ibcc_snapshot *snapshot, uint32_t node, uint32_t port, struct ibcc_link *link);

/* Finds the link between two ports, given in any order. False: there is none. */
bool ibcc_snapshot_find_link(const struct ibcc_snapshot *snapshot, struct ibcc_link_end one, struct ibcc_link_end other,
			     struct ibcc_link *link);

/* Finds a link of one snapshot in another, where its nodes may have other indices. False: it is not there. */
bool ibcc_snapshot_find_link_in(const struct ibcc_snapshot *other, const struct ibcc_snapshot *snapshot,
				const struct ibcc_link *link, struct ibcc_link *found);

/* Calls `each` for all links, until it returns false: then false. */
typedef bool ibcc_each_link(void *owner, const struct ibcc_snapshot *snapshot, const struct ibcc_link *link);
bool ibcc_snapshot_each_link(const struct ibcc_snapshot *snapshot, ibcc_each_link *each, void *owner);

/* True if all that is shown of two links but their ends is the same. */
bool ibcc_links_look_alike(const struct ibcc_link *a, const struct ibcc_link *b);

#ifdef __cplusplus
}
#endif
#endif
