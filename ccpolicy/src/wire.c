/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "ccpolicy/wire.h"

#include <stdio.h>
#include <string.h>

#include "error_format.h"

#define SIZE(type, member) sizeof(((type *)0)->member)

/* A field by itself, and a field of each element of the array `array`. */
#define ONE(type, member, name, offset, width) {name, offset, width, 1, 0, offsetof(type, member), SIZE(type, member), 0}
#define EACH(type, array, member, name, offset, width, stride)                                                                   \
	{name,                                                                                                                   \
	 offset,                                                                                                                 \
	 width,                                                                                                                  \
	 SIZE(type, array) / SIZE(type, array[0]),                                                                               \
	 stride,                                                                                                                 \
	 offsetof(type, array[0].member),                                                                                        \
	 SIZE(type, array[0].member),                                                                                            \
	 SIZE(type, array[0])}

static const struct ccp_wire_field switch_fields[] = {
	ONE(struct ccp_switch_setting, control_map, "Control_Map", 0, 32),
	ONE(struct ccp_switch_setting, victim_mask, "Victim_Mask", 32, 256),
	ONE(struct ccp_switch_setting, credit_mask, "Credit_Mask", 288, 256),
	ONE(struct ccp_switch_setting, threshold, "Threshold", 544, 4),
	ONE(struct ccp_switch_setting, packet_size, "Packet_Size", 552, 8),
	ONE(struct ccp_switch_setting, cs_threshold, "CS_Threshold", 560, 4),
	/* CS_ReturnDelay, 16 bits, has the format of a CCT entry. */
	ONE(struct ccp_switch_setting, cs_return_delay.shift, "CS_ReturnDelay_Shift", 576, 2),
	ONE(struct ccp_switch_setting, cs_return_delay.multiplier, "CS_ReturnDelay_Multiplier", 578, 14),
	ONE(struct ccp_switch_setting, marking_rate, "Marking_Rate", 592, 16),
};

static const struct ccp_wire_field switch_port_fields[] = {
	EACH(struct ccp_switch_port_block, ports, valid, "Valid", 0, 1, 32),
	EACH(struct ccp_switch_port_block, ports, control_type, "Control_Type", 1, 1, 32),
	EACH(struct ccp_switch_port_block, ports, threshold, "Threshold", 4, 4, 32),
	EACH(struct ccp_switch_port_block, ports, packet_size, "Packet_Size", 8, 8, 32),
	EACH(struct ccp_switch_port_block, ports, marking_rate, "Cong_Parm_Marking_Rate", 16, 16, 32),
};

static const struct ccp_wire_field ca_fields[] = {
	ONE(struct ccp_ca_setting, port_control, "Port_Control", 0, 16),
	ONE(struct ccp_ca_setting, control_map, "Control_Map", 16, 16),
	EACH(struct ccp_ca_setting, sls, ccti_timer, "CCTI_Timer", 32, 16, 64),
	EACH(struct ccp_ca_setting, sls, ccti_increase, "CCTI_Increase", 48, 8, 64),
	EACH(struct ccp_ca_setting, sls, trigger_threshold, "Trigger_Threshold", 56, 8, 64),
	EACH(struct ccp_ca_setting, sls, ccti_min, "CCTI_Min", 64, 8, 64),
};

static const struct ccp_wire_field cct_fields[] = {
	ONE(struct ccp_cct_block, ccti_limit, "CCTI_Limit", 0, 16),
	EACH(struct ccp_cct_block, entries, shift, "CCT_Shift", 32, 2, 16),
	EACH(struct ccp_cct_block, entries, multiplier, "CCT_Multiplier", 34, 14, 16),
};

#define ATTRIBUTE(id, name, fields) {id, name, sizeof(fields) / sizeof(fields[0]), fields}

static const struct ccp_wire_attribute attributes[] = {
	ATTRIBUTE(CCP_SWITCH_CONGESTION_SETTING, "SwitchCongestionSetting", switch_fields),
	ATTRIBUTE(CCP_SWITCH_PORT_CONGESTION_SETTING, "SwitchPortCongestionSetting", switch_port_fields),
	ATTRIBUTE(CCP_CA_CONGESTION_SETTING, "CACongestionSetting", ca_fields),
	ATTRIBUTE(CCP_CONGESTION_CONTROL_TABLE, "CongestionControlTable", cct_fields),
};

const struct ccp_wire_attribute *ccp_find_attribute(unsigned id)
{
	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
		if (attributes[i].id == id)
			return &attributes[i];
	return NULL;
}

static uint32_t get_bits(const uint8_t *payload, unsigned offset, unsigned width)
{
	uint64_t value = 0;

	for (unsigned byte = offset / 8; byte <= (offset + width - 1) / 8; byte++)
		value = value << 8 | payload[byte];
	return (uint32_t)(value >> (7 - (offset + width - 1) % 8) & ((1ull << width) - 1));
}

/* The bits are 0 before. */
static void put_bits(uint8_t *payload, unsigned offset, unsigned width, uint32_t value)
{
	uint64_t shifted = (uint64_t)value << (7 - (offset + width - 1) % 8);

	for (unsigned byte = (offset + width - 1) / 8;; byte--) {
		payload[byte] |= (uint8_t)shifted;
		shifted >>= 8;
		if (byte == offset / 8)
			return;
	}
}

