/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* item_list.h: items of a device under construction. */
#ifndef IBCC_ITEM_LIST_H
#define IBCC_ITEM_LIST_H

#include "devices/device.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ibcc_item_list {
	struct ibcc_payload_pool *pool;
	struct ibcc_item *items;
	uint32_t count, room;
	bool failed; /* memory was refused */
};

/* Adds an item that is to hold the struct `value` of the attribute. `scope`: as in struct ibcc_item. */
void ibcc_item_list_add(struct ibcc_item_list *list, enum ccp_attribute_id attribute, uint32_t block, uint16_t scope,
			const void *value);

/* Adds an item of annex A10's that is to hold these bytes, which are canonical. */
void ibcc_item_list_add_bytes(struct ibcc_item_list *list, uint16_t attribute, uint32_t block,
			      const uint8_t bytes[CCP_ATTRIBUTE_BYTES]);

/* Adds the items of another list, which is empty afterwards. */
void ibcc_item_list_move(struct ibcc_item_list *list, struct ibcc_item_list *from);

/* Releases what these items hold, and frees them. */
void ibcc_items_free(struct ibcc_payload_pool *pool, struct ibcc_item *items, uint32_t count);

#ifdef __cplusplus
}
#endif
#endif
