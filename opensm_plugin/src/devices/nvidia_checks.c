/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* nvidia_checks.c: what a device cannot take is refused here, before anything is sent. */
#include <stdio.h>
#include <string.h>

#include "devices/nvidia_items.h"

/* The sources do not say which kilobyte it is: this one refuses only what is too large in either. */
#define KILOBYTE 1000ull

/* Fills `why` if the table of known devices says that the device's answers are not as its tests have shown. */
static void check_known(const struct ibcc_device *device, const struct ibcc_nvidia_rules *rules, char *why)
{
	const struct ibcc_known_device *row =
		ibcc_known_device_find(rules->known, rules->num_known, &device->identity, &device->firmware.latest);
	const bool by_modifier = device->nvidia.facts.by_modifier;

	if (!row)
		return;
	if (row->misleading[0])
		(void)snprintf(why, IBCC_WITHHELD_BYTES, "the table of known devices says that the answers of %s mislead: %s",
			       row->name, row->misleading);
	else if (device->kind == IBCC_SWITCH && row->vl != IBCC_VL_NOT_KNOWN && (row->vl == IBCC_VL_IN_MODIFIER) != by_modifier)
		(void)snprintf(why, IBCC_WITHHELD_BYTES,
			       "the table of known devices says that %s has the VL of 0xFF09 in the %s, and its answers say %s",
			       row->name, by_modifier ? "mask" : "modifier", by_modifier ? "modifier" : "mask");
}

/* What stands against any write to the device. False: something does. */
static bool may_write(const struct ibcc_device *device, const struct ibcc_nvidia_rules *rules, char *why)
{
	const struct ibcc_nvidia *nvidia = &device->nvidia;
	char fault[IBCC_NVIDIA_FAULT_BYTES];

	why[0] = '\0';
	if (nvidia->state == IBCC_NVIDIA_UNTRUSTED)
		(void)snprintf(why, IBCC_WITHHELD_BYTES, "its answers cannot be trusted: %s",
			       ibcc_nvidia_fault_text(fault, &nvidia->facts));
	else if (!rules || !rules->may_write)
		(void)snprintf(why, IBCC_WITHHELD_BYTES, "the plugin has no option --nvidia-write");
	else if (!rules->may_note)
		(void)snprintf(
			why, IBCC_WITHHELD_BYTES,
			"nvidia.json in the state folder cannot be opened, so that nothing can be noted; the log says why");
	else
		check_known(device, rules, why);
	if (!why[0] && nvidia->contested)
		(void)snprintf(why, IBCC_WITHHELD_BYTES,
			       "somebody else has changed it %u times after it was set; apply or verify tries again",
			       IBCC_NVIDIA_REWRITES);
	return !why[0];
}

static bool thresholds_fit(const struct ibcc_nvidia_facts *facts, const struct ccp_congestion_port_profile_settings *settings,
			   char *why)
{
	const uint16_t missing =
		settings->vl_mask == CCP_NVIDIA_ALL_VLS ? 0 : settings->vl_mask & (uint16_t)~ibcc_nvidia_vls(facts);

	if (missing) {
		(void)snprintf(why, IBCC_WITHHELD_BYTES, "thresholds name VL %d, and it has VLs 0 to %d", __builtin_ctz(missing),
			       facts->num_vls - 1);
		return false;
	}
	if (settings->mode == CCP_THRESHOLD_PERCENTAGE)
		return true;
	if (settings->granularity && !(facts->capabilities & CCP_ENHANCED_CAP_GRANULARITY)) {
		(void)snprintf(why, IBCC_WITHHELD_BYTES, "thresholds are in kilobytes, and it takes bytes and percent");
		return false;
	}
	for (unsigned i = 0; i < CCP_NVIDIA_NUM_PROFILES; i++) {
		const uint64_t most = settings->profiles[i].max * (settings->granularity ? KILOBYTE : 1);

		if (most <= facts->buffer_bytes)
			continue;
		(void)snprintf(why, IBCC_WITHHELD_BYTES, "profile%u_max is %llu bytes, and its buffer has %u", i + 1,
			       (unsigned long long)most, facts->buffer_bytes);
		return false;
	}
	return true;
}

