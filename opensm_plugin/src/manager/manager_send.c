/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _DEFAULT_SOURCE /* explicit_bzero() */
/*
 * manager_send.c: sends a device its next request, if it may have one.
 *
 * A Set goes out when all is noted that a restart or the next master has to know of it. Where that fails, the device waits for the note
 * (`unnoted`), and the pass ends without it.
 */
#include <string.h>

#include "manager/manager_state.h"

#define TRIES_BESIDE 3u /* of a request to a device that was not responding */

/* A Set is about to be sent: the device may hold another revision from now on. */
static void note_set(struct ibcc_manager *manager, struct ibcc_device *device)
{
	const uint64_t base = ibcc_profiles_base_number(manager->profiles);

	if (manager->standing.on_fabric != manager->standing.tables)
		manager_stand_mixed(manager);
	if (base && base != manager->standing.tables)
		device->sent_experiment = manager->standing.tables;
}

/* True when the Set may go out. Else the device waits until that can be noted which has to be, and `unnoted` says why it cannot. */
static bool may_set(struct ibcc_manager *manager, struct ibcc_device *device, uint16_t attribute)
{
	struct ccp_error error = {.message = ""};

	if (ibcc_nvidia_is_attribute(attribute))
		device->unnoted = !manager_nvidia_may_set(manager, device, attribute, &error);
	else
		device->unnoted =
			!manager_found_may_set(manager, device, &error) || !manager_takeover_covers_found(manager, &error);
	if (device->unnoted)
		memcpy(manager->unnoted, error.message, sizeof(manager->unnoted));
	return !device->unnoted;
}

/*
 * A device that holds by NVIDIA's attributes what a profile wants is sent nothing, and is ibcc's own from then on like one that was
 * set: a later profile without them clears it.
 */
static void own_what_is_held(struct ibcc_manager *manager, struct ibcc_device *device)
{
	if (ibcc_device_holds_unowned(device))
		(void)may_set(manager, device, IBCC_NVIDIA_FIRST_ATTRIBUTE);
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
		if (!ibcc_device_next(device, work, pass, &request)) {
			if (work == IBCC_WORK_SET || work == IBCC_WORK_SET_CLAMPED)
				own_what_is_held(manager, device);
			return false;
		}
		if (request.method == IBCC_SET) {
			if (!may_set(manager, device, request.attribute))
				return false;
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
