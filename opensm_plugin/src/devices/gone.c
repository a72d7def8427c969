/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "devices/gone.h"

#include <stdlib.h>
#include <string.h>

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_things(const void *left, const void *right)
{
	const struct ibcc_gone *a = left, *b = right;
	int order = compare_numbers(a->guid, b->guid);

	if (!order)
		order = compare_numbers(a->port, b->port);
	if (!order)
		order = compare_numbers(a->peer_guid, b->peer_guid);
	return order ? order : compare_numbers(a->peer_port, b->peer_port);
}

/* Of the same thing, the latest epoch first. */
static int compare(const void *left, const void *right)
{
	const struct ibcc_gone *a = left, *b = right;
	const int order = compare_things(left, right);

	return order ? order : compare_numbers(b->epoch, a->epoch);
}

static int compare_epochs(const void *left, const void *right)
{
	return compare_numbers(*(const uint64_t *)left, *(const uint64_t *)right);
}

static void keep_what_is_gone(struct ibcc_gone_list *gone, ibcc_is_there *is_there, const void *owner)
{
	uint32_t kept = 0;

	qsort(gone->list, gone->count, sizeof(*gone->list), compare);
	for (uint32_t i = 0; i < gone->count; i++) {
		const bool is_again = kept && !compare_things(&gone->list[kept - 1], &gone->list[i]);

		if (!is_again && !is_there(owner, &gone->list[i]))
			gone->list[kept++] = gone->list[i];
	}
	gone->count = kept;
}

/* Drops whole epochs, as a part of one is of no use. */
static int drop_the_oldest(struct ibcc_gone_list *gone, uint64_t *forgotten)
{
	uint64_t *epochs;
	uint32_t kept = 0;

	if (gone->count <= IBCC_MAX_GONE)
		return 0;
	epochs = calloc(gone->count, sizeof(*epochs));
	if (!epochs)
		return -1;
	for (uint32_t i = 0; i < gone->count; i++)
		epochs[i] = gone->list[i].epoch;
	qsort(epochs, gone->count, sizeof(*epochs), compare_epochs);
	*forgotten = epochs[gone->count - IBCC_MAX_GONE - 1];
	free(epochs);
	for (uint32_t i = 0; i < gone->count; i++) {
		if (gone->list[i].epoch > *forgotten)
			gone->list[kept++] = gone->list[i];
	}
	gone->count = kept;
	return 0;
}

int ibcc_gone_merge(struct ibcc_gone_list *merged, const struct ibcc_gone_list *old, const struct ibcc_gone_list *added,
		    ibcc_is_there *is_there, const void *owner, uint64_t *forgotten)
{
	struct ibcc_gone_list all = {.count = old->count + added->count};

	if (!all.count) {
		*merged = all;
		return 0;
	}
	all.list = calloc(all.count, sizeof(*all.list));
	if (!all.list)
		return -1;
	if (old->count)
		memcpy(all.list, old->list, old->count * sizeof(*all.list));
	if (added->count)
		memcpy(all.list + old->count, added->list, added->count * sizeof(*all.list));
	keep_what_is_gone(&all, is_there, owner);
	if (drop_the_oldest(&all, forgotten)) {
		free(all.list);
		return -1;
	}
	*merged = all;
	return 0;
}

void ibcc_gone_free(struct ibcc_gone_list *gone)
{
	free(gone->list);
	*gone = (struct ibcc_gone_list){0};
}

bool ibcc_gone_has_node(const struct ibcc_gone_list *gone, uint64_t guid)
{
	const struct ibcc_gone wanted = {.guid = guid};

	return gone->count && bsearch(&wanted, gone->list, gone->count, sizeof(wanted), compare_things);
}
