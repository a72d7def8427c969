/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * manager_models.c: what is believed of the answers of a device model, and what is said of devices and models that mislead or differ.
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
#include "manager/topology_json.h"

#define SENTENCE_BYTES 512u
#define MODEL_BYTES 128u
#define NAME_BYTES 96u
#define MOST_DEVICES 8u /* that are named one by one */

/* In what two devices of a model differ. */
enum difference {
	IN_NOTHING,
	IN_PRESENCE,
	IN_VERSIONS,
	IN_CAPABILITIES,
	IN_READING,
	IN_VLS,
	IN_BUFFER,
	IN_ALGORITHMS,
};

static const char *const difference_texts[] = {
	[IN_NOTHING] = "",
	[IN_PRESENCE] = "whether NVIDIA's attributes are there",
	[IN_VERSIONS] = "the versions (DCQCN, PPCC)",
	[IN_CAPABILITIES] = "the capabilities",
	[IN_READING] = "the place of the VL in 0xFF09",
	[IN_VLS] = "the number of VLs",
	[IN_BUFFER] = "the size of the buffer",
	[IN_ALGORITHMS] = "the list of PPCC algorithms",
};

bool manager_models_has_firmware(const struct ibcc_device *device)
{
	return !device->firmware.to_ask && !device->firmware.in_flight && device->firmware.state != IBCC_FIRMWARE_NOT_ASKED;
}

void manager_models_tell_wanted(struct ibcc_manager *manager, struct ibcc_device *device)
{
	if (manager_has_wanted(manager) && ibcc_devices_set_wanted_one(&manager->devices, device, manager->tables))
		ibcc_log(manager->log, IBCC_LOG_ERROR, "IBCC0303: out of memory: %s keeps its former values",
			 device->description);
}

