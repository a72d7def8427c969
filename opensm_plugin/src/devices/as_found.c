/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * as_found.c: the file has each value once, as thousands of devices hold the same: "payloads" are bytes as hexadecimal numbers without
 * the zeros at their end, and "devices" rows ["0x…/1", 1732870800, true, "22.0:0 23.0:5 23.1:-"]: when it was read, whether it is
 * frozen, and attribute, block and payload; "-" is a refusal.
 */
#include "devices/as_found.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ccpolicy/error_format.h"
#include "devices/payload_table.h"
#include "profiles/profiles.h"
#include "state/state_json.h"

#define PLACE_BYTES 32u
#define ITEM_BYTES 32u
#define MAX_ITEMS 256u /* of a device: its setting, and 255 blocks of its table */

struct ibcc_as_found {
	const struct ibcc_state_folder *folder;
	struct ibcc_payload_pool *pool;
	bool is_unsaved;
	uint64_t changes; /* of what is frozen */
	uint32_t count, room;
	struct ibcc_found **list; /* ascending (node_guid, port) */
};

static int compare(const struct ibcc_found *found, uint64_t node_guid, uint8_t port)
{
	if (found->node_guid != node_guid)
		return found->node_guid < node_guid ? -1 : 1;
	return (found->port > port) - (found->port < port);
}

