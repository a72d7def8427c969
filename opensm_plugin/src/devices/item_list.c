/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "devices/item_list.h"

#include <stdlib.h>
#include <string.h>

#include "devices/canonical.h"

#define FIRST_ROOM 8u

static int make_room(struct ibcc_item_list *list, uint32_t least)
{
	uint32_t room = list->room ? list->room : FIRST_ROOM;
	struct ibcc_item *items;

	while (room < least)
		room *= 2;
	if (room == list->room)
		return 0;
	items = realloc(list->items, room * sizeof(*items));
	if (!items)
		return -1;
	list->items = items;
	list->room = room;
	return 0;
}

static struct ibcc_item *append(struct ibcc_item_list *list)
{
	if (make_room(list, list->count + 1))
		return NULL;
	memset(&list->items[list->count], 0, sizeof(list->items[0]));
	return &list->items[list->count];
}

void ibcc_item_list_add(struct ibcc_item_list *list, enum ccp_attribute_id attribute, uint32_t block, uint16_t scope,
			const void *value)
{
	uint8_t packed[CCP_ATTRIBUTE_BYTES] = {0}, bytes[CCP_ATTRIBUTE_BYTES];
	struct ccp_error error;

	if (ccp_pack(attribute, value, packed, &error)) {
		list->failed = true;
		return;
	}
	ibcc_canonical((uint16_t)attribute, block, packed, bytes);
	ibcc_item_list_add_bytes(list, (uint16_t)attribute, block, bytes);
	if (!list->failed)
		list->items[list->count - 1].scope = scope;
}

void ibcc_item_list_add_bytes(struct ibcc_item_list *list, uint16_t attribute, uint32_t block,
			      const uint8_t bytes[CCP_ATTRIBUTE_BYTES])
{
	static const uint8_t nothing[CCP_ATTRIBUTE_BYTES];
	struct ibcc_item *item = list->failed ? NULL : append(list);

	if (item)
		item->wanted = ibcc_payload_intern(list->pool, bytes);
	if (!item || !item->wanted) {
		list->failed = true;
		return;
	}
	item->attribute = attribute;
	item->block = block;
	item->optional = attribute == CCP_SWITCH_PORT_CONGESTION_SETTING && !memcmp(bytes, nothing, sizeof(nothing));
	list->count++;
}

void ibcc_item_list_move(struct ibcc_item_list *list, struct ibcc_item_list *from)
{
	list->failed |= from->failed || (from->count && make_room(list, list->count + from->count));
	if (list->failed || !from->count) {
		ibcc_items_free(from->pool, from->items, from->count);
	} else {
		memcpy(&list->items[list->count], from->items, from->count * sizeof(from->items[0]));
		list->count += from->count;
		free(from->items);
	}
	from->items = NULL;
	from->count = from->room = 0;
}

void ibcc_items_free(struct ibcc_payload_pool *pool, struct ibcc_item *items, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		ibcc_payload_release(pool, items[i].wanted);
		ibcc_payload_release(pool, items[i].asked);
		ibcc_payload_release(pool, items[i].held);
		ibcc_payload_release(pool, items[i].whole);
	}
	free(items);
}
