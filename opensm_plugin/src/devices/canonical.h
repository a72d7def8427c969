/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* canonical.h: the data of an attribute in one form, so that equal settings are equal bytes. */
#ifndef IBCC_CANONICAL_H
#define IBCC_CANONICAL_H

#include <stdbool.h>
#include <stdint.h>

#include "ccpolicy/wire.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ibcc_item;

/*
 * Writes an attribute's data with zeros in place of what has no effect: reserved and read-only bits, CCT entries above the
 * CCTI_Limit, ports that are not valid, SLs outside the Control_Map; of NVIDIA's attributes the mode of thresholds that are all 0,
 * and what is not a setting.
 */
void ibcc_canonical(uint16_t attribute, uint32_t block, const uint8_t data[CCP_ATTRIBUTE_BYTES],
		    uint8_t out[CCP_ATTRIBUTE_BYTES]);

/*
 * Writes what the data says of the item: as above, and without VLs, SLs and parameters that the item is not about. An answer that is
 * about all of the item's VLs or SLs, and others, has those of the item.
 */
void ibcc_canonical_of_item(const struct ibcc_item *item, const uint8_t data[CCP_ATTRIBUTE_BYTES],
			    uint8_t out[CCP_ATTRIBUTE_BYTES]);

/* True if `whole`, which is known, is of a length that can be, and has all parameters that are wanted. */
bool ibcc_whole_has_given(const struct ibcc_item *item);

/* Fills the data of a Set of the item's wanted value; and that of a Get, which names one VL or SL. */
void ibcc_set_data(const struct ibcc_item *item, uint8_t data[CCP_ATTRIBUTE_BYTES]);
void ibcc_get_data(const struct ibcc_item *item, uint8_t data[CCP_ATTRIBUTE_BYTES]);

#ifdef __cplusplus
}
#endif
#endif
