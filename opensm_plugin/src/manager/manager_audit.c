/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* manager_audit.c: reads devices back at a low rate, to find values that others changed or that a reset lost. */
#include "manager/manager_state.h"

#define SLOWEST_PER_S 10u /* MADs: a small fabric is not read for minutes */
#define CATCH_UP 8

void manager_audit_schedule(struct ibcc_manager *manager)
{
	const int64_t interval_ns = manager->options->audit_interval_s * NS_PER_S;

	if (!manager->audit.running)
		manager->audit.next_ns = interval_ns ? manager_now_ns(manager) + interval_ns : INT64_MAX;
}

/* Has the next audit read the device. */
static void suspect(struct ibcc_manager *manager, struct ibcc_device *device)
{
	if (!device->found_reading.is_over) /* half of it may be of before a reset */
		ibcc_found_forget(&device->found_reading, manager->devices.pool);
	if (!device->num_items && !device->nvidia.foreign)
		return;
	device->suspect = true;
	manager->audit.suspects = true;
	for (uint32_t i = 0; i < device->num_items; i++)
		device->items[i].read_pass = 0;
}

void manager_audit_suspect(struct ibcc_manager *manager, struct ibcc_device *device)
{
	suspect(manager, device);
	manager_nvidia_found_suspect(manager, device);
	ibcc_device_ask_facts(device);
	/* If it comes back with other firmware, nothing else shows that. */
	device->nvidia.trust.tested &= ibcc_firmware_is_known(&device->firmware.latest);
}

void manager_audit_device_is_back(struct ibcc_manager *manager, struct ibcc_device *device)
{
	if (device->suspect)
		suspect(manager, device);
}

void manager_audit_look_for_suspects(struct ibcc_manager *manager)
{
	for (uint32_t i = 0; i < manager->devices.count; i++) {
		struct ibcc_device *device = manager->devices.list[i];

		if (!device->silent && ibcc_device_is_known(device))
			manager_audit_device_is_back(manager, device);
	}
}

static bool may_read(const struct ibcc_manager *manager)
{
	return manager_may_send(manager) && !manager->standing.sweeping && manager->port &&
	       manager->standing.phase == PHASE_IDLE && manager_has_wanted(manager);
}

/* The number of requests in a round: one for each item. */
static uint64_t count_items(const struct ibcc_manager *manager)
{
	uint64_t items = 0;

	for (uint32_t i = 0; i < manager->devices.count; i++) {
		const struct ibcc_device *device = manager->devices.list[i];

		items += device->present && device->support == IBCC_SUPPORTED ? device->num_items : 0;
	}
	return items;
}

/* The rate at which a round takes half of the interval, but at most that of the option. */
static uint32_t mads_per_s(const struct ibcc_manager *manager, uint64_t items)
{
	const struct ibcc_options *options = manager->options;
	const uint64_t half_s = options->audit_interval_s > 1 ? options->audit_interval_s / 2 : 1;
	const uint64_t needed = (items + half_s - 1) / half_s, least = needed > SLOWEST_PER_S ? needed : SLOWEST_PER_S;

	return least < options->audit_mads_per_s ? (uint32_t)least : options->audit_mads_per_s;
}

struct ibcc_audits ibcc_manager_audits(const struct ibcc_manager *manager)
{
	const uint64_t items = count_items(manager);
	const uint32_t rate = mads_per_s(manager, items);
	const bool is_due = manager->options->audit_interval_s && may_read(manager) && !manager->audit.running;

	return (struct ibcc_audits){
		.mads_per_s = rate,
		.round_ns = (int64_t)(items * NS_PER_S / rate),
		.next_ns = is_due ? manager->audit.next_ns : INT64_MAX,
		.running = manager->audit.running,
	};
}

static void begin(struct ibcc_manager *manager, bool only_suspects)
{
	struct audit *audit = &manager->audit;

	(void)manager_keys_reload(manager);
	if (only_suspects)
		manager_keys_retry(manager);
	else
		manager_keys_look_again(manager);
	audit->running = true;
	audit->only_suspects = only_suspects;
	audit->suspects = false;
	audit->found_drift = false;
	audit->sent_in_lap = audit->has_waited = false;
	audit->round = ++manager->last_pass;
	audit->cursor = 0;
	audit->next_mad_ns = manager_now_ns(manager);
	for (uint32_t i = 0; i < manager->devices.count; i++) {
		struct ibcc_device *device = manager->devices.list[i];

		if (!only_suspects) {
			ibcc_device_ask_silent(device);
			ibcc_device_look_again(device);
		}
		device->to_repair |= device->nvidia.again; /* so that it is asked first what it has */
	}
	/* There are few suspects, and their states are in doubt until they are read. */
	audit->step_ns =
		NS_PER_S / (only_suspects ? manager->options->audit_mads_per_s : mads_per_s(manager, count_items(manager)));
}

