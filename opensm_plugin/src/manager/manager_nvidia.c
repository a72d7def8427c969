/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * manager_nvidia.c: which devices are asked for NVIDIA's attributes, and who was written to.
 *
 * A device waits for its firmware before it is asked, as that is the key of what is believed of its model (manager_models.c). Nothing of the class is sent for a profile
 * without `nvidia`, unless a device is to be cleared or somebody has asked.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ccpolicy/error_format.h"
#include "devices/nvidia_memory.h"
#include "devices/ppcc_names.h"
#include "manager/manager_state.h"
#include "manager/topology_json.h"

/* One line for each reason, not for each try. */
static void say_unsaved(struct ibcc_manager *manager, const char *why)
{
	if (!manager->nvidia.unsaved[0])
		ibcc_log(manager->log, IBCC_LOG_ERROR, "IBCC0110: what is known of NVIDIA's attributes cannot be kept: %s", why);
	(void)snprintf(manager->nvidia.unsaved, sizeof(manager->nvidia.unsaved), "%s", why);
}

static bool save(struct ibcc_manager *manager)
{
	struct ccp_error error;

	if (!manager->nvidia.memory)
		return false;
	if (ibcc_nvidia_memory_save(manager->nvidia.memory, &error)) {
		say_unsaved(manager, error.message);
		return false;
	}
	manager->nvidia.unsaved[0] = '\0';
	return true;
}

/* Where all devices are asked whether they are on: for ever, as some may be away now. */
void manager_nvidia_look(struct ibcc_manager *manager)
{
	manager->nvidia.looks = true;
	if (manager->nvidia.memory)
		ibcc_nvidia_memory_set_looks(manager->nvidia.memory);
}

void manager_nvidia_open(struct ibcc_manager *manager)
{
	struct ccp_error error;

	manager->nvidia.memory = ibcc_nvidia_memory_open(ibcc_profiles_folder(manager->profiles), manager->log, &error);
	if (!manager->nvidia.memory)
		say_unsaved(manager, error.message);
	manager->devices.rules.may_write = manager->options->nvidia_write;
	manager->devices.rules.known = ibcc_known_devices(&manager->devices.rules.num_known);
	manager->devices.rules.may_note = manager->nvidia.memory;
	if (manager->nvidia.memory)
		manager->devices.rules.befores = ibcc_nvidia_memory_befores(manager->nvidia.memory);
	/* Without what a former process has noted, nobody knows what it has switched on. */
	if (!manager->nvidia.memory || ibcc_nvidia_memory_looks(manager->nvidia.memory) ||
	    (ibcc_nvidia_memory_is_new(manager->nvidia.memory) && ibcc_profiles_have_former(manager->profiles)))
		manager_nvidia_look(manager);
}

void manager_nvidia_close(struct ibcc_manager *manager)
{
	ibcc_nvidia_memory_close(manager->nvidia.memory);
	ibcc_ppcc_names_destroy(manager->nvidia.names);
}

struct ibcc_ppcc_names *manager_nvidia_read_names(struct ibcc_manager *manager, const struct ccp_profile *profile)
{
	struct ccp_error error;
	struct ibcc_ppcc_names *names;

	if (!profile || !manager->options->ppcc_algorithms || !ccp_has_nvidia_adapter(profile->nvidia))
		return NULL;
	names = ibcc_ppcc_names_read(manager->options->ppcc_algorithms, &error);
	if (!names)
		ibcc_log(manager->log, IBCC_LOG_ERROR, "IBCC0302: %s", error.message);
	return names;
}

int manager_nvidia_check(struct ibcc_manager *manager, const struct ccp_profile *profile, struct ccp_error *error)
{
	struct ibcc_ppcc_names *names = manager_nvidia_read_names(manager, profile);
	const int result = ibcc_ppcc_check_profile(names ? names : manager->nvidia.names, profile, error);

	ibcc_ppcc_names_destroy(names);
	return result;
}

/* A device that the first profile only asks whether it is on is sent nothing of NVIDIA's: its firmware makes no difference. */
static bool needs_trust(const struct ibcc_device *device)
{
	return device->nvidia.to_ask && !device->nvidia.is_met;
}

