/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "mad/deadlines.h"

#include <stdlib.h>
#include <string.h>

int ibcc_deadlines_init(struct ibcc_deadlines *deadlines, uint32_t num_ids)
{
	memset(deadlines, 0, sizeof(*deadlines));
	deadlines->heap = calloc(num_ids, sizeof(*deadlines->heap));
	deadlines->place = calloc(num_ids, sizeof(*deadlines->place));
	deadlines->due_ns = calloc(num_ids, sizeof(*deadlines->due_ns));
	if (!deadlines->heap || !deadlines->place || !deadlines->due_ns) {
		ibcc_deadlines_destroy(deadlines);
		return -1;
	}
	for (uint32_t id = 0; id < num_ids; id++)
		deadlines->place[id] = IBCC_NO_PLACE;
	return 0;
}

void ibcc_deadlines_destroy(struct ibcc_deadlines *deadlines)
{
	free(deadlines->due_ns);
	free(deadlines->place);
	free(deadlines->heap);
	memset(deadlines, 0, sizeof(*deadlines));
}

static void put(struct ibcc_deadlines *deadlines, uint32_t place, uint32_t id)
{
	deadlines->heap[place] = id;
	deadlines->place[id] = place;
}

/* Restores the order of the heap for `id`, whose place is free: moves ids from above or below it. */
static void sift(struct ibcc_deadlines *deadlines, uint32_t place, uint32_t id)
{
	const int64_t due_ns = deadlines->due_ns[id];

	while (place > 0) {
		const uint32_t parent = (place - 1) / 2;

		if (deadlines->due_ns[deadlines->heap[parent]] <= due_ns)
			break;
		put(deadlines, place, deadlines->heap[parent]);
		place = parent;
	}
	for (;;) {
		uint32_t child = 2 * place + 1;

		if (child >= deadlines->count)
			break;
		if (child + 1 < deadlines->count &&
		    deadlines->due_ns[deadlines->heap[child + 1]] < deadlines->due_ns[deadlines->heap[child]])
			child++;
		if (deadlines->due_ns[deadlines->heap[child]] >= due_ns)
			break;
		put(deadlines, place, deadlines->heap[child]);
		place = child;
	}
	put(deadlines, place, id);
}

void ibcc_deadlines_set(struct ibcc_deadlines *deadlines, uint32_t id, int64_t due_ns)
{
	deadlines->due_ns[id] = due_ns;
	if (deadlines->place[id] == IBCC_NO_PLACE)
		sift(deadlines, deadlines->count++, id);
	else
		sift(deadlines, deadlines->place[id], id);
}

void ibcc_deadlines_remove(struct ibcc_deadlines *deadlines, uint32_t id)
{
	const uint32_t place = deadlines->place[id];

	if (place == IBCC_NO_PLACE)
		return;
	deadlines->place[id] = IBCC_NO_PLACE;
	deadlines->count--;
	if (place < deadlines->count)
		sift(deadlines, place, deadlines->heap[deadlines->count]);
}

int64_t ibcc_deadlines_next_ns(const struct ibcc_deadlines *deadlines)
{
	return deadlines->count ? deadlines->due_ns[deadlines->heap[0]] : INT64_MAX;
}

bool ibcc_deadlines_pop(struct ibcc_deadlines *deadlines, int64_t now_ns, uint32_t *id)
{
	if (!deadlines->count || deadlines->due_ns[deadlines->heap[0]] > now_ns)
		return false;
	*id = deadlines->heap[0];
	ibcc_deadlines_remove(deadlines, *id);
	return true;
}
