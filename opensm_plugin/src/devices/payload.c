/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* payload.c: a hash table with chains, which grows with the number of payloads. */
#include "devices/payload.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_BUCKETS 64u

struct ibcc_payload_pool {
	struct ibcc_payload **buckets;
	size_t num_buckets; /* a power of two */
	size_t count;
};

/* FNV-1a over 64-bit words, folded. */
static uint32_t hash_of(const uint8_t bytes[CCP_ATTRIBUTE_BYTES])
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (size_t i = 0; i < CCP_ATTRIBUTE_BYTES; i += sizeof(uint64_t)) {
		uint64_t word;

		memcpy(&word, bytes + i, sizeof(word));
		hash = (hash ^ word) * 0x100000001b3u;
		hash ^= hash >> 29;
	}
	return (uint32_t)(hash ^ hash >> 32);
}

struct ibcc_payload_pool *ibcc_payload_pool_create(void)
{
	struct ibcc_payload_pool *pool = calloc(1, sizeof(*pool));

	if (!pool)
		return NULL;
	pool->num_buckets = FIRST_BUCKETS;
	pool->buckets = calloc(pool->num_buckets, sizeof(struct ibcc_payload *));
	if (!pool->buckets) {
		free(pool);
		return NULL;
	}
	return pool;
}

void ibcc_payload_pool_destroy(struct ibcc_payload_pool *pool)
{
	if (!pool)
		return;
	for (size_t i = 0; i < pool->num_buckets; i++) {
		struct ibcc_payload *payload = pool->buckets[i];

		while (payload) {
			struct ibcc_payload *next = payload->next;

			free(payload);
			payload = next;
		}
	}
	free(pool->buckets);
	free(pool);
}

/* Longer chains do no harm, so a pool that cannot grow stays as it is. */
static void grow(struct ibcc_payload_pool *pool)
{
	const size_t num_buckets = 2 * pool->num_buckets;
	struct ibcc_payload **buckets = calloc(num_buckets, sizeof(struct ibcc_payload *));

	if (!buckets)
		return;
	for (size_t i = 0; i < pool->num_buckets; i++) {
		while (pool->buckets[i]) {
			struct ibcc_payload *payload = pool->buckets[i];
			struct ibcc_payload **bucket = &buckets[payload->hash & (num_buckets - 1)];

			pool->buckets[i] = payload->next;
			payload->next = *bucket;
			*bucket = payload;
		}
	}
	free(pool->buckets);
	pool->buckets = buckets;
	pool->num_buckets = num_buckets;
}

const struct ibcc_payload *ibcc_payload_intern(struct ibcc_payload_pool *pool, const uint8_t bytes[CCP_ATTRIBUTE_BYTES])
{
	const uint32_t hash = hash_of(bytes);
	struct ibcc_payload *payload = pool->buckets[hash & (pool->num_buckets - 1)];

	for (; payload; payload = payload->next) {
		if (payload->hash == hash && !memcmp(payload->bytes, bytes, CCP_ATTRIBUTE_BYTES)) {
			payload->references++;
			return payload;
		}
	}
	payload = calloc(1, sizeof(*payload));
	if (!payload)
		return NULL;
	if (pool->count >= pool->num_buckets)
		grow(pool);
	memcpy(payload->bytes, bytes, CCP_ATTRIBUTE_BYTES);
	payload->references = 1;
	payload->hash = hash;
	payload->next = pool->buckets[hash & (pool->num_buckets - 1)];
	pool->buckets[hash & (pool->num_buckets - 1)] = payload;
	pool->count++;
	return payload;
}

/* Payloads are const for their holders; only the count of holds, which belongs to the pool, changes. */
static struct ibcc_payload *counted(const struct ibcc_payload *payload)
{
	return (struct ibcc_payload *)payload;
}

const struct ibcc_payload *ibcc_payload_hold(const struct ibcc_payload *payload)
{
	if (payload)
		counted(payload)->references++;
	return payload;
}

void ibcc_payload_release(struct ibcc_payload_pool *pool, const struct ibcc_payload *payload)
{
	struct ibcc_payload **link;

	if (!payload || --counted(payload)->references > 0)
		return;
	link = &pool->buckets[payload->hash & (pool->num_buckets - 1)];
	while (*link != payload)
		link = &(*link)->next;
	*link = payload->next;
	pool->count--;
	free(counted(payload));
}

size_t ibcc_payload_pool_count(const struct ibcc_payload_pool *pool)
{
	return pool->count;
}
