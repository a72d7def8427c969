/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * manager_models.c: what is believed of the answers of a device model, and what is said of devices and models that mislead.
 *
 * A device that fails a test is not trusted itself; a model, once IBCC_NVIDIA_FAILURES of its devices have. Where a device has passed
 * the tests, others of its model that come after the job of that time are asked for facts alone. Those of that job are tested
 * themselves, so that it does not matter which is asked first.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "devices/nvidia_memory.h"
#include "manager/manager_state.h"
#include "manager/model_text.h"
#include "manager/topology_json.h"

#define MOST_DEVICES 8u /* that are named one by one */

void manager_models_tell_wanted(struct ibcc_manager *manager, struct ibcc_device *device)
{
	if (manager_has_wanted(manager) && ibcc_devices_set_wanted_one(&manager->devices, device, manager->tables))
		ibcc_log(manager->log, IBCC_LOG_ERROR, "IBCC0303: out of memory: %s keeps its former values",
			 device->description);
}

/* NULL: nothing is remembered of the device's model, or its firmware is not known. */
static const struct ibcc_nvidia_model *model_of(const struct ibcc_manager *manager, const struct ibcc_device *device)
{
	if (!manager->nvidia.memory || !manager_has_firmware(device))
		return NULL;
	return ibcc_nvidia_memory_find(manager->nvidia.memory, &device->identity, &device->firmware.latest);
}

static struct ibcc_nvidia_trust trust_of_failure(const struct ibcc_nvidia_failure *failure)
{
	return (struct ibcc_nvidia_trust){.fault = failure->fault, .fault_attribute = failure->attribute};
}

void manager_models_recall(struct ibcc_manager *manager, struct ibcc_device *device)
{
	const struct ibcc_nvidia_model *model = model_of(manager, device);
	const struct ibcc_nvidia_failure *own;

	if (!device->nvidia.to_ask || device->nvidia.state != IBCC_NVIDIA_UNKNOWN)
		return;
	memset(&device->nvidia.trust, 0, sizeof(device->nvidia.trust));
	if (!model || manager->nvidia.is_requested) /* somebody wants each device to be tested */
		return;
	own = ibcc_nvidia_failure_of(model, device->node_guid, device->port);
	if (own || model->misleads)
		device->nvidia.trust = trust_of_failure(own ? own : &model->failures[0]);
	else
		device->nvidia.trust.tested = model->tested && model->job != manager->job.id;
}

static void describe_untrusted(char text[IBCC_SENTENCE_BYTES], const struct ibcc_device *device,
			       const struct ibcc_nvidia_facts *facts)
{
	char name[IBCC_NAME_TEXT_BYTES], model[IBCC_MODEL_TEXT_BYTES], fault[IBCC_NVIDIA_FAULT_BYTES];

	(void)snprintf(text, IBCC_SENTENCE_BYTES, "%s of %s is only read: %s; 'ibcc fabric dialects' tests it anew",
		       ibcc_name_text(name, device), ibcc_model_text(model, &device->identity, &device->firmware.latest),
		       ibcc_nvidia_fault_text(fault, facts));
}

static const struct ibcc_device *device_of(const struct ibcc_manager *manager, const struct ibcc_nvidia_failure *failure)
{
	return ibcc_devices_find(&manager->devices, failure->node_guid, failure->port);
}

