/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _DEFAULT_SOURCE /* explicit_bzero() */
#include "keys/keys.h"

#include <stdlib.h>
#include <string.h>

#include "ccpolicy/error_format.h"
#include "keys/key_file.h"
#include "keys/key_ring.h"

#define MAX_SETS 3u                /* in a round; the window retries each of them */
#define KEEP_VIOLATIONS UINT16_MAX /* a Set of 0 would clear what the device has counted */

struct ibcc_keys {
	const struct ibcc_state_folder *folder;
	char *path;
	struct ibcc_log *log;
	struct ibcc_key_file file;
	struct ibcc_key_ring ring;
	uint32_t generation; /* from 1; another with each change */
};

static uint32_t goal_of(const struct ibcc_keys *keys)
{
	return ibcc_key_ring_find(&keys->ring, keys->file.has_next ? keys->file.next : keys->file.current);
}

static uint64_t key_of(const struct ibcc_keys *keys, uint32_t number)
{
	for (uint32_t i = 0; i < keys->ring.count; i++)
		if (keys->ring.keys[i].number == number)
			return keys->ring.keys[i].key;
	return 0;
}

static bool same_file(const struct ibcc_key_file *a, const struct ibcc_key_file *b)
{
	return a->current == b->current && a->has_next == b->has_next && a->next == b->next &&
	       a->has_previous == b->has_previous && a->previous == b->previous && a->protect == b->protect &&
	       a->lease_period_s == b->lease_period_s;
}

/* The oldest first, as each is put in front of the others. */
static void add_keys(struct ibcc_key_ring *ring, const struct ibcc_key_file *file)
{
	uint64_t kept[3] = {file->current, file->next, file->previous};

	if (file->has_previous)
		(void)ibcc_key_ring_add(ring, file->previous, kept, 3);
	(void)ibcc_key_ring_add(ring, file->current, kept, 3);
	if (file->has_next)
		(void)ibcc_key_ring_add(ring, file->next, kept, 3);
	explicit_bzero(kept, sizeof(kept));
}

int ibcc_keys_reload(struct ibcc_keys *keys, struct ccp_error *error)
{
	struct ibcc_key_ring ring = keys->ring;
	struct ibcc_key_file file;
	int result = -1;

	if (ibcc_key_file_read(keys->path, &file, error))
		goto out;
	if (keys->generation && same_file(&file, &keys->file)) {
		result = 0;
		goto out;
	}
	add_keys(&ring, &file);
	if (ring.next_number != keys->ring.next_number && ibcc_key_ring_save(keys->folder, &ring, error))
		goto out;
	keys->ring = ring;
	keys->file = file;
	keys->generation++;
	ibcc_log(keys->log, IBCC_LOG_INFO, "keys read from %s: current%s%s, %s, lease period %u s", keys->path,
		 file.has_next ? ", next" : "", file.has_previous ? ", previous" : "",
		 file.protect ? "protected" : "not protected", file.lease_period_s);
	result = 0;
out:
	explicit_bzero(&ring, sizeof(ring));
	explicit_bzero(&file, sizeof(file));
	return result;
}

uint32_t ibcc_keys_of_file(const struct ibcc_keys *keys, uint64_t own[IBCC_KEYS_OF_FILE])
{
	const struct ibcc_key_file *file = &keys->file;
	uint32_t count = 0;

	if (file->current)
		own[count++] = file->current;
	if (file->has_next && file->next)
		own[count++] = file->next;
	if (file->has_previous && file->previous)
		own[count++] = file->previous;
	return count;
}

uint32_t ibcc_keys_generation(const struct ibcc_keys *keys)
{
	return keys->generation;
}

struct ibcc_keys *ibcc_keys_open(const struct ibcc_state_folder *folder, const char *key_file, struct ibcc_log *log,
				 struct ccp_error *error)
{
	struct ibcc_keys *keys = calloc(1, sizeof(*keys));

	if (!keys) {
		(void)ccp_fail_no_memory(error);
		return NULL;
	}
	keys->folder = folder;
	keys->log = log;
	keys->path = strdup(key_file);
	if (!keys->path)
		(void)ccp_fail_no_memory(error);
	if (!keys->path || ibcc_key_ring_load(folder, &keys->ring, error) || ibcc_keys_reload(keys, error)) {
		ibcc_keys_close(keys);
		return NULL;
	}
	return keys;
}