/* A device found to differ is repaired at once, not at the end of a round that takes minutes. */
static bool send_next(struct ibcc_manager *manager, struct ibcc_device *device)
{
	const uint32_t round = manager->audit.round;

	if (device->in_flight || device->silent)
		return false;
	if (device->to_repair) {
		if (manager_send(manager, device, IBCC_WORK_PROBE, round) || manager_send(manager, device, IBCC_WORK_SET, round))
			return true;
		device->to_repair = manager->standing.sweeping;
		if (device->to_repair)
			return false;
	}
	return manager_send(manager, device, IBCC_WORK_READ, round);
}

/* Makes up for a delay of CATCH_UP steps at most. */
static void pace(struct audit *audit, int64_t now_ns)
{
	const int64_t late_ns = now_ns - CATCH_UP * audit->step_ns;

	audit->next_mad_ns += audit->step_ns;
	if (audit->next_mad_ns < late_ns)
		audit->next_mad_ns = late_ns;
}

static void end(struct ibcc_manager *manager)
{
	struct audit *audit = &manager->audit;

	audit->running = false;
	/*
	 * This audit may not have read devices that became suspect while it ran: the next one does. Devices that have not answered,
	 * did not support the class, or are to be asked again what they have, stay suspect: manager_audit_device_is_back.
	 */
	for (uint32_t i = 0; i < manager->devices.count && !audit->suspects; i++) {
		struct ibcc_device *device = manager->devices.list[i];

		device->suspect &= device->silent || device->late || !ibcc_device_is_known(device);
	}
	if (!audit->only_suspects)
		manager_audit_schedule(manager);
	/* It goes on with the job that the first Set has begun, and ends it. */
	if (audit->found_drift || manager->job.state == IBCC_JOB_RUNNING)
		manager_begin_pass(manager, "repair", false);
}

void manager_audit_tick(struct ibcc_manager *manager)
{
	struct audit *audit = &manager->audit;
	const int64_t now_ns = manager_now_ns(manager);

	if (!may_read(manager))
		return;
	if (!audit->running && now_ns >= audit->next_ns)
		begin(manager, false);
	else if (!audit->running && audit->suspects)
		begin(manager, true);
	/* A sweep may be noticed only when a request is about to be sent: the round continues after it. */
	while (audit->running && !manager->standing.sweeping && now_ns >= audit->next_mad_ns &&
	       ibcc_window_has_room(manager->window, now_ns)) {
		struct ibcc_device *device;

		if (manager->first_queued) {
			if (send_next(manager, manager_unqueue(manager))) {
				audit->sent_in_lap = true;
				pace(audit, now_ns);
			}
			continue;
		}
		if (audit->cursor >= manager->devices.count) { /* a sweep may have made the list shorter */
			if (audit->sent_in_lap) {
				audit->sent_in_lap = false;
				audit->cursor = 0;
				continue;
			}
			if (ibcc_window_in_flight(manager->window)) {
				audit->has_waited = true; /* an answer may leave more to read */
				return;
			}
			if (audit->has_waited) {
				audit->has_waited = false;
				audit->cursor = 0;
				continue;
			}
			end(manager);
			return;
		}
		device = manager->devices.list[audit->cursor++];
		if ((!audit->only_suspects || device->suspect) && send_next(manager, device)) {
			audit->sent_in_lap = true;
			pace(audit, now_ns);
		}
	}
}

int64_t manager_audit_next_ns(const struct ibcc_manager *manager)
{
	const struct audit *audit = &manager->audit;

	if (!may_read(manager))
		return INT64_MAX;
	if (!audit->running)
		return audit->suspects ? manager_now_ns(manager) : audit->next_ns;
	if (audit->cursor >= manager->devices.count && !audit->sent_in_lap && !manager->first_queued &&
	    ibcc_window_in_flight(manager->window))
		return INT64_MAX;
	/* Without room in the window the next request waits for an answer or a time-out. */
	return ibcc_window_has_room(manager->window, manager_now_ns(manager)) ? audit->next_mad_ns : INT64_MAX;
}