static void describe_misleading(const struct ibcc_manager *manager, char text[IBCC_SENTENCE_BYTES],
				const struct ibcc_nvidia_model *model)
{
	char who[IBCC_MODEL_TEXT_BYTES], fault[IBCC_NVIDIA_FAULT_BYTES], names[3 * IBCC_NAME_TEXT_BYTES] = "",
										   guid[IBCC_GUID_TEXT_BYTES];
	struct ibcc_nvidia_facts facts = {.fault = model->failures[0].fault, .fault_attribute = model->failures[0].attribute};

	for (uint32_t i = 0; i < model->num_failures; i++) {
		const struct ibcc_nvidia_failure *one = &model->failures[i];
		const struct ibcc_device *device = device_of(manager, one);
		const size_t length = strlen(names);

		if (one->node_guid)
			(void)snprintf(names + length, sizeof(names) - length, "%s%.*s", i ? ", " : " by ",
				       (int)IBCC_NAME_TEXT_BYTES - 4,
				       device ? device->description : ibcc_guid_text(guid, one->node_guid));
	}
	(void)snprintf(
		text, IBCC_SENTENCE_BYTES,
		"all devices of %s are only read: tests of NVIDIA's attributes were failed%.250s (%s); after an update of the "
		"firmware they are another model, and 'ibcc fabric dialects' tests them anew",
		ibcc_model_text(who, &model->identity, &model->firmware), names, ibcc_nvidia_fault_text(fault, &facts));
}

static void say_forgotten(struct ibcc_manager *manager, enum ibcc_nvidia_noted noted)
{
	if (noted != IBCC_NVIDIA_NOTED_FOR_OLDEST || manager->nvidia.said_forgotten)
		return;
	ibcc_log(manager->log, IBCC_LOG_ERROR,
		 "IBCC0304: there are more than %u models of devices with NVIDIA's attributes: the one known longest is "
		 "forgotten, and its "
		 "devices are tested anew when they return",
		 IBCC_MAX_NVIDIA_MODELS);
	manager->nvidia.said_forgotten = true;
}

/* Trusts no device of this model any more, even if it has passed the tests itself. */
static void distrust(struct ibcc_manager *manager, const struct ibcc_nvidia_model *model)
{
	const struct ibcc_nvidia_trust trust = trust_of_failure(&model->failures[0]);

	for (uint32_t i = 0; i < manager->devices.count; i++) {
		struct ibcc_device *one = manager->devices.list[i];

		if (one->nvidia.state != IBCC_NVIDIA_TESTED || model_of(manager, one) != model)
			continue;
		ibcc_device_distrust_nvidia(one, &trust);
		manager_models_tell_wanted(manager, one);
	}
}

static void take_failure(struct ibcc_manager *manager, struct ibcc_device *device, bool is_key)
{
	const struct ibcc_nvidia_failure failure = {.node_guid = device->node_guid,
						    .port = device->port,
						    .fault = device->nvidia.facts.fault,
						    .attribute = device->nvidia.facts.fault_attribute};
	const struct ibcc_nvidia_model *model = is_key ? model_of(manager, device) : NULL;
	const bool did_mislead = model && model->misleads;
	char text[IBCC_SENTENCE_BYTES];

	if (!device->nvidia.said_untrusted) {
		describe_untrusted(text, device, &device->nvidia.facts);
		ibcc_log(manager->log, IBCC_LOG_ERROR, "IBCC0305: %s", text);
	}
	device->nvidia.said_untrusted = true;
	if (!is_key)
		return;
	say_forgotten(manager, ibcc_nvidia_memory_note_failure(manager->nvidia.memory, &device->identity,
							       &device->firmware.latest, &failure));
	model = model_of(manager, device);
	if (!model || !model->misleads || did_mislead)
		return;
	describe_misleading(manager, text, model);
	ibcc_log(manager->log, IBCC_LOG_ERROR, "IBCC0306: %s", text);
	distrust(manager, model);
}

/* A device whose firmware is not known is tested for itself alone. */
void manager_models_learn(struct ibcc_manager *manager, struct ibcc_device *device)
{
	const bool is_key =
		manager->nvidia.memory && manager_has_firmware(device) && ibcc_firmware_is_known(&device->firmware.latest);
	const struct ibcc_nvidia_model *model;

	if (device->nvidia.state == IBCC_NVIDIA_UNTRUSTED && !device->nvidia.trust.fault)
		take_failure(manager, device, is_key);
	if (device->nvidia.state != IBCC_NVIDIA_TESTED)
		return;
	manager_differences_say_if_changed(manager, device);
	model = is_key ? model_of(manager, device) : NULL;
	if (model && model->misleads)
		distrust(manager, model);
	else if (is_key)
		say_forgotten(manager, ibcc_nvidia_memory_note_pass(manager->nvidia.memory, &device->identity,
								    &device->firmware.latest, manager->job.id));
}

