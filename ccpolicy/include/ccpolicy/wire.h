/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * wire.h: the attributes of the congestion-control class (0x21) as they stand in a MAD.
 *
 * An attribute is the 192 bytes of data from byte 64 of the MAD. Each of its fields is one row, in the spelling of the
 * specification (annex A10), and packing, unpacking and dumping all read the same rows. Offsets are in bits from the attribute's
 * start, the most significant bit first; numbers are big-endian.
 */
#ifndef CCPOLICY_WIRE_H
#define CCPOLICY_WIRE_H

#include <stddef.h>
#include <stdint.h>

#include "ccpolicy/error.h"
#include "ccpolicy/tables.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CCP_MGMT_CLASS 0x21
#define CCP_MGMT_CLASS_VERSION 2
#define CCP_ATTRIBUTE_BYTES 192u

enum ccp_attribute_id {
	CCP_SWITCH_CONGESTION_SETTING = 0x0014,      /* struct ccp_switch_setting */
	CCP_SWITCH_PORT_CONGESTION_SETTING = 0x0015, /* struct ccp_switch_port_block */
	CCP_CA_CONGESTION_SETTING = 0x0016,          /* struct ccp_ca_setting */
	CCP_CONGESTION_CONTROL_TABLE = 0x0017,       /* struct ccp_cct_block */
};

#define CCP_PORTS_PER_BLOCK 32u
#define CCP_CCT_ENTRIES_PER_BLOCK 64u

/* What one SwitchPortCongestionSetting holds: attribute modifier b stands for ports 32 b to 32 b + 31. */
struct ccp_switch_port_block {
	struct ccp_switch_port_setting ports[CCP_PORTS_PER_BLOCK];
};

/* What one CongestionControlTable holds: attribute modifier b stands for indices 64 b to 64 b + 63. */
struct ccp_cct_block {
	uint16_t ccti_limit;
	struct ccp_cct_entry entries[CCP_CCT_ENTRIES_PER_BLOCK];
};

struct ccp_wire_field {
	const char *name;     /* as in the specification */
	uint16_t offset;      /* bits from the attribute's start; of the first element, if there are several */
	uint16_t width;       /* bits: a number of 1 to 32 inside one 32-bit word, or whole bytes that are copied */
	uint16_t count;       /* elements */
	uint16_t stride;      /* bits from one element to the next */
	uint16_t host_offset; /* bytes from the struct's start to the member */
	uint16_t host_bytes;  /* size of the member */
	uint16_t host_stride; /* bytes from one element to the next */
};

struct ccp_wire_attribute {
	enum ccp_attribute_id id;
	const char *name;
	unsigned num_fields;
	const struct ccp_wire_field *fields;
};

/* NULL if this library does not pack the attribute. */
const struct ccp_wire_attribute *ccp_find_attribute(unsigned id);

/*
 * Packs the struct that goes with `id` into `payload`, reserved bits 0. Returns 0, or -1 with `error` filled: a value does not
 * fit its field, or the attribute is not known.
 */
int ccp_pack(enum ccp_attribute_id id, const void *host, uint8_t payload[CCP_ATTRIBUTE_BYTES], struct ccp_error *error);

/* The opposite of ccp_pack(). Every payload can be unpacked; reserved bits are ignored. Returns -1 if the attribute is not known.
 */
int ccp_unpack(enum ccp_attribute_id id, const uint8_t payload[CCP_ATTRIBUTE_BYTES], void *host);

/*
 * Writes "name: value" lines, elements as "name[3]", to `out`, cut at `size` and NUL-terminated. Returns the length of the whole
 * text, as snprintf() does.
 */
size_t ccp_wire_dump(enum ccp_attribute_id id, const uint8_t payload[CCP_ATTRIBUTE_BYTES], char *out, size_t size);

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
