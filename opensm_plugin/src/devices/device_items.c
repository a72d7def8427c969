/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* device_items.c: items in the order in which they are sent: the device's setting, then blocks ascending. */
#include "devices/device_items.h"

#include <stdio.h>

#include "ccpolicy/profile.h"
#include "devices/canonical.h"
#include "devices/item_list.h"
#include "devices/nvidia_items.h"

static void add_switch(struct ibcc_item_list *list, const struct ccp_switch_tables *tables)
{
	ibcc_item_list_add(list, CCP_SWITCH_CONGESTION_SETTING, 0, 0, &tables->setting);
	for (unsigned block = 0; block < ccp_switch_port_num_blocks(tables->num_ports); block++) {
		struct ccp_switch_port_block ports;

		ccp_switch_port_get_block(tables, block, &ports);
		ibcc_item_list_add(list, CCP_SWITCH_PORT_CONGESTION_SETTING, block, 0, &ports);
	}
}

/* Returns the number of CCT blocks that the device is sent. */
static unsigned blocks_for(const struct ibcc_device *device, const struct ccp_cct *cct)
{
	const unsigned blocks = ccp_cct_num_blocks(cct->ccti_limit);

	return device->control_table_cap && device->control_table_cap < blocks ? device->control_table_cap : blocks;
}

static void add_ca(struct ibcc_item_list *list, const struct ccp_ca_tables *tables, unsigned blocks)
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
	ibcc_item_list_add(list, CCP_CA_CONGESTION_SETTING, 0, 0, &setting);
	for (unsigned block = 0; block < blocks; block++) {
		struct ccp_cct_block entries;

		ccp_cct_get_block(&cct, block, &entries);
		ibcc_item_list_add(list, CCP_CONGESTION_CONTROL_TABLE, block, 0, &entries);
	}
}

static struct ibcc_item *find(struct ibcc_item_list *list, const struct ibcc_item *like, uint32_t first)
{
	/* Most often the list is as before, and the item at its old place. */
	for (uint32_t i = 0; i < list->count; i++) {
		struct ibcc_item *item = &list->items[(first + i) % list->count];

		if (item->attribute == like->attribute && item->block == like->block && item->scope == like->scope &&
		    ibcc_nvidia_is_same_algorithm(&item->algorithm, &like->algorithm))
			return item;
	}
	return NULL;
}

/* Derives what the slot holds of the parameters that are given now from all that were read, so that it need not be read again. */
static void keep_whole(struct ibcc_payload_pool *pool, struct ibcc_item *old, struct ibcc_item *item)
{
	uint8_t bytes[CCP_ATTRIBUTE_BYTES];

	if (!old->whole)
		return;
	ibcc_canonical_of_item(item, old->whole->bytes, bytes);
	item->held = ibcc_payload_intern(pool, bytes);
	if (!item->held) /* it is read again */
		return;
	item->whole = old->whole;
	item->read = old->read;
	item->seen_ns = old->seen_ns;
	old->whole = NULL;
}

/* Moves what is known of old items to the new ones of the same attribute, block, scope and algorithm. */
static void keep_what_is_known(struct ibcc_item *old, uint32_t num_old, struct ibcc_item_list *list)
{
	for (uint32_t i = 0; i < num_old; i++) {
		struct ibcc_item *item = find(list, &old[i], i), known = old[i];

		if (!item)
			continue;
		if (item->given != known.given) { /* other parameters are another comparison */
			item->to_be_read = false;
			keep_whole(list->pool, &old[i], item);
			continue;
		}
		known.undone = item->undone;
		known.wanted = item->wanted;
		known.optional = item->optional;
		known.withheld = item->withheld;
		known.was_found = item->was_found;
		/* Drift counts only from what is still wanted. */
		known.drifted = known.drifted && old[i].wanted == item->wanted && !item->withheld;
		known.turn = 0;
		*item = known;
		old[i].asked = old[i].held = old[i].whole = NULL;
	}
}