static uint32_t get_host(const uint8_t *member, unsigned bytes)
{
	uint16_t u16;
	uint32_t u32;

	switch (bytes) {
	case 1:
		return *member;
	case 2:
		memcpy(&u16, member, 2);
		return u16;
	default:
		memcpy(&u32, member, 4);
		return u32;
	}
}

static void put_host(uint8_t *member, unsigned bytes, uint32_t value)
{
	uint16_t u16 = (uint16_t)value;

	if (bytes == 1)
		*member = (uint8_t)value;
	else
		memcpy(member, bytes == 2 ? (const void *)&u16 : (const void *)&value, bytes);
}

int ccp_pack(enum ccp_attribute_id id, const void *host, uint8_t payload[CCP_ATTRIBUTE_BYTES], struct ccp_error *error)
{
	const struct ccp_wire_attribute *attribute = ccp_find_attribute(id);

	if (!attribute)
		return ccp_fail(error, "attribute 0x%04x is not one that is packed here", (unsigned)id);
	memset(payload, 0, CCP_ATTRIBUTE_BYTES);
	for (unsigned f = 0; f < attribute->num_fields; f++) {
		const struct ccp_wire_field *field = &attribute->fields[f];
		for (unsigned i = 0; i < field->count; i++) {
			const uint8_t *member = (const uint8_t *)host + field->host_offset + (size_t)i * field->host_stride;
			unsigned offset = field->offset + i * field->stride;
			if (field->width > 32) {
				memcpy(payload + offset / 8, member, field->width / 8u);
				continue;
			}
			uint32_t value = get_host(member, field->host_bytes);
			if ((uint64_t)value >> field->width)
				return ccp_fail(error, "%s %u does not fit %s, which has %u bits", field->name, (unsigned)value,
						attribute->name, (unsigned)field->width);
			put_bits(payload, offset, field->width, value);
		}
	}
	return 0;
}

int ccp_unpack(enum ccp_attribute_id id, const uint8_t payload[CCP_ATTRIBUTE_BYTES], void *host)
{
	const struct ccp_wire_attribute *attribute = ccp_find_attribute(id);

	if (!attribute)
		return -1;
	for (unsigned f = 0; f < attribute->num_fields; f++) {
		const struct ccp_wire_field *field = &attribute->fields[f];
		for (unsigned i = 0; i < field->count; i++) {
			uint8_t *member = (uint8_t *)host + field->host_offset + (size_t)i * field->host_stride;
			unsigned offset = field->offset + i * field->stride;
			if (field->width > 32)
				memcpy(member, payload + offset / 8, field->width / 8u);
			else
				put_host(member, field->host_bytes, get_bits(payload, offset, field->width));
		}
	}
	return 0;
}

struct text {
	char *out;
	size_t size;
	size_t length; /* of the whole text, written or not */
};

#define print(text, ...)                                                                                                         \
	((text)->length += (size_t)snprintf((text)->length < (text)->size ? (text)->out + (text)->length : NULL,                 \
					    (text)->length < (text)->size ? (text)->size - (text)->length : 0, __VA_ARGS__))

size_t ccp_wire_dump(enum ccp_attribute_id id, const uint8_t payload[CCP_ATTRIBUTE_BYTES], char *out, size_t size)
{
	const struct ccp_wire_attribute *attribute = ccp_find_attribute(id);
	struct text text = {.out = out, .size = size};

	if (size)
		out[0] = '\0';
	for (unsigned f = 0; attribute && f < attribute->num_fields; f++) {
		const struct ccp_wire_field *field = &attribute->fields[f];
		for (unsigned i = 0; i < field->count; i++) {
			unsigned offset = field->offset + i * field->stride;
			print(&text, "%s", field->name);
			if (field->count > 1)
				print(&text, "[%u]", i);
			if (field->width <= 32) {
				print(&text, ": %u\n", (unsigned)get_bits(payload, offset, field->width));
				continue;
			}
			print(&text, ": 0x");
			for (unsigned byte = 0; byte < field->width / 8u; byte++)
				print(&text, "%02x", (unsigned)payload[offset / 8 + byte]);
			print(&text, "\n");
		}
	}
	return text.length;
}

unsigned ccp_cct_num_blocks(unsigned ccti_limit)
{
	return ccti_limit / CCP_CCT_ENTRIES_PER_BLOCK + 1;
}

void ccp_cct_get_block(const struct ccp_cct *cct, unsigned block, struct ccp_cct_block *out)
{
	unsigned first = block * CCP_CCT_ENTRIES_PER_BLOCK;
	unsigned last = first + CCP_CCT_ENTRIES_PER_BLOCK - 1;

	if (last > cct->ccti_limit)
		last = cct->ccti_limit;
	memset(out, 0, sizeof(*out));
	out->ccti_limit = cct->limit_mode == CCP_LIMIT_FINAL ? cct->ccti_limit : (uint16_t)last;
	for (unsigned i = first; i <= last; i++)
		out->entries[i - first] = cct->entries[i];
}

unsigned ccp_switch_port_num_blocks(unsigned num_ports)
{
	return num_ports / CCP_PORTS_PER_BLOCK + 1;
}

void ccp_switch_port_get_block(const struct ccp_switch_tables *tables, unsigned block, struct ccp_switch_port_block *out)
{
	memset(out, 0, sizeof(*out));
	for (unsigned i = 0; i < CCP_PORTS_PER_BLOCK; i++)
		if (block * CCP_PORTS_PER_BLOCK + i <= tables->num_ports)
			out->ports[i] = tables->ports[block * CCP_PORTS_PER_BLOCK + i];
}
