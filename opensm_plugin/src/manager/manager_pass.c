/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _DEFAULT_SOURCE /* explicit_bzero() */
/*
 * manager_pass.c: one pass over the devices: probe, set in two steps, perhaps read.
 *
 * A cursor goes over the list once in each phase; a device that needs another request when its answer comes is queued. The phase
 * ends when the cursor is at the end, the queue is empty and nothing is in flight but what is late (manager_late.c). Devices that
 * were not responding when the pass began are no part of it until they answer (manager_silent.c). Whoever was left out makes up
 * for the phases that it has missed, in their order.
 */
#include <stdio.h>
#include <string.h>

#include "manager/manager_state.h"

#define RETRY_FIRST_NS (5 * NS_PER_S)
#define RETRY_MAX_NS (300 * NS_PER_S)
#define DISK_RETRY_NS (10 * NS_PER_S)
#define TRIES_BESIDE 3u /* of a request to a device that was not responding */

bool manager_is_settled(const struct ibcc_manager *manager, const struct ibcc_device *device)
{
	return ibcc_device_is_settled(device) && manager_key_is_settled(manager, device);
}

void manager_end_pauses(struct ibcc_manager *manager)
{
	for (uint32_t i = 0; i < manager->devices.count; i++) {
		struct ibcc_device *device = manager->devices.list[i];

		device->again_ns = device->pause_ns = 0;
		/* Its firmware may have been updated. */
		if (device->support == IBCC_UNSUPPORTED) {
			device->support = IBCC_SUPPORT_UNKNOWN;
			device->refusal = 0;
			device->has_congestion_info = device->asked_class_port_info = false;
		}
		device->refusal_doubted = device->refusal != 0;
	}
	manager_nvidia_doubt(manager);
	manager_late_look_for_silent(manager, manager_now_ns(manager));
}

/* Twice the last pause, but no longer than until the next audit, which asks all devices. */
int64_t manager_longer_pause(const struct ibcc_manager *manager, int64_t pause_ns)
{
	const int64_t audit_ns = manager->options->audit_interval_s * NS_PER_S;
	const int64_t most_ns = audit_ns && audit_ns < RETRY_MAX_NS ? audit_ns : RETRY_MAX_NS;

	pause_ns = pause_ns ? 2 * pause_ns : RETRY_FIRST_NS;
	return pause_ns < most_ns ? pause_ns : most_ns;
}

void manager_pause_device(struct ibcc_manager *manager, struct ibcc_device *device)
{
	device->pause_ns = manager_longer_pause(manager, device->pause_ns);
	device->again_ns = manager_now_ns(manager) + device->pause_ns;
}

static void begin_phase(struct ibcc_manager *manager, enum phase phase)
{
	manager_stand_in_phase(manager, phase);
	manager->cursor = 0;
	manager_clear_queue(manager);
}

void manager_begin_pass(struct ibcc_manager *manager, const char *kind, bool then_read)
{
	if (kind) {
		manager_begin_job(manager, kind);
		manager->job.failed = 0;
	}
	manager->then_read |= then_read;
	manager->has_read = false;
	manager->pass = ++manager->last_pass;
	manager_stand_at_pass(manager);
	manager->retry_ns = INT64_MAX;
	manager_late_begin_pass(manager);
	manager->late.is_for_somebody = kind && strcmp(kind, "repair") != 0;
	begin_phase(manager, PHASE_PROBE);
}

/* A device that is to be asked again: it is present, supports congestion control, and does not hold what is wanted. */
static bool is_left(const struct ibcc_manager *manager, const struct ibcc_device *device)
{
	return device->present && device->num_items > 0 && device->support != IBCC_UNSUPPORTED &&
	       (device->silent || device->late || ibcc_device_refuses(device) || !manager_is_settled(manager, device));
}

/*
 * Gives each device that is left a time at which it is asked again, and the manager the earliest of these at which a pass is needed.
 * Returns their number. `*first_ns`: the earliest of all.
 */
