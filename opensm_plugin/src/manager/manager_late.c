/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * manager_late.c: which answers a pass waits for.
 *
 * A device that does not answer holds up no other: when its request is overdue it is late, and the next phase begins without it. What
 * it has missed it makes up for as soon as it answers. But while more devices that had answered before are late than the error budget
 * allows, the pass waits for all their tries, as it may itself be what they fail of.
 */
#include "manager/manager_state.h"

/* A pass waits at its end for so many late devices: in a small fabric one lost MAD is no reason to end without its device. */
#define FEW 10u
#define FEW_PART 200u
#define LOOK_NS NS_PER_MS
#define SOON_NS (5 * NS_PER_MS) /* by then a device that is asked again has answered, if it does */

void manager_late_begin_pass(struct ibcc_manager *manager)
{
	manager->late = (struct lateness){.began_ns = manager_now_ns(manager), .next_ns = INT64_MAX};
}

static bool counts_as_error(const struct ibcc_device *device)
{
	return device->support == IBCC_SUPPORTED && !device->silent;
}

uint32_t manager_late_count(const struct ibcc_manager *manager)
{
	uint32_t late = 0;

	for (uint32_t i = 0; i < manager->devices.count; i++)
		late += manager->devices.list[i]->late && counts_as_error(manager->devices.list[i]);
	return late;
}

/* A device without this attribute may be silent to it alone: it is asked something else soon. */
static bool may_be_left(const struct ibcc_request *request)
{
	return request->attribute != CCP_ENHANCED_CONGESTION_INFO;
}

/* The first look marks devices, so that they are counted with those that are late already. */
static bool mark(void *owner, const struct ibcc_request *request)
{
	struct ibcc_manager *manager = owner;
	struct ibcc_device *device = request->context;

	device->late = may_be_left(request);
	manager->late.marked += device->late;
	return false;
}

static bool unmark(void *owner, const struct ibcc_request *request)
{
	struct ibcc_device *device = request->context;

	(void)owner;
	device->late = false;
	return false;
}

static bool leave(void *owner, const struct ibcc_request *request)
{
	const struct ibcc_device *device = request->context;

	(void)owner;
	return device->late;
}

static void look_at(struct ibcc_manager *manager, int64_t when_ns)
{
	if (when_ns < manager->late.next_ns)
		manager->late.next_ns = when_ns;
}

bool manager_late_leave(struct ibcc_manager *manager)
{
	const int64_t now_ns = manager_now_ns(manager);

	const struct ibcc_window_counts counts = ibcc_window_get_counts(manager->window);
	const uint64_t seen = counts.sent + counts.answered;

	/* Whatever was sent since the last look becomes overdue later than the next one. */
	if (now_ns < manager->late.look_ns || (seen == manager->late.seen && now_ns < manager->late.overdue_ns)) {
		const bool is_as_before = seen == manager->late.seen && manager->late.overdue_ns > manager->late.look_ns;

		look_at(manager, is_as_before ? manager->late.overdue_ns : manager->late.look_ns);
		return false;
	}
	manager->late.seen = seen;
	manager->late.look_ns = now_ns + LOOK_NS;
	manager->late.overdue_ns = ibcc_window_overdue_ns(manager->window, now_ns);
	look_at(manager, manager->late.overdue_ns);
	manager->late.marked = 0;
	(void)ibcc_window_take_overdue(manager->window, now_ns, mark);
	if (!manager->late.marked)
		return false;
	if (ibcc_roles[manager->standing.role].counts_errors &&
	    manager_late_count(manager) + ibcc_error_budget_spent(manager->budget, now_ns) >
		    ibcc_error_budget_allowed(manager->budget)) {
		(void)ibcc_window_take_overdue(manager->window, now_ns, unmark);
		return false;
	}
	return ibcc_window_take_overdue(manager->window, now_ns, leave) > 0;
}

bool manager_late_is_awaited(struct ibcc_manager *manager)
{
	const int64_t now_ns = manager_now_ns(manager), try_ns = manager->options->timeout_ms * NS_PER_MS;
	uint32_t present = 0, late = 0, silent = 0, few;
	int64_t until_ns = 0;

	for (uint32_t i = 0; i < manager->devices.count; i++) {
		const struct ibcc_device *device = manager->devices.list[i];

		present += device->present;
		late += device->late && !device->asked_beside;
		/* Between two requests of one that tries keys nothing is in flight to it. */
		silent += device->asked_beside || (manager->late.has_other_keys && device->present && device->silent &&
						   device->support != IBCC_UNSUPPORTED && device->again_ns <= now_ns);
	}
	few = present / FEW_PART > FEW ? present / FEW_PART : FEW;
	if (!manager->late.end_ns)
		manager->late.end_ns = now_ns;
	/* One more try of each. */
	if (late && late <= few)
		until_ns = manager->late.end_ns + 2 * try_ns;
	/* Whoever asks for the pass may have mended one of them; for a verification they are given the time of a try. */
	if (silent && manager->late.is_for_somebody) {
		const int64_t soon_ns = manager->late.began_ns +
					(manager->has_read && (silent <= few || manager->late.has_other_keys) ? try_ns : SOON_NS);

		until_ns = soon_ns > until_ns ? soon_ns : until_ns;
	}
	if (now_ns >= until_ns)
		return false;
	look_at(manager, until_ns);
	return true;
}

bool manager_late_awaits_firmware(const struct ibcc_manager *manager)
{
	for (uint32_t i = 0; i < manager->devices.count; i++) {
		const struct ibcc_device *device = manager->devices.list[i];

		if (!device->silent && !device->late && manager_nvidia_waits(manager, device))
			return true;
	}
	return false;
}

void manager_late_take_result(struct ibcc_manager *manager, struct ibcc_device *device)
{
	if (!device->late)
		return;
	device->late = false;
	device->missed_pass = manager->pass;
	if (device->asked_beside)
		manager->silent.in_flight--;
	device->asked_beside = false;
}

void manager_late_look_for_silent(struct ibcc_manager *manager, int64_t when_ns)
{
	if (when_ns < manager->silent.next_ns)
		manager->silent.next_ns = when_ns;
}
