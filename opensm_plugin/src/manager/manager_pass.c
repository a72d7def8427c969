/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * manager_pass.c: one pass over the devices: probe, set in two steps, perhaps read.
 *
 * A cursor goes over the list once in each phase; a device that needs another request when its answer comes is queued. The phase
 * ends when the cursor is at the end, the queue is empty and nothing is in flight but what is late (manager_late.c). Devices that
 * were not responding when the pass began are no part of it until they answer (manager_silent.c). Whoever was left out makes up
 * for the phases that it has missed, in their order.
 */
#include <string.h>

#include "manager/manager_state.h"

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
	for (uint32_t i = 0; i < manager->devices.count; i++)
		manager->devices.list[i]->unnoted = false;
	begin_phase(manager, PHASE_PROBE);
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
			manager_end_pass(manager);
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