/* Returns the place of the device, or the one where it belongs. */
static uint32_t place_of(const struct ibcc_as_found *as_found, uint64_t node_guid, uint8_t port)
{
	uint32_t low = 0, high = as_found->count;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (compare(as_found->list[middle], node_guid, port) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct ibcc_found *find(const struct ibcc_as_found *as_found, uint64_t node_guid, uint8_t port)
{
	const uint32_t place = place_of(as_found, node_guid, port);

	return place < as_found->count && !compare(as_found->list[place], node_guid, port) ? as_found->list[place] : NULL;
}

const struct ibcc_found *ibcc_as_found_find(const struct ibcc_as_found *as_found, uint64_t node_guid, uint8_t port)
{
	return find(as_found, node_guid, port);
}

static void destroy(struct ibcc_as_found *as_found, struct ibcc_found *found)
{
	ibcc_found_items_free(as_found->pool, found->items, found->num_items);
	free(found);
}

static void drop(struct ibcc_as_found *as_found, uint32_t place)
{
	destroy(as_found, as_found->list[place]);
	as_found->count--;
	memmove(&as_found->list[place], &as_found->list[place + 1], (as_found->count - place) * sizeof(struct ibcc_found *));
}

/* False: all are needed. */
static bool drop_oldest(struct ibcc_as_found *as_found, ibcc_is_needed *is_needed, const void *owner)
{
	uint32_t oldest = UINT32_MAX;

	for (uint32_t i = 0; is_needed && i < as_found->count; i++) {
		if (!is_needed(owner, as_found->list[i]) &&
		    (oldest == UINT32_MAX || as_found->list[i]->at_s < as_found->list[oldest]->at_s))
			oldest = i;
	}
	if (oldest == UINT32_MAX)
		return false;
	drop(as_found, oldest);
	return true;
}

/* Adds a device without items. NULL: no room, or out of memory. */
static struct ibcc_found *add(struct ibcc_as_found *as_found, uint64_t node_guid, uint8_t port)
{
	const uint32_t room = as_found->room ? 2 * as_found->room : 64;
	struct ibcc_found *found = calloc(1, sizeof(*found));
	uint32_t place;

	if (found && as_found->count == as_found->room) {
		struct ibcc_found **list = realloc(as_found->list, room * sizeof(struct ibcc_found *));

		if (list) {
			as_found->list = list;
			as_found->room = room;
		}
	}
	if (!found || as_found->count == as_found->room) {
		free(found);
		return NULL;
	}
	place = place_of(as_found, node_guid, port);
	memmove(&as_found->list[place + 1], &as_found->list[place], (as_found->count - place) * sizeof(struct ibcc_found *));
	as_found->list[place] = found;
	as_found->count++;
	found->node_guid = node_guid;
	found->port = port;
	return found;
}

const struct ibcc_found *ibcc_as_found_put(struct ibcc_as_found *as_found, uint64_t node_guid, uint8_t port,
					   struct ibcc_found_reading *reading, bool frozen, ibcc_is_needed *is_needed,
					   const void *owner)
{
	struct ibcc_found *found = find(as_found, node_guid, port);

	if (!found && ibcc_as_found_is_full(as_found) && !drop_oldest(as_found, is_needed, owner))
		return NULL;
	if (!found)
		found = add(as_found, node_guid, port);
	if (!found)
		return NULL;
	ibcc_found_items_free(as_found->pool, found->items, found->num_items);
	found->items = reading->items;
	found->num_items = reading->num_items;
	found->at_s = (int64_t)time(NULL);
	reading->items = NULL;
	reading->num_items = 0;
	as_found->changes += frozen || found->frozen;
	found->frozen = frozen;
	found->saved = false;
	as_found->is_unsaved = true;
	return found;
}

bool ibcc_as_found_is_full(const struct ibcc_as_found *as_found)
{
	return as_found->count >= IBCC_MAX_FOUND;
}

void ibcc_as_found_change(struct ibcc_as_found *as_found, const struct ibcc_found *found, uint16_t attribute, uint32_t block,
			  const struct ibcc_payload *payload)
{
	struct ibcc_found *own = find(as_found, found->node_guid, found->port);

	for (uint32_t i = 0; i < own->num_items; i++) {
		struct ibcc_found_item *item = &own->items[i];

		if (item->attribute != attribute || item->block != block || item->payload == payload)
			continue;
		ibcc_payload_release(as_found->pool, item->payload);
		item->payload = ibcc_payload_hold(payload);
		own->at_s = (int64_t)time(NULL);
		own->saved = false;
		as_found->is_unsaved = true;
	}
}

void ibcc_as_found_doubt(struct ibcc_as_found *as_found, const struct ibcc_found *found)
{
	as_found->changes += found->frozen;
	as_found->is_unsaved = true;
	drop(as_found, place_of(as_found, found->node_guid, found->port));
}

void ibcc_as_found_freeze(struct ibcc_as_found *as_found)
{
	for (uint32_t i = 0; i < as_found->count; i++) {
		struct ibcc_found *found = as_found->list[i];

		if (found->frozen)
			continue;
		found->frozen = true;
		found->saved = false;
		as_found->is_unsaved = true;
		as_found->changes++;
	}
}

uint64_t ibcc_as_found_changes(const struct ibcc_as_found *as_found)
{
	return as_found->changes;
}

struct ibcc_as_found_counts ibcc_as_found_count(const struct ibcc_as_found *as_found)
{
	struct ibcc_as_found_counts counts = {.devices = as_found->count};

	for (uint32_t i = 0; i < as_found->count; i++) {
		const struct ibcc_found *found = as_found->list[i];

		counts.frozen += found->frozen;
		if (!counts.since_s || found->at_s < counts.since_s)
			counts.since_s = found->at_s;
	}
	return counts;
}

/* Fills an empty table with all payloads. -1: out of memory. */
static int number_payloads(const struct ibcc_as_found *as_found, bool only_frozen, struct ibcc_payload_table *table)
{
	for (uint32_t i = 0; i < as_found->count; i++) {
		const struct ibcc_found *found = as_found->list[i];

		for (uint32_t k = 0; k < found->num_items && (found->frozen || !only_frozen); k++) {
			if (ibcc_payload_table_add(table, found->items[k].payload))
				return -1;
		}
	}
	ibcc_payload_table_sort(table);
	return 0;
}

static json_t *device_to_json(const struct ibcc_found *found, const struct ibcc_payload_table *numbers)
{
	char *text = calloc(found->num_items + 1u, ITEM_BYTES), place[PLACE_BYTES];
	size_t length = 0;
	json_t *row;

	if (!text)
		return NULL;
	for (uint32_t i = 0; i < found->num_items; i++) {
		const struct ibcc_found_item *item = &found->items[i];
		char number[16] = "-";

		if (item->payload)
			(void)snprintf(number, sizeof(number), "%" PRIu32, ibcc_payload_table_number(numbers, item->payload));
		length += (size_t)snprintf(text + length, ITEM_BYTES, "%s%u.%" PRIu32 ":%s", i ? " " : "", item->attribute,
					   item->block, number);
	}
	(void)snprintf(place, sizeof(place), "0x%016" PRIx64 "/%u", found->node_guid, found->port);
	row = json_pack("[s, I, b, s]", place, (json_int_t)found->at_s, (int)found->frozen, text);
	free(text);
	return row;
}

static json_t *to_json(const struct ibcc_as_found *as_found, bool only_frozen)
{
	struct ibcc_payload_table numbers = {0};
	json_t *devices = json_array();
	int failed = devices ? 0 : -1;
	json_t *root = NULL;

	if (number_payloads(as_found, only_frozen, &numbers))
		failed = -1;
	for (uint32_t i = 0; i < as_found->count && !failed; i++) {
		if (as_found->list[i]->frozen || !only_frozen)
			failed = json_array_append_new(devices, device_to_json(as_found->list[i], &numbers));
	}
	if (failed)
		json_decref(devices);
	else /* a NULL for one of the values makes json_pack fail, and free the others */
		root = json_pack("{s:o, s:o}", "payloads", ibcc_payload_table_to_json(&numbers), "devices", devices);
	ibcc_payload_table_free(&numbers, NULL);
	return root;
}

json_t *ibcc_as_found_json(const struct ibcc_as_found *as_found)
{
	return to_json(as_found, true);
}

int ibcc_as_found_save(struct ibcc_as_found *as_found, struct ccp_error *error)
{
	if (!as_found->is_unsaved)
		return 0;
	if (ibcc_state_json_save(as_found->folder, &ibcc_as_found_form, to_json(as_found, false), error))
		return -1;
	as_found->is_unsaved = false;
	for (uint32_t i = 0; i < as_found->count; i++)
		as_found->list[i]->saved = true;
	return 0;
}

static int fail_items(struct ccp_error *error, const char *text)
{
	return ccp_fail(error, "items of a device are '%.60s', and must be such as '22.0:0 23.0:1'", text);
}

/* Reads one "22.0:5" and moves `*text` behind it. */
static int read_item(const char **text, const struct ibcc_payload_table *numbers, struct ibcc_found_item *item,
		     struct ccp_error *error)
{
	unsigned long attribute, number = 0;
	char *end;

	attribute = strtoul(*text, &end, 10);
	if (*end != '.' || !ccp_find_attribute((uint32_t)attribute) || attribute > UINT16_MAX)
		return fail_items(error, *text);
	item->attribute = (uint16_t)attribute;
	item->block = (uint32_t)strtoul(end + 1, &end, 10);
	if (*end != ':')
		return fail_items(error, *text);
	if (end[1] == '-') {
		end += 2;
	} else {
		number = strtoul(end + 1, &end, 10);
		if (number >= numbers->count)
			return fail_items(error, *text);
		item->payload = ibcc_payload_hold(numbers->list[number]);
	}
	*text = *end == ' ' ? end + 1 : end;
	return *end && *end != ' ' ? fail_items(error, end) : 0;
}

static int read_items(const char *text, const struct ibcc_payload_table *numbers, struct ibcc_found *found,
		      struct ccp_error *error)
{
	found->items = calloc(MAX_ITEMS, sizeof(*found->items));
	if (!found->items)
		return ccp_fail_no_memory(error);
	while (*text) {
		if (found->num_items == MAX_ITEMS)
			return fail_items(error, text);
		if (read_item(&text, numbers, &found->items[found->num_items++], error))
			return -1;
	}
	if (found->num_items) {
		struct ibcc_found_item *items = realloc(found->items, found->num_items * sizeof(*items));

		found->items = items ? items : found->items;
	}
	return 0;
}

static int read_device(struct ibcc_as_found *as_found, json_t *row, const struct ibcc_payload_table *numbers,
		       struct ccp_error *error)
{
	const char *place, *items;
	json_error_t json_error;
	unsigned long port;
	uint64_t node_guid;
	json_int_t at_s;
	int frozen;
	char *end;

	if (json_unpack_ex(row, &json_error, 0, "[s, I, b, s]", &place, &at_s, &frozen, &items))
		return ibcc_fail_json(error, "a device", &json_error);
	node_guid = strtoull(place, &end, 16);
	port = *end == '/' ? strtoul(end + 1, &end, 10) : 256;
	if (*end || port > 255 || find(as_found, node_guid, (uint8_t)port) || as_found->count >= IBCC_MAX_FOUND)
		return ccp_fail(error, "a device is '%.40s', and must be one of at most %u such as 0x0002c90300000001/1", place,
				IBCC_MAX_FOUND);
	struct ibcc_found *found = add(as_found, node_guid, (uint8_t)port);
	if (!found)
		return ccp_fail_no_memory(error);
	found->at_s = at_s;
	found->frozen = frozen;
	found->saved = true;
	return read_items(items, numbers, found, error);
}

static int read_all(struct ibcc_as_found *as_found, json_t *root, struct ibcc_payload_table *numbers, struct ccp_error *error)
{
	json_t *payloads, *devices;
	json_error_t json_error;

	if (json_unpack_ex(root, &json_error, 0, "{s:o, s:o}", "payloads", &payloads, "devices", &devices))
		return ibcc_fail_json(error, "the file", &json_error);
	if (ibcc_payload_table_from_json(numbers, payloads, as_found->pool, error))
		return -1;
	for (size_t i = 0; i < json_array_size(devices); i++) {
		if (read_device(as_found, json_array_get(devices, i), numbers, error))
			return -1;
	}
	return 0;
}

/* 0; or -1, out of memory or broken as `error` says. */
static int read_root(struct ibcc_as_found *as_found, json_t *root, struct ccp_error *error)
{
	struct ibcc_payload_table numbers = {0};
	const int failed = read_all(as_found, root, &numbers, error);

	ibcc_payload_table_free(&numbers, as_found->pool);
	return failed;
}

static void clear(struct ibcc_as_found *as_found)
{
	for (uint32_t i = 0; i < as_found->count; i++)
		destroy(as_found, as_found->list[i]);
	as_found->count = 0;
}

/* Moves what a device was found with. -1: out of memory. */
static int take_row(struct ibcc_as_found *as_found, struct ibcc_found *row)
{
	struct ibcc_found *own = find(as_found, row->node_guid, row->port);

	if (!own)
		own = ibcc_as_found_is_full(as_found) ? NULL : add(as_found, row->node_guid, row->port);
	if (!own)
		return -1;
	ibcc_found_items_free(as_found->pool, own->items, own->num_items);
	own->items = row->items;
	own->num_items = row->num_items;
	own->at_s = row->at_s;
	own->frozen = true;
	own->saved = false;
	row->items = NULL;
	row->num_items = 0;
	return 0;
}

int ibcc_as_found_merge(struct ibcc_as_found *as_found, json_t *root, struct ccp_error *error)
{
	struct ibcc_as_found others = {.pool = as_found->pool};
	int failed = read_root(&others, root, error);
	const bool makes_sense = !failed;

	for (uint32_t i = 0; i < others.count && !failed; i++)
		failed = take_row(as_found, others.list[i]);
	if (failed && makes_sense)
		(void)ccp_fail_no_memory(error);
	if (makes_sense && others.count) {
		as_found->is_unsaved = true;
		as_found->changes++;
	}
	clear(&others);
	free(others.list);
	return failed;
}

static int load(struct ibcc_as_found *as_found, bool is_first, struct ibcc_log *log, struct ccp_error *error)
{
	json_t *root;
	enum ibcc_state_found found = ibcc_state_json_load(as_found->folder, &ibcc_as_found_form, &root, error);

	if (found == IBCC_STATE_READ && read_root(as_found, root, error)) {
		found = ibcc_error_is_no_memory(error) ? IBCC_STATE_FAILED : IBCC_STATE_BROKEN;
		clear(as_found);
	}
	json_decref(root);
	if (found == IBCC_STATE_BROKEN)
		(void)ibcc_state_json_set_aside(as_found->folder, &ibcc_as_found_form, error->message,
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
			ibcc_as_found_form.name);
}

struct ibcc_as_found *ibcc_as_found_open(const struct ibcc_state_folder *folder, struct ibcc_payload_pool *pool, bool is_first,
					 struct ibcc_log *log, struct ccp_error *error)
{
	struct ibcc_as_found *as_found = calloc(1, sizeof(*as_found));

	if (!as_found) {
		(void)ccp_fail_no_memory(error);
		return NULL;
	}
	as_found->folder = folder;
	as_found->pool = pool;
	if (!load(as_found, is_first, log, error))
		return as_found;
	ibcc_as_found_close(as_found);
	return NULL;
}

void ibcc_as_found_close(struct ibcc_as_found *as_found)
{
	if (!as_found)
		return;
	clear(as_found);
	free(as_found->list);
	free(as_found);
}
