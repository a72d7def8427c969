/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* device_items.c: items in the order in which they are sent: the device's setting, then blocks ascending. */
#include "devices/device_items.h"

#include <stdlib.h>
#include <string.h>

/* Items under construction. */
struct list {
	struct ibcc_payload_pool *pool;
	struct ibcc_item *items;
	uint32_t count;
	bool failed;
};

static void add(struct list *list, enum ccp_attribute_id attribute, uint32_t block, const void *value)
{
	static const uint8_t nothing[CCP_ATTRIBUTE_BYTES];
	uint8_t packed[CCP_ATTRIBUTE_BYTES] = {0}, bytes[CCP_ATTRIBUTE_BYTES];
	struct ibcc_item *item = &list->items[list->count];
	struct ccp_error error;

	if (list->failed || ccp_pack(attribute, value, packed, &error)) {
		list->failed = true;
		return;
	}
	ibcc_canonical((uint16_t)attribute, block, packed, bytes);
	item->wanted = ibcc_payload_intern(list->pool, bytes);
	if (!item->wanted) {
		list->failed = true;
		return;
	}
	item->attribute = (uint16_t)attribute;
	item->block = (uint16_t)block;
	item->optional = attribute == CCP_SWITCH_PORT_CONGESTION_SETTING && !memcmp(bytes, nothing, sizeof(bytes));
	list->count++;
}

static void add_switch(struct list *list, const struct ccp_switch_tables *tables)
{
	add(list, CCP_SWITCH_CONGESTION_SETTING, 0, &tables->setting);
	for (unsigned block = 0; block < ccp_switch_port_num_blocks(tables->num_ports); block++) {
		struct ccp_switch_port_block ports;

		ccp_switch_port_get_block(tables, block, &ports);
		add(list, CCP_SWITCH_PORT_CONGESTION_SETTING, block, &ports);
	}
}

/* Returns the number of CCT blocks that the device is sent. */
static unsigned blocks_for(const struct ibcc_device *device, const struct ccp_cct *cct)
{
	const unsigned blocks = ccp_cct_num_blocks(cct->ccti_limit);

	return device->control_table_cap && device->control_table_cap < blocks ? device->control_table_cap : blocks;
}

static void add_ca(struct list *list, const struct ccp_ca_tables *tables, unsigned blocks)
{
	struct ccp_ca_setting setting = tables->setting;
	struct ccp_cct cct = tables->cct;

	if (blocks < ccp_cct_num_blocks(cct.ccti_limit))
		cct.ccti_limit = (uint16_t)(blocks * CCP_CCT_ENTRIES_PER_BLOCK - 1u);
	/* No index reaches a CCTI_Min above the last index. */
	for (unsigned sl = 0; sl < CCP_NUM_SLS; sl++) {
		if (setting.sls[sl].ccti_min > cct.ccti_limit)
			setting.sls[sl].ccti_min = (uint8_t)cct.ccti_limit;
	}
	add(list, CCP_CA_CONGESTION_SETTING, 0, &setting);
	for (unsigned block = 0; block < blocks; block++) {
		struct ccp_cct_block entries;

		ccp_cct_get_block(&cct, block, &entries);
		add(list, CCP_CONGESTION_CONTROL_TABLE, block, &entries);
	}
}

static void release(struct ibcc_payload_pool *pool, struct ibcc_item *items, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		ibcc_payload_release(pool, items[i].wanted);
		ibcc_payload_release(pool, items[i].asked);
		ibcc_payload_release(pool, items[i].held);
	}
	free(items);
}

/* Moves what is known of old items to the new ones of the same attribute and block. */
static void keep_what_is_known(struct ibcc_item *old, uint32_t num_old, struct list *list)
{
	for (uint32_t i = 0; i < num_old; i++) {
		for (uint32_t k = 0; k < list->count; k++) {
			struct ibcc_item *item = &list->items[k], known = old[i];

			if (item->attribute != known.attribute || item->block != known.block)
				continue;
			known.wanted = item->wanted;
			known.optional = item->optional;
			/* Drift counts only from what is still wanted. */
			known.drifted = known.drifted && old[i].wanted == item->wanted;
			*item = known;
			old[i].asked = old[i].held = NULL;
			break;
		}
	}
}

int ibcc_device_set_wanted(struct ibcc_device *device, struct ibcc_payload_pool *pool, const struct ccp_switch_tables *sw,
			   const struct ccp_ca_tables *ca)
{
	const unsigned blocks = ca ? blocks_for(device, &ca->cct) : 0;
	const unsigned count = (sw ? 1u + ccp_switch_port_num_blocks(sw->num_ports) : 0u) + (ca ? 1u + blocks : 0u);
	struct list list = {.pool = pool, .items = calloc(count ? count : 1u, sizeof(*list.items))};

	if (!list.items)
		return -1;
	if (sw)
		add_switch(&list, sw);
	if (ca)
		add_ca(&list, ca, blocks);
	if (list.failed) {
		release(pool, list.items, list.count);
		return -1;
	}
	keep_what_is_known(device->items, device->num_items, &list);
	release(pool, device->items, device->num_items);
	device->items = list.items;
	device->num_items = list.count;
	device->cut = ca && blocks < ccp_cct_num_blocks(ca->cct.ccti_limit);
	return 0;
}

void ibcc_device_clear_items(struct ibcc_device *device, struct ibcc_payload_pool *pool)
{
	release(pool, device->items, device->num_items);
	device->items = NULL;
	device->num_items = 0;
}
