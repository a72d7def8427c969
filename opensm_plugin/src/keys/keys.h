/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * keys.h: which CC_Key to speak to a device with, and how all devices come to have another one without any being locked out.
 *
 * Each key that a device may have been given is on disk before it is sent to the first one, and stays there: in the file `keys` of the
 * state folder, newest first, whatever becomes of the administrator's key file. So a device that was away during a change, or whose
 * answer was lost, or a plugin that was killed in the middle of it, costs a few tries, not the device.
 *
 * A device with no key takes any request. One with a key takes Get(CongestionKeyInfo) with any key and hides its own if it is protected
 * and the request's is another; some do not answer then. All else with a wrong key is a violation, which the device counts, reports, and
 * gives no answer. So a device's key is looked for by that Get alone (IBA A10.4.3.4; what is known of it, docs/plugin-keys.md).
 *
 * Data and rules only: nothing is sent from here. Keys are never logged and are wiped when they go. One thread only.
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
 * Reads the key file and what is remembered, and remembers the file's keys. NULL with `error` filled: one of them cannot be read or is
 * wrong, or what is to be remembered cannot be written. The folder is borrowed.
 */
struct ibcc_keys *ibcc_keys_open(const struct ibcc_state_folder *folder, const char *key_file, struct ibcc_log *log,
				 struct ccp_error *error);
void ibcc_keys_close(struct ibcc_keys *keys); /* NULL is fine */

/* Reads the key file again. -1 with `error` filled: the keys are as they were. Devices are settled no more if something has changed. */
int ibcc_keys_reload(struct ibcc_keys *keys, struct ccp_error *error);

/* What is known of one device's key; all zero at first, and when the device has been away or was reset. */
struct ibcc_key_state {
	uint32_t seen;             /* number of the key that it was last seen to have; 0: not seen, IBCC_KEY_OPEN: it has none */
	uint32_t set;              /* number of the key that it was last sent, and has perhaps; 0: none */
	uint32_t tried;            /* bits of the remembered keys that were tried in this round */
	uint32_t sets;             /* that had no good answer in this round */
	bool foreign;              /* it has shown a key that is not ours */
	uint32_t round_generation; /* of the keys in this round: with other keys a new one begins */
	uint32_t settled_generation; /* of the keys with which nothing was left to do */
};
/* The keys to try, best first; wipe them. Their number, at most IBCC_MAX_KEYS. */
uint32_t ibcc_keys_candidates(const struct ibcc_keys *keys, const struct ibcc_key_state *state,
			      uint64_t candidates[IBCC_MAX_KEYS]);

/* The key for requests other than those of ibcc_keys_next_step, which come first; also for a device that is stuck. */
uint64_t ibcc_keys_header_key(const struct ibcc_keys *keys, const struct ibcc_key_state *state);

enum ibcc_key_action {
	IBCC_KEY_SETTLED, /* nothing to do: it has the key that it should */
	IBCC_KEY_LOOK,    /* Get(CongestionKeyInfo) */
	IBCC_KEY_SET,     /* Set(CongestionKeyInfo) of `info` */
	IBCC_KEY_STUCK,   /* no key that is known fits, or it does not take the new one; until ibcc_keys_retry */
};

struct ibcc_key_step {
	enum ibcc_key_action action;
	uint64_t header_key;
	struct ccp_congestion_key_info info;
	uint32_t number; /* of the key that is tried or set */
};

/*
 * What is next for the device: its key is looked for, and then it is given `next` of the key file, or `current` if there is no next.
 * A Set without an answer leaves open which of the two keys it has, so it is looked for again, both first.
 */
void ibcc_keys_next_step(const struct ibcc_keys *keys, const struct ibcc_key_state *state, struct ibcc_key_step *step);

/* The step's outcome. `info`: the device's answer; NULL: it gave none, or refused the attribute. */
void ibcc_keys_handle_answer(const struct ibcc_keys *keys, struct ibcc_key_state *state, const struct ibcc_key_step *step,
			     const struct ccp_congestion_key_info *info);

/* Another round for a device that is stuck: at audits, and when somebody asks. */
void ibcc_keys_retry(struct ibcc_key_state *state);

/* For people: "none", "current", "next", "previous", "older", "foreign" or "unknown". */
const char *ibcc_keys_state_text(const struct ibcc_keys *keys, const struct ibcc_key_state *state);
bool ibcc_keys_are_changing(const struct ibcc_keys *keys); /* the key file has a next */

#ifdef __cplusplus
}
#endif
#endif
