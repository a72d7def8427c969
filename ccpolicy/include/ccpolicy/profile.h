/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * profile.h: a profile, the complete and named set of congestion-control settings that an administrator writes.
 *
 * The structs follow the document (docs/use/profiles.md) key by key; keys.h has the range, unit and meaning of each key. reader.h
 * makes a profile from text, writer.h makes text from a profile, and resolve.h makes the tables of a fabric's devices. Values are
 * raw IBA values unless a name ends in a unit. A profile from the reader is valid; code that changes one must keep to the ranges.
 */
#ifndef CCPOLICY_PROFILE_H
#define CCPOLICY_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "ccpolicy/nvidia.h"
#include "ccpolicy/tables.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CCP_PROFILE_VERSION 1        /* of a document without the section `nvidia` */
#define CCP_PROFILE_VERSION_NVIDIA 2 /* of one that may have it; then it may lack switch, ca and cct */

/*
 * CCTI_Limit is a 16-bit field, but a channel adapter reports the size of its table as ControlTableCap, 8 bits that count blocks
 * of 64 entries. A device can therefore hold at most 255 blocks, and a larger limit is not accepted.
 */
#define CCP_CCT_MAX_BLOCKS 255u
#define CCP_CCTI_LIMIT_MAX (CCP_CCT_MAX_BLOCKS * CCP_CCT_ENTRIES_PER_BLOCK - 1u) /* 16319 */

#define CCP_SHIFT_MAX 3u
#define CCP_MULTIPLIER_MAX 16383u
#define CCP_PORT_MAX 254u /* external ports of a switch are 1..254 */
#define CCP_NAME_MAX_CHARACTERS 255u

/* Ranges of the physical keys: a value beyond them is a mistake, not merely unusual. */
#define CCP_RATE_GBPS_MAX 100000.0
#define CCP_EXPONENT_MAX 16.0
#define CCP_KNEE_AT_DEFAULT 0.5
#define CCP_FULL_SCALE_US_MAX 1e6
#define CCP_FULL_SCALE_PACKET_TIMES_MAX 1e6 /* above 16383, as at_index may lie beyond the CCTI_Limit */

enum ccp_mask_kind {
	CCP_MASK_NONE,
	CCP_MASK_ALL,      /* each external port of the switch */
	CCP_MASK_CA_PORTS, /* ports whose neighbour is a host or an aggregation node */
	CCP_MASK_PORTS,    /* the ports in `ports` that the switch has */
};

struct ccp_mask {
	enum ccp_mask_kind kind;
	uint8_t ports[CCP_PORT_MASK_BYTES]; /* as on the wire; all zero unless kind is CCP_MASK_PORTS */
};

enum ccp_level {
	CCP_LEVEL_QP, /* a BECN throttles its queue pair */
	CCP_LEVEL_SL, /* a BECN throttles its port and SL */
};

/*
 * The members of the two structs below are described by rows in keys.h. Bit i of `present` stands for row i: the section of the
 * document gives the key. Sections of the profile itself have all bits set.
 */
struct ccp_profile_switch {
	uint32_t present; /* 0: the profile has no such section */
	uint8_t threshold;
	uint8_t cs_threshold;
	uint8_t packet_size;
	uint16_t marking_rate;
	struct ccp_mask victim_mask;
	struct ccp_mask credit_mask;
	struct ccp_cct_entry cs_return_delay;
};

struct ccp_profile_ca {
	uint32_t present; /* 0: the profile has no such section */
	enum ccp_level level;
	uint16_t sls; /* bit n: SL n */
	uint16_t ccti_timer;
	uint8_t ccti_increase;
	uint8_t ccti_min; /* at most the CCTI_Limit */
	uint8_t trigger_threshold;
};

enum ccp_cct_source {
	CCP_CCT_ABSENT, /* no table here: the section is missing, or is an override of limit_mode alone */
	CCP_CCT_ENTRIES,
	CCP_CCT_POWER,
	CCP_CCT_GEOMETRIC,
};

enum ccp_full_scale_unit {
	CCP_FULL_SCALE_US,
	CCP_FULL_SCALE_PACKET_TIMES,
};

