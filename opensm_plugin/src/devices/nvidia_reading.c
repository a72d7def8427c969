/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "devices/nvidia_reading.h"

#include <stdlib.h>
#include <string.h>

#include "devices/canonical.h"
#include "devices/device.h"

#define FIRST_ROOM 8u
#define VL_SHIFT 16u

/* A switch goes through the last two for each port. */
enum step {
	GENERAL,
	MAPPING,
	THRESHOLDS,
	ADAPTER,
	RP_PARAMETERS,
	NP_PARAMETERS,
	SLOTS,
	OVER,
};

/* Where the reading is. */
struct at {
	enum step step;
	uint32_t place;
	unsigned bit;
	uint16_t seen;
};

static bool is_needed(const struct at *at, const struct ibcc_nvidia_facts *facts, unsigned num_ports)
{
	switch (at->step) {
	case GENERAL:
		return num_ports;
	case MAPPING:
		return at->place <= num_ports;
	case THRESHOLDS:
		return at->bit < facts->num_vls && !(at->seen >> at->bit & 1u);
	case ADAPTER:
		return !num_ports;
	case RP_PARAMETERS:
		return facts->ver0;
	case NP_PARAMETERS:
		return facts->ver0 || (facts->capabilities & CCP_ENHANCED_CAP_RTT_SL_MODE);
	case SLOTS:
		return facts->ver1 && at->bit < CCP_NUM_SLS && at->place < CCP_PPCC_SLOTS && facts->algorithms[at->place].algo_id;
	case OVER:
		break;
	}
	return true;
}

static struct at at_step(enum step step, uint32_t place)
{
	return (struct at){.step = step, .place = place};
}

/* Goes on by one, whether that is needed or not. */
static struct at after(const struct at *at, unsigned num_ports)
{
	struct at next = *at;

	switch (at->step) {
	case GENERAL:
		return num_ports ? at_step(MAPPING, 1) : at_step(ADAPTER, 0);
	case MAPPING:
		return at->place <= num_ports ? at_step(THRESHOLDS, at->place) : at_step(OVER, 0);
	case THRESHOLDS:
		next.bit++;
		return next.bit < CCP_NVIDIA_NUM_VLS ? next : at_step(MAPPING, at->place + 1);
	case SLOTS:
		next.bit++;
		if (next.bit < CCP_NUM_SLS)
			return next;
		return at->place + 1 < CCP_PPCC_SLOTS ? at_step(SLOTS, at->place + 1) : at_step(OVER, 0);
	case NP_PARAMETERS:
		return at_step(SLOTS, 0);
	default:
		return at_step(at->step + 1, 0);
	}
}

static struct at needed(struct at at, const struct ibcc_nvidia_facts *facts, unsigned num_ports)
{
	while (!is_needed(&at, facts, num_ports))
		at = after(&at, num_ports);
	return at;
}

static struct at present(const struct ibcc_nvidia_reading *reading, const struct ibcc_nvidia_facts *facts, unsigned num_ports)
{
	const struct at at = {.step = reading->step, .place = reading->place, .bit = reading->bit, .seen = reading->seen};

	return needed(at, facts, num_ports);
}

/* The item that the present Get is about. */
static struct ibcc_item item_at(const struct at *at, const struct ibcc_nvidia_facts *facts)
{
	static const uint16_t attributes[] = {[GENERAL] = CCP_CONGESTION_SWITCH_GENERAL_SETTINGS,
					      [MAPPING] = CCP_CONGESTION_SL_MAPPING_SETTINGS,
					      [THRESHOLDS] = CCP_CONGESTION_PORT_PROFILE_SETTINGS,
					      [ADAPTER] = CCP_CONGESTION_HCA_GENERAL_SETTINGS,
					      [RP_PARAMETERS] = CCP_CONGESTION_HCA_RP_PARAMETERS,
					      [NP_PARAMETERS] = CCP_CONGESTION_HCA_NP_PARAMETERS,
					      [SLOTS] = CCP_CONGESTION_HCA_ALGO_CONFIG,
					      [OVER] = 0};
	struct ibcc_item item = {.attribute = attributes[at->step], .block = at->place};

	if (at->step == THRESHOLDS || at->step == SLOTS)
		item.scope = (uint16_t)(1u << at->bit);
	if (at->step == THRESHOLDS && facts->by_modifier)
		item.block |= at->bit << VL_SHIFT;
	if (at->step == SLOTS)
		item.algorithm = facts->algorithms[at->place];
	return item;
}

