/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _DEFAULT_SOURCE /* explicit_bzero() */
#include "keys/key_ring.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ccpolicy/error_format.h"

/*
 * "ibcc_opensm_keys 1", the number that the next key gets, and a line "NUMBER 0xKEY" each. Not JSON, as that would leave copies
 * of the keys in memory.
 */
#define HEAD "ibcc_opensm_keys 1 %" SCNu32 "\n"
#define MAX_BYTES 1024u

static const char name[] = "keys";

static int fail_broken(const struct ibcc_state_folder *folder, struct ccp_error *error)
{
	return ccp_fail(
		error,
		"%s in the state folder '%.200s' is damaged: write the keys that devices may have into the key file, as current "
		"and previous, and move it away",
		name, ibcc_state_folder_path(folder));
}

static int parse(const char *text, struct ibcc_key_ring *ring)
{
	int length = 0;

	if (sscanf(text, HEAD "%n", &ring->next_number, &length) != 1 || !length || !ring->next_number)
		return -1;
	for (const char *at = text + length; *at; at += length) {
		struct ibcc_ring_key *key = &ring->keys[ring->count];
		length = 0;
		if (ring->count == IBCC_MAX_KEYS ||
		    sscanf(at, "%10" SCNu32 " 0x%16" SCNx64 "\n%n", &key->number, &key->key, &length) != 2 || !length ||
		    !key->key || !key->number || key->number >= ring->next_number)
			return -1;
		ring->count++;
	}
	return 0;
}

int ibcc_key_ring_load(const struct ibcc_state_folder *folder, struct ibcc_key_ring *ring, struct ccp_error *error)
{
	char *text = NULL;
	size_t length;

	*ring = (struct ibcc_key_ring){.next_number = 1};
	int got = ibcc_state_file_read(folder, name, MAX_BYTES, &text, &length, error);
	if (got <= 0)
		return got;
	int result = strlen(text) == length ? parse(text, ring) : -1;
	explicit_bzero(text, length);
	free(text);
	if (result) {
		explicit_bzero(ring, sizeof(*ring));
		return fail_broken(folder, error);
	}
	return 0;
}

int ibcc_key_ring_save(const struct ibcc_state_folder *folder, const struct ibcc_key_ring *ring, struct ccp_error *error)
{
	char text[MAX_BYTES];
	size_t length = (size_t)snprintf(text, sizeof(text), "ibcc_opensm_keys 1 %" PRIu32 "\n", ring->next_number);

	for (uint32_t i = 0; i < ring->count; i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%" PRIu32 " 0x%016" PRIx64 "\n",
					   ring->keys[i].number, ring->keys[i].key);
	int result = ibcc_state_file_write(folder, name, text, length, error);
	explicit_bzero(text, sizeof(text));
	return result;
}

uint32_t ibcc_key_ring_find(const struct ibcc_key_ring *ring, uint64_t key)
{
	if (!key)
		return IBCC_KEY_OPEN;
	for (uint32_t i = 0; i < ring->count; i++)
		if (ring->keys[i].key == key)
			return ring->keys[i].number;
	return 0;
}

static bool is_among(uint64_t key, const uint64_t *kept, uint32_t num_kept)
{
	for (uint32_t i = 0; i < num_kept; i++)
		if (kept[i] == key)
			return true;
	return false;
}

uint32_t ibcc_key_ring_add(struct ibcc_key_ring *ring, uint64_t key, const uint64_t *kept, uint32_t num_kept)
{
	uint32_t number = ibcc_key_ring_find(ring, key);

	if (number)
		return number;
	if (ring->count == IBCC_MAX_KEYS) {
		uint32_t last = IBCC_MAX_KEYS - 1;
		while (last && is_among(ring->keys[last].key, kept, num_kept))
			last--;
		ring->count--;
		memmove(ring->keys + last, ring->keys + last + 1, (ring->count - last) * sizeof(ring->keys[0]));
	}
	memmove(ring->keys + 1, ring->keys, ring->count * sizeof(ring->keys[0]));
	ring->keys[0] = (struct ibcc_ring_key){.number = ring->next_number++, .key = key};
	ring->count++;
	return ring->keys[0].number;
}
