/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "ccpolicy/wire.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "ccpolicy/error_format.h"
#include "wire_rows.h"

static const struct ccp_wire_field class_port_info_fields[] = {
	ONE(struct ccp_class_port_info, base_version, "BaseVersion", 0, 8),
	ONE(struct ccp_class_port_info, class_version, "ClassVersion", 8, 8),
	ONE(struct ccp_class_port_info, capability_mask, "CapabilityMask", 16, 16),
	ONE(struct ccp_class_port_info, capability_mask2, "CapabilityMask2", 32, 27),
	ONE(struct ccp_class_port_info, resp_time_value, "RespTimeValue", 59, 5),
	ONE(struct ccp_class_port_info, redirect_gid, "RedirectGID", 64, 128),
	ONE(struct ccp_class_port_info, redirect_tc, "RedirectTC", 192, 8),
	ONE(struct ccp_class_port_info, redirect_sl, "RedirectSL", 200, 4),
	ONE(struct ccp_class_port_info, redirect_fl, "RedirectFL", 204, 20),
	ONE(struct ccp_class_port_info, redirect_lid, "RedirectLID", 224, 16),
	ONE(struct ccp_class_port_info, redirect_pkey, "RedirectP_Key", 240, 16),
	ONE(struct ccp_class_port_info, redirect_qp, "RedirectQP", 264, 24),
	ONE(struct ccp_class_port_info, redirect_qkey, "RedirectQ_Key", 288, 32),
	ONE(struct ccp_class_port_info, trap_gid, "TrapGID", 320, 128),
	ONE(struct ccp_class_port_info, trap_tc, "TrapTC", 448, 8),
	ONE(struct ccp_class_port_info, trap_sl, "TrapSL", 456, 4),
	ONE(struct ccp_class_port_info, trap_fl, "TrapFL", 460, 20),
	ONE(struct ccp_class_port_info, trap_lid, "TrapLID", 480, 16),
	ONE(struct ccp_class_port_info, trap_pkey, "TrapP_Key", 496, 16),
	ONE(struct ccp_class_port_info, trap_hl, "TrapHL", 512, 8),
	ONE(struct ccp_class_port_info, trap_qp, "TrapQP", 520, 24),
	ONE(struct ccp_class_port_info, trap_qkey, "TrapQ_Key", 544, 32),
};

static const struct ccp_wire_field congestion_info_fields[] = {
	ONE(struct ccp_congestion_info, congestion_info, "CongestionInfo", 0, 16),
	ONE(struct ccp_congestion_info, control_table_cap, "ControlTableCap", 16, 8),
};

static const struct ccp_wire_field key_info_fields[] = {
	ONE(struct ccp_congestion_key_info, cc_key, "CC_Key", 0, 64),
	ONE(struct ccp_congestion_key_info, cc_key_protect_bit, "CC_KeyProtectBit", 64, 1),
	ONE(struct ccp_congestion_key_info, cc_key_lease_period, "CC_KeyLeasePeriod", 80, 16),
	ONE(struct ccp_congestion_key_info, cc_key_violations, "CC_KeyViolations", 96, 16),
};

static const struct ccp_wire_field log_switch_fields[] = {
	ONE(struct ccp_congestion_log_switch, log_type, "LogType", 0, 8),
	ONE(struct ccp_congestion_log_switch, congestion_flags, "CongestionFlags", 8, 8),
	ONE(struct ccp_congestion_log_switch, log_events_counter, "LogEventsCounter", 16, 16),
	ONE(struct ccp_congestion_log_switch, current_timestamp, "CurrentTimeStamp", 32, 32),
	ONE(struct ccp_congestion_log_switch, port_map, "PortMap", 64, 256),
	EACH(struct ccp_congestion_log_switch, events, slid, "SLID", 320, 16, 96),
	EACH(struct ccp_congestion_log_switch, events, dlid, "DLID", 336, 16, 96),
	EACH(struct ccp_congestion_log_switch, events, sl, "SL", 352, 4, 96),
	EACH(struct ccp_congestion_log_switch, events, timestamp, "Timestamp", 384, 32, 96),
};

