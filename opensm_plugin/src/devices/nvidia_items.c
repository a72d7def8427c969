/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "devices/nvidia_items.h"

#include <string.h>

#include "devices/canonical.h"

#define VL_SHIFT 16u

static uint16_t existing(const struct ibcc_nvidia_facts *facts, uint16_t vl_mask)
{
	return vl_mask & ibcc_nvidia_vls(facts);
}

/* One MAD, or one for each VL where the modifier names it. */
static void add_thresholds(struct ibcc_item_list *list, const struct ibcc_nvidia_facts *facts, uint32_t port,
			   struct ccp_congestion_port_profile_settings settings, uint16_t vls)
{
	if (!facts->by_modifier && vls) {
		settings.vl_mask = vls;
		ibcc_item_list_add(list, CCP_CONGESTION_PORT_PROFILE_SETTINGS, port, vls, &settings);
	}
	for (unsigned vl = 0; facts->by_modifier && vl < CCP_NVIDIA_NUM_VLS; vl++) {
		if (!(vls >> vl & 1u))
			continue;
		settings.vl_mask = (uint16_t)(1u << vl);
		ibcc_item_list_add(list, CCP_CONGESTION_PORT_PROFILE_SETTINGS, vl << VL_SHIFT | port, settings.vl_mask,
				   &settings);
	}
}

/* VLs that no element names are not marked. */
static void add_port(struct ibcc_item_list *list, const struct ibcc_nvidia_facts *facts, uint32_t port,
		     const struct ccp_nvidia_switch_port *wanted)
{
	const struct ccp_congestion_port_profile_settings nothing = {0};
	uint16_t left = ibcc_nvidia_vls(facts);

	for (uint32_t i = 0; wanted && i < wanted->num_profiles; i++) {
		const uint16_t vls = existing(facts, wanted->profiles[i].vl_mask);

		add_thresholds(list, facts, port, wanted->profiles[i], vls);
		left &= (uint16_t)~vls;
	}
	add_thresholds(list, facts, port, nothing, left);
	/* Number 0 is reserved: where congestion control is cleared, the mapping stays as it is. */
	if (wanted && wanted->sl_mapping.sl_profile[0])
		ibcc_item_list_add(list, CCP_CONGESTION_SL_MAPPING_SETTINGS, port, 0, &wanted->sl_mapping);
}

void ibcc_nvidia_add_switch(struct ibcc_item_list *list, const struct ibcc_device *device,
			    const struct ccp_nvidia_switch_tables *tables)
{
	static const struct ccp_congestion_switch_general_settings off;
	const struct ccp_congestion_switch_general_settings *general = tables ? &tables->general : &off;

	if (!general->en)
		ibcc_item_list_add(list, CCP_CONGESTION_SWITCH_GENERAL_SETTINGS, 0, 0, general);
	for (uint32_t port = 1; port <= device->num_ports; port++)
		add_port(list, &device->nvidia.facts, port, tables ? &tables->ports[port] : NULL);
	if (general->en)
		ibcc_item_list_add(list, CCP_CONGESTION_SWITCH_GENERAL_SETTINGS, 0, 0, general);
}

static int slot_of(const struct ibcc_nvidia_facts *facts, const struct ccp_ppcc_algorithm *id)
{
	for (unsigned slot = 0; slot < CCP_PPCC_SLOTS; slot++) {
		const struct ccp_ppcc_algorithm *one = &facts->algorithms[slot];

		if (id->algo_id && ibcc_nvidia_is_same_algorithm(one, id))
			return (int)slot;
	}
	return -1;
}

static const struct ibcc_ppcc_before *before_of(const struct ibcc_device *device, const struct ibcc_nvidia_rules *rules,
						uint32_t slot)
{
	return rules->befores ? ibcc_ppcc_before_find(rules->befores, device->node_guid, device->port,
						      &device->nvidia.facts.algorithms[slot])
			      : NULL;
}

/* `parameters`: NULL for none. */
static void add_params(struct ibcc_item_list *list, const struct ibcc_nvidia_facts *facts, uint32_t slot,
		       const struct ibcc_ppcc_before *before, const struct ccp_ppcc_parameters *parameters,
		       const uint8_t index[CCP_PPCC_PARAMETERS_MAX])
{
	struct ccp_congestion_hca_algo_config_params value = {0};
	uint64_t given = 0, undone = 0;

	for (uint32_t i = 0; parameters && i < parameters->count; i++) {
		value.parameters[index[i]] = parameters->list[i].value;
		given |= 1ull << index[i];
	}
	for (uint32_t i = 0; before && i < CCP_PPCC_PARAMETERS_MAX; i++) {
		if (!(before->known & ~given & 1ull << i))
			continue;
		value.parameters[i] = before->values[i];
		undone |= 1ull << i;
	}
	if (!(given | undone))
		return;
	ibcc_item_list_add(list, CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS, slot, 0, &value);
	if (list->failed)
		return;
	list->items[list->count - 1].algorithm = facts->algorithms[slot];
	list->items[list->count - 1].given = given | undone;
	list->items[list->count - 1].undone = undone;
}

