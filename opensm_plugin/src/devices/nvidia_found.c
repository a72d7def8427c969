/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * nvidia_found.c: "payloads" of the file are as in payload_table.h, and "devices" rows ["0x…/1", 1732870800, true, "65289.1.15:0 …"]:
 * when the device was read, whether the row is kept, and items: attribute, block, scope and payload. An item of 0xFF24 names its
 * algorithm as well: "65316.0.3/2.1.0:4".
 */
#include "devices/nvidia_found.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ccpolicy/error_format.h"
#include "devices/payload_table.h"
#include "state/state_json.h"

#define FIRST_ROOM 64u
#define PLACE_BYTES 32u
#define ITEM_BYTES 64u
#define MAX_ITEMS 8192u /* of a device: more than a switch with 254 ports has, each with 16 VLs */

static const struct ibcc_state_form form = {
	.name = "nvidia_found.json", .version_key = "ibcc_opensm_nvidia_found", .version = 1, .max_bytes = 256u << 20};

struct ibcc_nvidia_founds {
	const struct ibcc_state_folder *folder;
	struct ibcc_payload_pool *pool;
	bool is_unsaved;
	uint64_t changes;
	uint32_t count, room;
	struct ibcc_nvidia_found *list; /* ascending (node_guid, port) */
};

void ibcc_nvidia_found_items_free(struct ibcc_payload_pool *pool, struct ibcc_nvidia_found_item *items, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		ibcc_payload_release(pool, items[i].payload);
	free(items);
}

bool ibcc_nvidia_found_is_on(const struct ibcc_nvidia_found *found)
{
	for (uint32_t i = 0; i < found->num_items; i++) {
		const struct ibcc_nvidia_found_item *item = &found->items[i];
		union {
			struct ccp_congestion_switch_general_settings sw;
			struct ccp_congestion_hca_general_settings ca;
		} value = {0};

		if (item->attribute == CCP_CONGESTION_SWITCH_GENERAL_SETTINGS)
			return !ccp_unpack(CCP_CONGESTION_SWITCH_GENERAL_SETTINGS, item->payload->bytes, &value) && value.sw.en;
		if (item->attribute == CCP_CONGESTION_HCA_GENERAL_SETTINGS)
			return !ccp_unpack(CCP_CONGESTION_HCA_GENERAL_SETTINGS, item->payload->bytes, &value) &&
			       (value.ca.en_notify || value.ca.en_react);
	}
	return false;
}