void manager_models_doubt(struct ibcc_manager *manager)
{
	if (!manager->snapshot) /* no device is there yet that could be tested anew */
		return;
	if (manager->nvidia.memory)
		ibcc_nvidia_memory_forget_failures(manager->nvidia.memory);
	for (uint32_t i = 0; i < manager->devices.count; i++) {
		struct ibcc_device *device = manager->devices.list[i];

		if (device->nvidia.to_ask && !device->in_flight)
			ibcc_device_doubt_nvidia(device, manager->devices.pool, IBCC_DOUBT_FAULT);
	}
}

void manager_models_ask_facts(struct ibcc_manager *manager)
{
	for (uint32_t i = 0; i < manager->devices.count; i++)
		ibcc_device_ask_facts(manager->devices.list[i]);
}

static bool is_on_fabric(const struct ibcc_manager *manager, const struct ibcc_nvidia_model *model)
{
	for (uint32_t i = 0; i < manager->devices.count; i++) {
		if (manager->devices.list[i]->present && model_of(manager, manager->devices.list[i]) == model)
			return true;
	}
	return false;
}

/* Fills `facts` with the fault for which this device alone is not trusted. False: there is none. */
static bool is_untrusted_alone(const struct ibcc_manager *manager, const struct ibcc_device *device,
			       struct ibcc_nvidia_facts *facts)
{
	const struct ibcc_nvidia_model *model = model_of(manager, device);
	const struct ibcc_nvidia_failure *own = model ? ibcc_nvidia_failure_of(model, device->node_guid, device->port) : NULL;

	if (!device->present || (model && model->misleads))
		return false;
	*facts = device->nvidia.facts;
	if (device->nvidia.state == IBCC_NVIDIA_UNTRUSTED)
		return true;
	if (!own || device->nvidia.state != IBCC_NVIDIA_UNKNOWN) /* it has answered otherwise since */
		return false;
	facts->fault = own->fault;
	facts->fault_attribute = own->attribute;
	return true;
}

static int tell_devices(const struct ibcc_manager *manager, ibcc_sentence_tell *tell, void *owner)
{
	struct ibcc_nvidia_facts facts;
	char text[IBCC_SENTENCE_BYTES];
	uint32_t count = 0;

	for (uint32_t i = 0; i < manager->devices.count; i++) {
		const struct ibcc_device *device = manager->devices.list[i];

		if (!is_untrusted_alone(manager, device, &facts) || count++ >= MOST_DEVICES)
			continue;
		describe_untrusted(text, device, &facts);
		if (tell(owner, text))
			return -1;
	}
	if (count <= MOST_DEVICES)
		return 0;
	(void)snprintf(text, sizeof(text), "%u more devices are only read: 'ibcc fabric dialects' lists them",
		       count - MOST_DEVICES);
	return tell(owner, text);
}

int ibcc_manager_tell_models(const struct ibcc_manager *manager, ibcc_sentence_tell *tell, void *owner)
{
	const struct ibcc_nvidia_model *model;
	char text[IBCC_SENTENCE_BYTES];

	for (uint32_t i = 0; manager->nvidia.memory && (model = ibcc_nvidia_memory_model(manager->nvidia.memory, i)); i++) {
		if (!model->misleads || !is_on_fabric(manager, model))
			continue;
		describe_misleading(manager, text, model);
		if (tell(owner, text))
			return -1;
	}
	return tell_devices(manager, tell, owner) || manager_differences_tell(manager, tell, owner) ? -1 : 0;
}