static void add_slot(struct ibcc_item_list *list, const struct ibcc_nvidia_facts *facts, uint32_t slot, bool enabled,
		     uint16_t sls)
{
	const struct ccp_congestion_hca_algo_config config = {.algo_en = enabled, .sl_bitmask = sls};

	if (!sls)
		return;
	ibcc_item_list_add(list, CCP_CONGESTION_HCA_ALGO_CONFIG, slot, sls, &config);
	if (!list->failed)
		list->items[list->count - 1].algorithm = facts->algorithms[slot];
}

/* An SL has one slot: enabling one takes it from another. SLs without an algorithm are disabled in each slot. */
static void add_slots(struct ibcc_item_list *list, const struct ibcc_device *device, const struct ibcc_nvidia_rules *rules,
		      const struct ccp_nvidia_ca_tables *tables)
{
	const struct ibcc_nvidia_facts *facts = &device->nvidia.facts;
	uint16_t free_sls = CCP_ALL_SLS, taken = 0;

	for (uint32_t i = 0; tables && i < tables->num_slots; i++) {
		uint8_t index[CCP_PPCC_PARAMETERS_MAX];
		struct ccp_ppcc_algorithm id = {0};
		struct ccp_error error;
		int slot;

		if (ibcc_ppcc_resolve(rules->names, &tables->slots[i], &id, index, &error))
			continue;
		slot = slot_of(facts, &id);
		if (slot < 0)
			continue;
		add_params(list, facts, (uint32_t)slot, before_of(device, rules, (uint32_t)slot), &tables->slots[i].parameters,
			   index);
		add_slot(list, facts, (uint32_t)slot, true, tables->slots[i].sls);
		free_sls &= (uint16_t)~tables->slots[i].sls;
		taken |= (uint16_t)(1u << slot);
	}
	for (uint32_t slot = 0; slot < CCP_PPCC_SLOTS; slot++) {
		if (!facts->algorithms[slot].algo_id)
			continue;
		add_slot(list, facts, slot, false, free_sls);
		if (!(taken >> slot & 1u))
			add_params(list, facts, slot, before_of(device, rules, slot), NULL, NULL);
	}
}

void ibcc_nvidia_add_ca(struct ibcc_item_list *list, const struct ibcc_device *device, const struct ibcc_nvidia_rules *rules,
			const struct ccp_nvidia_ca_tables *tables)
{
	static const struct ccp_congestion_hca_general_settings off;
	const struct ibcc_nvidia_facts *facts = &device->nvidia.facts;
	const struct ccp_congestion_hca_general_settings *general = tables ? &tables->general : &off;
	const bool is_on = general->en_notify || general->en_react;
	/* Tables that clear have zeros, which are out of the range of rpg_threshold. */
	const bool is_dcqcn = tables && tables->type == CCP_NVIDIA_DCQCN && tables->rp.rpg_threshold;
	const bool has_np = facts->ver0 || (facts->capabilities & CCP_ENHANCED_CAP_RTT_SL_MODE);

	if (!is_on)
		ibcc_item_list_add(list, CCP_CONGESTION_HCA_GENERAL_SETTINGS, 0, 0, general);
	if (is_dcqcn)
		ibcc_item_list_add(list, CCP_CONGESTION_HCA_RP_PARAMETERS, 0, 0, &tables->rp);
	if (has_np && (is_dcqcn || (tables && tables->num_slots)))
		ibcc_item_list_add(list, CCP_CONGESTION_HCA_NP_PARAMETERS, 0, 0, &tables->np);
	if (facts->ver1)
		add_slots(list, device, rules, tables);
	if (is_on)
		ibcc_item_list_add(list, CCP_CONGESTION_HCA_GENERAL_SETTINGS, 0, 0, general);
}

static const struct ibcc_found_item *general_of(const struct ibcc_found *found)
{
	for (uint32_t i = 0; i < found->num_items; i++) {
		if (found->items[i].attribute == CCP_CONGESTION_SWITCH_GENERAL_SETTINGS ||
		    found->items[i].attribute == CCP_CONGESTION_HCA_GENERAL_SETTINGS)
			return &found->items[i];
	}
	return NULL;
}