int manager_nvidia_prepare(struct ibcc_manager *manager, const struct ccp_profile *profile, struct ccp_error *error)
{
	const bool has_a10 = !profile || profile->sw.present || profile->ca.present || profile->cct.source != CCP_CCT_ABSENT;
	const bool of_switches = profile && ccp_has_nvidia_switch(profile->nvidia),
		   of_cas = profile && ccp_has_nvidia_adapter(profile->nvidia);
	const bool looks = manager->nvidia.looks || (profile && !profile->enable);
	const bool meets = !looks && profile && ibcc_nvidia_memory_meets(manager->nvidia.memory);
	struct ibcc_ppcc_names *names = manager_nvidia_read_names(manager, profile);

	/* What is refused changes nothing of what names mean to the profile in force. */
	if (profile && ibcc_ppcc_check_profile(names ? names : manager->nvidia.names, profile, error)) {
		ibcc_ppcc_names_destroy(names);
		return -1;
	}
	if (names) {
		ibcc_ppcc_names_destroy(manager->nvidia.names);
		manager->devices.rules.names = manager->nvidia.names = names;
	}
	manager->devices.rules.only_nvidia = !has_a10;
	manager->nvidia.is_on = false;
	for (uint32_t i = 0; i < manager->devices.count; i++) {
		struct ibcc_device *device = manager->devices.list[i];
		const bool of_kind = device->kind == IBCC_SWITCH ? of_switches : of_cas;
		const bool comes_back = manager_nvidia_found_prepare(manager, device, of_kind), was_met = device->nvidia.is_met;
		bool asked;

		device->nvidia.written = manager->nvidia.memory &&
					 ibcc_nvidia_memory_is_written(manager->nvidia.memory, device->node_guid, device->port);
		asked = of_kind || device->nvidia.written || comes_back || manager->nvidia.is_requested || looks;
		device->nvidia.looks = looks || meets;
		device->nvidia.is_met = meets && !asked;
		ibcc_device_ask_nvidia(device, asked || meets);
		/* What it said when the first profile met it may be over: others may have switched it on since. */
		if (!device->nvidia.facts.knows_on || (was_met && !device->nvidia.is_met))
			ibcc_device_look_again(device);
		manager->nvidia.is_on |= needs_trust(device);
	}
	return 0;
}

bool manager_nvidia_waits(const struct ibcc_manager *manager, const struct ibcc_device *device)
{
	return manager->standing.phase == PHASE_PROBE && !manager->firmware.stopped && device->present && needs_trust(device) &&
	       device->nvidia.state == IBCC_NVIDIA_UNKNOWN && !manager_has_firmware(device);
}

void manager_nvidia_contested(struct ibcc_manager *manager, struct ibcc_device *device)
{
	char guid[IBCC_GUID_TEXT_BYTES];

	ibcc_log(manager->log, IBCC_LOG_ERROR,
		 "IBCC0301: conflict: somebody else has written NVIDIA's attributes of %s (%s port %u) %u times after they were "
		 "set: they "
		 "are "
		 "left alone until a profile is applied or verified",
		 device->description, ibcc_guid_text(guid, device->node_guid), device->port, IBCC_NVIDIA_REWRITES);
	manager_models_tell_wanted(manager, device);
}

void manager_nvidia_doubt(struct ibcc_manager *manager)
{
	for (uint32_t i = 0; i < manager->devices.count; i++) {
		struct ibcc_device *device = manager->devices.list[i];

		if (device->nvidia.contested) {
			ibcc_device_end_contest(device);
			manager_models_tell_wanted(manager, device);
		}
		if (device->nvidia.to_ask && !device->in_flight)
			ibcc_device_doubt_nvidia(device, manager->devices.pool, IBCC_DOUBT_SILENCE);
	}
}

/* A note that is not on the disk would be believed by the next pass. */
static void take_notes_back(struct ibcc_manager *manager)
{
	for (uint32_t i = 0; i < manager->devices.count; i++) {
		struct ibcc_device *one = manager->devices.list[i];

		if (one->nvidia.noted)
			(void)ibcc_nvidia_memory_set_written(manager->nvidia.memory, one->node_guid, one->port, false);
		one->nvidia.noted = false;
	}
}

/* Keeps the values of parameters that an item is to set, where none are kept yet. Returns what ibcc_ppcc_before_keep does. */
static int keep_before(struct ibcc_manager *manager, const struct ibcc_device *device, const struct ibcc_item *item)
{
	struct ibcc_ppcc_before before = {.node_guid = device->node_guid, .port = device->port, .known = item->given};
	struct ccp_congestion_hca_algo_config_params params = {0};

	if (item->attribute != CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS || item->withheld || !item->whole)
		return 0;
	before.algorithm = item->algorithm;
	(void)ccp_unpack(CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS, item->whole->bytes, &params);
	memcpy(before.values, params.parameters, sizeof(before.values));
	return ibcc_nvidia_memory_keep_before(manager->nvidia.memory, &before);
}

