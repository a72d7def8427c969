/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* manager_pauses.c: who is asked again, and when: after no answer or a refusal, after a pause that grows. */
#include "manager/manager_state.h"

#define RETRY_FIRST_NS (5 * NS_PER_S)
#define RETRY_MAX_NS (300 * NS_PER_S)
#define NOTE_RETRY_NS (10 * NS_PER_S)

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

/* A device that is to be asked again: it is present, supports congestion control, and does not hold what
 * is wanted, or that is not noted yet. */
static bool is_left(const struct ibcc_manager *manager, const struct ibcc_device *device)
{
	return device->present && device->num_items > 0 && device->support != IBCC_UNSUPPORTED &&
	       (device->silent || device->late || ibcc_device_refuses(device) || !manager_is_settled(manager, device) ||
		manager_waits_for_note(device));
}

uint32_t manager_schedule_retries(struct ibcc_manager *manager, int64_t *first_ns)
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
		if (manager_waits_for_note(device)) { /* nothing is wrong with the device: any pass asks it */
			device->again_ns = device->pause_ns = 0;
			if (now_ns + NOTE_RETRY_NS < manager->retry_ns)
				manager->retry_ns = now_ns + NOTE_RETRY_NS;
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