static uint32_t schedule_retries(struct ibcc_manager *manager, int64_t *first_ns)
{
	const int64_t now_ns = manager_now_ns(manager);
	uint32_t left = 0;

	manager->retry_ns = *first_ns = INT64_MAX;
	for (uint32_t i = 0; i < manager->devices.count; i++) {
		struct ibcc_device *device = manager->devices.list[i];
		const bool is_asked_beside = device->present && (device->silent || device->late);

		if (is_left(manager, device))
			left++;
		else if (!is_asked_beside)
			device->again_ns = device->pause_ns = 0;
		device->left_out |= device->late;
		if (is_asked_beside) {
			const int64_t again_ns = device->again_ns > now_ns ? device->again_ns : now_ns;

			*first_ns = again_ns < *first_ns ? again_ns : *first_ns;
			continue;
		}
		if (!is_left(manager, device))
			continue;
		if (manager_found_waits(manager, device)) { /* nothing is wrong with the device: any pass asks it */
			device->again_ns = device->pause_ns = 0;
			if (now_ns + DISK_RETRY_NS < manager->retry_ns)
				manager->retry_ns = now_ns + DISK_RETRY_NS;
			continue;
		}
		if (device->again_ns <= now_ns)
			manager_pause_device(manager, device);
		if (device->again_ns < manager->retry_ns)
			manager->retry_ns = device->again_ns;
	}
	if (manager->retry_ns < *first_ns)
		*first_ns = manager->retry_ns;
	return left;
}

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
	if (!others[0] && !left)
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

		if (device->present && ibcc_device_is_settled(device) && !ibcc_device_refuses(device) && !keeps_nvidia(device))
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

static void end_pass(struct ibcc_manager *manager)
{
	uint32_t left;
	int64_t first_ns;
	char message[sizeof(manager->job.message)], mute[IBCC_MUTE_BYTES];

	clear_sent_experiment(manager);
	manager_found_end_pass(manager);
	manager_nvidia_end_pass(manager);
	left = schedule_retries(manager, &first_ns);
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
	manager_stand_on_fabric(manager, !manager_late_count(manager) && !manager_found_why_unset(manager), !left);
	if (manager_found_why_unset(manager))
		manager_stand_mixed(manager); /* devices wait for the disk, and may hold another profile */
	if (manager->standing.role == IBCC_ROLE_HALTED)
		manager_change_role(manager, IBCC_ROLE_MASTER, ibcc_roles[IBCC_ROLE_MASTER].entered);
	manager_stop_pass(manager, IBCC_JOB_DONE, message);
}

static void next_phase(struct ibcc_manager *manager)
{
	switch (manager->standing.phase) {
	case PHASE_PROBE:
		begin_phase(manager, PHASE_CLEAR);
		break;
	case PHASE_CLEAR:
		begin_phase(manager, PHASE_SET_FIRST);
		break;
	case PHASE_SET_FIRST:
		begin_phase(manager, PHASE_SET_SECOND);
		break;
	case PHASE_SET_SECOND:
		manager->has_read |= manager->then_read;
		if (manager->then_read)
			begin_phase(manager, PHASE_READ);
		else
			end_pass(manager);
		break;
	case PHASE_READ:
		manager->then_read = false;
		/*
		 * Differences are set once and not read again: a device that never holds its values would keep the pass running
		 * for ever. A device that was found to have been reset is asked first what it supports.
		 */
		begin_phase(manager, PHASE_PROBE);
		break;
	case PHASE_IDLE:
		break;
	}
}

static bool takes_part(const struct ibcc_manager *manager, enum phase phase, const struct ibcc_device *device)
{
	const bool clears = manager->tables ? !manager->tables->enable : manager_has_wanted(manager) && !manager->found.marks;
	const enum ibcc_device_kind first = clears ? IBCC_SWITCH : IBCC_CA;

	switch (phase) {
	case PHASE_CLEAR:
		return device->kind == IBCC_SWITCH && device->nvidia.clears;
	case PHASE_SET_FIRST:
		return device->kind == first;
	case PHASE_SET_SECOND:
		return device->kind != first;
	default:
		return true;
	}
}

static enum ibcc_work work_of(const struct ibcc_manager *manager, enum phase phase)
{
	switch (phase) {
	case PHASE_PROBE:
		return IBCC_WORK_PROBE;
	case PHASE_CLEAR:
		return IBCC_WORK_CLEAR;
	case PHASE_READ:
		return IBCC_WORK_READ;
	default:
		/* Devices that take other values are set again only where somebody has asked for it, not in each retry. */
		return manager->set_clamped ? IBCC_WORK_SET_CLAMPED : IBCC_WORK_SET;
	}
}

/* A Set is about to be sent: the device may hold another revision from now on. */
static void note_set(struct ibcc_manager *manager, struct ibcc_device *device)
{
	const uint64_t base = ibcc_profiles_base_number(manager->profiles);

	if (manager->standing.on_fabric != manager->standing.tables)
		manager_stand_mixed(manager);
	if (base && base != manager->standing.tables)
		device->sent_experiment = manager->standing.tables;
}