/* Returns the place of the first one that is not below this. */
static uint32_t place_of(const struct ibcc_nvidia_founds *founds, uint64_t node_guid, uint8_t port)
{
	uint32_t low = 0, high = founds->count;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		const struct ibcc_nvidia_found *one = &founds->list[middle];

		if (one->node_guid < node_guid || (one->node_guid == node_guid && one->port < port))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct ibcc_nvidia_found *find(const struct ibcc_nvidia_founds *founds, uint64_t node_guid, uint8_t port)
{
	const uint32_t place = founds ? place_of(founds, node_guid, port) : 0;

	return founds && place < founds->count && founds->list[place].node_guid == node_guid && founds->list[place].port == port
		       ? &founds->list[place]
		       : NULL;
}

const struct ibcc_nvidia_found *ibcc_nvidia_founds_find(const struct ibcc_nvidia_founds *founds, uint64_t node_guid, uint8_t port)
{
	return find(founds, node_guid, port);
}

const struct ibcc_nvidia_found *ibcc_nvidia_founds_kept(const struct ibcc_nvidia_founds *founds, uint64_t node_guid, uint8_t port)
{
	const struct ibcc_nvidia_found *found = find(founds, node_guid, port);

	return found && found->kept ? found : NULL;
}

/* Returns a row without items. NULL: no room, or out of memory. */
static struct ibcc_nvidia_found *insert(struct ibcc_nvidia_founds *founds, uint64_t node_guid, uint8_t port)
{
	const uint32_t place = place_of(founds, node_guid, port);

	if (founds->count == IBCC_MAX_NVIDIA_FOUND)
		return NULL;
	if (founds->count == founds->room) {
		const uint32_t room = founds->room ? 2 * founds->room : FIRST_ROOM;
		struct ibcc_nvidia_found *list = realloc(founds->list, room * sizeof(*list));

		if (!list)
			return NULL;
		founds->list = list;
		founds->room = room;
	}
	memmove(&founds->list[place + 1], &founds->list[place], (founds->count - place) * sizeof(founds->list[0]));
	founds->count++;
	founds->list[place] = (struct ibcc_nvidia_found){.node_guid = node_guid, .port = port};
	return &founds->list[place];
}

int ibcc_nvidia_founds_put(struct ibcc_nvidia_founds *founds, uint64_t node_guid, uint8_t port,
			   struct ibcc_nvidia_found_item *items, uint32_t num_items)
{
	struct ibcc_nvidia_found *found = find(founds, node_guid, port);

	if (!found)
		found = insert(founds, node_guid, port);
	if (!found)
		return -1;
	ibcc_nvidia_found_items_free(founds->pool, found->items, found->num_items);
	found->items = items;
	found->num_items = num_items;
	found->at_s = (int64_t)time(NULL);
	found->saved = false;
	founds->is_unsaved = true;
	return 0;
}

void ibcc_nvidia_founds_keep(struct ibcc_nvidia_founds *founds, uint64_t node_guid, uint8_t port, bool kept)
{
	struct ibcc_nvidia_found *found = find(founds, node_guid, port);

	if (!found || found->kept == kept)
		return;
	found->kept = kept;
	found->saved = false;
	founds->is_unsaved = true;
	founds->changes++;
}

uint64_t ibcc_nvidia_founds_changes(const struct ibcc_nvidia_founds *founds)
{
	return founds->changes;
}

static json_t *row_to_json(const struct ibcc_nvidia_found *found, const struct ibcc_payload_table *table)
{
	char *text = calloc(found->num_items + 1u, ITEM_BYTES), place[PLACE_BYTES];
	size_t length = 0;
	json_t *row;

	if (!text)
		return NULL;
	for (uint32_t i = 0; i < found->num_items; i++) {
		const struct ibcc_nvidia_found_item *item = &found->items[i];
		char algorithm[24] = "";

		if (item->algorithm.algo_id)
			(void)snprintf(algorithm, sizeof(algorithm), "/%u.%u.%u", item->algorithm.algo_id, item->algorithm.major,
				       item->algorithm.minor);
		length += (size_t)snprintf(text + length, ITEM_BYTES, "%s%u.%" PRIu32 ".%u%s:%" PRIu32, i ? " " : "",
					   item->attribute, item->block, item->scope, algorithm,
					   ibcc_payload_table_number(table, item->payload));
	}
	(void)snprintf(place, sizeof(place), "0x%016" PRIx64 "/%u", found->node_guid, found->port);
	row = json_pack("[s, I, b, s]", place, (json_int_t)found->at_s, (int)found->kept, text);
	free(text);
	return row;
}

static int number_payloads(const struct ibcc_nvidia_founds *founds, bool only_kept, struct ibcc_payload_table *table)
{
	for (uint32_t i = 0; i < founds->count; i++) {
		const struct ibcc_nvidia_found *found = &founds->list[i];

		for (uint32_t k = 0; k < found->num_items && (found->kept || !only_kept); k++) {
			if (ibcc_payload_table_add(table, found->items[k].payload))
				return -1;
		}
	}
	ibcc_payload_table_sort(table);
	return 0;
}

static json_t *to_json(const struct ibcc_nvidia_founds *founds, bool only_kept)
{
	struct ibcc_payload_table table = {0};
	json_t *devices = json_array(), *root = NULL;
	int failed = devices ? number_payloads(founds, only_kept, &table) : -1;

	for (uint32_t i = 0; i < founds->count && !failed; i++) {
		if (founds->list[i].kept || !only_kept)
			failed = json_array_append_new(devices, row_to_json(&founds->list[i], &table));
	}
	if (failed)
		json_decref(devices);
	else /* a NULL for one of the values makes json_pack fail, and free the others */
		root = json_pack("{s:o, s:o}", "payloads", ibcc_payload_table_to_json(&table), "devices", devices);
	ibcc_payload_table_free(&table, NULL);
	return root;
}

json_t *ibcc_nvidia_founds_json(const struct ibcc_nvidia_founds *founds)
{
	return to_json(founds, true);
}

int ibcc_nvidia_founds_save(struct ibcc_nvidia_founds *founds, struct ccp_error *error)
{
	if (!founds->is_unsaved)
		return 0;
	if (ibcc_state_json_save(founds->folder, &form, to_json(founds, false), error))
		return -1;
	founds->is_unsaved = false;
	for (uint32_t i = 0; i < founds->count; i++)
		founds->list[i].saved = true;
	return 0;
}

static int fail_items(struct ccp_error *error, const char *text)
{
	return ccp_fail(error, "items of a device are '%.60s', and must be such as '65289.1.15:0 65316.0.3/2.1.0:1'", text);
}

/* Reads a number of at most `most` and the character behind it. False: it is none. */
static bool read_number(const char **text, unsigned long most, char behind, unsigned long *number)
{
	char *end;

	*number = strtoul(*text, &end, 10);
	if (end == *text || **text == '-' || *number > most || *end != behind)
		return false;
	*text = end + (behind != '\0');
	return true;
}

static bool read_algorithm(const char **text, struct ccp_ppcc_algorithm *algorithm)
{
	unsigned long algo_id, major, minor;

	if (!read_number(text, UINT16_MAX, '.', &algo_id) || !read_number(text, UINT8_MAX, '.', &major) ||
	    !read_number(text, UINT8_MAX, ':', &minor))
		return false;
	*algorithm = (struct ccp_ppcc_algorithm){.algo_id = (uint16_t)algo_id, .major = (uint8_t)major, .minor = (uint8_t)minor};
	return true;
}

/* Reads one "65289.1.15:5" and moves `*text` behind it. */
static bool read_item(const char **text, const struct ibcc_payload_table *table, struct ibcc_nvidia_found_item *item)
{
	unsigned long attribute, block, scope, number;

	if (!read_number(text, UINT16_MAX, '.', &attribute) || !ccp_find_attribute((uint32_t)attribute) ||
	    !read_number(text, UINT32_MAX, '.', &block))
		return false;
	if (!read_number(text, UINT16_MAX, ':', &scope) &&
	    (!read_number(text, UINT16_MAX, '/', &scope) || !read_algorithm(text, &item->algorithm)))
		return false;
	if (!read_number(text, UINT32_MAX, strchr(*text, ' ') ? ' ' : '\0', &number) || number >= table->count)
		return false;
	item->attribute = (uint16_t)attribute;
	item->block = (uint32_t)block;
	item->scope = (uint16_t)scope;
	item->payload = ibcc_payload_hold(table->list[number]);
	return true;
}

static uint32_t count_items(const char *text)
{
	uint32_t count = *text != '\0';

	for (; *text; text++)
		count += *text == ' ';
	return count;
}

static int read_items(const char *text, const struct ibcc_payload_table *table, struct ibcc_nvidia_found *found,
		      struct ccp_error *error)
{
	const uint32_t count = count_items(text);

	if (count > MAX_ITEMS)
		return fail_items(error, text);
	found->items = calloc(count ? count : 1, sizeof(*found->items));
	if (!found->items)
		return ccp_fail_no_memory(error);
	while (found->num_items < count) {
		const char *begin = text;

		if (!read_item(&text, table, &found->items[found->num_items]))
			return fail_items(error, begin);
		found->num_items++;
	}
	return 0;
}

static int read_row(struct ibcc_nvidia_founds *founds, json_t *row, const struct ibcc_payload_table *table,
		    struct ccp_error *error)
{
	const char *place, *items;
	struct ibcc_nvidia_found *found;
	json_error_t json_error;
	unsigned long port;
	uint64_t node_guid;
	json_int_t at_s;
	int kept;
	char *end;

	if (json_unpack_ex(row, &json_error, 0, "[s, I, b, s]", &place, &at_s, &kept, &items))
		return ibcc_fail_json(error, "a device", &json_error);
	node_guid = strtoull(place, &end, 16);
	port = *end == '/' ? strtoul(end + 1, &end, 10) : 256;
	if (*end || port > 255 || find(founds, node_guid, (uint8_t)port) || founds->count >= IBCC_MAX_NVIDIA_FOUND)
		return ccp_fail(error, "a device is '%.40s', and must be one of at most %u such as 0x0002c90300000001/1", place,
				IBCC_MAX_NVIDIA_FOUND);
	found = insert(founds, node_guid, (uint8_t)port);
	if (!found)
		return ccp_fail_no_memory(error);
	found->at_s = at_s;
	found->kept = kept;
	found->saved = true;
	return read_items(items, table, found, error);
}

/* 0; or -1, out of memory or broken as `error` says. */
static int read_root(struct ibcc_nvidia_founds *founds, json_t *root, struct ccp_error *error)
{
	struct ibcc_payload_table table = {0};
	json_t *payloads, *devices;
	json_error_t json_error;
	int failed;

	if (json_unpack_ex(root, &json_error, 0, "{s:o, s:o}", "payloads", &payloads, "devices", &devices))
		return ibcc_fail_json(error, "the file", &json_error);
	failed = ibcc_payload_table_from_json(&table, payloads, founds->pool, error);
	for (size_t i = 0; i < json_array_size(devices) && !failed; i++)
		failed = read_row(founds, json_array_get(devices, i), &table, error);
	ibcc_payload_table_free(&table, founds->pool);
	return failed;
}

static void clear(struct ibcc_nvidia_founds *founds)
{
	for (uint32_t i = 0; i < founds->count; i++)
		ibcc_nvidia_found_items_free(founds->pool, founds->list[i].items, founds->list[i].num_items);
	free(founds->list);
	founds->list = NULL;
	founds->count = founds->room = 0;
}

/* Moves what another has found. -1: out of memory. */
static int take_row(struct ibcc_nvidia_founds *founds, struct ibcc_nvidia_found *row)
{
	ibcc_nvidia_founds_keep(founds, row->node_guid, row->port, false);
	if (ibcc_nvidia_founds_put(founds, row->node_guid, row->port, row->items, row->num_items))
		return -1;
	find(founds, row->node_guid, row->port)->at_s = row->at_s;
	ibcc_nvidia_founds_keep(founds, row->node_guid, row->port, true);
	row->items = NULL;
	row->num_items = 0;
	return 0;
}

int ibcc_nvidia_founds_merge(struct ibcc_nvidia_founds *founds, json_t *root, struct ccp_error *error)
{
	struct ibcc_nvidia_founds others = {.pool = founds->pool};
	int failed = read_root(&others, root, error);
	const bool makes_sense = !failed;

	for (uint32_t i = 0; i < others.count && !failed; i++)
		failed = take_row(founds, &others.list[i]);
	if (failed && makes_sense)
		(void)ccp_fail_no_memory(error);
	clear(&others);
	return failed;
}

struct ibcc_nvidia_founds *ibcc_nvidia_founds_open(const struct ibcc_state_folder *folder, struct ibcc_payload_pool *pool,
						   struct ibcc_log *log, struct ccp_error *error)
{
	struct ibcc_nvidia_founds *founds = calloc(1, sizeof(*founds));
	enum ibcc_state_found state;
	json_t *root = NULL;

	if (!founds) {
		(void)ccp_fail_no_memory(error);
		return NULL;
	}
	founds->folder = folder;
	founds->pool = pool;
	state = ibcc_state_json_load(folder, &form, &root, error);
	if (state == IBCC_STATE_READ && read_root(founds, root, error)) {
		state = ibcc_error_is_no_memory(error) ? IBCC_STATE_FAILED : IBCC_STATE_BROKEN;
		clear(founds);
	}
	json_decref(root);
	if (state == IBCC_STATE_FAILED ||
	    (state == IBCC_STATE_BROKEN &&
	     ibcc_state_json_set_aside(folder, &form, error->message,
				       "devices whose settings of nvidia ibcc has set are cleared, and not brought back to what "
				       "they held before",
				       log, error))) {
		ibcc_nvidia_founds_close(founds);
		return NULL;
	}
	return founds;
}

void ibcc_nvidia_founds_close(struct ibcc_nvidia_founds *founds)
{
	if (!founds)
		return;
	clear(founds);
	free(founds);
}
