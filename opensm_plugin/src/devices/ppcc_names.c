/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _GNU_SOURCE /* strerrordesc_np() */
#include "devices/ppcc_names.h"

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ccpolicy/error_format.h"

#define MAX_FILE_BYTES (1 << 20)
#define MAX_ALGORITHMS 256u
#define NAMED_BYTES 64 /* "algorithm '…'" */

struct named {
	struct ccp_ppcc_algorithm id;
	char name[CCP_PPCC_NAME_BYTES];
	uint32_t num_parameters;
	char parameters[CCP_PPCC_PARAMETERS_MAX][CCP_PPCC_NAME_BYTES];
};

struct ibcc_ppcc_names {
	uint32_t count;
	struct named list[];
};

static int take_name(json_t *json, char name[CCP_PPCC_NAME_BYTES], const char *what, struct ccp_error *error)
{
	const char *text = json_string_value(json);

	if (!text || !*text || strlen(text) >= CCP_PPCC_NAME_BYTES)
		return ccp_fail(error, "%s is '%.40s', and must be 1 to %u characters", what, text ? text : "no text",
				CCP_PPCC_NAME_BYTES - 1);
	memcpy(name, text, strlen(text) + 1);
	return 0;
}

/* The parameter's index; CCP_PPCC_PARAMETERS_MAX: the file has none of that name. */
static uint32_t place_of(const struct named *named, const char *name)
{
	for (uint32_t place = 0; named && place < named->num_parameters; place++) {
		if (!strcmp(named->parameters[place], name))
			return place;
	}
	return CCP_PPCC_PARAMETERS_MAX;
}

static int take_algorithm(json_t *json, struct named *named, struct ccp_error *error)
{
	json_t *name = json_object_get(json, "name"), *parameters = json_object_get(json, "parameters");
	int id, major, minor;

	if (take_name(name, named->name, "the name of an algorithm", error))
		return -1;
	if (json_unpack(json, "{s:i, s:i, s:i}", "algo_id", &id, "major", &major, "minor", &minor) || id < 1 || id > 65535 ||
	    major < 0 || major > 255 || minor < 0 || minor > 255)
		return ccp_fail(error,
				"algorithm '%s' must have algo_id, 1 to 65535, and major and minor, each 0 to 255, as adapters "
				"list them",
				named->name);
	named->id = (struct ccp_ppcc_algorithm){.algo_id = (uint16_t)id, .major = (uint8_t)major, .minor = (uint8_t)minor};
	if (json_array_size(parameters) > CCP_PPCC_PARAMETERS_MAX)
		return ccp_fail(error, "algorithm '%s' has %zu parameters, and may have %u", named->name,
				json_array_size(parameters), CCP_PPCC_PARAMETERS_MAX);
	for (; named->num_parameters < json_array_size(parameters); named->num_parameters++) {
		char *own = named->parameters[named->num_parameters];

		if (take_name(json_array_get(parameters, named->num_parameters), own, "the name of a parameter", error))
			return -1;
		if (place_of(named, own) != CCP_PPCC_PARAMETERS_MAX)
			return ccp_fail(error, "algorithm '%s' has two parameters of the name '%s'", named->name, own);
	}
	return 0;
}

/* A name of two algorithms would stand for the first, whatever the profile means. */
static int check_name(const struct ibcc_ppcc_names *names, const char *name, struct ccp_error *error)
{
	for (uint32_t i = 0; i < names->count; i++) {
		if (!strcmp(names->list[i].name, name))
			return ccp_fail(error, "two algorithms have the name '%s'; each version needs a name of its own", name);
	}
	return 0;
}

/* A pipe or a device would be read for ever. */
static json_t *load(const char *path, struct ccp_error *error)
{
	struct stat status;
	json_error_t json_error;
	json_t *root;

	if (stat(path, &status)) {
		(void)ccp_fail(error, "--ppcc-algorithms %.200s: %s", path, strerrordesc_np(errno));
		return NULL;
	}
	if (!S_ISREG(status.st_mode) || status.st_size > MAX_FILE_BYTES) {
		(void)ccp_fail(error, "--ppcc-algorithms %.200s must be a file of at most %d bytes", path, MAX_FILE_BYTES);
		return NULL;
	}
	root = json_load_file(path, JSON_REJECT_DUPLICATES, &json_error);
	if (!root)
		(void)ccp_fail(error, "--ppcc-algorithms %.200s, line %d: %s", path, json_error.line, json_error.text);
	return root;
}

struct ibcc_ppcc_names *ibcc_ppcc_names_read(const char *path, struct ccp_error *error)
{
	struct ibcc_ppcc_names *names = NULL;
	json_t *root = load(path, error), *list = json_object_get(root, "algorithms");
	bool is_whole = true;

