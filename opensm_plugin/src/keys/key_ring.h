/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* key_ring.h: the keys that devices may have, numbered, in the file `keys` of the state folder. */
#ifndef IBCC_KEY_RING_H
#define IBCC_KEY_RING_H

#include <stdint.h>

#include "ccpolicy/error.h"
#include "state/state_file.h"

#ifdef __cplusplus
extern "C" {
#endif

#define IBCC_MAX_KEYS 16u        /* that are remembered; beyond, the oldest that the key file does not name goes */
#define IBCC_KEY_OPEN UINT32_MAX /* stands for the number of a key where there is none */

struct ibcc_ring_key {
	uint32_t number; /* from 1, for ever */
	uint64_t key;    /* never 0 */
};

struct ibcc_key_ring {
	uint32_t next_number;
	uint32_t count;
	struct ibcc_ring_key keys[IBCC_MAX_KEYS]; /* newest first */
};

/* Fills `ring`, which is empty if there is no file. -1 with `error` filled. */
int ibcc_key_ring_load(const struct ibcc_state_folder *folder, struct ibcc_key_ring *ring, struct ccp_error *error);
int ibcc_key_ring_save(const struct ibcc_state_folder *folder, const struct ibcc_key_ring *ring, struct ccp_error *error);

/* Returns the number of a key; 0: it is not in the ring; IBCC_KEY_OPEN: the key is 0, which stands for none. */
uint32_t ibcc_key_ring_find(const struct ibcc_key_ring *ring, uint64_t key);

/*
 * Puts a key in front unless it is in the ring, and returns its number. Without room, the last key that is not in `kept` is
 * dropped.
 */
uint32_t ibcc_key_ring_add(struct ibcc_key_ring *ring, uint64_t key, const uint64_t *kept, uint32_t num_kept);

#ifdef __cplusplus
}
#endif
#endif