static void add_found_item(struct ibcc_item_list *list, const struct ibcc_nvidia_facts *facts,
			   const struct ibcc_found_item *found)
{
	struct ibcc_item like = {.attribute = found->attribute, .scope = found->scope};
	uint8_t bytes[CCP_ATTRIBUTE_BYTES];

	if (found->attribute == CCP_CONGESTION_PORT_PROFILE_SETTINGS) {
		like.scope &= ibcc_nvidia_vls(facts);
		if (!like.scope)
			return;
	}
	ibcc_canonical_of_item(&like, found->payload->bytes, bytes);
	ibcc_item_list_add_bytes(list, found->attribute, found->block, bytes);
	if (!list->failed)
		list->items[list->count - 1].scope = like.scope;
}

/* True if the mask's VLs, or SLs, were found as the item wants them. Of others nothing is said. */
static bool was_found_so(const struct ibcc_found_item *found, const struct ibcc_item *item, uint16_t mask)
{
	struct ccp_congestion_hca_algo_config wanted = {0};
	const struct ibcc_item like = {.attribute = item->attribute, .scope = mask};
	uint8_t before[CCP_ATTRIBUTE_BYTES], after[CCP_ATTRIBUTE_BYTES];

	if (item->attribute == CCP_CONGESTION_HCA_ALGO_CONFIG) { /* `scope` has the SLs for which the slot was enabled */
		(void)ccp_unpack(CCP_CONGESTION_HCA_ALGO_CONFIG, item->wanted->bytes, &wanted);
		return ibcc_nvidia_is_same_algorithm(&found->algorithm, &item->algorithm) &&
		       (found->scope & mask) == (wanted.algo_en ? mask : 0);
	}
	ibcc_canonical_of_item(&like, found->payload->bytes, before);
	ibcc_canonical_of_item(&like, item->wanted->bytes, after);
	return memcmp(before, after, sizeof(before)) == 0;
}

const struct ibcc_payload *ibcc_nvidia_held_by_found(const struct ibcc_found *found, const struct ibcc_item *item,
						     int64_t *seen_ns)
{
	uint16_t left = item->scope;

	for (uint32_t i = 0; i < found->num_items; i++) {
		const struct ibcc_found_item *row = &found->items[i];
		const uint16_t mask = row->attribute == CCP_CONGESTION_HCA_ALGO_CONFIG ? left : row->scope & left;

		if (row->attribute != item->attribute || row->block != item->block || (item->scope && !mask))
			continue;
		*seen_ns = row->seen_ns;
		if (!item->scope)
			return row->payload;
		if (!was_found_so(row, item, mask))
			return NULL;
		left &= (uint16_t)~mask;
	}
	return item->scope && !left ? item->wanted : NULL;
}

/* What was enabled for an SL is enabled again where the device has it; of all other SLs everything is disabled. */
static void add_found_slots(struct ibcc_item_list *list, const struct ibcc_device *device, const struct ibcc_nvidia_rules *rules,
			    const struct ibcc_found *found)
{
	const struct ibcc_nvidia_facts *facts = &device->nvidia.facts;
	uint16_t free_sls = CCP_ALL_SLS;

	for (uint32_t i = 0; i < found->num_items; i++) {
		const struct ibcc_found_item *item = &found->items[i];
		const int slot = item->attribute == CCP_CONGESTION_HCA_ALGO_CONFIG ? slot_of(facts, &item->algorithm) : -1;

		if (slot < 0)
			continue;
		add_slot(list, facts, (uint32_t)slot, true, item->scope & free_sls);
		free_sls &= (uint16_t)~item->scope;
	}
	for (uint32_t slot = 0; slot < CCP_PPCC_SLOTS; slot++) {
		if (!facts->algorithms[slot].algo_id)
			continue;
		add_slot(list, facts, slot, false, free_sls);
		add_params(list, facts, slot, before_of(device, rules, slot), NULL, NULL);
	}
}

void ibcc_nvidia_add_found(struct ibcc_item_list *list, const struct ibcc_device *device, const struct ibcc_nvidia_rules *rules,
			   const struct ibcc_found *found)
{
	const struct ibcc_nvidia_facts *facts = &device->nvidia.facts;
	const struct ibcc_found_item *general = general_of(found);
	const bool is_on = ibcc_nvidia_found_is_on(found);

	if (general && !is_on)
		add_found_item(list, facts, general);
	for (uint32_t i = 0; i < found->num_items; i++) {
		if (&found->items[i] != general && found->items[i].attribute != CCP_CONGESTION_HCA_ALGO_CONFIG)
			add_found_item(list, facts, &found->items[i]);
	}
	if (device->kind == IBCC_CA && facts->ver1)
		add_found_slots(list, device, rules, found);
	if (general && is_on)
		add_found_item(list, facts, general);
}