void ibcc_keys_close(struct ibcc_keys *keys)
{
	if (!keys)
		return;
	free(keys->path);
	explicit_bzero(keys, sizeof(*keys));
	free(keys);
}

/* Returns the state for the present keys. */
static struct ibcc_key_state up_to_date(const struct ibcc_keys *keys, const struct ibcc_key_state *state)
{
	struct ibcc_key_state now = *state;

	if (now.round_generation != keys->generation) {
		ibcc_keys_retry(&now);
		now.round_generation = keys->generation;
	}
	if (now.seen != IBCC_KEY_OPEN && !key_of(keys, now.seen))
		now.seen = 0; /* that key was dropped, as there was no room */
	return now;
}

/* Appends the key with this number, unless it is none or in the list already. */
static void append(const struct ibcc_keys *keys, uint32_t number, uint32_t list[IBCC_MAX_KEYS], uint32_t *count)
{
	if (!number || number == IBCC_KEY_OPEN || !key_of(keys, number))
		return;
	for (uint32_t i = 0; i < *count; i++)
		if (list[i] == number)
			return;
	list[(*count)++] = number;
}

static uint32_t candidates_of(const struct ibcc_keys *keys, const struct ibcc_key_state *state, uint32_t list[IBCC_MAX_KEYS])
{
	uint32_t count = 0;

	append(keys, state->set, list, &count);
	append(keys, state->seen, list, &count);
	for (uint32_t i = 0; state->vain && !state->seen && i < keys->ring.count; i++)
		if (keys->ring.keys[i].number >= state->vain)
			append(keys, keys->ring.keys[i].number, list, &count);
	append(keys, ibcc_key_ring_find(&keys->ring, keys->file.current), list, &count);
	if (keys->file.has_next)
		append(keys, ibcc_key_ring_find(&keys->ring, keys->file.next), list, &count);
	if (keys->file.has_previous)
		append(keys, ibcc_key_ring_find(&keys->ring, keys->file.previous), list, &count);
	for (uint32_t i = 0; i < keys->ring.count; i++)
		append(keys, keys->ring.keys[i].number, list, &count);
	return count;
}

uint32_t ibcc_keys_candidates(const struct ibcc_keys *keys, const struct ibcc_key_state *state,
			      uint64_t candidates[IBCC_MAX_KEYS])
{
	uint32_t list[IBCC_MAX_KEYS];
	uint32_t count = candidates_of(keys, state, list);

	for (uint32_t i = 0; i < count; i++)
		candidates[i] = key_of(keys, list[i]);
	return count;
}

uint64_t ibcc_keys_header_key(const struct ibcc_keys *keys, const struct ibcc_key_state *state)
{
	struct ibcc_key_state now = up_to_date(keys, state);
	uint32_t list[IBCC_MAX_KEYS];

	if (now.seen)
		return key_of(keys, now.seen); /* 0 for a device without a key */
	return candidates_of(keys, &now, list) ? key_of(keys, list[0]) : 0;
}

static uint32_t bit_of(const struct ibcc_keys *keys, uint32_t number)
{
	for (uint32_t i = 0; i < keys->ring.count; i++)
		if (keys->ring.keys[i].number == number)
			return 1u << i;
	return 1u << IBCC_MAX_KEYS; /* without a key */
}

static void look(const struct ibcc_keys *keys, const struct ibcc_key_state *state, struct ibcc_key_step *step)
{
	uint32_t list[IBCC_MAX_KEYS];
	uint32_t count = candidates_of(keys, state, list);

	if (!count) /* the key file says that there are no keys */
		list[count++] = IBCC_KEY_OPEN;
	for (uint32_t i = 0; i < count; i++) {
		if (state->tried & bit_of(keys, list[i]))
			continue;
		step->action = IBCC_KEY_LOOK;
		step->header_key = key_of(keys, list[i]);
		step->number = list[i];
		return;
	}
	step->action = IBCC_KEY_STUCK;
}

