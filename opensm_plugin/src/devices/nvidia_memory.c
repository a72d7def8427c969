/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "devices/nvidia_memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ccpolicy/error_format.h"
#include "devices/nvidia_json.h"
#include "state/state_json.h"

static const struct ibcc_state_form form = {
	.name = "nvidia.json", .version_key = "ibcc_opensm_nvidia", .version = 2, .max_bytes = 128u << 20};

/* A port of a device that was written to. */
struct written {
	uint64_t node_guid;
	uint8_t port;
};

struct ibcc_nvidia_memory {
	const struct ibcc_state_folder *folder;
	bool is_unsaved, is_new, looks, meets;
	struct ibcc_nvidia_counts counts;
	uint32_t num_models;
	struct ibcc_nvidia_model models[IBCC_MAX_NVIDIA_MODELS]; /* the oldest first */
	uint32_t num_written, room;
	struct written *written; /* ascending */
	bool befores_are_unsaved;
	struct ibcc_ppcc_befores befores;
};

static bool is_model(const struct ibcc_nvidia_model *model, const struct ibcc_node_identity *identity,
		     const struct ibcc_firmware *firmware)
{
	return model->identity.vendor_id == identity->vendor_id && model->identity.device_id == identity->device_id &&
	       ibcc_firmware_is_same(&model->firmware, firmware);
}

const struct ibcc_nvidia_model *ibcc_nvidia_memory_find(const struct ibcc_nvidia_memory *memory,
							const struct ibcc_node_identity *identity,
							const struct ibcc_firmware *firmware)
{
	for (uint32_t i = 0; ibcc_firmware_is_known(firmware) && i < memory->num_models; i++) {
		if (is_model(&memory->models[i], identity, firmware))
			return &memory->models[i];
	}
	return NULL;
}

static void remove_model(struct ibcc_nvidia_memory *memory, uint32_t at)
{
	memory->num_models--;
	memmove(&memory->models[at], &memory->models[at + 1], (memory->num_models - at) * sizeof(memory->models[0]));
	memory->is_unsaved = true;
}

/* Returns what is known of a model, to be changed; `noted` says whether the oldest was forgotten for it. */
static struct ibcc_nvidia_model *model_of(struct ibcc_nvidia_memory *memory, const struct ibcc_node_identity *identity,
					  const struct ibcc_firmware *firmware, enum ibcc_nvidia_noted *noted)
{
	*noted = IBCC_NVIDIA_NOTED;
	for (uint32_t i = 0; i < memory->num_models; i++) {
		if (is_model(&memory->models[i], identity, firmware))
			return &memory->models[i];
	}
	if (memory->num_models == IBCC_MAX_NVIDIA_MODELS) {
		remove_model(memory, 0);
		*noted = IBCC_NVIDIA_NOTED_FOR_OLDEST;
	}
	memory->models[memory->num_models] = (struct ibcc_nvidia_model){.identity = *identity, .firmware = *firmware};
	return &memory->models[memory->num_models++];
}

enum ibcc_nvidia_noted ibcc_nvidia_memory_note_pass(struct ibcc_nvidia_memory *memory, const struct ibcc_node_identity *identity,
						    const struct ibcc_firmware *firmware, uint64_t job)
{
	enum ibcc_nvidia_noted noted;
	struct ibcc_nvidia_model *model = model_of(memory, identity, firmware, &noted);

	if (model->tested)
		return IBCC_NVIDIA_NOTED_BEFORE;
	model->tested = memory->is_unsaved = true;
	model->job = job;
	return noted;
}

enum ibcc_nvidia_noted ibcc_nvidia_memory_note_failure(struct ibcc_nvidia_memory *memory,
						       const struct ibcc_node_identity *identity,
						       const struct ibcc_firmware *firmware,
						       const struct ibcc_nvidia_failure *failure)
{
	enum ibcc_nvidia_noted noted;
	struct ibcc_nvidia_model *model = model_of(memory, identity, firmware, &noted);

	if (model->num_failures == IBCC_NVIDIA_FAILURES || ibcc_nvidia_failure_of(model, failure->node_guid, failure->port))
		return IBCC_NVIDIA_NOTED_BEFORE;
	model->failures[model->num_failures++] = *failure;
	model->misleads |= model->num_failures == IBCC_NVIDIA_FAILURES;
	memory->is_unsaved = true;
	return noted;
}

