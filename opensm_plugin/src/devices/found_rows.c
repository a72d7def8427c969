/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "devices/found_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ccpolicy/error_format.h"
#include "devices/payload_table.h"

#define FIRST_ROOM 64u
#define PLACE_BYTES 32u
#define ITEM_BYTES 64u

static int compare(const struct ibcc_found *found, uint64_t node_guid, uint8_t port)
{
	if (found->node_guid != node_guid)
		return found->node_guid < node_guid ? -1 : 1;
	return (found->port > port) - (found->port < port);
}

/* Returns the place of the device, or the one where it belongs. */
static uint32_t place_of(const struct ibcc_found_rows *rows, uint64_t node_guid, uint8_t port)
{
	uint32_t low = 0, high = rows->count;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (compare(rows->list[middle], node_guid, port) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct ibcc_found *ibcc_found_rows_find(const struct ibcc_found_rows *rows, uint64_t node_guid, uint8_t port)
{
	const uint32_t place = place_of(rows, node_guid, port);

	return place < rows->count && !compare(rows->list[place], node_guid, port) ? rows->list[place] : NULL;
}

static bool make_room(struct ibcc_found_rows *rows)
{
	const uint32_t room = rows->room ? 2 * rows->room : FIRST_ROOM;
	struct ibcc_found **list;

	if (rows->count < rows->room)
		return true;
	list = realloc(rows->list, room * sizeof(struct ibcc_found *));
	if (!list)
		return false;
	rows->list = list;
	rows->room = room;
	return true;
}

struct ibcc_found *ibcc_found_rows_add(struct ibcc_found_rows *rows, uint64_t node_guid, uint8_t port)
{
	const uint32_t place = place_of(rows, node_guid, port);
	struct ibcc_found *found = rows->count < IBCC_MAX_FOUND && make_room(rows) ? calloc(1, sizeof(*found)) : NULL;

	if (!found)
		return NULL;
	memmove(&rows->list[place + 1], &rows->list[place], (rows->count - place) * sizeof(struct ibcc_found *));
	rows->list[place] = found;
	rows->count++;
	found->node_guid = node_guid;
	found->port = port;
	return found;
}

static void destroy(struct ibcc_found_rows *rows, struct ibcc_found *found)
{
	ibcc_found_items_free(rows->pool, found->items, found->num_items);
	free(found);
}

void ibcc_found_rows_drop(struct ibcc_found_rows *rows, const struct ibcc_found *found)
{
	const uint32_t place = place_of(rows, found->node_guid, found->port);

	destroy(rows, rows->list[place]);
	rows->count--;
	memmove(&rows->list[place], &rows->list[place + 1], (rows->count - place) * sizeof(struct ibcc_found *));
	rows->is_unsaved = true;
}

void ibcc_found_rows_free(struct ibcc_found_rows *rows)
{
	for (uint32_t i = 0; i < rows->count; i++)
		destroy(rows, rows->list[i]);
	free(rows->list);
	rows->list = NULL;
	rows->count = rows->room = 0;
}

void ibcc_found_rows_touch(struct ibcc_found_rows *rows, struct ibcc_found *found)
{
	found->saved = false;
	rows->is_unsaved = true;
}

void ibcc_found_rows_replace(struct ibcc_found_rows *rows, struct ibcc_found *found, struct ibcc_found_item *items,
			     uint32_t num_items, int64_t at_s)
{
	ibcc_found_items_free(rows->pool, found->items, found->num_items);
	found->items = items;
	found->num_items = num_items;
	found->at_s = at_s;
	ibcc_found_rows_touch(rows, found);
}

/* Fills an empty table with all payloads. -1: out of memory. */
static int number_payloads(const struct ibcc_found_rows *rows, bool only_frozen, struct ibcc_payload_table *table)
{
	for (uint32_t i = 0; i < rows->count; i++) {
		const struct ibcc_found *found = rows->list[i];

		for (uint32_t k = 0; k < found->num_items && (found->frozen || !only_frozen); k++) {
			if (ibcc_payload_table_add(table, found->items[k].payload))
				return -1;
		}
	}
	ibcc_payload_table_sort(table);
	return 0;
}

/* Writes one "65316.0.3/2.1.0:4", of at most ITEM_BYTES with the NUL, and returns its length. */
static size_t write_item(char *text, const struct ibcc_found_format *format, const struct ibcc_found_item *item,
			 const struct ibcc_payload_table *table)
{
	char scope[8] = "", algorithm[16] = "", number[12] = "-";

	if (format->has_scope)
		(void)snprintf(scope, sizeof(scope), ".%u", item->scope);
	if (item->algorithm.algo_id)
		(void)snprintf(algorithm, sizeof(algorithm), "/%u.%u.%u", item->algorithm.algo_id, item->algorithm.major,
			       item->algorithm.minor);
	if (item->payload)
		(void)snprintf(number, sizeof(number), "%" PRIu32, ibcc_payload_table_number(table, item->payload));
	return (size_t)snprintf(text, ITEM_BYTES, "%u.%" PRIu32 "%s%s:%s", item->attribute, item->block, scope, algorithm,
				number);
}

static json_t *row_to_json(const struct ibcc_found_format *format, const struct ibcc_found *found,
			   const struct ibcc_payload_table *table)
{
	char *text = calloc(found->num_items + 1u, ITEM_BYTES), place[PLACE_BYTES];
	size_t length = 0;
	json_t *row;

	if (!text)
		return NULL;
	for (uint32_t i = 0; i < found->num_items; i++) {
		if (i)
			text[length++] = ' ';
		length += write_item(text + length, format, &found->items[i], table);
	}
	(void)snprintf(place, sizeof(place), "0x%016" PRIx64 "/%u", found->node_guid, found->port);
	row = json_pack("[s, I, b, s]", place, (json_int_t)found->at_s, (int)found->frozen, text);
	free(text);
	return row;
}

static json_t *to_json(const struct ibcc_found_rows *rows, bool only_frozen)
{
	struct ibcc_payload_table table = {0};
	json_t *devices = json_array(), *root = NULL;
	int failed = devices ? number_payloads(rows, only_frozen, &table) : -1;

	for (uint32_t i = 0; i < rows->count && !failed; i++) {
		if (rows->list[i]->frozen || !only_frozen)
			failed = json_array_append_new(devices, row_to_json(rows->format, rows->list[i], &table));
	}
	if (failed)
		json_decref(devices);
	else /* a NULL for one of the values makes json_pack fail, and free the others */
		root = json_pack("{s:o, s:o}", "payloads", ibcc_payload_table_to_json(&table), "devices", devices);
	ibcc_payload_table_free(&table, NULL);
	return root;
}

json_t *ibcc_found_rows_json(const struct ibcc_found_rows *rows)
{
	return to_json(rows, true);
}

int ibcc_found_rows_save(struct ibcc_found_rows *rows, struct ccp_error *error)
{
	if (!rows->is_unsaved)
		return 0;
	if (ibcc_state_json_save(rows->folder, rows->format->form, to_json(rows, false), error))
		return -1;
	rows->is_unsaved = false;
	for (uint32_t i = 0; i < rows->count; i++)
		rows->list[i]->saved = true;
	return 0;
}

/* Reads a number of at most `most`, which ends at one of the characters `behind`, and moves `*text` to it. False: it is none. */
static bool read_number(const char **text, unsigned long most, const char *behind, unsigned long *number)
{
	char *end;

	*number = strtoul(*text, &end, 10);
	if (**text < '0' || **text > '9' || *number > most || !strchr(behind, *end))
		return false;
	*text = end;
	return true;
}

/* The same of ".3" or "/3": a number after a character. */
static bool read_next(const char **text, char before, unsigned long most, const char *behind, unsigned long *number)
{
	if (**text != before)
		return false;
	++*text;
	return read_number(text, most, behind, number);
}

static bool read_algorithm(const char **text, struct ccp_ppcc_algorithm *algorithm)
{
	unsigned long algo_id, major, minor;

	if (!read_next(text, '/', UINT16_MAX, ".", &algo_id) || !read_next(text, '.', UINT8_MAX, ".", &major) ||
	    !read_next(text, '.', UINT8_MAX, ":", &minor))
		return false;
	*algorithm = (struct ccp_ppcc_algorithm){.algo_id = (uint16_t)algo_id, .major = (uint8_t)major, .minor = (uint8_t)minor};
	return true;
}

/* Reads one item, and moves `*text` behind it. */
static bool read_item(const char **text, const struct ibcc_found_format *format, const struct ibcc_payload_table *table,
		      struct ibcc_found_item *item)
{
	unsigned long attribute, block, scope = 0, number;

	if (!read_number(text, UINT16_MAX, ".", &attribute) || !ccp_find_attribute((uint32_t)attribute) ||
	    !read_next(text, '.', UINT32_MAX, format->has_scope ? "." : ":", &block))
		return false;
	if (format->has_scope && !read_next(text, '.', UINT16_MAX, ":/", &scope))
		return false;
	if (**text == '/' && !read_algorithm(text, &item->algorithm))
		return false;
	item->attribute = (uint16_t)attribute;
	item->block = (uint32_t)block;
	item->scope = (uint16_t)scope;
	if (!format->has_scope && !strncmp(*text, ":-", 2)) {
		*text += 2;
	} else {
		if (!read_next(text, ':', UINT32_MAX, " ", &number) || number >= table->count)
			return false;
		item->payload = ibcc_payload_hold(table->list[number]);
	}
	*text += **text == ' ';
	return (*text)[-1] == ' ' || !**text;
}

static uint32_t count_items(const char *text)
{
	uint32_t count = *text != '\0';

	for (; *text; text++)
		count += *text == ' ';
	return count;
}

static int fail_items(const struct ibcc_found_format *format, const char *text, struct ccp_error *error)
{
	return ccp_fail(error, "items of a device are '%.60s', and must be such as '%s'", text, format->example);
}

static int read_items(const char *text, const struct ibcc_found_format *format, const struct ibcc_payload_table *table,
		      struct ibcc_found *found, struct ccp_error *error)
{
	const uint32_t count = count_items(text);

	if (count > format->max_items)
		return fail_items(format, text, error);
	found->items = calloc(count ? count : 1, sizeof(*found->items));
	if (!found->items)
		return ccp_fail_no_memory(error);
	while (found->num_items < count) {
		const char *begin = text;
		/* It counts before it is read, so that what it holds is released where it makes no sense. */
		struct ibcc_found_item *item = &found->items[found->num_items++];

		if (!read_item(&text, format, table, item))
			return fail_items(format, begin, error);
	}
	return 0;
}

static int read_row(struct ibcc_found_rows *rows, json_t *row, const struct ibcc_payload_table *table, struct ccp_error *error)
{
	const char *place, *items;
	struct ibcc_found *found;
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
	if (*end || port > 255 || ibcc_found_rows_find(rows, node_guid, (uint8_t)port) || rows->count >= IBCC_MAX_FOUND)
		return ccp_fail(error, "a device is '%.40s', and must be one of at most %u such as 0x0002c90300000001/1", place,
				IBCC_MAX_FOUND);
	found = ibcc_found_rows_add(rows, node_guid, (uint8_t)port);
	if (!found)
		return ccp_fail_no_memory(error);
	found->at_s = at_s;
	found->frozen = frozen;
	found->saved = true;
	return read_items(items, rows->format, table, found, error);
}

/* 0; or -1, out of memory or broken as `error` says. */
static int read_root(struct ibcc_found_rows *rows, json_t *root, struct ccp_error *error)
{
	struct ibcc_payload_table table = {0};
	json_t *payloads, *devices;
	json_error_t json_error;
	int failed;

	if (json_unpack_ex(root, &json_error, 0, "{s:o, s:o}", "payloads", &payloads, "devices", &devices))
		return ibcc_fail_json(error, "the file", &json_error);
	failed = ibcc_payload_table_from_json(&table, payloads, rows->pool, error);
	for (size_t i = 0; i < json_array_size(devices) && !failed; i++)
		failed = read_row(rows, json_array_get(devices, i), &table, error);
	ibcc_payload_table_free(&table, rows->pool);
	return failed;
}

enum ibcc_state_found ibcc_found_rows_load(struct ibcc_found_rows *rows, struct ccp_error *error)
{
	json_t *root = NULL;
	enum ibcc_state_found state = ibcc_state_json_load(rows->folder, rows->format->form, &root, error);

	if (state == IBCC_STATE_READ && read_root(rows, root, error)) {
		state = ibcc_error_is_no_memory(error) ? IBCC_STATE_FAILED : IBCC_STATE_BROKEN;
		ibcc_found_rows_free(rows);
	}
	json_decref(root);
	return state;
}

/* Moves a row. -1: out of memory. */
static int take_row(struct ibcc_found_rows *rows, struct ibcc_found *row)
{
	struct ibcc_found *own = ibcc_found_rows_find(rows, row->node_guid, row->port);

	if (!own)
		own = ibcc_found_rows_add(rows, row->node_guid, row->port);
	if (!own)
		return -1;
	ibcc_found_rows_replace(rows, own, row->items, row->num_items, row->at_s);
	own->frozen = true;
	row->items = NULL;
	row->num_items = 0;
	rows->changes++;
	return 0;
}

int ibcc_found_rows_merge(struct ibcc_found_rows *rows, json_t *root, struct ccp_error *error)
{
	struct ibcc_found_rows others = {.format = rows->format, .pool = rows->pool};
	int failed = read_root(&others, root, error);
	const bool makes_sense = !failed;

	for (uint32_t i = 0; i < others.count && !failed; i++)
		failed = take_row(rows, others.list[i]);
	if (failed && makes_sense)
		(void)ccp_fail_no_memory(error);
	ibcc_found_rows_free(&others);
	return failed;
}
