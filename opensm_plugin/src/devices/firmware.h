/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * firmware.h: the version of a device's firmware, by GeneralInfo of Mellanox' vendor class, and why it is not known.
 */
#ifndef IBCC_FIRMWARE_H
#define IBCC_FIRMWARE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define IBCC_GENERAL_INFO 0x0017u /* attribute */
#define IBCC_FIRMWARE_TEXT_BYTES 48u

enum ibcc_firmware_state {
	IBCC_FIRMWARE_NOT_ASKED,
	IBCC_FIRMWARE_KNOWN,
	IBCC_FIRMWARE_OTHER_VENDOR, /* devices of its vendor are not asked */
	IBCC_FIRMWARE_SILENT,       /* no answer to all tries */
	IBCC_FIRMWARE_REFUSED,      /* with a status */
	IBCC_FIRMWARE_EMPTY,        /* the answer has no version */
	IBCC_FIRMWARE_NOT_SENT,     /* this host's port does not send requests of the class */
	IBCC_NUM_FIRMWARE_STATES,
};
extern const char *const ibcc_firmware_reasons[IBCC_NUM_FIRMWARE_STATES]; /* why it is not known; NULL: it is */

/* All zeros: not known. */
struct ibcc_firmware {
	uint32_t major, minor, sub_minor;
	char psid[17]; /* configuration of the board, printable ASCII; "": not given */
};

struct ibcc_device_firmware {
	enum ibcc_firmware_state state;
	bool to_ask;                 /* it is to be asked, again if `state` is known */
	bool in_flight;              /* a request for it is */
	uint16_t refusal;            /* status */
	struct ibcc_firmware latest; /* by its last answer */
	struct ibcc_firmware told;   /* as the topology has it */
};

/* True if devices of this maker are known to answer. `vendor_id`: OUI as NodeInfo has it, 24 bits. */
bool ibcc_vendor_tells_firmware(uint32_t vendor_id);

/* Reads an answer, from byte 32 of the MAD. False: it has no version. */
bool ibcc_firmware_read(const uint8_t *data, struct ibcc_firmware *firmware);

bool ibcc_firmware_is_known(const struct ibcc_firmware *firmware);
bool ibcc_firmware_is_same(const struct ibcc_firmware *a, const struct ibcc_firmware *b);
/* Writes "31.2012.1024", and returns the buffer. */
const char *ibcc_firmware_text(char text[IBCC_FIRMWARE_TEXT_BYTES], const struct ibcc_firmware *firmware);

#ifdef __cplusplus
}
#endif
#endif
