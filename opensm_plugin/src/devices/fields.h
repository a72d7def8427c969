/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* fields.h: the fields of an attribute's data, by the specification's names. */
#ifndef IBCC_DEVICES_FIELDS_H
#define IBCC_DEVICES_FIELDS_H

#include <jansson.h>
#include <stdint.h>

#include "ccpolicy/wire.h"

#define IBCC_MOST_DIFFERENCES 8u /* shown of a device; device.tables has all */

const char *ibcc_attribute_name(uint16_t attribute);

/* {"CCTI_Limit": 127, "CCT_Shift": [...], ...}; masks as "0x…". Never a key. NULL: out of memory. */
json_t *ibcc_fields_json(uint16_t attribute, const uint8_t data[CCP_ATTRIBUTE_BYTES]);

/*
 * Adds {attribute, block, scope, field, index, wanted, held} for each field that differs, the first `most` elements of `list` at
 * most. -1: out of memory.
 */
int ibcc_fields_differences(json_t *list, size_t most, uint16_t attribute, uint32_t block, uint16_t scope,
			    const uint8_t wanted[CCP_ATTRIBUTE_BYTES], const uint8_t held[CCP_ATTRIBUTE_BYTES]);

#endif
