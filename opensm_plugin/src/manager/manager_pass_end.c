/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* manager_pass_end.c: what a pass has come to: which revision is on the fabric, who is asked again, and the job's message. */
#include <stdio.h>
#include <string.h>

#include "manager/manager_state.h"

/* Appends "3 are not responding", after a comma if there is something before it. */
static void add_count(char *text, size_t size, uint32_t count, const char *one, const char *many)
{
	const size_t length = strlen(text);

	if (count)
		snprintf(text + length, size - length, "%s%u %s", length ? ", " : "", count, count == 1 ? one : many);
}

static void describe_end(struct ibcc_manager *manager, uint32_t left, int64_t first_ns, char *message, size_t size)
{
	const long long wait_s = (first_ns - manager_now_ns(manager) + NS_PER_S - 1) / NS_PER_S;
	uint32_t counts[IBCC_NUM_STATES];
	char others[224] = "", when[32] = "now";

	if (wait_s > 0)
		snprintf(when, sizeof(when), "in %lld s", wait_s);
	ibcc_manager_count_states(manager, counts);
	add_count(others, sizeof(others), counts[IBCC_STATE_WITHHELD], "is not sent all of it", "are not sent all of it");
	add_count(others, sizeof(others), counts[IBCC_STATE_FOREIGN], "is foreign, on by NVIDIA's attributes",
		  "are foreign, on by NVIDIA's attributes");
	add_count(others, sizeof(others), counts[IBCC_STATE_CLAMPED], "took other values", "took other values");
	add_count(others, sizeof(others), counts[IBCC_STATE_REFUSED], "refuses a value", "refuse a value");
	add_count(others, sizeof(others), counts[IBCC_STATE_TIMING_OUT], "is not responding", "are not responding");
	add_count(others, sizeof(others), counts[IBCC_STATE_DRIFTED], "has drifted", "have drifted");
	add_count(others, sizeof(others), counts[IBCC_STATE_UNKNOWN], "is unknown", "are unknown");
	if (!others[0] && !left && !counts[IBCC_STATE_APPLIED] && counts[IBCC_STATE_UNSUPPORTED])
		snprintf(message, size, "no device holds the profile: %u %s none of the attributes that it writes",
			 counts[IBCC_STATE_UNSUPPORTED], counts[IBCC_STATE_UNSUPPORTED] == 1 ? "has" : "have");
	else if (!others[0] && !left)
		snprintf(message, size, "all devices that support congestion control hold the wanted values");
	else if (!left)
		snprintf(message, size, "%u devices hold the wanted values; %s", counts[IBCC_STATE_APPLIED], others);
	else
		snprintf(message, size, "%u devices hold the wanted values; %s; %u of them will be asked again, the first %s",
			 counts[IBCC_STATE_APPLIED], others[0] ? others : "the keys of others are still being set", left, when);
}

/* True if it was sent NVIDIA's attributes, and can be sent none now. */
static bool keeps_nvidia(const struct ibcc_device *device)
{
	const struct ibcc_item *last = device->num_items ? &device->items[device->num_items - 1] : NULL;

	/* NVIDIA's items are the last, and all of them are withheld, or none. */
	return device->nvidia.written && last && last->withheld && ibcc_nvidia_is_attribute(last->attribute);
}

/*
 * A device that is settled with the base holds nothing of a trial run any more, unless it refuses the base's values, or keeps
 * NVIDIA's.
 */
static void clear_sent_experiment(struct ibcc_manager *manager)
{
	const uint64_t base = ibcc_profiles_base_number(manager->profiles);

	for (uint32_t i = 0; base && base == manager->standing.tables && i < manager->devices.count; i++) {
		struct ibcc_device *device = manager->devices.list[i];

		/* What is in flight to a device that is late may be a Set of the trial run. */
		if (device->present && !device->in_flight && ibcc_device_is_settled(device) && !ibcc_device_refuses(device) &&
		    !keeps_nvidia(device))
			device->sent_experiment = 0;
	}
}

/* No profile was in force since devices were found. */
static bool is_watched(const struct ibcc_manager *manager)
{
	for (uint32_t i = 0; i < manager->devices.count; i++) {
		if (manager->devices.list[i]->present && manager->devices.list[i]->found && !manager->devices.list[i]->is_watched)
			return false;
	}
	return true;
}

void manager_end_pass(struct ibcc_manager *manager)
{
	uint32_t left;
	int64_t first_ns;
	char message[sizeof(manager->job.message)], mute[IBCC_MUTE_BYTES];

	clear_sent_experiment(manager);
	manager_found_end_pass(manager);
	manager_nvidia_end_pass(manager);
	left = manager_schedule_retries(manager, &first_ns);
	manager_mute_say(manager);
	if (manager_has_wanted(manager) && manager->standing.tables != manager->standing.pass)
		snprintf(message, sizeof(message), "%.160s; devices keep their former values",
			 manager->unresolved[0] ? manager->unresolved : "out of memory: some devices were not asked");
	else if (ibcc_manager_describe_mute(manager, mute))
		snprintf(message, sizeof(message), "%s", mute);
	else if (manager->tables || (manager_has_wanted(manager) && !is_watched(manager)))
		describe_end(manager, left, first_ns, message, sizeof(message));
	else if (manager_has_wanted(manager))
		snprintf(message, sizeof(message),
			 "the devices were asked what they support and hold, which is revision 0; no profile is in force");
	else
		snprintf(message, sizeof(message), "the devices were asked what they support; no profile is in force");
	/* Devices that are late may be those that it makes fail: a pass follows when that is known. */
	manager_stand_on_fabric(manager, !manager_late_count(manager) && !manager_why_unnoted(manager), !left);
	if (manager_why_unnoted(manager))
		manager_stand_mixed(manager); /* devices wait for a note, and may hold another profile */
	if (manager->standing.role == IBCC_ROLE_HALTED)
		manager_change_role(manager, IBCC_ROLE_MASTER, ibcc_roles[IBCC_ROLE_MASTER].entered);
	manager_stop_pass(manager, IBCC_JOB_DONE, message);
}
