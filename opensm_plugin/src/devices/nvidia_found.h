/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * nvidia_found.h: revision 0 of NVIDIA's attributes: what each device held of them before the plugin's first Set, in memory and as
 * nvidia_found.json in the state folder (found_rows.h). One thread only.
 *
 * A row is kept, which is frozen, from the first Set on, until the device holds what is in it again. Parameters of PPCC are not in it: ppcc_before.h
 * has what those were.
 */
#ifndef IBCC_NVIDIA_FOUND_H
#define IBCC_NVIDIA_FOUND_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "base/log.h"
#include "ccpolicy/error.h"
#include "devices/found.h"
#include "state/state_file.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns whether the device was on by these attributes when it was read. */
bool ibcc_nvidia_found_is_on(const struct ibcc_found *found);

struct ibcc_nvidia_founds;

/*
 * Reads the file; one that cannot be parsed is set aside, with a line in the log. Folder and pool are borrowed. NULL with `error`
 * filled: the file cannot be read or is of a newer version, or memory is refused.
 */
struct ibcc_nvidia_founds *ibcc_nvidia_founds_open(const struct ibcc_state_folder *folder, struct ibcc_payload_pool *pool,
						   struct ibcc_log *log, struct ccp_error *error);
void ibcc_nvidia_founds_close(struct ibcc_nvidia_founds *founds); /* NULL is fine */

/* Returns a row that stays valid; NULL: there is none, or `founds` is NULL. */
const struct ibcc_found *ibcc_nvidia_founds_find(const struct ibcc_nvidia_founds *founds, uint64_t node_guid, uint8_t port);

/* The same, of a row that is kept. */
const struct ibcc_found *ibcc_nvidia_founds_kept(const struct ibcc_nvidia_founds *founds, uint64_t node_guid, uint8_t port);

/*
 * Puts what was read, in memory, in place of a row that is not kept; takes the items. -1: out of memory, or there are too many; the
 * items stay the caller's. REQUIRES: no row of the device is kept.
 */
int ibcc_nvidia_founds_put(struct ibcc_nvidia_founds *founds, uint64_t node_guid, uint8_t port, struct ibcc_found_item *items,
			   uint32_t num_items);

/* Keeps the row from now on, or no longer, in memory; without a row nothing happens. */
void ibcc_nvidia_founds_keep(struct ibcc_nvidia_founds *founds, uint64_t node_guid, uint8_t port, bool kept);

/* Writes the file if it is not as the memory is. -1 with `error` filled: it could not be written, and is as it was. */
int ibcc_nvidia_founds_save(struct ibcc_nvidia_founds *founds, struct ccp_error *error);

/* Returns a number that is another one whenever the rows that are kept have changed. */
uint64_t ibcc_nvidia_founds_changes(const struct ibcc_nvidia_founds *founds);

/* Returns the rows that are kept, as another OpenSM takes them over. NULL: out of memory. */
json_t *ibcc_nvidia_founds_json(const struct ibcc_nvidia_founds *founds);
/*
 * Takes such rows, which another OpenSM has read before it has set these devices; they take the place of this one's. -1 with `error`
 * filled: they make no sense, and nothing has changed, or memory was refused for a part of them.
 */
int ibcc_nvidia_founds_merge(struct ibcc_nvidia_founds *founds, json_t *root, struct ccp_error *error);

#ifdef __cplusplus
}
#endif
#endif
