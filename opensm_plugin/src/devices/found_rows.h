/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * found_rows.h: what devices were found with, a row for each, in memory and as a file of the state folder. One thread only.
 *
 * Annex A10's attributes (as_found.h) and NVIDIA's (nvidia_found.h) have each such a table; `struct ibcc_found_format` says in what their
 * files differ. A file has each value once, as thousands of devices hold the same: "payloads" are as in payload_table.h, and "devices" are
 * rows ["0x…/1", 1732870800, true, "22.0:0 23.0:5 23.1:-"]: the device, when it was read, whether the row is frozen, and its items:
 * attribute, block and payload, "-" where the Get was refused. With a scope an item is "65289.1.15:0", and one that belongs to an
 * algorithm of PPCC "65316.0.3/2.1.0:4".
 */
#ifndef IBCC_FOUND_ROWS_H
#define IBCC_FOUND_ROWS_H

#include <jansson.h>

#include "ccpolicy/error.h"
#include "devices/found.h"
#include "state/state_json.h"

#ifdef __cplusplus
extern "C" {
#endif

#define IBCC_MAX_FOUND 65536u /* devices: more than a subnet has LIDs */

struct ibcc_found_format {
	const struct ibcc_state_form *form;
	bool has_scope;      /* each item has one */
	uint32_t max_items;  /* of a device */
	const char *example; /* of items, for whoever reads an error */
};

struct ibcc_found_rows {
	const struct ibcc_found_format *format;
	const struct ibcc_state_folder *folder;
	struct ibcc_payload_pool *pool;
	bool is_unsaved;  /* the file is not as the memory is */
	uint64_t changes; /* counts changes of what is frozen */
	uint32_t count, room;
	struct ibcc_found **list; /* ascending (node_guid, port) */
};

/* Reads the file into an empty table, whose format, folder and pool are set. Where it is not READ, the table stays empty. */
enum ibcc_state_found ibcc_found_rows_load(struct ibcc_found_rows *rows, struct ccp_error *error);
void ibcc_found_rows_free(struct ibcc_found_rows *rows);

/* Returns a row that stays valid until it is dropped; NULL: there is none. */
struct ibcc_found *ibcc_found_rows_find(const struct ibcc_found_rows *rows, uint64_t node_guid, uint8_t port);
/* Adds a row without items. NULL: there are IBCC_MAX_FOUND, or memory is refused. REQUIRES: the device has none. */
struct ibcc_found *ibcc_found_rows_add(struct ibcc_found_rows *rows, uint64_t node_guid, uint8_t port);
void ibcc_found_rows_drop(struct ibcc_found_rows *rows, const struct ibcc_found *found);
/* Takes `items` in place of those of the row, as read at `at_s`. */
void ibcc_found_rows_replace(struct ibcc_found_rows *rows, struct ibcc_found *found, struct ibcc_found_item *items,
			     uint32_t num_items, int64_t at_s);
/* The row has changed in another way. */
void ibcc_found_rows_touch(struct ibcc_found_rows *rows, struct ibcc_found *found);

/* Writes the file if it is not as the memory is. -1 with `error` filled: it could not be written, and is as it was. */
int ibcc_found_rows_save(struct ibcc_found_rows *rows, struct ccp_error *error);

/* Returns what is frozen, as another OpenSM takes it over. NULL: out of memory. */
json_t *ibcc_found_rows_json(const struct ibcc_found_rows *rows);
/*
 * Takes such rows, frozen, in place of those of the same devices. -1 with `error` filled: `root` makes no sense, and nothing has changed,
 * or memory was refused for a part of it.
 */
int ibcc_found_rows_merge(struct ibcc_found_rows *rows, json_t *root, struct ccp_error *error);

#ifdef __cplusplus
}
#endif
#endif