void ibcc_nvidia_check_switch(const struct ibcc_device *device, const struct ibcc_nvidia_rules *rules,
			      const struct ccp_nvidia_switch_tables *tables, char *why)
{
	if (!may_write(device, rules, why))
		return;
	for (uint32_t port = 1; tables && port <= device->num_ports; port++) {
		for (uint32_t i = 0; i < tables->ports[port].num_profiles; i++) {
			if (!thresholds_fit(&device->nvidia.facts, &tables->ports[port].profiles[i], why))
				return;
		}
	}
}

static bool is_listed(const struct ibcc_nvidia_facts *facts, const struct ccp_ppcc_algorithm *id)
{
	for (unsigned slot = 0; slot < CCP_PPCC_SLOTS; slot++) {
		const struct ccp_ppcc_algorithm *one = &facts->algorithms[slot];

		if (ibcc_nvidia_is_same_algorithm(one, id))
			return true;
	}
	return false;
}

static bool slot_fits(const struct ibcc_nvidia_facts *facts, const struct ibcc_nvidia_rules *rules,
		      const struct ccp_ppcc_slot *slot, char *why)
{
	uint8_t index[CCP_PPCC_PARAMETERS_MAX];
	struct ccp_ppcc_algorithm id;
	struct ccp_error error;

	if (ibcc_ppcc_resolve(rules->names, slot, &id, index, &error)) {
		(void)snprintf(why, IBCC_WITHHELD_BYTES, "%.*s", (int)IBCC_WITHHELD_BYTES - 1, error.message);
		return false;
	}
	if (!is_listed(facts, &id)) {
		(void)snprintf(why, IBCC_WITHHELD_BYTES, "its firmware has no algorithm %u of version %u.%u", id.algo_id,
			       id.major, id.minor);
		return false;
	}
	return true;
}

static bool type_fits(const struct ibcc_nvidia_facts *facts, const struct ccp_nvidia_ca_tables *tables, char *why)
{
	const bool is_dcqcn = tables->type == CCP_NVIDIA_DCQCN;

	if (!(is_dcqcn ? facts->ver0 : facts->ver1))
		(void)snprintf(why, IBCC_WITHHELD_BYTES, "it has no %s", is_dcqcn ? "DCQCN (version 0)" : "PPCC (version 1)");
	else if (tables->general.en_cc_per_plane && !(facts->capabilities & CCP_ENHANCED_CAP_PER_PLANE))
		(void)snprintf(why, IBCC_WITHHELD_BYTES, "per_plane is true, and it lacks capability bit 6");
	else if (tables->np.rtt_sl_mode && !(facts->capabilities & CCP_ENHANCED_CAP_RTT_SL_MODE))
		(void)snprintf(why, IBCC_WITHHELD_BYTES, "rtt_sl_mode is true, and it lacks capability bit 4");
	return !why[0];
}

static bool clears(const struct ccp_nvidia_ca_tables *tables)
{
	return !tables->general.en_notify && !tables->general.en_react && !tables->num_slots && !tables->rp.rpg_threshold;
}

void ibcc_nvidia_check_ca(const struct ibcc_device *device, const struct ibcc_nvidia_rules *rules,
			  const struct ccp_nvidia_ca_tables *tables, char *why)
{
	const struct ibcc_nvidia_facts *facts = &device->nvidia.facts;

	if (!may_write(device, rules, why) || !tables || clears(tables) || !type_fits(facts, tables, why))
		return;
	for (uint32_t i = 0; i < tables->num_slots; i++) {
		if (!slot_fits(facts, rules, &tables->slots[i], why))
			return;
	}
}
