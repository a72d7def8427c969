/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "mad/cc_mad.h"

#include <stdio.h>
#include <string.h>

#include "ccpolicy/wire.h"

/* Offsets of the fields of the common MAD header (IBA 13.4.2), and of the class's CC_Key behind it (A10.4.1). */
enum {
	AT_BASE_VERSION = 0,
	AT_CLASS = 1,
	AT_CLASS_VERSION = 2,
	AT_METHOD = 3,
	AT_STATUS = 4,
	AT_TID = 8,
	AT_ATTRIBUTE = 16,
	AT_MODIFIER = 20,
	AT_CC_KEY = 24,
};

#define BASE_VERSION 1

const struct ibcc_mad_class ibcc_cc_class = {.number = CCP_MGMT_CLASS, .version = CCP_MGMT_CLASS_VERSION};
const struct ibcc_mad_class ibcc_vendor_class = {.number = 0x0A, .version = 1, .tid_mark = IBCC_TID_MARK};

/* The attribute in the header, which both forms of the log share. */
#define CONGESTION_LOG ((uint16_t)CCP_CONGESTION_LOG_SWITCH)

static void put(uint8_t *at, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		at[i] = (uint8_t)(value >> (8 * (bytes - 1 - i)));
}

static uint32_t get(const uint8_t *at, unsigned bytes)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < bytes; i++)
		value = value << 8 | at[i];
	return value;
}

void ibcc_cc_mad_request(uint8_t mad[IBCC_MAD_BYTES], const struct ibcc_mad_class *of, enum ibcc_method method, uint32_t tid,
			 uint16_t attribute, uint32_t modifier, uint64_t cc_key)
{
	memset(mad, 0, IBCC_MAD_BYTES);
	mad[AT_BASE_VERSION] = BASE_VERSION;
	mad[AT_CLASS] = of->number;
	mad[AT_CLASS_VERSION] = of->version;
	mad[AT_METHOD] = (uint8_t)method;
	put(mad + AT_TID, tid, 8);
	put(mad + AT_ATTRIBUTE, attribute, 2);
	put(mad + AT_MODIFIER, modifier, 4);
	put(mad + AT_CC_KEY, cc_key, 8);
}

uint32_t ibcc_cc_mad_tid(const uint8_t mad[IBCC_MAD_BYTES])
{
	return get(mad + AT_TID + 4, 4);
}

uint8_t ibcc_cc_mad_method(const uint8_t mad[IBCC_MAD_BYTES])
{
	return mad[AT_METHOD];
}

uint16_t ibcc_cc_mad_status(const uint8_t mad[IBCC_MAD_BYTES])
{
	return (uint16_t)get(mad + AT_STATUS, 2);
}

uint16_t ibcc_cc_mad_attribute(const uint8_t mad[IBCC_MAD_BYTES])
{
	return (uint16_t)get(mad + AT_ATTRIBUTE, 2);
}

uint32_t ibcc_cc_mad_modifier(const uint8_t mad[IBCC_MAD_BYTES])
{
	return get(mad + AT_MODIFIER, 4);
}

bool ibcc_cc_mad_is_of(const uint8_t mad[IBCC_MAD_BYTES], const struct ibcc_mad_class *of)
{
	if (mad[AT_BASE_VERSION] != BASE_VERSION || mad[AT_CLASS] != of->number)
		return false;
	/* A device that does not know the version may answer with its own. */
	return mad[AT_CLASS_VERSION] == of->version || (ibcc_cc_mad_status(mad) & IBCC_STATUS_CODE) == IBCC_STATUS_BAD_VERSION;
}

const uint8_t *ibcc_cc_mad_data(const uint8_t mad[IBCC_MAD_BYTES])
{
	const bool is_early = mad[AT_CLASS] == ibcc_vendor_class.number || ibcc_cc_mad_attribute(mad) == CONGESTION_LOG;

	return mad + (is_early ? IBCC_LOG_DATA_OFFSET : IBCC_DATA_OFFSET);
}

const char *ibcc_status_text(uint16_t status, char *buffer, uint32_t size)
{
	/* IBA 13.4.7; 4 to 6 are reserved. */
	static const char *const codes[8] = {
		NULL,
		"unsupported class version",
		"unsupported method",
		"unsupported attribute",
		"reserved status",
		"reserved status",
		"reserved status",
		"invalid value",
	};
	const char *text = codes[(status & IBCC_STATUS_CODE) >> 2];

	if (!text)
		text = status & IBCC_STATUS_BUSY       ? "busy"
		       : status & IBCC_STATUS_REDIRECT ? "redirected"
		       : status                        ? "class-specific status"
						       : "no error";
	(void)snprintf(buffer, size, "%s (0x%04x)", text, status);
	return buffer;
}

bool ibcc_status_is_unsupported(uint16_t status)
{
	if (status & IBCC_STATUS_BUSY)
		return false;
	switch (status & IBCC_STATUS_CODE) {
	case IBCC_STATUS_BAD_VERSION:
	case IBCC_STATUS_BAD_METHOD:
	case IBCC_STATUS_BAD_ATTRIBUTE:
		return true;
	default:
		return false;
	}
}