static void add_cleared_switch(struct ibcc_item_list *list, const struct ccp_switch_tables *like)
{
	struct ccp_switch_port_setting ports[CCP_PORT_MAX + 1u] = {0};
	struct ccp_switch_tables cleared = *like;

	cleared.setting = (struct ccp_switch_setting){.control_map = CCP_CONTROL_MAP_ALL};
	cleared.ports = ports;
	add_switch(list, &cleared);
}

static void add_cleared_ca(struct ibcc_item_list *list)
{
	static const struct ccp_cct_entry none;
	const struct ccp_ca_tables cleared = {.setting = {.control_map = CCP_ALL_SLS}, .cct = {.entries = &none}};

	add_ca(list, &cleared, 1);
}

/* Annex A10's part of what is wanted. A device that obeys NVIDIA's has it cleared, so that it obeys one of them. */
static void add_a10(struct ibcc_item_list *list, const struct ibcc_device *device, const struct ccp_switch_tables *sw,
		    const struct ccp_ca_tables *ca, bool is_cleared)
{
	if (device->refusal)
		return;
	if (is_cleared && sw)
		add_cleared_switch(list, sw);
	else if (is_cleared && ca)
		add_cleared_ca(list);
	else if (sw)
		add_switch(list, sw);
	else if (ca)
		add_ca(list, ca, blocks_for(device, &ca->cct));
}

/* Fills `why` as the functions of nvidia_items.h do; both NULL: what is to be sent clears the device. */
static void check_nvidia(const struct ibcc_device *device, const struct ibcc_nvidia_rules *rules,
			 const struct ccp_nvidia_switch_tables *sw, const struct ccp_nvidia_ca_tables *ca, char *why)
{
	if (device->kind == IBCC_SWITCH)
		ibcc_nvidia_check_switch(device, rules, sw, why);
	else
		ibcc_nvidia_check_ca(device, rules, ca, why);
}

/* True if only a value stands against what is wanted: the device is written to, and keeps nothing of what it was sent before. */
static bool is_cleared_instead(const struct ibcc_device *device, const struct ibcc_nvidia_rules *rules)
{
	char why[IBCC_WITHHELD_BYTES];

	if (!device->nvidia.withheld[0] || !device->nvidia.written)
		return false;
	check_nvidia(device, rules, NULL, NULL, why);
	return !why[0];
}

static bool is_on_by_others(const struct ibcc_nvidia *nvidia)
{
	return nvidia->looks && nvidia->facts.is_on && !nvidia->written;
}

static void add_nvidia_items(struct ibcc_item_list *list, const struct ibcc_device *device, const struct ibcc_nvidia_rules *rules,
			     const struct ccp_nvidia_switch_tables *sw, const struct ccp_nvidia_ca_tables *ca,
			     const struct ibcc_found *found)
{
	if (found)
		ibcc_nvidia_add_found(list, device, rules, found);
	else if (device->kind == IBCC_SWITCH)
		ibcc_nvidia_add_switch(list, device, sw);
	else
		ibcc_nvidia_add_ca(list, device, rules, ca);
}

/*
 * Adds what is wanted of NVIDIA's attributes, and returns true if the device obeys them: what is wanted is sent, or what it was sent
 * once, by a former process perhaps, cannot be cleared. `found`: what it is brought back to; NULL: no such thing.
 */