static int keep_all_before(struct ibcc_manager *manager, const struct ibcc_device *device)
{
	int result = 0;

	for (uint32_t i = 0; device->present && i < device->num_items && result >= 0; i++) {
		const int kept = keep_before(manager, device, &device->items[i]);

		result = kept ? kept : result;
	}
	if (result < 0)
		say_unsaved(manager, "out of memory, or too many algorithms of devices");
	return result;
}

/* True when the disk has what the parameters were that are set. Those of all devices are kept together. */
static bool may_set_params(struct ibcc_manager *manager, const struct ibcc_device *device)
{
	const int kept = keep_all_before(manager, device);

	if (kept < 0)
		return false;
	if (!kept && ibcc_nvidia_memory_befores_are_saved(manager->nvidia.memory))
		return true;
	for (uint32_t i = 0; i < manager->devices.count; i++)
		(void)keep_all_before(manager, manager->devices.list[i]);
	return save(manager);
}

/* All devices that are to be set are noted together, as each note is a write to the disk. */
static bool may_set(struct ibcc_manager *manager, struct ibcc_device *device)
{
	if (device->nvidia.written)
		return true;
	for (uint32_t i = 0; i < manager->devices.count; i++) {
		struct ibcc_device *one = manager->devices.list[i];

		if (!one->present || !ibcc_device_gets_nvidia(one) ||
		    ibcc_nvidia_memory_is_written(manager->nvidia.memory, one->node_guid, one->port) ||
		    !manager_nvidia_found_keep(manager, one))
			continue;
		one->nvidia.noted = !ibcc_nvidia_memory_set_written(manager->nvidia.memory, one->node_guid, one->port, true);
		if (!one->nvidia.noted)
			say_unsaved(manager, "out of memory, or too many devices");
	}
	/* What is kept of a device that is not noted yet is what it holds. */
	if (!manager_nvidia_found_is_safe(manager) || !save(manager)) {
		take_notes_back(manager);
		return false;
	}
	for (uint32_t i = 0; i < manager->devices.count; i++) {
		struct ibcc_device *one = manager->devices.list[i];

		one->nvidia.noted = false;
		one->nvidia.written = ibcc_nvidia_memory_is_written(manager->nvidia.memory, one->node_guid, one->port);
	}
	return device->nvidia.written;
}

bool manager_nvidia_may_set(struct ibcc_manager *manager, struct ibcc_device *device, uint16_t attribute, struct ccp_error *error)
{
	bool may;

	error->message[0] = '\0';
	may = manager->nvidia.memory && may_set(manager, device) &&
	      (attribute != CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS || may_set_params(manager, device));
	if (may && !manager_takeover_covers_devices(manager, error)) {
		say_unsaved(manager, error->message);
		may = false;
	}
	if (!may && manager->nvidia.unsaved[0])
		(void)ccp_fail(error, "%s", manager->nvidia.unsaved);
	else if (!may)
		(void)ccp_fail(error, "what %s holds of NVIDIA's attributes is not known yet", device->description);
	return may;
}

static bool may_own(const struct ibcc_manager *manager, struct ccp_error *error)
{
	if (manager->options->nvidia_write && manager->nvidia.memory)
		return true;
	if (manager->nvidia.memory)
		(void)ccp_fail(error,
			       "the plugin has no option --nvidia-write, so that it clears nothing of NVIDIA's attributes");
	else
		(void)ccp_fail(
			error,
			"nvidia.json in the state folder cannot be opened, so that nothing can be noted; the log says why");
	return false;
}

uint32_t manager_nvidia_own_foreign(struct ibcc_manager *manager, uint64_t guid, struct ccp_error *error)
{
	uint32_t count = 0;

	if (!may_own(manager, error))
		return 0;
	for (uint32_t i = 0; i < manager->devices.count; i++) {
		struct ibcc_device *device = manager->devices.list[i];

		if (!device->present || !device->nvidia.foreign || (guid && device->node_guid != guid))
			continue;
		device->nvidia.noted =
			!ibcc_nvidia_memory_set_written(manager->nvidia.memory, device->node_guid, device->port, true);
		count += device->nvidia.noted;
	}
	if (!count) {
		if (guid)
			(void)ccp_fail(error, "no device of the node 0x%016" PRIx64 " is foreign", guid);
		else
			(void)ccp_fail(error, "no device is foreign");
		return 0;
	}
	if (!save(manager)) {
		take_notes_back(manager);
		(void)ccp_fail(error,
			       "that they are cleared cannot be noted in nvidia.json, so that nothing is sent: see the log");
		return 0;
	}
	for (uint32_t i = 0; i < manager->devices.count; i++)
		manager->devices.list[i]->nvidia.noted = false;
	return count;
}

