/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * manager_silent.c: asks the devices that were not responding, each after its pause, whether they respond again.
 *
 * Passes and audits go without them. Whoever answers joins the pass that runs, or a pass begins for it.
 */
#include "manager/manager_state.h"

#define WINDOW_PART 4u /* of --max-outstanding: so many more may be in flight to them */
#define ROOM_NS (5 * NS_PER_MS)
#define RATE_PART 16u /* of --max-mads-per-s: so many of them a second are asked, four tries each at most */

static uint32_t most_in_flight(const struct ibcc_manager *manager)
{
	const struct ibcc_options *options = manager->options;
	uint32_t most = options->max_outstanding / WINDOW_PART;

	if (options->max_mads_per_s && options->max_mads_per_s / RATE_PART < most)
		most = options->max_mads_per_s / RATE_PART;
	return most ? most : 1;
}

static bool may_ask(const struct ibcc_manager *manager)
{
	return manager_may_send(manager) && !manager->standing.sweeping && manager->port &&
	       manager->standing.role != IBCC_ROLE_HALTED;
}

static bool has_room(const struct ibcc_manager *manager, int64_t now_ns)
{
	return manager->silent.in_flight < most_in_flight(manager) && ibcc_window_has_late_room(manager->window, now_ns);
}

static bool is_silent(const struct ibcc_device *device)
{
	return device->present && device->silent && device->support != IBCC_UNSUPPORTED;
}

void manager_silent_tick(struct ibcc_manager *manager)
{
	const int64_t now_ns = manager_now_ns(manager);

	if (!may_ask(manager) || now_ns < manager->silent.next_ns)
		return;
	manager->silent.next_ns = INT64_MAX;
	for (uint32_t i = 0; i < manager->devices.count && !manager->standing.sweeping; i++) {
		struct ibcc_device *device = manager->devices.list[i];
		int64_t due_ns = device->again_ns;

		if (!is_silent(device) || device->in_flight)
			continue;
		if (due_ns <= now_ns && has_room(manager, now_ns)) {
			if (device->again_ns) { /* its pause is over */
				device->again_ns = 0;
				ibcc_keys_retry(&device->key);
			}
			if (manager_send(manager, device, IBCC_WORK_PROBE, UINT32_MAX)) {
				device->asked_beside = true;
				manager->silent.in_flight++;
			}
			continue;
		}
		/* Without a place it waits for the end of another's request. */
		if (due_ns <= now_ns)
			due_ns = manager->silent.in_flight < most_in_flight(manager) ? now_ns + ROOM_NS : INT64_MAX;
		if (due_ns < manager->silent.next_ns)
			manager->silent.next_ns = due_ns;
	}
	if (manager->standing.sweeping)
		manager->silent.next_ns = 0;
}

int64_t manager_silent_next_ns(const struct ibcc_manager *manager)
{
	const int64_t now_ns = manager_now_ns(manager);

	if (!may_ask(manager))
		return INT64_MAX;
	if (manager->silent.next_ns > now_ns)
		return manager->silent.next_ns;
	/* Without room the next one waits for an answer, a time-out or its turn. */
	return has_room(manager, now_ns) ? now_ns : INT64_MAX;
}
