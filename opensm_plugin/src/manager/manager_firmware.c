/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * manager_firmware.c: asks each device for its firmware, once after it was found, has come back, or may have been reset.
 *
 * An answer comes into the topology with the last one of a round, or after a while: each epoch costs those who follow it a question.
 */
#include "manager/manager_state.h"

#define MAX_OUTSTANDING 8u /* but in a pass that waits for it */
#define RETRIES 1u         /* tries after the first: the reasons of firmware.c say "two requests" */
#define UNTOLD_NS (2 * NS_PER_S)

bool manager_firmware_is_over(const struct ibcc_manager *manager)
{
	return manager->firmware.stopped || (!manager->firmware.due && !ibcc_window_in_flight(manager->firmware.window));
}

/* Devices that are asked for NVIDIA's attributes wait for it in the first phase of a pass. */
static bool is_waited_for(const struct ibcc_manager *manager)
{
	return manager->standing.phase == PHASE_PROBE && manager->nvidia.is_on;
}

static void tell(struct ibcc_manager *manager)
{
	bool has_changed = false;

	manager->firmware.untold_ns = 0;
	for (uint32_t i = 0; i < manager->devices.count; i++) {
		struct ibcc_device *device = manager->devices.list[i];

		if (ibcc_firmware_is_same(&device->firmware.latest, &device->firmware.told))
			continue;
		device->firmware.told = device->firmware.latest;
		has_changed |= ibcc_topology_touch(&manager->topology, device->node_guid);
	}
	if (has_changed)
		ibcc_topology_next_epoch(&manager->topology);
}

static void take(struct ibcc_manager *manager, struct ibcc_device *device, enum ibcc_firmware_state state,
		 const struct ibcc_firmware *latest)
{
	device->firmware.state = state;
	if (ibcc_firmware_is_same(&device->firmware.latest, latest)) {
		manager_models_learn(manager, device);
		return;
	}
	/* What it has answered may be of other firmware, also if that was not known. */
	if (device->nvidia.state != IBCC_NVIDIA_UNKNOWN) {
		ibcc_device_doubt_nvidia(device, manager->devices.pool, IBCC_DOUBT_ALL);
		manager->retry_ns = manager_now_ns(manager);
	}
	device->firmware.latest = *latest;
	manager_models_learn(manager, device);
	if (!manager->firmware.untold_ns)
		manager->firmware.untold_ns = manager_now_ns(manager);
}

void manager_firmware_look(struct ibcc_manager *manager)
{
	manager->firmware.due = true;
	manager->firmware.cursor = 0;
}

static void on_result(void *owner, const struct ibcc_request *request, const struct ibcc_result *result)
{
	struct ibcc_manager *manager = owner;
	struct ibcc_device *device = request->context;
	struct ibcc_firmware firmware = {0};
	enum ibcc_firmware_state state = IBCC_FIRMWARE_SILENT;

	device->firmware.in_flight = false;
	if (device->firmware.to_ask) /* it may have been reset since it was asked */
		manager_firmware_look(manager);
	/* In a sweep another device may have been given the LID, and one that was reset since may have other firmware. */
	if (result->outcome == IBCC_CANCELLED || (uint16_t)request->tag != device->epoch ||
	    (result->outcome == IBCC_ANSWERED && manager->unsure_since_ns)) {
		device->firmware.to_ask = true;
		manager_firmware_look(manager);
		return;
	}
	if (result->outcome == IBCC_NOT_SENT) {
		state = IBCC_FIRMWARE_NOT_SENT;
	} else if (result->outcome == IBCC_ANSWERED && result->status) {
		state = IBCC_FIRMWARE_REFUSED;
		device->firmware.refusal = result->status;
	} else if (result->outcome == IBCC_ANSWERED) {
		state = ibcc_firmware_read(result->data, &firmware) ? IBCC_FIRMWARE_KNOWN : IBCC_FIRMWARE_EMPTY;
	}
	take(manager, device, state, &firmware);
	if (is_waited_for(manager))
		manager_queue(manager, device);
}

struct ibcc_window *manager_firmware_window(struct ibcc_manager *manager)
{
	const struct ibcc_options *options = manager->options;
	const struct ibcc_window_settings settings = {
		.max_outstanding = options->max_outstanding,
		.timeout_ms = options->timeout_ms,
		.max_timeout_ms = options->max_timeout_ms,
		.retries = RETRIES,
		.mad_class = &ibcc_vendor_class,
		.shares_rate_of = manager->window,
	};

	return ibcc_window_create(&settings, NULL, on_result, manager);
}

