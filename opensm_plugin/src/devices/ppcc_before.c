/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "devices/ppcc_before.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ccpolicy/error_format.h"
#include "state/state_json.h"

#define FIRST_ROOM 64u
#define PLACE_BYTES 32

void ibcc_ppcc_before_clear(struct ibcc_ppcc_befores *befores)
{
	free(befores->list);
	memset(befores, 0, sizeof(*befores));
}

static int compare(const struct ibcc_ppcc_before *a, const struct ibcc_ppcc_before *b)
{
	const uint64_t left =
		(uint64_t)a->port << 32 | (uint32_t)a->algorithm.algo_id << 16 | a->algorithm.major << 8 | a->algorithm.minor;
	const uint64_t right =
		(uint64_t)b->port << 32 | (uint32_t)b->algorithm.algo_id << 16 | b->algorithm.major << 8 | b->algorithm.minor;

	if (a->node_guid != b->node_guid)
		return a->node_guid < b->node_guid ? -1 : 1;
	return left < right ? -1 : left > right;
}

/* Returns the place of the first one that is not below this. */
static uint32_t place_of(const struct ibcc_ppcc_befores *befores, const struct ibcc_ppcc_before *like)
{
	uint32_t low = 0, high = befores->count;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (compare(&befores->list[middle], like) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct ibcc_ppcc_before *find(const struct ibcc_ppcc_befores *befores, uint64_t node_guid, uint8_t port,
				     const struct ccp_ppcc_algorithm *algorithm)
{
	const struct ibcc_ppcc_before like = {.node_guid = node_guid, .port = port, .algorithm = *algorithm};
	const uint32_t place = place_of(befores, &like);

	return place < befores->count && !compare(&befores->list[place], &like) ? &befores->list[place] : NULL;
}

const struct ibcc_ppcc_before *ibcc_ppcc_before_find(const struct ibcc_ppcc_befores *befores, uint64_t node_guid, uint8_t port,
						     const struct ccp_ppcc_algorithm *algorithm)
{
	return find(befores, node_guid, port, algorithm);
}

/* Returns a new one, of which nothing is known yet; NULL: no room, or out of memory. */
static struct ibcc_ppcc_before *insert(struct ibcc_ppcc_befores *befores, const struct ibcc_ppcc_before *like)
{
	const uint32_t place = place_of(befores, like);

	if (befores->count == IBCC_MAX_PPCC_BEFORE)
		return NULL;
	if (befores->count == befores->room) {
		const uint32_t room = befores->room ? 2 * befores->room : FIRST_ROOM;
		struct ibcc_ppcc_before *more = realloc(befores->list, room * sizeof(*more));

		if (!more)
			return NULL;
		befores->list = more;
		befores->room = room;
	}
	memmove(&befores->list[place + 1], &befores->list[place], (befores->count - place) * sizeof(befores->list[0]));
	befores->count++;
	befores->list[place] =
		(struct ibcc_ppcc_before){.node_guid = like->node_guid, .port = like->port, .algorithm = like->algorithm};
	return &befores->list[place];
}

int ibcc_ppcc_before_keep(struct ibcc_ppcc_befores *befores, const struct ibcc_ppcc_before *one)
{
	struct ibcc_ppcc_before *kept = find(befores, one->node_guid, one->port, &one->algorithm);

	if (!one->known || (kept && !(one->known & ~kept->known)))
		return 0;
	if (!kept)
		kept = insert(befores, one);
	if (!kept)
		return -1;
	for (unsigned i = 0; i < CCP_PPCC_PARAMETERS_MAX; i++) {
		if (one->known & ~kept->known & 1ull << i)
			kept->values[i] = one->values[i];
	}
	kept->known |= one->known;
	return 1;
}

bool ibcc_ppcc_before_forget(struct ibcc_ppcc_befores *befores, uint64_t node_guid, uint8_t port,
			     const struct ccp_ppcc_algorithm *algorithm, uint64_t known)
{
	struct ibcc_ppcc_before *kept = find(befores, node_guid, port, algorithm);

	if (!kept || !(kept->known & ~known))
		return false;
	kept->known &= known;
	if (!kept->known) {
		const uint32_t after = befores->count - (uint32_t)(kept - befores->list) - 1;

		memmove(kept, kept + 1, after * sizeof(*kept));
		befores->count--;
	}
	return true;
}

static json_t *one_to_json(const struct ibcc_ppcc_before *one)
{
	char text[PLACE_BYTES];
	json_t *values = json_object();
	int failed = values ? 0 : -1;

	for (unsigned i = 0; i < CCP_PPCC_PARAMETERS_MAX && !failed; i++) {
		if (!(one->known >> i & 1u))
			continue;
		(void)snprintf(text, sizeof(text), "%u", i);
		failed = json_object_set_new(values, text, json_integer(one->values[i]));
	}
	if (failed) {
		json_decref(values);
		return NULL;
	}
	(void)snprintf(text, sizeof(text), "0x%016" PRIx64 "/%u", one->node_guid, one->port);
	return json_pack("[s, i, i, i, o]", text, (int)one->algorithm.algo_id, (int)one->algorithm.major,
			 (int)one->algorithm.minor, values);
}

json_t *ibcc_ppcc_before_to_json(const struct ibcc_ppcc_befores *befores)
{
	json_t *list = json_array();
	int failed = list ? 0 : -1;

	for (uint32_t i = 0; i < befores->count && !failed; i++)
		failed = json_array_append_new(list, one_to_json(&befores->list[i]));
	if (!failed)
		return list;
	json_decref(list);
	return NULL;
}

static int read_values(struct ibcc_ppcc_before *one, json_t *values, struct ccp_error *error)
{
	const char *key;
	json_t *value;

	json_object_foreach(values, key, value)
	{
		char *end = NULL;
		const unsigned long index = strtoul(key, &end, 10);

		if (end == key || *end || index >= CCP_PPCC_PARAMETERS_MAX || !json_is_integer(value))
			return ccp_fail(error, "'%.20s' of parameters is not the index of a number, 0 to %u", key,
					CCP_PPCC_PARAMETERS_MAX - 1);
		one->values[index] = (uint32_t)json_integer_value(value);
		one->known |= 1ull << index;
	}
	return 0;
}

static int read_one(struct ibcc_ppcc_before *one, json_t *json, struct ccp_error *error)
{
	json_error_t json_error;
	const char *place;
	int algo_id, major, minor;
	unsigned long port;
	json_t *values;
	char *end;

	if (json_unpack_ex(json, &json_error, 0, "[s, i, i, i, o]", &place, &algo_id, &major, &minor, &values))
		return ibcc_fail_json(error, "an element of parameters", &json_error);
	one->node_guid = strtoull(place, &end, 16);
	port = *end == '/' ? strtoul(end + 1, &end, 10) : 256;
	if (!one->node_guid || *end || port > 255)
		return ccp_fail(error, "a device of parameters is '%.40s', and must be a GUID and a port, 0x…/1", place);
	one->port = (uint8_t)port;
	one->algorithm =
		(struct ccp_ppcc_algorithm){.algo_id = (uint16_t)algo_id, .major = (uint8_t)major, .minor = (uint8_t)minor};
	return read_values(one, values, error);
}

int ibcc_ppcc_before_from_json(struct ibcc_ppcc_befores *befores, json_t *json, struct ccp_error *error)
{
	for (size_t i = 0; i < json_array_size(json); i++) {
		struct ibcc_ppcc_before one = {0};

		if (read_one(&one, json_array_get(json, i), error))
			return -1;
		if (ibcc_ppcc_before_keep(befores, &one) < 0)
			return ccp_fail_no_memory(error);
	}
	return 0;
}
