/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * wire.h: packs and unpacks the attributes of the congestion-control class (0x21).
 *
 * An attribute is the 192 bytes of data from byte 64 of the MAD; only CongestionLog is longer, 224 bytes from byte 32. Each of its
 * fields is one row, in the spelling of the specification (annex A10, and 13.4.8.1 for ClassPortInfo); packing, unpacking and
 * dumping use the same rows. NVIDIA's attributes have the names that its tools print. Offsets are in bits from the attribute's start, the most significant bit first; numbers are
 * big-endian. Where the sources of a layout disagree, each layout has its own rows and its own name.
 */
#ifndef CCPOLICY_WIRE_H
#define CCPOLICY_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ccpolicy/error.h"
#include "ccpolicy/tables.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CCP_MGMT_CLASS 0x21
#define CCP_MGMT_CLASS_VERSION 2
#define CCP_ATTRIBUTE_BYTES 192u      /* of every attribute's payload but a log's */
#define CCP_CONGESTION_LOG_BYTES 224u /* the largest: a buffer of this size takes any attribute */

/*
 * Identifiers of attributes: the low 16 bits are the attribute's number in the MAD's header. CongestionLog has a form for switches and one
 * for channel adapters, told apart by LogType; the forms are numbered above those bits.
 */
enum ccp_attribute_id {
	CCP_CLASS_PORT_INFO = 0x0001,                /* struct ccp_class_port_info */
	CCP_CONGESTION_INFO = 0x0011,                /* struct ccp_congestion_info */
	CCP_CONGESTION_KEY_INFO = 0x0012,            /* struct ccp_congestion_key_info */
	CCP_SWITCH_CONGESTION_SETTING = 0x0014,      /* struct ccp_switch_setting */
	CCP_SWITCH_PORT_CONGESTION_SETTING = 0x0015, /* struct ccp_switch_port_block */
	CCP_CA_CONGESTION_SETTING = 0x0016,          /* struct ccp_ca_setting */
	CCP_CONGESTION_CONTROL_TABLE = 0x0017,       /* struct ccp_cct_block */
	CCP_TIMESTAMP = 0x0018,                      /* struct ccp_timestamp */
	CCP_CONGESTION_LOG_SWITCH = 0x10013,         /* struct ccp_congestion_log_switch; LogType 1 */
	CCP_CONGESTION_LOG_CA = 0x20013, /* struct ccp_congestion_log_ca; LogType 2; as OpenSM and ibis lay out an event */
	/* The same; as libibmad and thus ibccquery lay out an event, which has the local LID too. */
	CCP_CONGESTION_LOG_CA_LIBIBMAD = 0x30013,

	/* NVIDIA's attributes of this class, whose structs are in nvidia_wire.h. */
	CCP_ENHANCED_CONGESTION_INFO = 0xFF00,
	CCP_CONGESTION_SWITCH_GENERAL_SETTINGS = 0xFF08,
	CCP_CONGESTION_PORT_PROFILE_SETTINGS = 0xFF09,
	CCP_CONGESTION_SL_MAPPING_SETTINGS = 0xFF10,
	CCP_CONGESTION_HCA_GENERAL_SETTINGS = 0xFF20,
	CCP_CONGESTION_HCA_RP_PARAMETERS = 0xFF21,
	CCP_CONGESTION_HCA_NP_PARAMETERS = 0xFF22,
	CCP_CONGESTION_HCA_ALGO_CONFIG = 0xFF24, /* any encap_type; the encapsulation as bytes */
	CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS = 0xFF25,
	CCP_CONGESTION_HCA_ALGO_CONFIG_SUPPORT =
		0x1FF24, /* CongestionHCAAlgoConfig whose encap_type is 2: a list of algorithms */
};

enum ccp_log_type {
	CCP_LOG_TYPE_SWITCH = 1,
	CCP_LOG_TYPE_CA = 2,
};

#define CCP_PORTS_PER_BLOCK 32u

/* One SwitchPortCongestionSetting: attribute modifier b stands for ports 32 b to 32 b + 31. */
struct ccp_switch_port_block {
	struct ccp_switch_port_setting ports[CCP_PORTS_PER_BLOCK];
};

/* One CongestionControlTable: attribute modifier b stands for indices 64 b to 64 b + 63. */
struct ccp_cct_block {
	uint16_t ccti_limit;
	struct ccp_cct_entry entries[CCP_CCT_ENTRIES_PER_BLOCK];
};

/* CapabilityMask of ClassPortInfo: bits that all classes share, and those of this one. */
#define CCP_CLASS_CAP_TRAPS 0x0001u             /* the agent sends traps */
#define CCP_CLASS_CAP_ENHANCED_PORT0_CC 0x0100u /* a switch whose enhanced port 0 is under congestion control as a CA is */

/* Agents of this class do not use redirection; the fields are here so that a dump shows one. */
struct ccp_class_port_info {
	uint8_t base_version;
	uint8_t class_version;
	uint16_t capability_mask;
	uint32_t capability_mask2; /* 27 bits */
	uint8_t resp_time_value;   /* answers within 4.096 us * 2^value; 5 bits */
	uint8_t redirect_gid[16];
	uint8_t redirect_tc;
	uint8_t redirect_sl;
	uint32_t redirect_fl;
	uint16_t redirect_lid;
	uint16_t redirect_pkey;
	uint32_t redirect_qp;
	uint32_t redirect_qkey;
	uint8_t trap_gid[16];
	uint8_t trap_tc;
	uint8_t trap_sl;
	uint32_t trap_fl;
	uint16_t trap_lid; /* receiver of traps; 0: none */
	uint16_t trap_pkey;
	uint8_t trap_hl;
	uint32_t trap_qp;
	uint32_t trap_qkey;
};