const struct ibcc_nvidia_failure *ibcc_nvidia_failure_of(const struct ibcc_nvidia_model *model, uint64_t node_guid, uint8_t port)
{
	for (uint32_t i = 0; i < model->num_failures; i++) {
		if (model->failures[i].node_guid == node_guid && model->failures[i].port == port)
			return &model->failures[i];
	}
	return NULL;
}

const struct ibcc_nvidia_model *ibcc_nvidia_memory_model(const struct ibcc_nvidia_memory *memory, uint32_t index)
{
	return index < memory->num_models ? &memory->models[index] : NULL;
}

void ibcc_nvidia_memory_forget_models(struct ibcc_nvidia_memory *memory)
{
	memory->is_unsaved |= memory->num_models > 0;
	memory->num_models = 0;
}

void ibcc_nvidia_memory_forget_failures(struct ibcc_nvidia_memory *memory)
{
	for (uint32_t i = memory->num_models; i-- > 0;) {
		struct ibcc_nvidia_model *model = &memory->models[i];

		memory->is_unsaved |= model->num_failures > 0;
		model->num_failures = 0;
		model->misleads = false;
		if (!model->tested)
			remove_model(memory, i);
	}
}

/* Returns the place of the first one that is not below this. */
static uint32_t place_of(const struct ibcc_nvidia_memory *memory, uint64_t node_guid, uint8_t port)
{
	uint32_t low = 0, high = memory->num_written;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		const struct written *one = &memory->written[middle];

		if (one->node_guid < node_guid || (one->node_guid == node_guid && one->port < port))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_at(const struct ibcc_nvidia_memory *memory, uint32_t place, uint64_t node_guid, uint8_t port)
{
	return place < memory->num_written && memory->written[place].node_guid == node_guid &&
	       memory->written[place].port == port;
}

bool ibcc_nvidia_memory_is_written(const struct ibcc_nvidia_memory *memory, uint64_t node_guid, uint8_t port)
{
	return is_at(memory, place_of(memory, node_guid, port), node_guid, port);
}

int ibcc_nvidia_memory_set_written(struct ibcc_nvidia_memory *memory, uint64_t node_guid, uint8_t port, bool written)
{
	const uint32_t place = place_of(memory, node_guid, port);

	if (is_at(memory, place, node_guid, port) == written)
		return 0;
	memory->is_unsaved = true;
	memory->counts.changes++;
	memory->counts.additions += written;
	if (!written) {
		memory->num_written--;
		memmove(&memory->written[place], &memory->written[place + 1],
			(memory->num_written - place) * sizeof(memory->written[0]));
		return 0;
	}
	if (memory->num_written == IBCC_MAX_NVIDIA_WRITTEN)
		return -1;
	if (memory->num_written == memory->room) {
		const uint32_t room = memory->room ? 2 * memory->room : 64;
		struct written *more = realloc(memory->written, room * sizeof(*more));

		if (!more)
			return -1;
		memory->written = more;
		memory->room = room;
	}
	memmove(&memory->written[place + 1], &memory->written[place], (memory->num_written - place) * sizeof(memory->written[0]));
	memory->written[place] = (struct written){.node_guid = node_guid, .port = port};
	memory->num_written++;
	return 0;
}

int ibcc_nvidia_memory_keep_before(struct ibcc_nvidia_memory *memory, const struct ibcc_ppcc_before *one)
{
	const int kept = ibcc_ppcc_before_keep(&memory->befores, one);

	if (kept > 0) {
		memory->is_unsaved = memory->befores_are_unsaved = true;
		memory->counts.changes++;
		memory->counts.additions++;
	}
	return kept;
}

bool ibcc_nvidia_memory_forget_before(struct ibcc_nvidia_memory *memory, uint64_t node_guid, uint8_t port,
				      const struct ccp_ppcc_algorithm *algorithm, uint64_t known)
{
	const bool forgot = ibcc_ppcc_before_forget(&memory->befores, node_guid, port, algorithm, known);

	memory->is_unsaved |= forgot;
	memory->counts.changes += forgot;
	return forgot;
}

const struct ibcc_ppcc_befores *ibcc_nvidia_memory_befores(const struct ibcc_nvidia_memory *memory)
{
	return &memory->befores;
}

bool ibcc_nvidia_memory_befores_are_saved(const struct ibcc_nvidia_memory *memory)
{
	return !memory->befores_are_unsaved;
}

static json_t *written_to_json(const struct written *one)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%016" PRIx64 "/%u", one->node_guid, one->port);
	return json_string(text);
}

