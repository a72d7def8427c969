/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * as_found.h: revision 0: what all devices were found with of annex A10's attributes, in memory and as as_found.json in the state folder
 * (found_rows.h). A row is frozen once a profile has been in force. One thread only.
 */
#ifndef IBCC_AS_FOUND_H
#define IBCC_AS_FOUND_H

#include <jansson.h>

#include "base/log.h"
#include "ccpolicy/error.h"
#include "devices/found_rows.h"
#include "state/state_file.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ibcc_as_found;

/*
 * Reads the file. `is_first`: no former process used the folder, so that nothing was set yet. The pool lasts longer. NULL with `error`
 * filled: what devices were found with is not kept, as it cannot be known any more, the file cannot be read, or memory is refused.
 */
struct ibcc_as_found *ibcc_as_found_open(const struct ibcc_state_folder *folder, struct ibcc_payload_pool *pool, bool is_first,
					 struct ibcc_log *log, struct ccp_error *error);
void ibcc_as_found_close(struct ibcc_as_found *as_found); /* NULL is fine */

/* Returns a row that stays valid until it is dropped or the store is closed; NULL if the device was not read. */
const struct ibcc_found *ibcc_as_found_find(const struct ibcc_as_found *as_found, uint64_t node_guid, uint8_t port);

typedef bool ibcc_is_needed(const void *owner, const struct ibcc_found *found);

/*
 * Keeps what was read, in memory, in place of what was kept of the device before; and takes the items of the reading. If there are
 * too many, the one read longest ago that is not needed is dropped. NULL: no room, or out of memory; the reading is as it was.
 */
const struct ibcc_found *ibcc_as_found_put(struct ibcc_as_found *as_found, uint64_t node_guid, uint8_t port,
					   struct ibcc_found_reading *reading, bool frozen, ibcc_is_needed *is_needed,
					   const void *owner);
bool ibcc_as_found_is_full(const struct ibcc_as_found *as_found); /* the next device that is new has another dropped */

/* Replaces what is kept of one attribute of a device that is not frozen. */
void ibcc_as_found_change(struct ibcc_as_found *as_found, const struct ibcc_found *found, uint16_t attribute, uint32_t block,
			  const struct ibcc_payload *payload);

/* Drops the row in memory, because its values may be another device's; the device is read again. */
void ibcc_as_found_doubt(struct ibcc_as_found *as_found, const struct ibcc_found *found);

void ibcc_as_found_freeze(struct ibcc_as_found *as_found); /* all that is kept now */

/* Writes the file if it is not as the memory is. -1 with `error` filled: it could not be written, and is as it was. */
int ibcc_as_found_save(struct ibcc_as_found *as_found, struct ccp_error *error);

/* Returns a number that is another one whenever what is frozen has changed. */
uint64_t ibcc_as_found_changes(const struct ibcc_as_found *as_found);

/* Returns what is frozen, as another OpenSM takes it over. NULL: out of memory. */
json_t *ibcc_as_found_json(const struct ibcc_as_found *as_found);

/*
 * Takes the place of what is kept of the devices in `root`, frozen: it was read before another OpenSM has set them. Rows stay where
 * they are. -1 with `error` filled: `root` makes no sense, and nothing has changed, or memory was refused for a part of it.
 */
int ibcc_as_found_merge(struct ibcc_as_found *as_found, json_t *root, struct ccp_error *error);

struct ibcc_as_found_counts {
	uint32_t devices, frozen;
	int64_t since_s; /* when the first of them was read; 0: none was */
};
struct ibcc_as_found_counts ibcc_as_found_count(const struct ibcc_as_found *as_found);

#ifdef __cplusplus
}
#endif
#endif
