/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * gone.h: nodes and links that are not in the fabric any more, with the epoch since when: the bounded half of the topology's history.
 */
#ifndef IBCC_GONE_H
#define IBCC_GONE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define IBCC_MAX_GONE 8192u

/* A link between two ports; or, with zeros but for `guid`, a node. */
struct ibcc_gone {
	uint64_t guid, peer_guid;
	uint8_t port, peer_port;
	uint64_t epoch; /* the first one without it */
};

/* Ascending by node and port; each of them once. */
struct ibcc_gone_list {
	uint32_t count;
	struct ibcc_gone *list;
};

typedef bool ibcc_is_there(const void *owner, const struct ibcc_gone *gone);

/*
 * Fills `merged` with `old` and `added` (in any order), but for what `is_there`; of two for the same thing, the later. At most
 * IBCC_MAX_GONE are kept: those of the last epochs. Returns in `forgotten` the last epoch of which any was dropped for that reason, or
 * leaves it. -1: out of memory, and nothing is filled.
 */
int ibcc_gone_merge(struct ibcc_gone_list *merged, const struct ibcc_gone_list *old, const struct ibcc_gone_list *added,
		    ibcc_is_there *is_there, const void *owner, uint64_t *forgotten);
void ibcc_gone_free(struct ibcc_gone_list *gone);

bool ibcc_gone_has_node(const struct ibcc_gone_list *gone, uint64_t guid);

#ifdef __cplusplus
}
#endif
#endif
