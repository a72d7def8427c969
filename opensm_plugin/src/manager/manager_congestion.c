/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * manager_congestion.c: reads the CongestionLogs of all devices every --log-interval-s, between passes and at the rate of audits.
 */
#include <stdlib.h>
#include <time.h>

#include "manager/manager_state.h"

static bool may_read(const struct ibcc_manager *manager)
{
	return manager->options->log_interval_s && manager_may_send(manager) && !manager->standing.sweeping && manager->port &&
	       manager->standing.phase == PHASE_IDLE;
}

static bool send(struct ibcc_manager *manager, struct ibcc_device *device)
{
	struct ibcc_request request = {.lid = device->lid,
				       .sl = device->sl,
				       .method = IBCC_GET,
				       .attribute = (uint16_t)(CCP_CONGESTION_LOG_SWITCH & 0xFFFFu),
				       .cc_key = manager_header_key(manager, device),
				       .tag = device->epoch,
				       .context = device};

	if (!device->present || device->in_flight || device->silent || device->support != IBCC_SUPPORTED || device->has_no_log)
		return false;
	device->in_flight = true;
	ibcc_window_send(manager->window, &request, manager_now_ns(manager));
	return true;
}

void manager_congestion_tick(struct ibcc_manager *manager)
{
	struct log_reading *reading = &manager->log_reading;
	const int64_t now_ns = manager_now_ns(manager);
	const int64_t step_ns = manager->options->audit_mads_per_s ? NS_PER_S / manager->options->audit_mads_per_s : 0;

	if (!may_read(manager) || now_ns < reading->next_ns)
		return;
	while (reading->cursor < manager->devices.count && ibcc_window_has_room(manager->window, now_ns)) {
		manager_sweep_check(manager);
		if (manager->standing.sweeping)
			return;
		if (send(manager, manager->devices.list[reading->cursor++])) {
			reading->next_ns = now_ns + step_ns;
			if (step_ns)
				return;
		}
	}
	if (reading->cursor < manager->devices.count)
		return;
	reading->cursor = 0;
	reading->began_ns += manager->options->log_interval_s * NS_PER_S;
	if (reading->began_ns < now_ns) /* the first, or one that took longer than the interval */
		reading->began_ns = now_ns;
	reading->next_ns = reading->began_ns;
}

int64_t manager_congestion_next_ns(const struct ibcc_manager *manager)
{
	/* Without room in the window the next request waits for an answer or a time-out. */
	return may_read(manager) && ibcc_window_has_room(manager->window, manager_now_ns(manager)) ? manager->log_reading.next_ns
												   : INT64_MAX;
}

void manager_congestion_handle_result(struct ibcc_manager *manager, struct ibcc_device *device, const struct ibcc_result *result)
{
	device->in_flight = false;
	if (result->outcome != IBCC_ANSWERED)
		return; /* audits take care of devices that do not answer */
	/* In a sweep another device may have been given the LID. A reading is lost rather than shown for the wrong device. */
	if (manager->unsure_since_ns)
		return;
	if (result->status) {
		device->has_no_log = ibcc_status_is_unsupported(result->status);
		return;
	}
	if (!device->congestion)
		device->congestion = calloc(1, sizeof(*device->congestion));
	if (!device->congestion) {
		ibcc_log(manager->log, IBCC_LOG_ERROR, "IBCC0210: out of memory: a congestion log is lost");
		return;
	}
	(void)ibcc_congestion_add(device->congestion, result->data, (int64_t)time(NULL));
}