/*
 * Forgets what parameters were before that are so again. True: there were some. A Set of former values may be in flight, for which no
 * pass waits: then nothing of what the device held is certain.
 */
static bool forget_undone(struct ibcc_manager *manager, const struct ibcc_device *device)
{
	bool forgot = false;

	for (uint32_t i = device->in_flight ? device->num_items : 0; i < device->num_items; i++) {
		const struct ibcc_item *item = &device->items[i];

		if (!item->undone || item->withheld || item->drifted || item->held != item->wanted)
			continue;
		forgot |= ibcc_nvidia_memory_forget_before(manager->nvidia.memory, device->node_guid, device->port,
							   &item->algorithm, item->given & ~item->undone);
	}
	return forgot;
}

static bool is_cleared(const struct ibcc_device *device)
{
	/* A device that does not answer may hold it still. */
	if (!ibcc_nvidia_is_answered(&device->nvidia))
		return false;
	if (!device->nvidia.clears || !device->present || device->in_flight || !ibcc_device_is_settled(device))
		return false;
	for (uint32_t i = 0; i < device->num_items; i++) {
		const struct ibcc_item *item = &device->items[i];

		/* What is withheld was read: somebody else may have cleared it. */
		if (ibcc_nvidia_is_attribute(item->attribute) && item->held != item->wanted)
			return false;
	}
	return true;
}

/*
 * Goes on until all that are there have said that they are not on. One that is may get a profile's values now, and come back to what
 * it was found with; if a profile has none for it, others may have switched on any that come later.
 */
static void end_meeting(struct ibcc_manager *manager)
{
	if (!manager->tables || !ibcc_nvidia_memory_meets(manager->nvidia.memory))
		return;
	for (uint32_t i = 0; i < manager->devices.count; i++) {
		const struct ibcc_device *device = manager->devices.list[i];

		if (device->nvidia.foreign)
			manager_nvidia_look(manager);
		if (device->present && (device->support == IBCC_SUPPORT_UNKNOWN || device->support == IBCC_SILENT ||
					!ibcc_nvidia_is_known(&device->nvidia) || device->nvidia.facts.is_on))
			return;
	}
	ibcc_nvidia_memory_end_meeting(manager->nvidia.memory);
	for (uint32_t i = 0; i < manager->devices.count; i++) {
		struct ibcc_device *device = manager->devices.list[i];

		if (!device->nvidia.is_met)
			continue;
		device->nvidia.is_met = device->nvidia.looks = device->nvidia.facts.knows_on = false;
		ibcc_device_ask_nvidia(device, false);
	}
}

/* Devices that hold nothing of it any more are left alone from now on. */
void manager_nvidia_end_pass(struct ibcc_manager *manager)
{
	manager->nvidia.is_requested = false; /* all that could answer has */
	for (uint32_t i = 0; i < manager->devices.count; i++)
		manager->devices.list[i]->nvidia.reads = false;
	manager_differences_say(manager);
	if (!manager->nvidia.memory)
		return;
	end_meeting(manager);
	for (uint32_t i = 0; i < manager->devices.count; i++) {
		struct ibcc_device *device = manager->devices.list[i];
		const bool is_undone = forget_undone(manager, device);

		if (is_cleared(device)) {
			(void)ibcc_nvidia_memory_set_written(manager->nvidia.memory, device->node_guid, device->port, false);
			device->nvidia.written = device->nvidia.facts.is_on = false;
			device->nvidia.facts.knows_on = false; /* it may be back at what others have switched on */
			manager_nvidia_found_end(manager, device);
		} else if (!is_undone) {
			continue;
		}
		manager_models_tell_wanted(manager, device);
	}
	if (save(manager)) /* else a row would be lost that a note is of */
		manager_nvidia_found_end_pass(manager);
}

void manager_nvidia_request(struct ibcc_manager *manager, bool values)
{
	manager->nvidia.is_requested = manager->nvidia.is_on = true;
	manager->nvidia.num_said = 0;
	if (manager->nvidia.memory)
		ibcc_nvidia_memory_forget_models(manager->nvidia.memory);
	for (uint32_t i = 0; i < manager->devices.count; i++) {
		struct ibcc_device *device = manager->devices.list[i];

		ibcc_device_ask_nvidia(device, true);
		ibcc_device_doubt_nvidia(device, manager->devices.pool, IBCC_DOUBT_ALL);
		device->nvidia.reads = values;
		if (values)
			manager_nvidia_found_suspect(manager, device); /* what was read before may be of long ago */
	}
}