json_t *ibcc_nvidia_memory_written_json(const struct ibcc_nvidia_memory *memory)
{
	json_t *list = json_array();
	int failed = list ? 0 : -1;

	for (uint32_t i = 0; i < memory->num_written && !failed; i++)
		failed = json_array_append_new(list, written_to_json(&memory->written[i]));
	if (!failed)
		return list;
	json_decref(list);
	return NULL;
}

json_t *ibcc_nvidia_memory_parameters_json(const struct ibcc_nvidia_memory *memory)
{
	return ibcc_ppcc_before_to_json(&memory->befores);
}

bool ibcc_nvidia_memory_is_new(const struct ibcc_nvidia_memory *memory)
{
	return memory->is_new;
}

bool ibcc_nvidia_memory_looks(const struct ibcc_nvidia_memory *memory)
{
	return memory->looks;
}

void ibcc_nvidia_memory_set_looks(struct ibcc_nvidia_memory *memory)
{
	memory->is_unsaved |= !memory->looks;
	memory->looks = true;
}

bool ibcc_nvidia_memory_meets(const struct ibcc_nvidia_memory *memory)
{
	return memory->meets;
}

void ibcc_nvidia_memory_end_meeting(struct ibcc_nvidia_memory *memory)
{
	memory->is_unsaved |= memory->meets;
	memory->meets = false;
}

struct ibcc_nvidia_counts ibcc_nvidia_memory_counts(const struct ibcc_nvidia_memory *memory)
{
	return memory->counts;
}

int ibcc_nvidia_memory_save(struct ibcc_nvidia_memory *memory, struct ccp_error *error)
{
	json_t *root = NULL, *models, *written;
	bool is_whole;

	if (!memory->is_unsaved)
		return 0;
	models = json_array();
	written = ibcc_nvidia_memory_written_json(memory);
	is_whole = models && written;
	for (uint32_t i = 0; is_whole && i < memory->num_models; i++)
		is_whole = !json_array_append_new(models, ibcc_nvidia_model_to_json(&memory->models[i]));
	if (is_whole)
		root = json_pack("{s:O, s:O, s:o, s:b, s:b}", "models", models, "written", written, "parameters",
				 ibcc_nvidia_memory_parameters_json(memory), "looks", (int)memory->looks, "meets",
				 (int)memory->meets);
	json_decref(models);
	json_decref(written);
	if (ibcc_state_json_save(memory->folder, &form, root, error))
		return -1;
	memory->is_unsaved = memory->befores_are_unsaved = false;
	return 0;
}

static int read_written(struct ibcc_nvidia_memory *memory, json_t *list, struct ccp_error *error)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *text = json_string_value(json_array_get(list, i));
		char *end = NULL;
		const uint64_t guid = text ? strtoull(text, &end, 16) : 0;
		const unsigned long port = text && *end == '/' ? strtoul(end + 1, &end, 10) : 256;

		if (!text || *end || port > 255 || !guid)
			return ccp_fail(error, "a device in written is '%.40s', and must be a GUID and a port, 0x…/1",
					text ? text : "no text");
		if (ibcc_nvidia_memory_set_written(memory, guid, (uint8_t)port, true))
			return ccp_fail_no_memory(error);
	}
	return 0;
}

