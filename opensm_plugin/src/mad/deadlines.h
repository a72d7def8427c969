/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * deadlines.h: deadlines of a fixed number of ids, as a binary heap: setting, moving and removing one take O(log n).
 */
#ifndef IBCC_DEADLINES_H
#define IBCC_DEADLINES_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ibcc_deadlines {
	uint32_t count;
	uint32_t *heap;  /* ids, the earliest deadline first */
	uint32_t *place; /* of each id in the heap; IBCC_NO_PLACE: not there */
	int64_t *due_ns; /* of each id */
};

#define IBCC_NO_PLACE UINT32_MAX

int ibcc_deadlines_init(struct ibcc_deadlines *deadlines, uint32_t num_ids); /* -1: out of memory; then nothing need be freed */
void ibcc_deadlines_destroy(struct ibcc_deadlines *deadlines);

/* Sets the deadline of `id` (below num_ids), or moves it. */
void ibcc_deadlines_set(struct ibcc_deadlines *deadlines, uint32_t id, int64_t due_ns);
void ibcc_deadlines_remove(struct ibcc_deadlines *deadlines, uint32_t id); /* if it is there */

int64_t ibcc_deadlines_next_ns(const struct ibcc_deadlines *deadlines); /* INT64_MAX: there are none */

/* Removes the id with the earliest deadline, if that has come at `now_ns`. False: none has. */
bool ibcc_deadlines_pop(struct ibcc_deadlines *deadlines, int64_t now_ns, uint32_t *id);

#ifdef __cplusplus
}
#endif
#endif