static bool add_nvidia(struct ibcc_item_list *list, struct ibcc_device *device, const struct ccp_switch_tables *sw,
		       const struct ccp_ca_tables *ca, const struct ibcc_found *found)
{
	static const struct ibcc_nvidia_rules none;
	const struct ibcc_nvidia_rules *rules = device->rules ? device->rules : &none;
	struct ibcc_nvidia *nvidia = &device->nvidia;
	const struct ccp_nvidia_switch_tables *wanted_sw = sw ? sw->nvidia : NULL;
	const struct ccp_nvidia_ca_tables *wanted_ca = ca ? ca->nvidia : NULL;
	const bool is_wanted = wanted_sw || wanted_ca;
	const uint32_t first = list->count;
	bool is_withheld;

	nvidia->withheld[0] = '\0';
	nvidia->clears = !is_wanted && (nvidia->written || found);
	if (is_wanted && nvidia->state == IBCC_NVIDIA_ABSENT && rules->only_nvidia)
		(void)snprintf(nvidia->withheld, IBCC_WITHHELD_BYTES,
			       "it has no attributes of NVIDIA's, and the profile has no others");
	if (!ibcc_nvidia_is_spoken(nvidia))
		return false;
	if (!is_wanted && !nvidia->clears) {
		nvidia->foreign = is_on_by_others(nvidia);
		return false;
	}
	check_nvidia(device, rules, wanted_sw, wanted_ca, nvidia->withheld);
	is_withheld = nvidia->withheld[0] != '\0';
	if (is_cleared_instead(device, rules)) {
		nvidia->clears = true;
		is_withheld = false;
		wanted_sw = NULL;
		wanted_ca = NULL;
	}
	add_nvidia_items(list, device, rules, wanted_sw, wanted_ca, found);
	for (uint32_t i = first; i < list->count; i++)
		list->items[i].withheld = is_withheld;
	nvidia->foreign = is_withheld && is_on_by_others(nvidia);
	return is_withheld ? nvidia->written : is_wanted && !nvidia->clears;
}

/* Adds what the device was found with. Where it obeys NVIDIA's attributes, annex A10's are left as they are. */
static void add_found(struct ibcc_item_list *list, const struct ibcc_device *device, bool obeys_nvidia)
{
	static const uint8_t nothing[CCP_ATTRIBUTE_BYTES];
	const struct ibcc_found *found = device->refusal ? NULL : device->found;

	for (uint32_t i = 0; found && i < found->num_items; i++) {
		const struct ibcc_found_item *one = &found->items[i];

		if (device->is_watched ? !one->payload : !ibcc_found_has_effect(found, one))
			continue;
		ibcc_item_list_add_bytes(list, one->attribute, one->block, one->payload ? one->payload->bytes : nothing);
		if (list->failed)
			return;
		list->items[list->count - 1].withheld = device->is_watched || obeys_nvidia;
		list->items[list->count - 1].was_found = true;
	}
}

/* Returns what a device that was read a moment ago holds of the item; NULL: that is no news, or not known. */
static const struct ibcc_payload *news_of(const struct ibcc_device *device, const struct ibcc_item *item, int64_t *seen_ns)
{
	const bool is_nvidia = ibcc_nvidia_is_attribute(item->attribute);
	const struct ibcc_found *found = is_nvidia && device->rules
						 ? ibcc_nvidia_founds_find(device->rules->founds, device->node_guid, device->port)
						 : device->found;
	const struct ibcc_found_item *row;

	if (!found || !(is_nvidia ? device->nvidia_found_is_news : device->found_is_news))
		return NULL;
	if (is_nvidia)
		return ibcc_nvidia_held_by_found(found, item, seen_ns);
	row = ibcc_found_find(found, item->attribute, item->block);
	*seen_ns = row ? row->seen_ns : 0;
	return row ? row->payload : NULL;
}

/* A device that was read a moment ago holds that, as nothing was sent to it since. */
static void take_news(struct ibcc_device *device, struct ibcc_item_list *list)
{
	for (uint32_t i = 0; i < list->count; i++) {
		struct ibcc_item *item = &list->items[i];
		int64_t seen_ns = 0;
		const struct ibcc_payload *news = item->held || item->asked ? NULL : news_of(device, item, &seen_ns);

		/* A row that a base file has brought since was read by another OpenSM, and nobody knows when. */
		if (!news || !seen_ns)
			continue;
		item->held = ibcc_payload_hold(news);
		item->read = true;
		item->to_be_read = false;
		item->seen_ns = seen_ns;
	}
	device->found_is_news = device->nvidia_found_is_news = false;
}

