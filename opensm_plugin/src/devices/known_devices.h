/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* known_devices.h: the rows of docs/operate/known-devices.md, as far as they say how a device's answers are to be read. */
#ifndef IBCC_KNOWN_DEVICES_H
#define IBCC_KNOWN_DEVICES_H

#include <stdbool.h>
#include <stdint.h>

#include "devices/firmware.h"
#include "devices/snapshot.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where a Get of CongestionPortProfileSettings names the VL. */
enum ibcc_known_vl {
	IBCC_VL_NOT_KNOWN,
	IBCC_VL_IN_MASK,
	IBCC_VL_IN_MODIFIER,
};

struct ibcc_known_device {
	const char *name;
	uint32_t vendor_id;
	uint16_t device_id;
	uint32_t from[3], to[3]; /* versions of the firmware; all of 0, and all of UINT32_MAX: no limit */
	const char *misleading;  /* in what its answers mislead; "": in nothing that is known */
	enum ibcc_known_vl vl;
};

/* The table that comes with the plugin. */
const struct ibcc_known_device *ibcc_known_devices(uint32_t *count);

/* Returns the row of a device: one with limits before one without; NULL: nothing is known of it. Zeros: its firmware is not known. */
const struct ibcc_known_device *ibcc_known_device_find(const struct ibcc_known_device *rows, uint32_t count,
						       const struct ibcc_node_identity *identity,
						       const struct ibcc_firmware *firmware);

#ifdef __cplusplus
}
#endif
#endif