void ibcc_keys_next_step(const struct ibcc_keys *keys, const struct ibcc_key_state *state, struct ibcc_key_step *step)
{
	struct ibcc_key_state now = up_to_date(keys, state);

	memset(step, 0, sizeof(*step));
	if (now.settled_generation == keys->generation) {
		step->action = IBCC_KEY_SETTLED;
	} else if (now.foreign || now.sets >= MAX_SETS) {
		step->action = IBCC_KEY_STUCK;
	} else if (!now.seen) {
		look(keys, &now, step);
	} else {
		step->action = IBCC_KEY_SET;
		step->header_key = key_of(keys, now.seen);
		step->number = goal_of(keys);
		step->info.cc_key = key_of(keys, step->number);
		step->info.cc_key_protect_bit = step->info.cc_key && keys->file.protect;
		step->info.cc_key_lease_period = step->info.cc_key ? keys->file.lease_period_s : 0;
		step->info.cc_key_violations = KEEP_VIOLATIONS;
	}
}

/* The device has the key and the protection that it should. */
static bool is_right(const struct ibcc_keys *keys, uint32_t number, const struct ccp_congestion_key_info *info)
{
	if (number != goal_of(keys))
		return false;
	return number == IBCC_KEY_OPEN ||
	       (!info->cc_key_protect_bit == !keys->file.protect && info->cc_key_lease_period == keys->file.lease_period_s);
}

static void take_look(const struct ibcc_keys *keys, struct ibcc_key_state *state, const struct ibcc_key_step *step,
		      const struct ccp_congestion_key_info *info)
{
	state->tried |= bit_of(keys, step->number);
	if (!info || (!info->cc_key && info->cc_key_protect_bit)) {
		if (!state->vain)
			state->vain = keys->ring.next_number;
		return; /* no answer, or its key is hidden: it is another one */
	}
	uint32_t number = ibcc_key_ring_find(&keys->ring, info->cc_key);
	if (!number) {
		state->foreign = true;
		return;
	}
	state->seen = number;
	state->set = 0;
	state->tried = 0;
	state->vain = 0;
	if (is_right(keys, number, info))
		state->settled_generation = keys->generation;
}

static void take_set(const struct ibcc_keys *keys, struct ibcc_key_state *state, const struct ibcc_key_step *step,
		     const struct ccp_congestion_key_info *info)
{
	if (info && info->cc_key == step->info.cc_key) {
		/* If it took another protection or lease than it was sent, it would do so again. */
		state->seen = step->number;
		state->set = 0;
		state->tried = 0;
		state->sets = 0;
		state->settled_generation = keys->generation;
		return;
	}
	state->sets++;
	if (info && (info->cc_key || !info->cc_key_protect_bit))
		return; /* it has answered, and keeps its key */
	/* No answer, or one that hides the key: it may have either key. The new one is tried first, then the old one. */
	uint32_t old = state->seen;
	state->seen = 0;
	state->set = step->number == IBCC_KEY_OPEN ? old : step->number;
	state->tried = 0;
}

void ibcc_keys_handle_answer(const struct ibcc_keys *keys, struct ibcc_key_state *state, const struct ibcc_key_step *step,
			     const struct ccp_congestion_key_info *info)
{
	*state = up_to_date(keys, state);
	if (step->action == IBCC_KEY_LOOK)
		take_look(keys, state, step, info);
	else if (step->action == IBCC_KEY_SET)
		take_set(keys, state, step, info);
}

void ibcc_keys_look_again(struct ibcc_key_state *state)
{
	*state = (struct ibcc_key_state){.vain = state->vain};
}

void ibcc_keys_retry(struct ibcc_key_state *state)
{
	state->tried = 0;
	state->sets = 0;
	state->foreign = false;
}

const char *ibcc_keys_state_text(const struct ibcc_keys *keys, const struct ibcc_key_state *state)
{
	const struct ibcc_key_file *file = &keys->file;

	if (state->foreign)
		return "foreign";
	if (!state->seen)
		return "unknown";
	if (state->seen == IBCC_KEY_OPEN)
		return "none";
	if (state->seen == ibcc_key_ring_find(&keys->ring, file->current))
		return "current";
	if (file->has_next && state->seen == ibcc_key_ring_find(&keys->ring, file->next))
		return "next";
	if (file->has_previous && state->seen == ibcc_key_ring_find(&keys->ring, file->previous))
		return "previous";
	return "older";
}

bool ibcc_keys_are_changing(const struct ibcc_keys *keys)
{
	return keys->file.has_next;
}
