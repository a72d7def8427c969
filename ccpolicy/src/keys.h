/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * keys.h: the keys of the sections `switch` and `ca`, one row each. The reader and the writer both work through these rows, so a
 * key is added by adding its row (and its line in schema/profile.schema.json and docs/profiles.md). Internal.
 */
#ifndef CCPOLICY_KEYS_H
#define CCPOLICY_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ccpolicy/profile.h"

enum ccp_key_type {
	CCP_KEY_U8,    /* uint8_t, 0..max */
	CCP_KEY_U16,   /* uint16_t, 0..max */
	CCP_KEY_MASK,  /* struct ccp_mask */
	CCP_KEY_ENTRY, /* struct ccp_cct_entry */
	CCP_KEY_LEVEL, /* enum ccp_level */
	CCP_KEY_SLS,   /* uint16_t, a bit for each SL */
};

struct ccp_key_row {
	const char *key;
	enum ccp_key_type type;
	size_t offset;     /* of the member in its section's struct */
	uint32_t bit;      /* in `present` */
	uint32_t max;      /* of a number */
	bool required;     /* in the profile's own section; an override may leave out any */
	const char *right; /* what would be right, to end a sentence with */
};

#define CCP_NUM_SWITCH_KEYS 7
#define CCP_NUM_CA_KEYS 6
extern const struct ccp_key_row ccp_switch_keys[CCP_NUM_SWITCH_KEYS];
extern const struct ccp_key_row ccp_ca_keys[CCP_NUM_CA_KEYS];

/* Words of the document by the value of their enum; NULL-terminated. "" is a value without a word. */
extern const char *const ccp_role_words[];
extern const char *const ccp_mask_words[];
extern const char *const ccp_level_words[];
extern const char *const ccp_limit_mode_words[];
extern const char *const ccp_port_match_words[];

#endif