/*
 * IRD_i = full_scale * (i / at_index) ^ exponent. With an end_exponent the curve has two pieces, which meet at the knee: from
 * i = knee_at * at_index on, IRD_i = full_scale * (i / at_index) ^ end_exponent; below, IRD_i falls from there by `exponent`.
 */
struct ccp_power_curve {
	enum ccp_full_scale_unit unit;
	double full_scale;   /* above 0 */
	uint16_t at_index;   /* 1..CCP_CCTI_LIMIT_MAX; 0: the CCTI_Limit, whatever it is */
	double exponent;     /* above 0, at most CCP_EXPONENT_MAX */
	double knee_at;      /* above 0, at most 1; 0: CCP_KNEE_AT_DEFAULT */
	double end_exponent; /* above 0, at most CCP_EXPONENT_MAX; 0: as `exponent`, which makes one piece */
};

/* IRD_0 = 0; IRD_i grows by a constant factor from `first` at index 1 to `last` at the CCTI_Limit; in packet times. */
struct ccp_geometric_curve {
	double first; /* above 0 */
	double last;  /* at least `first` */
};

struct ccp_profile_cct {
	enum ccp_cct_source source;
	uint16_t ccti_limit; /* 0..CCP_CCTI_LIMIT_MAX */
	bool has_limit_mode; /* false only in an override: the profile's own stands */
	enum ccp_limit_mode limit_mode;
	struct ccp_cct_entry *entries; /* CCP_CCT_ENTRIES: ccti_limit + 1 of them, owned; else NULL */
	union {
		struct ccp_power_curve power;
		struct ccp_geometric_curve geometric;
	} curve;
};

enum ccp_role {
	CCP_ROLE_ANY,
	CCP_ROLE_SWITCH,
	CCP_ROLE_LEAF,        /* a switch with at least one host attached */
	CCP_ROLE_SPINE,       /* a switch without */
	CCP_ROLE_CA,          /* hosts and aggregation nodes */
	CCP_ROLE_HOST,        /* CCP_NODE_HOST */
	CCP_ROLE_AGGREGATION, /* CCP_NODE_AGGREGATION */
};

enum ccp_port_match {
	CCP_PORTS_ANY,
	CCP_PORTS_LISTED, /* those in `ports` */
	CCP_PORTS_CA,     /* a switch's ports whose neighbour is a host or an aggregation node */
	CCP_PORTS_SWITCH, /* a switch's ports whose neighbour is a switch */
};

/* All parts that are given must fit. */
struct ccp_match {
	uint64_t guid; /* of the node; 0: any */
	char *node;    /* glob (glob.h) on the node description, owned; NULL: any */
	enum ccp_role role;
	enum ccp_port_match port_match;
	uint8_t ports[CCP_PORT_MASK_BYTES];
};

/* Replaces what it gives, for what it matches; later ones win. */
struct ccp_override {
	struct ccp_match match;
	struct ccp_profile_switch sw;
	struct ccp_profile_ca ca;
	struct ccp_profile_cct cct;        /* CCP_CCT_ABSENT and has_limit_mode false: none */
	struct ccp_profile_nvidia *nvidia; /* owned; NULL: none. Gives only what the profile's own has too */
};

struct ccp_profile {
	char *name;         /* owned */
	bool enable;        /* false: devices are actively cleared, whatever else the profile holds */
	double rate_gbps;   /* data rate of the link that physical times are relative to; 0: not given */
	uint32_t mtu_bytes; /* 256, 512, 1024, 2048 or 4096; 0: not given */
	struct ccp_profile_switch sw;
	struct ccp_profile_ca ca;
	struct ccp_profile_cct cct;
	struct ccp_profile_nvidia *nvidia; /* owned; NULL: none */
	uint32_t num_overrides;
	struct ccp_override *overrides; /* owned */
};

void ccp_profile_destroy(struct ccp_profile *profile); /* NULL is fine */

/* True if both mean the same document: every key is equal, overrides in the same order. */
bool ccp_profile_equal(const struct ccp_profile *a, const struct ccp_profile *b);

#ifdef __cplusplus
}
#endif
#endif
