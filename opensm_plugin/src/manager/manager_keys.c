/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * manager_keys.c: a device's CC_Key comes before all other requests: it is searched, and changed if the key file has another.
 */
#define _DEFAULT_SOURCE /* explicit_bzero */

#include <string.h>

#include "manager/manager_state.h"

void ibcc_manager_set_keys(struct ibcc_manager *manager, struct ibcc_keys *keys)
{
	manager->keys = keys;
}

bool manager_keys_reload(struct ibcc_manager *manager)
{
	const uint32_t before = manager->keys ? ibcc_keys_generation(manager->keys) : 0;
	struct ccp_error error;

	if (!manager->keys)
		return false;
	if (ibcc_keys_reload(manager->keys, &error))
		ibcc_log(manager->log, IBCC_LOG_ERROR, "IBCC0113: keeping the former keys: %s", error.message);
	if (ibcc_keys_generation(manager->keys) == before)
		return false;
	/* Whoever does not answer may do so with one of the new keys: no request with another is waited for. */
	for (uint32_t i = 0; i < manager->devices.count; i++) {
		struct ibcc_device *device = manager->devices.list[i];

		if (device->silent && device->in_flight)
			ibcc_window_cancel(manager->window, device);
	}
	return true;
}

bool manager_key_is_settled(const struct ibcc_manager *manager, const struct ibcc_device *device)
{
	struct ibcc_key_step step;
	bool is_settled;

	if (!manager->keys)
		return true;
	ibcc_keys_next_step(manager->keys, &device->key, &step);
	is_settled = step.action == IBCC_KEY_SETTLED || step.action == IBCC_KEY_STUCK;
	explicit_bzero(&step, sizeof(step));
	return is_settled;
}

/* Fills the request for the next step towards the device's key. False: there is none. */
bool manager_key_request(const struct ibcc_manager *manager, struct ibcc_device *device, struct ibcc_request *request)
{
	struct ibcc_key_step *step = &device->key_step;
	struct ccp_error error;

	if (!manager->keys)
		return false;
	ibcc_keys_next_step(manager->keys, &device->key, step);
	if (step->action != IBCC_KEY_LOOK && step->action != IBCC_KEY_SET) {
		explicit_bzero(step, sizeof(*step));
		return false;
	}
	memset(request, 0, sizeof(*request));
	request->lid = device->lid;
	request->sl = device->sl;
	request->method = step->action == IBCC_KEY_SET ? IBCC_SET : IBCC_GET;
	request->attribute = CCP_CONGESTION_KEY_INFO;
	request->cc_key = step->header_key;
	request->tag = device->epoch;
	if (step->action == IBCC_KEY_SET)
		(void)ccp_pack(CCP_CONGESTION_KEY_INFO, &step->info, request->data,
			       &error); /* its fields are as wide as the wire's */
	return true;
}

uint64_t manager_header_key(const struct ibcc_manager *manager, const struct ibcc_device *device)
{
	return manager->keys ? ibcc_keys_header_key(manager->keys, &device->key) : 0;
}

void manager_key_handle_result(struct ibcc_manager *manager, struct ibcc_device *device, const struct ibcc_request *request,
			       const struct ibcc_result *result)
{
	struct ccp_congestion_key_info info;
	const bool answered =
		result->outcome == IBCC_ANSWERED && !result->status && !ccp_unpack(CCP_CONGESTION_KEY_INFO, result->data, &info);

	device->in_flight = false;
	if ((uint16_t)request->tag == device->epoch && result->outcome != IBCC_CANCELLED)
		ibcc_keys_handle_answer(manager->keys, &device->key, &device->key_step, answered ? &info : NULL);
	explicit_bzero(&device->key_step, sizeof(device->key_step));
	explicit_bzero(&info, sizeof(info));
}

/* A key that did not fit may fit now: somebody has set the device's key, or the lease of another key has ended. */
void manager_keys_retry(struct ibcc_manager *manager)
{
	for (uint32_t i = 0; manager->keys && i < manager->devices.count; i++)
		ibcc_keys_retry(&manager->devices.list[i]->key);
}

/* All keys of a device are tried in one round, however many passes follow each other meanwhile. */
void manager_keys_retry_paused(struct ibcc_manager *manager)
{
	for (uint32_t i = 0; manager->keys && i < manager->devices.count; i++) {
		struct ibcc_device *device = manager->devices.list[i];

		if (device->again_ns && !manager_is_paused(manager, device))
			ibcc_keys_retry(&device->key);
	}
}

/* A device's key may have been changed by others, which only a request for it shows. */
void manager_keys_look_again(struct ibcc_manager *manager)
{
	for (uint32_t i = 0; manager->keys && i < manager->devices.count; i++) {
		struct ibcc_device *device = manager->devices.list[i];

		if (!device->in_flight)
			ibcc_keys_look_again(&device->key);
	}
}

const char *ibcc_manager_key_text(const struct ibcc_manager *manager, const struct ibcc_device *device)
{
	return manager->keys ? ibcc_keys_state_text(manager->keys, &device->key) : "none";
}