/* The erratum that made the events longer puts CurrentTimeStamp at bit 48; tools agree that it stands on a word, at 64. */
#define LOG_CA_HEAD                                                                                                              \
	ONE(struct ccp_congestion_log_ca, log_type, "LogType", 0, 8),                                                            \
		ONE(struct ccp_congestion_log_ca, congestion_flags, "CongestionFlags", 8, 8),                                    \
		ONE(struct ccp_congestion_log_ca, threshold_event_counter, "ThresholdEventCounter", 16, 16),                     \
		ONE(struct ccp_congestion_log_ca, threshold_congestion_event_map, "ThresholdCongestionEventMap", 32, 16),        \
		ONE(struct ccp_congestion_log_ca, current_timestamp, "CurrentTimeStamp", 64, 32)

static const struct ccp_wire_field log_ca_fields[] = {
	LOG_CA_HEAD,
	EACH(struct ccp_congestion_log_ca, events, local_qp, "Local_QP_CN_Entry", 96, 24, 128),
	EACH(struct ccp_congestion_log_ca, events, remote_qp, "Remote_QP_Number_CN_Entry", 128, 24, 128),
	EACH(struct ccp_congestion_log_ca, events, sl, "SL_CN_Entry", 152, 4, 128),
	EACH(struct ccp_congestion_log_ca, events, service_type, "Service_Type_CN_Entry", 156, 4, 128),
	EACH(struct ccp_congestion_log_ca, events, remote_lid, "Remote_LID_CN_Entry", 160, 16, 128),
	EACH(struct ccp_congestion_log_ca, events, timestamp, "Timestamp_CN_Entry", 192, 32, 128),
};

static const struct ccp_wire_field log_ca_libibmad_fields[] = {
	LOG_CA_HEAD,
	EACH(struct ccp_congestion_log_ca, events, local_qp, "Local_QP_CN_Entry", 96, 24, 128),
	EACH(struct ccp_congestion_log_ca, events, sl, "SL_CN_Entry", 120, 4, 128),
	EACH(struct ccp_congestion_log_ca, events, service_type, "Service_Type_CN_Entry", 124, 4, 128),
	EACH(struct ccp_congestion_log_ca, events, remote_qp, "Remote_QP_Number_CN_Entry", 128, 24, 128),
	EACH(struct ccp_congestion_log_ca, events, local_lid, "Local_LID_CN", 160, 16, 128),
	EACH(struct ccp_congestion_log_ca, events, remote_lid, "Remote_LID_CN_Entry", 176, 16, 128),
	EACH(struct ccp_congestion_log_ca, events, timestamp, "Timestamp_CN_Entry", 192, 32, 128),
};

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

static const struct ccp_wire_field timestamp_fields[] = {
	ONE(struct ccp_timestamp, timestamp, "TimeStamp", 0, 32),
};

static const struct ccp_wire_attribute attributes[] = {
	ATTRIBUTE(CCP_CLASS_PORT_INFO, "ClassPortInfo", class_port_info_fields),
	ATTRIBUTE(CCP_CONGESTION_INFO, "CongestionInfo", congestion_info_fields),
	ATTRIBUTE(CCP_CONGESTION_KEY_INFO, "CongestionKeyInfo", key_info_fields),
	LOG(CCP_CONGESTION_LOG_SWITCH, "CongestionLog (switch)", log_switch_fields),
	LOG(CCP_CONGESTION_LOG_CA, "CongestionLog (CA)", log_ca_fields),
	LOG(CCP_CONGESTION_LOG_CA_LIBIBMAD, "CongestionLog (CA, libibmad)", log_ca_libibmad_fields),
	ATTRIBUTE(CCP_SWITCH_CONGESTION_SETTING, "SwitchCongestionSetting", switch_fields),
	ATTRIBUTE(CCP_SWITCH_PORT_CONGESTION_SETTING, "SwitchPortCongestionSetting", switch_port_fields),
	ATTRIBUTE(CCP_CA_CONGESTION_SETTING, "CACongestionSetting", ca_fields),
	ATTRIBUTE(CCP_CONGESTION_CONTROL_TABLE, "CongestionControlTable", cct_fields),
	ATTRIBUTE(CCP_TIMESTAMP, "TimeStamp", timestamp_fields),
};

const struct ccp_wire_attribute *ccp_wire_attribute_at(unsigned index)
{
	const unsigned count = sizeof(attributes) / sizeof(attributes[0]);

	if (index < count)
		return &attributes[index];
	return index - count < ccp_num_nvidia_attributes ? &ccp_nvidia_attributes[index - count] : NULL;
}