/*
 * What a trial run said nothing of is read at its end before it is set, as the device may hold it still. Nothing is known of a device
 * without items, which `read_first` is for. An algorithm that is enabled disables those in other slots, so that what was read of these
 * may hold no longer: they are set.
 */
static void read_what_is_new(const struct ibcc_device *device, struct ibcc_item_list *list)
{
	const bool returns = device->num_items && device->rules && device->rules->returns;

	for (uint32_t i = 0; i < list->count; i++)
		list->items[i].to_be_read =
			returns && !list->items[i].withheld && list->items[i].attribute != CCP_CONGESTION_HCA_ALGO_CONFIG;
}

/* Makes these the device's items, of which what is known stays known. Takes both lists. -1: out of memory, nothing changed. */
static int take_lists(struct ibcc_device *device, struct ibcc_item_list *list, struct ibcc_item_list *nvidia)
{
	ibcc_item_list_move(list, nvidia);
	if (list->failed) {
		ibcc_items_free(list->pool, list->items, list->count);
		return -1;
	}
	read_what_is_new(device, list);
	keep_what_is_known(device->items, device->num_items, list);
	take_news(device, list);
	ibcc_items_free(list->pool, device->items, device->num_items);
	device->items = list->items;
	device->num_items = list->count;
	return 0;
}

int ibcc_device_set_wanted(struct ibcc_device *device, struct ibcc_payload_pool *pool, const struct ccp_switch_tables *sw,
			   const struct ccp_ca_tables *ca)
{
	struct ibcc_item_list list = {.pool = pool}, nvidia = {.pool = pool};
	bool obeys_nvidia;

	/* Until it is known what the device has, nothing is sent, and what it was seen to hold is kept. */
	if ((sw || ca) && device->num_items && !ibcc_nvidia_is_known(&device->nvidia))
		return 0;
	device->nvidia.foreign = false;
	obeys_nvidia = (sw || ca) && add_nvidia(&nvidia, device, sw, ca, NULL);
	/* With annex A10's tables too, it would obey both. */
	if ((sw || ca) && !device->nvidia.foreign)
		add_a10(&list, device, sw, ca, obeys_nvidia);
	if (take_lists(device, &list, &nvidia))
		return -1;
	device->is_watched = false;
	device->cut = ca && !obeys_nvidia && !device->refusal && !device->nvidia.foreign &&
		      blocks_for(device, &ca->cct) < ccp_cct_num_blocks(ca->cct.ccti_limit);
	return 0;
}

/* What NVIDIA's attributes were, where the device was set since; or, for a plan, what was read of them last. */
static const struct ibcc_found *nvidia_found_of(const struct ibcc_device *device, bool is_plan)
{
	const struct ibcc_nvidia_founds *founds = device->rules ? device->rules->founds : NULL;

	return is_plan ? ibcc_nvidia_founds_find(founds, device->node_guid, device->port)
		       : ibcc_nvidia_founds_kept(founds, device->node_guid, device->port);
}

int ibcc_device_set_as_found(struct ibcc_device *device, struct ibcc_payload_pool *pool, bool is_plan)
{
	struct ibcc_item_list list = {.pool = pool}, nvidia = {.pool = pool};
	const bool was_watched = device->is_watched;
	bool obeys_nvidia;

	if (device->num_items && !ibcc_nvidia_is_known(&device->nvidia))
		return 0;
	device->is_watched = !device->found || !device->found->frozen;
	device->nvidia.foreign = false;
	obeys_nvidia = add_nvidia(&nvidia, device, NULL, NULL, nvidia_found_of(device, is_plan));
	add_found(&list, device, obeys_nvidia || device->nvidia.foreign);
	if (take_lists(device, &list, &nvidia)) {
		device->is_watched = was_watched;
		return -1;
	}
	device->cut = false;
	return 0;
}

void ibcc_device_clear_items(struct ibcc_device *device, struct ibcc_payload_pool *pool)
{
	ibcc_items_free(pool, device->items, device->num_items);
	device->items = NULL;
	device->num_items = 0;
}