void manager_firmware_stop(struct ibcc_manager *manager)
{
	for (uint32_t i = 0; i < manager->devices.count; i++) {
		struct ibcc_device *device = manager->devices.list[i];

		if (manager_nvidia_waits(manager, device)) /* the pass has gone by it, and waits no longer */
			manager_queue(manager, device);
	}
	manager->firmware.stopped = true;
	ibcc_window_cancel(manager->firmware.window, NULL);
}

/* An audit keeps its time where the rate of all MADs is limited. */
static bool may_ask(const struct ibcc_manager *manager)
{
	const uint32_t max_per_s = manager->options->max_mads_per_s;
	const int64_t turn_ns = max_per_s ? NS_PER_S / max_per_s : 0;

	/* A job without a pass or an audit is about to have one. */
	const bool is_busy =
		manager->standing.phase != PHASE_IDLE || (manager->job.state == IBCC_JOB_RUNNING && !manager->audit.running);

	if (!manager_may_send(manager) || manager->standing.sweeping || manager->firmware.stopped || !manager->port ||
	    (is_busy && !is_waited_for(manager)))
		return false;
	return is_waited_for(manager) || !manager->audit.running ||
	       manager->audit.next_mad_ns > manager_now_ns(manager) + turn_ns;
}

static bool send(struct ibcc_manager *manager, struct ibcc_device *device)
{
	const struct ibcc_firmware unknown = {0};
	const struct ibcc_request request = {.lid = device->lid,
					     .sl = device->sl,
					     .method = IBCC_GET,
					     .attribute = IBCC_GENERAL_INFO,
					     .tag = device->epoch,
					     .context = device};

	if (!device->present || !device->firmware.to_ask || device->firmware.in_flight)
		return false;
	device->firmware.to_ask = false;
	if (!ibcc_vendor_tells_firmware(device->identity.vendor_id)) {
		take(manager, device, IBCC_FIRMWARE_OTHER_VENDOR, &unknown);
		if (is_waited_for(manager))
			manager_queue(manager, device);
		return false;
	}
	device->firmware.in_flight = true;
	ibcc_window_send(manager->firmware.window, &request, manager_now_ns(manager));
	return true;
}

static bool has_room(const struct ibcc_manager *manager, int64_t now_ns)
{
	const struct ibcc_window *window = manager->firmware.window;

	return ibcc_window_has_room(window, now_ns) &&
	       (is_waited_for(manager) || ibcc_window_in_flight(window) < MAX_OUTSTANDING);
}

static int64_t next_ask_ns(const struct ibcc_manager *manager)
{
	return is_waited_for(manager) ? 0 : manager->firmware.next_ns;
}

static void ask(struct ibcc_manager *manager)
{
	struct firmware_reading *reading = &manager->firmware;
	const int64_t now_ns = manager_now_ns(manager);
	const int64_t step_ns = manager->options->audit_mads_per_s ? NS_PER_S / manager->options->audit_mads_per_s : 0;

	while (reading->due && now_ns >= next_ask_ns(manager) && has_room(manager, now_ns)) {
		manager_sweep_check(manager);
		if (manager->standing.sweeping)
			return;
		if (reading->cursor >= manager->devices.count) {
			reading->due = false;
			reading->cursor = 0;
		} else if (send(manager, manager->devices.list[reading->cursor++])) {
			reading->next_ns = now_ns + step_ns;
		}
	}
}

void manager_firmware_tick(struct ibcc_manager *manager)
{
	struct firmware_reading *reading = &manager->firmware;
	const int64_t now_ns = manager_now_ns(manager);

	if (may_ask(manager)) {
		ibcc_window_resume(reading->window, now_ns);
		ibcc_window_tick(reading->window, now_ns);
		ask(manager);
	} else {
		ibcc_window_pause(reading->window);
	}
	if (reading->untold_ns && (manager_firmware_is_over(manager) || now_ns >= reading->untold_ns + UNTOLD_NS))
		tell(manager);
}

int64_t manager_firmware_next_ns(const struct ibcc_manager *manager)
{
	const struct firmware_reading *reading = &manager->firmware;
	const int64_t now_ns = manager_now_ns(manager);
	int64_t next_ns = reading->untold_ns ? reading->untold_ns + UNTOLD_NS : INT64_MAX;

	if (!may_ask(manager))
		return next_ns;
	if (ibcc_window_next_ns(reading->window, now_ns) < next_ns)
		next_ns = ibcc_window_next_ns(reading->window, now_ns);
	/* Without room in the window the next request waits for an answer or a time-out. */
	if (reading->due && has_room(manager, now_ns) && next_ask_ns(manager) < next_ns)
		next_ns = next_ask_ns(manager);
	return next_ns;
}