const struct ccp_wire_attribute *ccp_find_attribute(unsigned id)
{
	const struct ccp_wire_attribute *attribute;

	for (unsigned i = 0; (attribute = ccp_wire_attribute_at(i)); i++)
		if (attribute->id == id)
			return attribute;
	return NULL;
}

/* True of a field whose bytes are the number of no host. */
static bool is_copied(const struct ccp_wire_field *field)
{
	return field->width > 64;
}

/* REQUIRES: the field takes at most 8 bytes. */
static uint64_t get_bits(const uint8_t *payload, unsigned offset, unsigned width)
{
	uint64_t value = 0;

	for (unsigned byte = offset / 8; byte <= (offset + width - 1) / 8; byte++)
		value = value << 8 | payload[byte];
	return value >> (7 - (offset + width - 1) % 8) & (UINT64_MAX >> (64 - width));
}

/* The bits are 0 before. */
static void put_bits(uint8_t *payload, unsigned offset, unsigned width, uint64_t value)
{
	uint64_t shifted = value << (7 - (offset + width - 1) % 8);

	for (unsigned byte = (offset + width - 1) / 8;; byte--) {
		payload[byte] |= (uint8_t)shifted;
		shifted >>= 8;
		if (byte == offset / 8)
			return;
	}
}

static uint64_t get_host(const uint8_t *member, unsigned bytes)
{
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;

	switch (bytes) {
	case 1:
		return *member;
	case 2:
		memcpy(&u16, member, 2);
		return u16;
	case 4:
		memcpy(&u32, member, 4);
		return u32;
	default:
		memcpy(&u64, member, 8);
		return u64;
	}
}

static void put_host(uint8_t *member, unsigned bytes, uint64_t value)
{
	uint16_t u16 = (uint16_t)value;
	uint32_t u32 = (uint32_t)value;

	switch (bytes) {
	case 1:
		*member = (uint8_t)value;
		break;
	case 2:
		memcpy(member, &u16, 2);
		break;
	case 4:
		memcpy(member, &u32, 4);
		break;
	default:
		memcpy(member, &value, 8);
	}
}

static int pack(enum ccp_attribute_id id, const void *host, uint8_t *payload, bool read_only_too, struct ccp_error *error)
{
	const struct ccp_wire_attribute *attribute = ccp_find_attribute(id);

	if (!attribute)
		return ccp_fail(error, "attribute 0x%04x is not one that is packed here", (unsigned)id);
	memset(payload, 0, attribute->bytes);
	for (unsigned f = 0; f < attribute->num_fields; f++) {
		const struct ccp_wire_field *field = &attribute->fields[f];
		for (unsigned i = 0; i < field->count && (read_only_too || !field->read_only); i++) {
			const uint8_t *member = (const uint8_t *)host + field->host_offset + (size_t)i * field->host_stride;
			unsigned offset = field->offset + i * field->stride;
			if (is_copied(field)) {
				memcpy(payload + offset / 8, member, field->width / 8u);
				continue;
			}
			uint64_t value = get_host(member, field->host_bytes);
			if (field->width < 64 && value >> field->width)
				return ccp_fail(error, "%s %u does not fit %s, which has %u bits", field->name, (unsigned)value,
						attribute->name, (unsigned)field->width);
			put_bits(payload, offset, field->width, value);
		}
	}
	return 0;
}

int ccp_pack(enum ccp_attribute_id id, const void *host, uint8_t *payload, struct ccp_error *error)
{
	return pack(id, host, payload, true, error);
}

int ccp_pack_set(enum ccp_attribute_id id, const void *host, uint8_t *payload, struct ccp_error *error)
{
	return pack(id, host, payload, false, error);
}

int ccp_unpack(enum ccp_attribute_id id, const uint8_t *payload, void *host)
{
	const struct ccp_wire_attribute *attribute = ccp_find_attribute(id);

	if (!attribute)
		return -1;
	for (unsigned f = 0; f < attribute->num_fields; f++) {
		const struct ccp_wire_field *field = &attribute->fields[f];
		for (unsigned i = 0; i < field->count; i++) {
			uint8_t *member = (uint8_t *)host + field->host_offset + (size_t)i * field->host_stride;
			unsigned offset = field->offset + i * field->stride;
			if (is_copied(field))
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

size_t ccp_wire_dump(enum ccp_attribute_id id, const uint8_t *payload, char *out, size_t size)
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
			if (!is_copied(field)) {
				print(&text, ": %" PRIu64 "\n", get_bits(payload, offset, field->width));
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