	if (!root)
		return NULL;
	if (json_integer_value(json_object_get(root, "ibcc_ppcc_algorithms")) != 1 || !json_is_array(list) ||
	    json_array_size(list) > MAX_ALGORITHMS) {
		(void)ccp_fail(
			error,
			"--ppcc-algorithms %.200s must have ibcc_ppcc_algorithms, which is 1, and algorithms, a list of at "
			"most %u",
			path, MAX_ALGORITHMS);
		goto out;
	}
	names = calloc(1, sizeof(*names) + json_array_size(list) * sizeof(names->list[0]));
	if (!names) {
		(void)ccp_fail_no_memory(error);
		goto out;
	}
	for (; is_whole && names->count < json_array_size(list); names->count++) {
		is_whole = !take_algorithm(json_array_get(list, names->count), &names->list[names->count], error) &&
			   !check_name(names, names->list[names->count].name, error);
	}
	if (!is_whole) {
		free(names);
		names = NULL;
	}
out:
	json_decref(root);
	return names;
}

void ibcc_ppcc_names_destroy(struct ibcc_ppcc_names *names)
{
	free(names);
}

static const struct named *find(const struct ibcc_ppcc_names *names, const struct ccp_ppcc_slot *slot)
{
	for (uint32_t i = 0; names && i < names->count; i++) {
		const struct named *one = &names->list[i];

		if (slot->algorithm[0] ? !strcmp(one->name, slot->algorithm)
				       : one->id.algo_id == slot->id.algo_id && one->id.major == slot->id.major &&
						 one->id.minor == slot->id.minor)
			return one;
	}
	return NULL;
}

int ibcc_ppcc_resolve(const struct ibcc_ppcc_names *names, const struct ccp_ppcc_slot *slot, struct ccp_ppcc_algorithm *algorithm,
		      uint8_t index[CCP_PPCC_PARAMETERS_MAX], struct ccp_error *error)
{
	const struct named *named = find(names, slot);
	uint64_t given = 0;

	if (!named && slot->algorithm[0])
		return ccp_fail(error, "algorithm '%s' is not in the file of --ppcc-algorithms, nor are there names without it",
				slot->algorithm);
	*algorithm = slot->algorithm[0] ? named->id : slot->id;
	for (uint32_t i = 0; i < slot->parameters.count; i++) {
		const struct ccp_ppcc_parameter *parameter = &slot->parameters.list[i];
		const uint32_t place = parameter->name[0] ? place_of(named, parameter->name) : parameter->index;

		if (place == CCP_PPCC_PARAMETERS_MAX)
			return ccp_fail(error,
					"the file of --ppcc-algorithms has no parameter '%s' of algorithm %u, version %u.%u",
					parameter->name, algorithm->algo_id, algorithm->major, algorithm->minor);
		/* By name and by index: the profile's own check has compared what is written. */
		if (given >> place & 1u)
			return ccp_fail(
				error, "parameter %u of algorithm %u, version %u.%u, is given by index and as '%s'; give it once",
				place, algorithm->algo_id, algorithm->major, algorithm->minor,
				named ? named->parameters[place] : "");
		given |= 1ull << place;
		index[i] = (uint8_t)place;
	}
	return 0;
}

/* The algorithm as the profile names it. */
static void describe(const struct ccp_ppcc_slot *slot, char text[NAMED_BYTES])
{
	if (slot->algorithm[0])
		(void)snprintf(text, NAMED_BYTES, "algorithm '%s'", slot->algorithm);
	else
		(void)snprintf(text, NAMED_BYTES, "algo_id %u, version %u.%u", slot->id.algo_id, slot->id.major, slot->id.minor);
}

static int check(const struct ibcc_ppcc_names *names, const struct ccp_profile_nvidia *nvidia, struct ccp_error *error)
{
	struct ccp_ppcc_algorithm algorithm, other;
	uint8_t index[CCP_PPCC_PARAMETERS_MAX];
	char first[NAMED_BYTES], second[NAMED_BYTES];

	for (uint32_t i = 0; nvidia && i < nvidia->adapter.num_slots; i++) {
		if (ibcc_ppcc_resolve(names, &nvidia->adapter.slots[i], &algorithm, index, error))
			return -1;
		/* By name and by numbers, or by two names: the profile's own check has compared what is written. */
		for (uint32_t j = 0; j < i; j++) {
			if (ibcc_ppcc_resolve(names, &nvidia->adapter.slots[j], &other, index, error))
				return -1;
			if (other.algo_id != algorithm.algo_id || other.major != algorithm.major ||
			    other.minor != algorithm.minor)
				continue;
			describe(&nvidia->adapter.slots[j], first);
			describe(&nvidia->adapter.slots[i], second);
			return ccp_fail(
				error,
				"nvidia.adapter.ppcc[%u] (%s) and ppcc[%u] (%s) are the same algorithm; give it once, with "
				"all its SLs",
				j, first, i, second);
		}
	}
	return 0;
}

int ibcc_ppcc_check_profile(const struct ibcc_ppcc_names *names, const struct ccp_profile *profile, struct ccp_error *error)
{
	if (check(names, profile->nvidia, error))
		return -1;
	for (uint32_t i = 0; i < profile->num_overrides; i++) {
		if (check(names, profile->overrides[i].nvidia, error))
			return -1;
	}
	return 0;
}
