/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "devices/as_found.h"

#include <stdlib.h>
#include <time.h>

#include "ccpolicy/error_format.h"
#include "devices/found_rows.h"
#include "profiles/profiles.h"

/* A device has one setting, and at most 255 blocks of its table. */
static const struct ibcc_found_format format = {
	.form = &ibcc_as_found_form, .has_scope = false, .max_items = 256, .example = "22.0:0 23.0:1"};

struct ibcc_as_found {
	struct ibcc_found_rows rows;
};

const struct ibcc_found *ibcc_as_found_find(const struct ibcc_as_found *as_found, uint64_t node_guid, uint8_t port)
{
	return ibcc_found_rows_find(&as_found->rows, node_guid, port);
}

/* False: all are needed. */
static bool drop_oldest(struct ibcc_found_rows *rows, ibcc_is_needed *is_needed, const void *owner)
{
	const struct ibcc_found *oldest = NULL;

	for (uint32_t i = 0; is_needed && i < rows->count; i++) {
		const struct ibcc_found *found = rows->list[i];

		if (!is_needed(owner, found) && (!oldest || found->at_s < oldest->at_s))
			oldest = found;
	}
	if (!oldest)
		return false;
	ibcc_found_rows_drop(rows, oldest);
	return true;
}

const struct ibcc_found *ibcc_as_found_put(struct ibcc_as_found *as_found, uint64_t node_guid, uint8_t port,
					   struct ibcc_found_reading *reading, bool frozen, ibcc_is_needed *is_needed,
					   const void *owner)
{
	struct ibcc_found_rows *rows = &as_found->rows;
	struct ibcc_found *found = ibcc_found_rows_find(rows, node_guid, port);

	if (!found && ibcc_as_found_is_full(as_found) && !drop_oldest(rows, is_needed, owner))
		return NULL;
	if (!found)
		found = ibcc_found_rows_add(rows, node_guid, port);
	if (!found)
		return NULL;
	ibcc_found_rows_replace(rows, found, reading->items, reading->num_items, (int64_t)time(NULL));
	reading->items = NULL;
	reading->num_items = 0;
	rows->changes += frozen || found->frozen;
	found->frozen = frozen;
	return found;
}

bool ibcc_as_found_is_full(const struct ibcc_as_found *as_found)
{
	return as_found->rows.count >= IBCC_MAX_FOUND;
}

void ibcc_as_found_change(struct ibcc_as_found *as_found, const struct ibcc_found *found, uint16_t attribute, uint32_t block,
			  const struct ibcc_payload *payload)
{
	struct ibcc_found *own = ibcc_found_rows_find(&as_found->rows, found->node_guid, found->port);

	for (uint32_t i = 0; i < own->num_items; i++) {
		struct ibcc_found_item *item = &own->items[i];

		if (item->attribute != attribute || item->block != block || item->payload == payload)
			continue;
		ibcc_payload_release(as_found->rows.pool, item->payload);
		item->payload = ibcc_payload_hold(payload);
		own->at_s = (int64_t)time(NULL);
		ibcc_found_rows_touch(&as_found->rows, own);
	}
}

void ibcc_as_found_doubt(struct ibcc_as_found *as_found, const struct ibcc_found *found)
{
	as_found->rows.changes += found->frozen;
	ibcc_found_rows_drop(&as_found->rows, found);
}

void ibcc_as_found_freeze(struct ibcc_as_found *as_found)
{
	for (uint32_t i = 0; i < as_found->rows.count; i++) {
		struct ibcc_found *found = as_found->rows.list[i];

		if (found->frozen)
			continue;
		found->frozen = true;
		ibcc_found_rows_touch(&as_found->rows, found);
		as_found->rows.changes++;
	}
}

uint64_t ibcc_as_found_changes(const struct ibcc_as_found *as_found)
{
	return as_found->rows.changes;
}

struct ibcc_as_found_counts ibcc_as_found_count(const struct ibcc_as_found *as_found)
{
	struct ibcc_as_found_counts counts = {.devices = as_found->rows.count};

	for (uint32_t i = 0; i < as_found->rows.count; i++) {
		const struct ibcc_found *found = as_found->rows.list[i];

		counts.frozen += found->frozen;
		if (!counts.since_s || found->at_s < counts.since_s)
			counts.since_s = found->at_s;
	}
	return counts;
}

json_t *ibcc_as_found_json(const struct ibcc_as_found *as_found)
{
	return ibcc_found_rows_json(&as_found->rows);
}

int ibcc_as_found_save(struct ibcc_as_found *as_found, struct ccp_error *error)
{
	return ibcc_found_rows_save(&as_found->rows, error);
}

int ibcc_as_found_merge(struct ibcc_as_found *as_found, json_t *root, struct ccp_error *error)
{
	return ibcc_found_rows_merge(&as_found->rows, root, error);
}

static int load(struct ibcc_as_found *as_found, bool is_first, struct ibcc_log *log, struct ccp_error *error)
{
	const enum ibcc_state_found found = ibcc_found_rows_load(&as_found->rows, error);

	if (found == IBCC_STATE_BROKEN)
		(void)ibcc_state_json_set_aside(as_found->rows.folder, format.form, error->message,
						"what devices were found with is in that file, and no trial run returns to it",
						log, error);
	if (found == IBCC_STATE_READ || (found == IBCC_STATE_ABSENT && is_first))
		return 0;
	if (found == IBCC_STATE_FAILED)
		return -1;
	return ccp_fail(error,
			found == IBCC_STATE_ABSENT
				? "the state folder has no %s, and a former process may have set devices"
				: "%s in the state folder was damaged, and a former process may have set devices",
			format.form->name);
}

struct ibcc_as_found *ibcc_as_found_open(const struct ibcc_state_folder *folder, struct ibcc_payload_pool *pool, bool is_first,
					 struct ibcc_log *log, struct ccp_error *error)
{
	struct ibcc_as_found *as_found = calloc(1, sizeof(*as_found));

	if (!as_found) {
		(void)ccp_fail_no_memory(error);
		return NULL;
	}
	as_found->rows = (struct ibcc_found_rows){.format = &format, .folder = folder, .pool = pool};
	if (!load(as_found, is_first, log, error))
		return as_found;
	ibcc_as_found_close(as_found);
	return NULL;
}

void ibcc_as_found_close(struct ibcc_as_found *as_found)
{
	if (!as_found)
		return;
	ibcc_found_rows_free(&as_found->rows);
	free(as_found);
}