static int read_memory(struct ibcc_nvidia_memory *memory, json_t *root, struct ccp_error *error)
{
	json_t *models = json_object_get(root, "models"), *written = json_object_get(root, "written");
	json_t *parameters = json_object_get(root, "parameters"); /* older files lack it */
	const bool is_of_former_release = json_integer_value(json_object_get(root, form.version_key)) < form.version;

	if (!json_is_array(models) || json_array_size(models) > IBCC_MAX_NVIDIA_MODELS || !json_is_array(written) ||
	    json_array_size(written) > IBCC_MAX_NVIDIA_WRITTEN)
		return ccp_fail(error, "models must be a list of at most %u, and written one of at most %u",
				IBCC_MAX_NVIDIA_MODELS, IBCC_MAX_NVIDIA_WRITTEN);
	for (size_t i = 0; i < json_array_size(models); i++) {
		struct ibcc_nvidia_model *model = &memory->models[memory->num_models];

		if (is_of_former_release ? ibcc_nvidia_model_from_former_json(json_array_get(models, i), model, error)
					 : ibcc_nvidia_model_from_json(json_array_get(models, i), model, error))
			return -1;
		memory->num_models += model->tested || model->misleads || model->num_failures;
	}
	if (read_written(memory, written, error))
		return -1;
	memory->looks = json_is_true(json_object_get(root, "looks"));
	memory->meets = json_is_true(json_object_get(root, "meets"));
	return ibcc_ppcc_before_from_json(&memory->befores, parameters, error);
}

static void clear(struct ibcc_nvidia_memory *memory)
{
	free(memory->written);
	ibcc_ppcc_before_clear(&memory->befores);
	memory->written = NULL;
	memory->num_written = memory->room = memory->num_models = 0;
}

static int merge_parameters(struct ibcc_nvidia_memory *memory, const struct ibcc_ppcc_befores *others)
{
	for (uint32_t i = 0; i < others->count; i++) {
		const struct ibcc_ppcc_before *one = &others->list[i];

		/* What this process has kept may be of an earlier time. */
		(void)ibcc_nvidia_memory_forget_before(memory, one->node_guid, one->port, &one->algorithm, 0);
		if (ibcc_nvidia_memory_keep_before(memory, one) < 0)
			return -1;
	}
	return 0;
}

int ibcc_nvidia_memory_merge(struct ibcc_nvidia_memory *memory, json_t *written, json_t *parameters, struct ccp_error *error)
{
	struct ibcc_nvidia_memory *other;
	int result = -1;

	if (!json_is_array(written) || json_array_size(written) > IBCC_MAX_NVIDIA_WRITTEN || !json_is_array(parameters))
		return ccp_fail(error, "devices and parameters must be lists, of at most %u devices", IBCC_MAX_NVIDIA_WRITTEN);
	other = calloc(1, sizeof(*other));
	if (!other)
		return ccp_fail_no_memory(error);
	if (!read_written(other, written, error) && !ibcc_ppcc_before_from_json(&other->befores, parameters, error)) {
		result = merge_parameters(memory, &other->befores);
		for (uint32_t i = 0; i < other->num_written && !result; i++)
			result =
				ibcc_nvidia_memory_set_written(memory, other->written[i].node_guid, other->written[i].port, true);
		if (result)
			(void)ccp_fail_no_memory(error);
	}
	ibcc_nvidia_memory_close(other);
	return result;
}

struct ibcc_nvidia_memory *ibcc_nvidia_memory_open(const struct ibcc_state_folder *folder, struct ibcc_log *log,
						   struct ccp_error *error)
{
	struct ibcc_nvidia_memory *memory = calloc(1, sizeof(*memory));
	enum ibcc_state_found found;
	json_t *root = NULL;

	if (!memory) {
		(void)ccp_fail_no_memory(error);
		return NULL;
	}
	memory->folder = folder;
	found = ibcc_state_json_load(folder, &form, &root, error);
	if (found == IBCC_STATE_READ && read_memory(memory, root, error)) {
		found = ibcc_error_is_no_memory(error) ? IBCC_STATE_FAILED : IBCC_STATE_BROKEN;
		clear(memory);
	}
	json_decref(root);
	memory->is_new = found != IBCC_STATE_READ;
	memory->meets |= memory->is_new;
	memory->is_unsaved = memory->is_new; /* so that the next process knows that nothing is lost */
	memory->befores_are_unsaved = false;
	if (found == IBCC_STATE_FAILED ||
	    (found == IBCC_STATE_BROKEN &&
	     ibcc_state_json_set_aside(folder, &form, error->message,
				       "devices are asked anew, and a profile without nvidia leaves their settings of nvidia",
				       log, error))) {
		ibcc_nvidia_memory_close(memory);
		return NULL;
	}
	return memory;
}

void ibcc_nvidia_memory_close(struct ibcc_nvidia_memory *memory)
{
	if (!memory)
		return;
	clear(memory);
	free(memory);
}
