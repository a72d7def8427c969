/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* firmware.c: which makers' devices are asked, and what their answers say. */
#include "devices/firmware.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/*
 * OUIs of Mellanox, as OpenSM knows them (opensm/osm_base.h), and of Bull, whose switches and adapters rdma-core's vendstat reads too
 * and which has a second number in NodeInfo (infiniband-diags/ibdiag_common.c).
 */
static const uint32_t vendors[] = {
	0x0002C9, 0xF45214, 0x00258B, 0xE41D2D, 0x7CFE90, 0xEC0D9A, 0x248A07, 0x506B4B, 0x98039B, 0x080038, 0x00119F,
};

/* Offsets in GeneralInfo (infiniband-diags/vendstat.c) from byte 32 of the MAD. */
enum {
	AT_DEVICE = 2,
	AT_VERSION = 33, /* three bytes */
	AT_PSID = 48,
	AT_EXTENDED_VERSION = 68, /* three numbers of 32 bits */
};
#define PSID_BYTES 16

/* InfiniScale III: where later devices have the extended version, it has that of its software. */
#define DEVICE_WITHOUT_EXTENDED_VERSION 47396u

const char *const ibcc_firmware_reasons[IBCC_NUM_FIRMWARE_STATES] = {
	[IBCC_FIRMWARE_NOT_ASKED] = "not asked yet",
	[IBCC_FIRMWARE_OTHER_VENDOR] = "devices of its vendor are not asked",
	[IBCC_FIRMWARE_SILENT] = "no answer to two requests",
	[IBCC_FIRMWARE_REFUSED] = "refused",
	[IBCC_FIRMWARE_EMPTY] = "answer without a version",
	[IBCC_FIRMWARE_NOT_SENT] = "this host cannot send the request",
};

bool ibcc_vendor_tells_firmware(uint32_t vendor_id)
{
	for (unsigned i = 0; i < COUNT(vendors); i++) {
		if (vendors[i] == vendor_id)
			return true;
	}
	return false;
}

static uint32_t get(const uint8_t *at, unsigned bytes)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < bytes; i++)
		value = value << 8 | at[i];
	return value;
}

static void read_psid(const uint8_t *at, char psid[PSID_BYTES + 1])
{
	for (unsigned i = 0; i < PSID_BYTES && at[i] > ' ' && at[i] < 0x7F; i++)
		psid[i] = (char)at[i];
}

bool ibcc_firmware_read(const uint8_t *data, struct ibcc_firmware *firmware)
{
	const uint8_t *version = data + AT_VERSION, *extended = data + AT_EXTENDED_VERSION;

	*firmware = (struct ibcc_firmware){
		.major = get(extended, 4), .minor = get(extended + 4, 4), .sub_minor = get(extended + 8, 4)};
	/* A device without the extended version has zeros there. */
	if (!ibcc_firmware_is_known(firmware) || get(data + AT_DEVICE, 2) == DEVICE_WITHOUT_EXTENDED_VERSION)
		*firmware = (struct ibcc_firmware){.major = version[0], .minor = version[1], .sub_minor = version[2]};
	if (!ibcc_firmware_is_known(firmware))
		return false;
	read_psid(data + AT_PSID, firmware->psid);
	return true;
}

bool ibcc_firmware_is_known(const struct ibcc_firmware *firmware)
{
	return firmware->major || firmware->minor || firmware->sub_minor;
}

bool ibcc_firmware_is_same(const struct ibcc_firmware *a, const struct ibcc_firmware *b)
{
	return a->major == b->major && a->minor == b->minor && a->sub_minor == b->sub_minor && !strcmp(a->psid, b->psid);
}

const char *ibcc_firmware_text(char text[IBCC_FIRMWARE_TEXT_BYTES], const struct ibcc_firmware *firmware)
{
	(void)snprintf(text, IBCC_FIRMWARE_TEXT_BYTES, "%" PRIu32 ".%" PRIu32 ".%" PRIu32, firmware->major, firmware->minor,
		       firmware->sub_minor);
	return text;
}
