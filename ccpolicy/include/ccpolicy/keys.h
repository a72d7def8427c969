/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * keys.h: the keys of a profile, one row each.
 *
 * Reading, writing, comparing and resolving work through these rows, and so does everything outside of ccpolicy that names keys:
 * the JSON Schema and the tables of docs/use/profiles.md are generated from them (build_tools/profile_keys.py), and Python, the
 * command line and the service's forms take ranges, units and meanings from them (ccsim.policy.profile_keys()).
 *
 * A new key of `switch` or `ca` is a row in keys.c and a member of the section's struct in profile.h. A key whose field no
 * attribute has yet also needs the field in tables.h and wire.c. See ccpolicy/README.md.
 */
#ifndef CCPOLICY_KEYS_H
#define CCPOLICY_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ccpolicy/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

enum ccp_key_type {
	CCP_KEY_BOOL,        /* true or false */
	CCP_KEY_UINT8,       /* uint8_t */
	CCP_KEY_UINT16,      /* uint16_t */
	CCP_KEY_REAL,        /* double */
	CCP_KEY_MTU,         /* a power of two from `min` to `max` */
	CCP_KEY_WORD,        /* an enum, by one of `words` */
	CCP_KEY_MASK,        /* struct ccp_mask in a profile, CCP_PORT_MASK_BYTES in tables */
	CCP_KEY_SLS,         /* uint16_t, a bit for each SL, or VL, up to `max` */
	CCP_KEY_ENTRY,       /* struct ccp_cct_entry */
	CCP_KEY_ENTRIES,     /* a list of entries */
	CCP_KEY_UINT32,      /* uint32_t */
	CCP_KEY_SL_PROFILES, /* struct ccp_congestion_sl_mapping_settings: a number for all SLs, or a list of 16 */
	CCP_KEY_NAME,        /* char[CCP_PPCC_NAME_BYTES] */
	CCP_KEY_PARAMETERS,  /* struct ccp_ppcc_parameters: a map from index or name to value */
};

#define CCP_NO_PLACE UINT16_MAX
#define CCP_NO_DEFAULT (-1)

/* Offsets of a key's members. */
struct ccp_key_place {
	uint16_t profile; /* in the section's struct in profile.h */
	uint16_t
		tables; /* in struct ccp_switch_setting or struct ccp_ca_sl_setting; CCP_NO_PLACE: resolve.c fills it in by hand */
	uint16_t port;  /* in struct ccp_switch_port_setting; CCP_NO_PLACE: the key cannot be set for single ports */
};

struct ccp_key {
	const char *name;
	enum ccp_key_type type;
	struct ccp_key_place place; /* of keys of sections whose code works through the rows */
	double min;
	double max;
	bool above_min;           /* the range does not include `min` */
	bool required;            /* in the profile's own section; an override may leave out any key */
	int32_t default_value;    /* a number, the word's index, the mask's kind, or 0 for an entry 0:0; CCP_NO_DEFAULT */
	const char *const *words; /* CCP_KEY_WORD: by value, NULL-terminated */
	const char *unit;         /* of the value, such as "64 bytes"; NULL: none */
	const char *attribute;    /* that holds the field, if not the part's */
	const char *field;        /* on the wire, in the specification's spelling; NULL: none of its own */
	const char *right;        /* ends an error's sentence "..., and must be ..." */
	const char *meaning;      /* a phrase of one line */
};

/* A second key of a section that gives another key's value in a physical unit. The writer writes the raw key. */
struct ccp_key_alias {
	const char *name;
	unsigned key;  /* index of the row of the raw key, which has an integral type */
	double factor; /* raw value of one unit; the raw value must be a whole number */
	const char *unit;
};

/* The keys of one part of a profile, in the order of the document. */
struct ccp_key_part {
	const char *path;      /* in the document, such as "cct.curve", "[]" for elements of a list; "": the document itself */
	const char *attribute; /* of the class, that holds the keys' fields; NULL: none */
	const struct ccp_key *keys;
	unsigned num_keys;
	const struct ccp_key_alias *aliases;
	unsigned num_aliases;
};

/* The sections whose code works through the rows. Key i has the bit 1 << i in the `present` of the section's struct. */
#define CCP_SECTION_KEYS_MAX 32u
extern const struct ccp_key_part ccp_switch_keys;
extern const struct ccp_key_part ccp_ca_keys;

/* Those of `nvidia`. Their code copies members from the section's structs to the tables by itself: rows have no other place. */
extern const struct ccp_key_part ccp_nvidia_switch_keys;
extern const struct ccp_key_part ccp_nvidia_threshold_keys;
extern const struct ccp_key_part ccp_nvidia_adapter_keys;
extern const struct ccp_key_part ccp_nvidia_rp_keys;
extern const struct ccp_key_part ccp_nvidia_np_keys;
extern const struct ccp_key_part ccp_nvidia_ppcc_keys;

/* The keys of the other parts, which have code of their own. */
extern const struct ccp_key ccp_enable_key;

enum { CCP_LINK_RATE_GBPS, CCP_LINK_MTU_BYTES, CCP_NUM_LINK_KEYS };
extern const struct ccp_key ccp_link_keys[CCP_NUM_LINK_KEYS];

enum { CCP_CCT_CCTI_LIMIT, CCP_CCT_ENTRY_LIST, CCP_CCT_LIMIT_MODE, CCP_NUM_CCT_KEYS };
extern const struct ccp_key ccp_cct_keys[CCP_NUM_CCT_KEYS];

enum { CCP_CURVE_POWER, CCP_CURVE_GEOMETRIC }; /* values of CCP_CURVE_KIND */
enum {
	CCP_CURVE_KIND,
	CCP_CURVE_FIRST,
	CCP_CURVE_LAST,
	CCP_CURVE_FULL_SCALE_US,
	CCP_CURVE_FULL_SCALE_PACKET_TIMES,
	CCP_CURVE_AT_INDEX,
	CCP_CURVE_EXPONENT,
	CCP_CURVE_KNEE_AT,
	CCP_CURVE_END_EXPONENT,
	CCP_NUM_CURVE_KEYS
};
extern const struct ccp_key ccp_curve_keys[CCP_NUM_CURVE_KEYS];

/* All keys in the order of the document, NULL-terminated. `cct` comes twice, as cct.curve stands between its keys. */
extern const struct ccp_key_part *const ccp_key_parts[];

/* The words of a profile by the value of their enum; NULL-terminated. "" is a value without a word. */
extern const char *const ccp_role_words[];
extern const char *const ccp_mask_words[];
extern const char *const ccp_level_words[];
extern const char *const ccp_limit_mode_words[];
extern const char *const ccp_curve_kind_words[];
extern const char *const ccp_port_match_words[];
extern const char *const ccp_threshold_unit_words[];
extern const char *const ccp_nvidia_type_words[];

#ifdef __cplusplus
}
#endif
#endif