bool manager_send(struct ibcc_manager *manager, struct ibcc_device *device, enum ibcc_work work, uint32_t pass)
{
	const int64_t now_ns = manager_now_ns(manager);
	struct ibcc_request request;

	manager_sweep_check(manager);
	if (manager->standing.sweeping)
		return false;
	if (!device->present || device->in_flight || ibcc_device_is_left_out(device) || device->failed_pass == pass)
		return false;
	if (work == IBCC_WORK_PROBE)
		manager_models_recall(manager, device);
	if (!manager_key_request(manager, device, &request)) {
		if (!ibcc_device_next(device, work, pass, &request))
			return false;
		if (request.method == IBCC_SET && ibcc_nvidia_is_attribute(request.attribute)) {
			if (!manager_nvidia_may_set(manager, device, request.attribute))
				return false;
		} else if (request.method == IBCC_SET &&
			   (!manager_found_may_set(manager, device) || !manager_takeover_covers_found(manager))) {
			return false;
		}
		if (request.method == IBCC_SET) {
			manager_sweep_check(manager); /* a sweep may have begun while the disk was written to */
			if (manager->standing.sweeping)
				return false;
		}
		request.cc_key = manager_header_key(manager, device);
	}
	request.context = device;
	if (device->silent) {
		request.late = device->late = true;
		request.tries = manager->options->retries < TRIES_BESIDE ? manager->options->retries + 1 : TRIES_BESIDE;
	}
	device->in_flight = true;
	if (request.method == IBCC_SET && request.attribute != CCP_CONGESTION_KEY_INFO)
		note_set(manager, device);
	/* Of an audit: without a job nobody could find out later when devices were written to. */
	if (request.method == IBCC_SET && manager->job.state != IBCC_JOB_RUNNING) {
		manager->set_clamped = false;
		manager_begin_job(manager, "repair");
		if (manager->standing.phase == PHASE_IDLE &&
		    !manager->audit.running) /* a key, beside all passes: the next one ends the job */
			manager->retry_ns = now_ns;
	}
	if (manager->job.state == IBCC_JOB_RUNNING) {
		manager->job.sets += request.method == IBCC_SET;
		manager->job.gets += request.method == IBCC_GET;
		if (request.method == IBCC_SET && !manager->job.first_set_ns)
			manager->job.first_set_ns = now_ns;
	}
	ibcc_window_send(manager->window, &request, now_ns);
	explicit_bzero(&request, sizeof(request)); /* it has a CC_Key */
	return true;
}

static bool send_of(struct ibcc_manager *manager, enum phase phase, struct ibcc_device *device)
{
	return takes_part(manager, phase, device) && manager_send(manager, device, work_of(manager, phase), manager->pass);
}

/* Sends what the device has missed of earlier phases, or else what is of this one. */
static void send_missed(struct ibcc_manager *manager, struct ibcc_device *device)
{
	for (enum phase phase = PHASE_PROBE; phase <= manager->standing.phase; phase++) {
		if (send_of(manager, phase, device))
			return;
	}
	if (manager->has_read && manager->standing.phase == PHASE_SET_SECOND)
		(void)send_of(manager, PHASE_READ, device);
}

static void fill_window(struct ibcc_manager *manager)
{
	for (;;) {
		struct ibcc_device *device;

		if (manager->standing.sweeping || !ibcc_window_has_room(manager->window, manager_now_ns(manager)))
			return;
		if (manager->first_queued)
			device = manager_unqueue(manager);
		else if (manager->cursor < manager->devices.count)
			device = manager->devices.list[manager->cursor++];
		else
			return;
		if (!device->silent && !manager_is_paused(manager, device) && !manager_nvidia_waits(manager, device)) {
			if (device->missed_pass == manager->pass)
				send_missed(manager, device);
			else
				(void)send_of(manager, manager->standing.phase, device);
		}
		if (manager->standing.sweeping) { /* a sweep has begun: this device is first after it */
			manager_queue(manager, device);
			return;
		}
	}
}

bool manager_pump(struct ibcc_manager *manager)
{
	manager->late.next_ns = INT64_MAX;
	manager_sweep_check(manager);
	if (!manager_may_send(manager) || manager->standing.sweeping || !manager->port || manager->standing.phase == PHASE_IDLE)
		return false;
	while (manager->standing.phase != PHASE_IDLE) {
		fill_window(manager);
		if (manager->standing.sweeping)
			return false;
		if (manager_late_leave(manager)) /* the room is for others */
			continue;
		if (manager->first_queued || manager->cursor < manager->devices.count || ibcc_window_in_flight(manager->window))
			return false;
		if (manager->standing.phase == PHASE_PROBE && manager->nvidia.is_on && manager_late_awaits_firmware(manager))
			return false;
		if (manager->standing.phase == PHASE_SET_SECOND && !manager->then_read && manager_late_is_awaited(manager))
			return false;
		next_phase(manager);
	}
	return true;
}