/* NULL: nothing is remembered of the device's model, or its firmware is not known. */
static const struct ibcc_nvidia_model *model_of(const struct ibcc_manager *manager, const struct ibcc_device *device)
{
	if (!manager->nvidia.memory || !manager_models_has_firmware(device))
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

static const char *name_of(char text[NAME_BYTES], const struct ibcc_device *device)
{
	char guid[IBCC_GUID_TEXT_BYTES];

	(void)snprintf(text, NAME_BYTES, "%s (%s)", device->description, ibcc_guid_text(guid, device->node_guid));
	return text;
}

static const char *model_text(char text[MODEL_BYTES], const struct ibcc_node_identity *identity,
			      const struct ibcc_firmware *firmware)
{
	char version[IBCC_FIRMWARE_TEXT_BYTES];

	(void)snprintf(text, MODEL_BYTES, "vendor 0x%06" PRIx32 ", device 0x%04x, firmware %s%s%s", identity->vendor_id,
		       identity->device_id, ibcc_firmware_is_known(firmware) ? ibcc_firmware_text(version, firmware) : "unknown",
		       firmware->psid[0] ? ", board " : "", firmware->psid);
	return text;
}

static void describe_untrusted(char text[SENTENCE_BYTES], const struct ibcc_device *device, const struct ibcc_nvidia_facts *facts)
{
	char name[NAME_BYTES], model[MODEL_BYTES], fault[IBCC_NVIDIA_FAULT_BYTES];

	(void)snprintf(text, SENTENCE_BYTES, "%s of %s is only read: %s; 'ibcc fabric dialects' tests it anew",
		       name_of(name, device), model_text(model, &device->identity, &device->firmware.latest),
		       ibcc_nvidia_fault_text(fault, facts));
}

static const struct ibcc_device *device_of(const struct ibcc_manager *manager, const struct ibcc_nvidia_failure *failure)
{
	return ibcc_devices_find(&manager->devices, failure->node_guid, failure->port);
}

static void describe_misleading(const struct ibcc_manager *manager, char text[SENTENCE_BYTES],
				const struct ibcc_nvidia_model *model)
{
	char who[MODEL_BYTES], fault[IBCC_NVIDIA_FAULT_BYTES], names[3 * NAME_BYTES] = "", guid[IBCC_GUID_TEXT_BYTES];
	struct ibcc_nvidia_facts facts = {.fault = model->failures[0].fault, .fault_attribute = model->failures[0].attribute};

	for (uint32_t i = 0; i < model->num_failures; i++) {
		const struct ibcc_nvidia_failure *one = &model->failures[i];
		const struct ibcc_device *device = device_of(manager, one);
		const size_t length = strlen(names);

		if (one->node_guid)
			(void)snprintf(names + length, sizeof(names) - length, "%s%.*s", i ? ", " : " by ", (int)NAME_BYTES - 4,
				       device ? device->description : ibcc_guid_text(guid, one->node_guid));
	}
	(void)snprintf(
		text, SENTENCE_BYTES,
		"all devices of %s are only read: tests of NVIDIA's attributes were failed%.250s (%s); after an update of the "
		"firmware they are another model, and 'ibcc fabric dialects' tests them anew",
		model_text(who, &model->identity, &model->firmware), names, ibcc_nvidia_fault_text(fault, &facts));
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
	char text[SENTENCE_BYTES];

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

static bool has_same_list(const struct ibcc_nvidia_facts *a, const struct ibcc_nvidia_facts *b)
{
	for (unsigned slot = 0; slot < CCP_PPCC_SLOTS; slot++) {
		if (!ibcc_nvidia_is_same_algorithm(&a->algorithms[slot], &b->algorithms[slot]))
			return false;
	}
	return true;
}

static enum difference compare_facts(const struct ibcc_nvidia_facts *a, const struct ibcc_nvidia_facts *b)
{
	if (a->ver0 != b->ver0 || a->ver1 != b->ver1)
		return IN_VERSIONS;
	if (a->capabilities != b->capabilities)
		return IN_CAPABILITIES;
	if (a->by_modifier != b->by_modifier)
		return IN_READING;
	if (a->num_vls != b->num_vls)
		return IN_VLS;
	if (a->buffer_bytes != b->buffer_bytes)
		return IN_BUFFER;
	return has_same_list(a, b) ? IN_NOTHING : IN_ALGORITHMS;
}

static void say_if_changed(struct ibcc_manager *manager, struct ibcc_device *device)
{
	const enum difference what =
		device->nvidia.has_former ? compare_facts(&device->nvidia.former, &device->nvidia.facts) : IN_NOTHING;
	char name[NAME_BYTES];

	device->nvidia.has_former = false;
	if (what && !device->suspect) /* else it was reset */
		ibcc_log(manager->log, IBCC_LOG_ERROR,
			 "IBCC0307: %s answers otherwise than before, and no reset was seen: %s has changed; it is set by what "
			 "it answers "
			 "now",
			 name_of(name, device), difference_texts[what]);
}

/* A device whose firmware is not known is tested for itself alone. */
void manager_models_learn(struct ibcc_manager *manager, struct ibcc_device *device)
{
	const bool is_key =
		manager->nvidia.memory && manager_models_has_firmware(device) && ibcc_firmware_is_known(&device->firmware.latest);
	const struct ibcc_nvidia_model *model;

	if (device->nvidia.state == IBCC_NVIDIA_UNTRUSTED && !device->nvidia.trust.fault)
		take_failure(manager, device, is_key);
	if (device->nvidia.state != IBCC_NVIDIA_TESTED)
		return;
	say_if_changed(manager, device);
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

static bool is_of_one_model(const struct ibcc_device *a, const struct ibcc_device *b)
{
	return a->kind == b->kind && a->identity.vendor_id == b->identity.vendor_id &&
	       a->identity.device_id == b->identity.device_id && ibcc_firmware_is_same(&a->firmware.latest, &b->firmware.latest);
}

static bool can_be_compared(const struct ibcc_device *device)
{
	return device->present && manager_models_has_firmware(device) && ibcc_firmware_is_known(&device->firmware.latest) &&
	       ibcc_nvidia_is_answered(&device->nvidia);
}

/* Two devices of a model that differ. */
struct pair {
	enum difference what;
	const struct ibcc_device *first, *other;
};

/* Adds a pair, if there is none yet of this model and difference, and room. */
static void add_pair(struct pair pairs[IBCC_MAX_MODEL_SENTENCES], uint32_t *count, const struct pair *pair)
{
	for (uint32_t i = 0; i < *count; i++) {
		if (pairs[i].what == pair->what && pairs[i].first == pair->first)
			return;
	}
	if (pair->what && *count < IBCC_MAX_MODEL_SENTENCES)
		pairs[(*count)++] = *pair;
}

/* The devices of a model that the others are compared with: those with the lowest GUIDs. */
struct model {
	const struct ibcc_device *first, *first_tested;
};

/* NULL: there are too many models. */
static struct model *find_model(struct model models[IBCC_MAX_NVIDIA_MODELS], uint32_t *count, const struct ibcc_device *device)
{
	for (uint32_t i = 0; i < *count; i++) {
		if (is_of_one_model(models[i].first, device))
			return &models[i];
	}
	if (*count == IBCC_MAX_NVIDIA_MODELS)
		return NULL;
	models[*count] = (struct model){.first = device};
	return &models[(*count)++];
}

/* Returns the number of pairs, one for each model and difference. */
static uint32_t find_pairs(const struct ibcc_manager *manager, struct pair pairs[IBCC_MAX_MODEL_SENTENCES])
{
	struct model models[IBCC_MAX_NVIDIA_MODELS];
	uint32_t num_models = 0, count = 0;

	for (uint32_t i = 0; i < manager->devices.count; i++) {
		const struct ibcc_device *device = manager->devices.list[i];
		struct model *model = can_be_compared(device) ? find_model(models, &num_models, device) : NULL;
		struct pair pair = {.other = device};

		if (!model)
			continue;
		pair.first = model->first;
		if (ibcc_nvidia_is_spoken(&device->nvidia) != ibcc_nvidia_is_spoken(&model->first->nvidia))
			pair.what = IN_PRESENCE;
		add_pair(pairs, &count, &pair);
		if (device->nvidia.state != IBCC_NVIDIA_TESTED) /* of one that is not trusted not all facts are known */
			continue;
		if (!model->first_tested)
			model->first_tested = device;
		pair.first = model->first_tested;
		pair.what = compare_facts(&pair.first->nvidia.facts, &device->nvidia.facts);
		add_pair(pairs, &count, &pair);
	}
	return count;
}

static void describe_pair(char text[SENTENCE_BYTES], const struct pair *pair)
{
	char model[MODEL_BYTES], first[NAME_BYTES], other[NAME_BYTES];

	(void)snprintf(text, SENTENCE_BYTES,
		       "devices of one model (%s) differ in %s, as %s and %s do: each is set by its own answers",
		       model_text(model, &pair->first->identity, &pair->first->firmware.latest), difference_texts[pair->what],
		       name_of(first, pair->first), name_of(other, pair->other));
}

/* One line for each model and difference, not for each pass. */
static bool is_said(struct nvidia *nvidia, const struct pair *pair)
{
	const struct said_difference like = {.identity = pair->first->identity, .what = pair->what};

	for (uint32_t i = 0; i < nvidia->num_said; i++) {
		const struct said_difference *one = &nvidia->said[i];

		if (one->what == like.what && one->identity.vendor_id == like.identity.vendor_id &&
		    one->identity.device_id == like.identity.device_id &&
		    ibcc_firmware_is_same(&one->firmware, &pair->first->firmware.latest))
			return true;
	}
	if (nvidia->num_said == IBCC_MAX_MODEL_SENTENCES)
		return true;
	nvidia->said[nvidia->num_said] = like;
	nvidia->said[nvidia->num_said++].firmware = pair->first->firmware.latest;
	return false;
}

void manager_models_say_differences(struct ibcc_manager *manager)
{
	struct pair pairs[IBCC_MAX_MODEL_SENTENCES];
	const uint32_t count = find_pairs(manager, pairs);
	char text[SENTENCE_BYTES];

	for (uint32_t i = 0; i < count; i++) {
		if (is_said(&manager->nvidia, &pairs[i]))
			continue;
		describe_pair(text, &pairs[i]);
		ibcc_log(manager->log, IBCC_LOG_ERROR, "IBCC0308: %s", text);
	}
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
	char text[SENTENCE_BYTES];
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
	struct pair pairs[IBCC_MAX_MODEL_SENTENCES];
	const uint32_t count = find_pairs(manager, pairs);
	const struct ibcc_nvidia_model *model;
	char text[SENTENCE_BYTES];

	for (uint32_t i = 0; manager->nvidia.memory && (model = ibcc_nvidia_memory_model(manager->nvidia.memory, i)); i++) {
		if (!model->misleads || !is_on_fabric(manager, model))
			continue;
		describe_misleading(manager, text, model);
		if (tell(owner, text))
			return -1;
	}
	if (tell_devices(manager, tell, owner))
		return -1;
	for (uint32_t i = 0; i < count; i++) {
		describe_pair(text, &pairs[i]);
		if (tell(owner, text))
			return -1;
	}
	return 0;
}