bool ibcc_nvidia_reading_next(const struct ibcc_nvidia_reading *reading, const struct ibcc_nvidia_facts *facts,
			      unsigned num_ports, struct ibcc_nvidia_get *get)
{
	const struct at at = present(reading, facts, num_ports);
	const struct ibcc_item item = item_at(&at, facts);

	if (reading->is_over || at.step == OVER)
		return false;
	get->attribute = item.attribute;
	get->modifier = item.block;
	ibcc_get_data(&item, get->data);
	return true;
}

static int add(struct ibcc_nvidia_reading *reading, struct ibcc_payload_pool *pool, const struct ibcc_item *item,
	       const uint8_t data[CCP_ATTRIBUTE_BYTES], int64_t now_ns)
{
	uint8_t canonical[CCP_ATTRIBUTE_BYTES];
	struct ibcc_found_item *added;

	if (reading->num_items == reading->room) {
		const uint32_t room = reading->room ? 2 * reading->room : FIRST_ROOM;
		struct ibcc_found_item *items = realloc(reading->items, room * sizeof(*items));

		if (!items)
			return -1;
		reading->items = items;
		reading->room = room;
	}
	ibcc_canonical_of_item(item, data, canonical);
	added = &reading->items[reading->num_items];
	*added = (struct ibcc_found_item){.attribute = item->attribute,
					  .scope = item->scope,
					  .block = item->block,
					  .algorithm = item->algorithm,
					  .seen_ns = now_ns,
					  .payload = ibcc_payload_intern(pool, canonical)};
	if (!added->payload)
		return -1;
	reading->num_items++;
	return 0;
}

/* Where the mask chooses the VL, an answer is about all VLs that have these values. */
static void take_other_vls(struct ibcc_item *item, const struct at *at, const struct ibcc_nvidia_facts *facts,
			   const uint8_t *data)
{
	struct ccp_congestion_port_profile_settings settings = {0};

	if (facts->by_modifier || ccp_unpack(CCP_CONGESTION_PORT_PROFILE_SETTINGS, data, &settings))
		return;
	item->scope |= settings.vl_mask & ibcc_nvidia_vls(facts) & (uint16_t)~at->seen;
}

/* The SLs of a slot make one item, with the last of them. */
static int take_sl(struct ibcc_nvidia_reading *reading, struct ibcc_payload_pool *pool, struct ibcc_item *item, struct at *at,
		   uint16_t status, const uint8_t *data, int64_t now_ns)
{
	struct ccp_congestion_hca_algo_config config = {0};
	uint8_t bytes[CCP_ATTRIBUTE_BYTES];
	struct ccp_error error;
	const bool is_on = !status && !ccp_unpack(CCP_CONGESTION_HCA_ALGO_CONFIG, data, &config) && config.algo_en;
	const uint16_t seen = at->seen | (is_on ? item->scope : 0);

	if (at->bit + 1 == CCP_NUM_SLS) {
		item->scope = seen;
		config = (struct ccp_congestion_hca_algo_config){.algo_en = seen, .sl_bitmask = seen};
		(void)ccp_pack(CCP_CONGESTION_HCA_ALGO_CONFIG, &config, bytes, &error);
		if (add(reading, pool, item, bytes, now_ns))
			return -1;
	}
	at->seen = seen;
	reading->has_gaps |= status != 0;
	return 0;
}

int ibcc_nvidia_reading_take(struct ibcc_nvidia_reading *reading, const struct ibcc_nvidia_facts *facts, unsigned num_ports,
			     struct ibcc_payload_pool *pool, const struct ibcc_nvidia_get *asked, uint16_t status,
			     const uint8_t data[CCP_ATTRIBUTE_BYTES])
{
	struct ibcc_nvidia_get next;
	struct at at = present(reading, facts, num_ports);
	struct ibcc_item item = item_at(&at, facts);

	if (!ibcc_nvidia_reading_next(reading, facts, num_ports, &next) || next.attribute != asked->attribute ||
	    next.modifier != asked->modifier)
		return 0;
	if (at.step == SLOTS) {
		if (take_sl(reading, pool, &item, &at, status, data, asked->asked_ns))
			return -1;
	} else if (!status) {
		if (at.step == THRESHOLDS)
			take_other_vls(&item, &at, facts, data);
		if (add(reading, pool, &item, data, asked->asked_ns))
			return -1;
		at.seen |= item.scope;
	}
	at = after(&at, num_ports);
	at = needed(at, facts, num_ports);
	reading->step = (uint8_t)at.step;
	reading->place = at.place;
	reading->bit = (uint8_t)at.bit;
	reading->seen = at.seen;
	reading->is_over = at.step == OVER;
	return 0;
}

void ibcc_nvidia_reading_forget(struct ibcc_nvidia_reading *reading, struct ibcc_payload_pool *pool)
{
	ibcc_found_items_free(pool, reading->items, reading->num_items);
	*reading = (struct ibcc_nvidia_reading){0};
}
