/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "devices/found.h"

#include <stdlib.h>

#include "devices/canonical.h"

#define BLOCKS_READ 4u /* of a table, if the device has them: profiles have no more, most often, and a plan knows what is there */

/* The largest index by the blocks that were read; -1: none was. Some tools write into each block the limit reached with it. */
static int limit_of(const struct ibcc_found_item *items, uint32_t count)
{
	int limit = -1;

	for (uint32_t i = 0; i < count; i++) {
		struct ccp_cct_block block;

		if (items[i].attribute != CCP_CONGESTION_CONTROL_TABLE || !items[i].payload ||
		    ccp_unpack(CCP_CONGESTION_CONTROL_TABLE, items[i].payload->bytes, &block))
			continue;
		limit = block.ccti_limit > limit ? block.ccti_limit : limit;
	}
	return limit;
}

static uint32_t blocks_of(const struct ibcc_found_reading *reading, const struct ibcc_found_extent *extent)
{
	const int limit = limit_of(reading->items, reading->num_items);
	uint32_t blocks = limit < 0 ? 1 : (uint32_t)limit / CCP_CCT_ENTRIES_PER_BLOCK + 1u;

	if (blocks < BLOCKS_READ && extent->num_blocks)
		blocks = BLOCKS_READ;
	if (extent->num_blocks && blocks > extent->num_blocks)
		blocks = extent->num_blocks;
	return blocks > UINT8_MAX ? UINT8_MAX : blocks;
}

static bool was_refused(const struct ibcc_found_reading *reading)
{
	return reading->num_items > 1 && !reading->items[reading->num_items - 1].payload;
}

bool ibcc_found_next(const struct ibcc_found_reading *reading, const struct ibcc_found_extent *extent,
		     struct ibcc_found_item *next)
{
	const uint32_t count = reading->num_items;

	*next = (struct ibcc_found_item){.attribute =
						 extent->is_switch ? CCP_SWITCH_CONGESTION_SETTING : CCP_CA_CONGESTION_SETTING};
	if (reading->is_over)
		return false;
	if (!count)
		return true;
	next->attribute = extent->is_switch ? CCP_SWITCH_PORT_CONGESTION_SETTING : CCP_CONGESTION_CONTROL_TABLE;
	next->block = count - 1;
	if (was_refused(reading)) /* behind a block that is not there is none */
		return false;
	return next->block < (extent->is_switch ? ccp_switch_port_num_blocks(extent->num_ports) : blocks_of(reading, extent));
}

int ibcc_found_take(struct ibcc_found_reading *reading, const struct ibcc_found_extent *extent, struct ibcc_payload_pool *pool,
		    const struct ibcc_found_item *asked, uint16_t status, const uint8_t data[CCP_ATTRIBUTE_BYTES])
{
	struct ibcc_found_item next, *items;
	uint8_t canonical[CCP_ATTRIBUTE_BYTES];

	if (!ibcc_found_next(reading, extent, &next) || next.attribute != asked->attribute || next.block != asked->block)
		return 0;
	items = realloc(reading->items, (reading->num_items + 1u) * sizeof(*items));
	if (!items)
		return -1;
	reading->items = items;
	if (!status) {
		ibcc_canonical(next.attribute, next.block, data, canonical);
		next.payload = ibcc_payload_intern(pool, canonical);
		if (!next.payload)
			return -1;
	}
	next.seen_ns = asked->seen_ns;
	items[reading->num_items++] = next;
	reading->is_over = !ibcc_found_next(reading, extent, &next);
	return 0;
}

void ibcc_found_items_free(struct ibcc_payload_pool *pool, struct ibcc_found_item *items, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		ibcc_payload_release(pool, items[i].payload);
	free(items);
}

void ibcc_found_forget(struct ibcc_found_reading *reading, struct ibcc_payload_pool *pool)
{
	ibcc_found_items_free(pool, reading->items, reading->num_items);
	*reading = (struct ibcc_found_reading){0};
}

const struct ibcc_found_item *ibcc_found_find(const struct ibcc_found *found, uint16_t attribute, uint32_t block)
{
	for (uint32_t i = 0; i < found->num_items; i++) {
		if (found->items[i].attribute == attribute && found->items[i].block == block)
			return &found->items[i];
	}
	return NULL;
}

bool ibcc_found_has_effect(const struct ibcc_found *found, const struct ibcc_found_item *item)
{
	const int limit = limit_of(found->items, found->num_items);

	return item->attribute != CCP_CONGESTION_CONTROL_TABLE || !item->block ||
	       (int)(item->block * CCP_CCT_ENTRIES_PER_BLOCK) <= limit;
}

bool ibcc_found_marks(const struct ibcc_found *found)
{
	for (uint32_t i = 0; i < found->num_items; i++) {
		const struct ibcc_found_item *item = &found->items[i];
		struct ccp_switch_port_block ports;
		struct ccp_switch_setting setting;

		if (item->attribute == CCP_SWITCH_CONGESTION_SETTING &&
		    (!item->payload || (!ccp_unpack(item->attribute, item->payload->bytes, &setting) && setting.threshold)))
			return true;
		if (item->attribute != CCP_SWITCH_PORT_CONGESTION_SETTING || !item->payload ||
		    ccp_unpack(item->attribute, item->payload->bytes, &ports))
			continue;
		for (unsigned port = 0; port < CCP_PORTS_PER_BLOCK; port++) {
			if (ports.ports[port].valid && ports.ports[port].threshold)
				return true;
		}
	}
	return false;
}
