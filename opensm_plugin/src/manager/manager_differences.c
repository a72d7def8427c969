/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * manager_differences.c: in what a device's answers about NVIDIA's attributes differ from those of another of its model, or from its own of before.
 *
 * Each is set by its own answers. Who differs is not kept: it is worked out when somebody asks, and at the end of a pass.
 */
#include <stdio.h>

#include "devices/nvidia_memory.h"
#include "manager/manager_state.h"
#include "manager/model_text.h"

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

void manager_differences_say_if_changed(struct ibcc_manager *manager, struct ibcc_device *device)
{
	const enum difference what =
		device->nvidia.has_former ? compare_facts(&device->nvidia.former, &device->nvidia.facts) : IN_NOTHING;
	char name[IBCC_NAME_TEXT_BYTES];

	device->nvidia.has_former = false;
	if (what && !device->suspect) /* else it was reset */
		ibcc_log(manager->log, IBCC_LOG_ERROR,
			 "IBCC0307: %s answers otherwise than before, and no reset was seen: %s has changed; it is set by what "
			 "it answers "
			 "now",
			 ibcc_name_text(name, device), difference_texts[what]);
}

static bool is_of_one_model(const struct ibcc_device *a, const struct ibcc_device *b)
{
	return a->kind == b->kind && a->identity.vendor_id == b->identity.vendor_id &&
	       a->identity.device_id == b->identity.device_id && ibcc_firmware_is_same(&a->firmware.latest, &b->firmware.latest);
}

static bool can_be_compared(const struct ibcc_device *device)
{
	return device->present && manager_has_firmware(device) && ibcc_firmware_is_known(&device->firmware.latest) &&
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

static void describe_pair(char text[IBCC_SENTENCE_BYTES], const struct pair *pair)
{
	char model[IBCC_MODEL_TEXT_BYTES], first[IBCC_NAME_TEXT_BYTES], other[IBCC_NAME_TEXT_BYTES];

	(void)snprintf(text, IBCC_SENTENCE_BYTES,
		       "devices of one model (%s) differ in %s, as %s and %s do: each is set by its own answers",
		       ibcc_model_text(model, &pair->first->identity, &pair->first->firmware.latest),
		       difference_texts[pair->what], ibcc_name_text(first, pair->first), ibcc_name_text(other, pair->other));
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

void manager_differences_say(struct ibcc_manager *manager)
{
	struct pair pairs[IBCC_MAX_MODEL_SENTENCES];
	const uint32_t count = find_pairs(manager, pairs);
	char text[IBCC_SENTENCE_BYTES];

	for (uint32_t i = 0; i < count; i++) {
		if (is_said(&manager->nvidia, &pairs[i]))
			continue;
		describe_pair(text, &pairs[i]);
		ibcc_log(manager->log, IBCC_LOG_ERROR, "IBCC0308: %s", text);
	}
}

int manager_differences_tell(const struct ibcc_manager *manager, ibcc_sentence_tell *tell, void *owner)
{
	struct pair pairs[IBCC_MAX_MODEL_SENTENCES];
	const uint32_t count = find_pairs(manager, pairs);
	char text[IBCC_SENTENCE_BYTES];

	for (uint32_t i = 0; i < count; i++) {
		describe_pair(text, &pairs[i]);
		if (tell(owner, text))
			return -1;
	}
	return 0;
}
