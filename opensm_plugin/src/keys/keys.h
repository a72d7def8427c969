/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * keys.h: finds the CC_Key of a device, and changes the key of all devices without locking any of them out.
 *
 * Each key is on disk before it is sent to the first device, and stays there: in the file `keys` of the state folder, newest
 * first, whatever happens to the administrator's key file. So a device that was away during a change, a lost answer, or a plugin
 * that was killed in the middle of a change costs a few tries, not the device.
 *
 * A device without a key takes any request. One with a key answers Get(CongestionKeyInfo) with any key, and hides its own if it
 * is protected and the request has another; some do not answer then. Any other request with a wrong key is a violation: the
 * device counts and reports it, and does not answer. So a device's key is searched by that Get alone (IBA A10.4.3.4;
 * docs/operate/plugin-keys.md has what is known of it).
 *
 * There are only data and rules here: nothing is sent. Keys are never logged, and are wiped when they are no longer needed. One
 * thread only.
 */
#ifndef IBCC_KEYS_H
#define IBCC_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/log.h"
#include "ccpolicy/error.h"
#include "ccpolicy/wire.h"
#include "keys/key_ring.h"
#include "state/state_file.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ibcc_keys;

/*
 * Reads the key file and the remembered keys, and adds the file's to these. NULL with `error` filled: one of the files cannot be
 * read or is wrong, or the remembered keys cannot be written. The folder is borrowed.
 */
struct ibcc_keys *ibcc_keys_open(const struct ibcc_state_folder *folder, const char *key_file, struct ibcc_log *log,
				 struct ccp_error *error);
void ibcc_keys_close(struct ibcc_keys *keys); /* NULL is fine */

/* Fills the keys of the key file that are not 0, `current` first if it is one of them, and returns their number. Wipe them. */
#define IBCC_KEYS_OF_FILE 3u
uint32_t ibcc_keys_of_file(const struct ibcc_keys *keys, uint64_t own[IBCC_KEYS_OF_FILE]);

/* Returns a number that is another one after each change of the keys. */
uint32_t ibcc_keys_generation(const struct ibcc_keys *keys);

/* Reads the key file again. If the keys have changed, no device is settled. -1 with `error` filled: the keys are as they were. */
int ibcc_keys_reload(struct ibcc_keys *keys, struct ccp_error *error);

/* The knowledge of one device's key: all zeros at first, and after the device was away or was reset. */
struct ibcc_key_state {
	uint32_t seen;             /* number of the key that it was last seen to have; 0: not seen, IBCC_KEY_OPEN: it has none */
	uint32_t set;              /* number of the key that it was last sent, and may have; 0: none */
	uint32_t tried;            /* the remembered keys that were tried in this round, as bits */
	uint32_t sets;             /* Sets without a good answer in this round */
	bool foreign;              /* it has shown a key that is not among the remembered ones */
	uint32_t round_generation; /* generation of the keys in this round: with other keys a new round begins */
	uint32_t settled_generation; /* generation of the keys with which nothing was left to do */
	uint32_t vain;               /* keys with lower numbers were tried in vain; 0: none */
};
/* Fills the keys to try, the likeliest first, and returns their number. Wipe them. */
uint32_t ibcc_keys_candidates(const struct ibcc_keys *keys, const struct ibcc_key_state *state,
			      uint64_t candidates[IBCC_MAX_KEYS]);

/* Returns the key for all requests but those of ibcc_keys_next_step, also for a device that is stuck. */
uint64_t ibcc_keys_header_key(const struct ibcc_keys *keys, const struct ibcc_key_state *state);

enum ibcc_key_action {
	IBCC_KEY_SETTLED, /* nothing to do: it has the key that it should */
	IBCC_KEY_LOOK,    /* Get(CongestionKeyInfo) */
	IBCC_KEY_SET,     /* Set(CongestionKeyInfo) of `info` */
	IBCC_KEY_STUCK,   /* no known key fits, or it does not take the new one: nothing to do until ibcc_keys_retry */
};

struct ibcc_key_step {
	enum ibcc_key_action action;
	uint64_t header_key;
	struct ccp_congestion_key_info info;
	uint32_t number; /* of the key that is tried or set */
};

/*
 * Fills the device's next step: its key is searched, and then it is given `next` of the key file, or `current` without a next. A
 * Set without an answer leaves open which of the two keys it has, so the key is searched again, these two first.
 */
void ibcc_keys_next_step(const struct ibcc_keys *keys, const struct ibcc_key_state *state, struct ibcc_key_step *step);

/* Handles the outcome of a step. `info`: the device's answer; NULL: it gave none, or refused the attribute. */
void ibcc_keys_handle_answer(const struct ibcc_keys *keys, struct ibcc_key_state *state, const struct ibcc_key_step *step,
			     const struct ccp_congestion_key_info *info);

/* Forgets the key of a device, as others may have changed it; keys that nobody has tried yet are tried first. */
void ibcc_keys_look_again(struct ibcc_key_state *state);

/* Begins another round for a device that is stuck: at audits, and when somebody asks. */
void ibcc_keys_retry(struct ibcc_key_state *state);

/* Returns "none", "current", "next", "previous", "older", "foreign" or "unknown". */
const char *ibcc_keys_state_text(const struct ibcc_keys *keys, const struct ibcc_key_state *state);
bool ibcc_keys_are_changing(const struct ibcc_keys *keys); /* the key file has a next */

#ifdef __cplusplus
}
#endif
#endif
