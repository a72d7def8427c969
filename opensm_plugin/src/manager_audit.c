/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* manager_audit.c: reading back at a low rate, to find what was changed from outside or lost. */
#include "manager_state.h"

void manager_audit_schedule(struct ibcc_manager *manager)
{
	const int64_t interval_ns = manager->options->audit_interval_s * NS_PER_S;

	if (!manager->audit.running)
		manager->audit.next_ns = interval_ns ? manager_now_ns(manager) + interval_ns : INT64_MAX;
}

void manager_audit_suspect(struct ibcc_manager *manager, struct ibcc_device *device)
{
	if (device->support != IBCC_SUPPORTED || !device->num_items)
		return;
	device->suspect = true;
	manager->audit.suspects = true;
	for (uint32_t i = 0; i < device->num_items; i++)
		device->items[i].read_pass = 0;
}

static bool may_read(const struct ibcc_manager *manager)
{
	return manager->role == IBCC_ROLE_MASTER && !manager->sweeping && manager->port && manager->phase == PHASE_IDLE &&
	       manager->tables;
}

static void begin(struct ibcc_manager *manager, bool only_suspects)
{
	struct audit *audit = &manager->audit;

	manager_keys_reload(manager);
	manager_keys_retry(manager);
	audit->running = true;
	audit->only_suspects = only_suspects;
	audit->suspects = false;
	audit->found_drift = false;
	audit->sent_in_lap = false;
	audit->round = ++manager->last_pass;
	audit->cursor = 0;
	audit->next_mad_ns = manager_now_ns(manager);
}

static void end(struct ibcc_manager *manager)
{
	struct audit *audit = &manager->audit;

	audit->running = false;
	for (uint32_t i = 0; i < manager->devices.count; i++)
		manager->devices.list[i]->suspect = false;
	if (!audit->only_suspects)
		manager_audit_schedule(manager);
	if (audit->found_drift)
		manager_begin_pass(manager, "repair", false);
}

void manager_audit_tick(struct ibcc_manager *manager)
{
	struct audit *audit = &manager->audit;
	const int64_t now_ns = manager_now_ns(manager);
	const int64_t step_ns = manager->options->audit_mads_per_s ? NS_PER_S / manager->options->audit_mads_per_s : 0;

	if (!may_read(manager))
		return;
	if (!audit->running && now_ns >= audit->next_ns)
		begin(manager, false);
	else if (!audit->running && audit->suspects)
		begin(manager, true);
	while (audit->running && now_ns >= audit->next_mad_ns && ibcc_window_has_room(manager->window, now_ns)) {
		struct ibcc_device *device;

		if (audit->cursor == manager->devices.count) {
			if (audit->sent_in_lap) {
				audit->sent_in_lap = false;
				audit->cursor = 0;
				continue;
			}
			if (ibcc_window_outstanding(manager->window))
				return; /* an answer may leave more to read */
			end(manager);
			return;
		}
		device = manager->devices.list[audit->cursor++];
		if ((!audit->only_suspects || device->suspect) && manager_send(manager, device, IBCC_WORK_READ, audit->round)) {
			audit->sent_in_lap = true;
			audit->next_mad_ns = now_ns + step_ns;
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
	if (audit->cursor == manager->devices.count && !audit->sent_in_lap && ibcc_window_outstanding(manager->window))
		return INT64_MAX;
	return audit->next_mad_ns;
}