/* CongestionInfo, bit 0: the switch has credit starvation. No public source defines another bit. */
#define CCP_CONGESTION_INFO_CREDIT_STARVATION 0x0001u

struct ccp_congestion_info {
	uint16_t congestion_info;
	uint8_t control_table_cap; /* of a CA: size of its CCT in blocks of CCP_CCT_ENTRIES_PER_BLOCK entries */
};

struct ccp_congestion_key_info {
	uint64_t cc_key;              /* 0: keys are not checked */
	uint8_t cc_key_protect_bit;   /* 1: a Get returns the key only if the request has it */
	uint16_t cc_key_lease_period; /* seconds that the protect bit stays set after a violation; 0: for ever */
	uint16_t
		cc_key_violations; /* number of requests with a wrong key; a Set of 0 clears it, a Set of another value leaves it */
};

struct ccp_log_event_switch {
	uint16_t slid;
	uint16_t dlid;
	uint8_t sl;
	uint32_t timestamp; /* units of CCP_TIMER_UNIT_NS */
};

struct ccp_congestion_log_switch {
	uint8_t log_type; /* CCP_LOG_TYPE_SWITCH */
	uint8_t congestion_flags;
	uint16_t log_events_counter; /* since the log was last read */
	uint32_t current_timestamp;
	uint8_t port_map[CCP_PORT_MASK_BYTES]; /* ports that have marked packets since the log was last read */
	struct ccp_log_event_switch events[15];
};

struct ccp_log_event_ca {
	uint32_t local_qp;
	uint8_t sl;
	uint8_t service_type; /* 0 reliable connection, 1 unreliable connection, 2 reliable datagram, 3 unreliable datagram */
	uint32_t remote_qp;
	uint16_t local_lid; /* libibmad's layout only */
	uint16_t remote_lid;
	uint32_t timestamp;
};

struct ccp_congestion_log_ca {
	uint8_t log_type; /* CCP_LOG_TYPE_CA */
	uint8_t congestion_flags;
	uint16_t threshold_event_counter;
	uint16_t threshold_congestion_event_map; /* SLs with an event since the log was last read */
	uint32_t current_timestamp;
	struct ccp_log_event_ca events[13];
};

struct ccp_timestamp {
	uint32_t timestamp; /* units of CCP_TIMER_UNIT_NS */
};

struct ccp_wire_field {
	const char *name;     /* as in the specification */
	uint16_t offset;      /* bits from the attribute's start; of the first element, if there are several */
	uint16_t width;       /* bits: a number of 1 to 32 inside one 32-bit word or of 64, or more whole bytes that are copied */
	uint16_t count;       /* elements */
	uint16_t stride;      /* bits from one element to the next */
	uint16_t host_offset; /* bytes from the struct's start to the member */
	uint16_t host_bytes;  /* size of the member */
	uint16_t host_stride; /* bytes from one element to the next */
	bool read_only;       /* a Set does not change it, and carries 0 there */
};

struct ccp_wire_attribute {
	enum ccp_attribute_id id;
	const char *name;
	uint16_t mad_offset; /* of the payload, in bytes from the MAD's start */
	uint16_t bytes;      /* of the payload */
	unsigned num_fields;
	const struct ccp_wire_field *fields;
};

/* The attributes that this library packs, by index from 0; NULL beyond the last. */
const struct ccp_wire_attribute *ccp_wire_attribute_at(unsigned index);

/* NULL if this library does not pack the attribute. */
const struct ccp_wire_attribute *ccp_find_attribute(unsigned id);

/*
 * Packs the struct that goes with `id` into `payload`, which is as long as the attribute, reserved bits 0. Returns 0, or -1 with
 * `error` filled: a value does not fit its field, or the attribute is not known.
 */
int ccp_pack(enum ccp_attribute_id id, const void *host, uint8_t *payload, struct ccp_error *error);

/* As ccp_pack(), for a Set: fields that are read-only are 0, whatever the struct holds. */
int ccp_pack_set(enum ccp_attribute_id id, const void *host, uint8_t *payload, struct ccp_error *error);

/* The opposite of ccp_pack(). Every payload can be unpacked; reserved bits are ignored. Returns -1 if the attribute is not known.
 */
int ccp_unpack(enum ccp_attribute_id id, const uint8_t *payload, void *host);

/*
 * Writes "name: value" lines, elements as "name[3]", to `out`, cut at `size` and NUL-terminated. Returns the length of the whole
 * text, as snprintf() does.
 */
size_t ccp_wire_dump(enum ccp_attribute_id id, const uint8_t *payload, char *out, size_t size);

/* Blocks that a table with this limit takes: 1 for 0 to 63, 2 for 64 to 127, ... */
unsigned ccp_cct_num_blocks(unsigned ccti_limit);

/* Block `block` of a table, entries beyond the table 0:0, its CCTI_Limit as cct->limit_mode says. */
void ccp_cct_get_block(const struct ccp_cct *cct, unsigned block, struct ccp_cct_block *out);

/* Blocks that a switch with this many external ports has: port 0 is in the first. */
unsigned ccp_switch_port_num_blocks(unsigned num_ports);

/* Block `block` of a switch; elements beyond its ports are not valid. */
void ccp_switch_port_get_block(const struct ccp_switch_tables *tables, unsigned block, struct ccp_switch_port_block *out);

#ifdef __cplusplus
}
#endif
#endif
