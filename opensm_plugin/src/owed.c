/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _POSIX_C_SOURCE 200809L /* monotonic clocks */

#include "owed.h"

#include <string.h>
#include <time.h>

#define NS_PER_S 1000000000LL
#define NS_PER_MS 1000000LL

int ibcc_owed_init(struct ibcc_owed *owed)
{
	pthread_condattr_t monotonic;
	int result;

	memset(owed, 0, sizeof(*owed));
	if (pthread_condattr_init(&monotonic) != 0)
		return -1;
	(void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	result = pthread_cond_init(&owed->none, &monotonic);
	(void)pthread_condattr_destroy(&monotonic);
	if (result != 0)
		return -1;
	if (pthread_mutex_init(&owed->mutex, NULL) != 0) {
		(void)pthread_cond_destroy(&owed->none);
		return -1;
	}
	return 0;
}

void ibcc_owed_destroy(struct ibcc_owed *owed)
{
	(void)pthread_mutex_destroy(&owed->mutex);
	(void)pthread_cond_destroy(&owed->none);
}

static uint16_t *at(struct ibcc_owed *owed, uint32_t tid)
{
	return &owed->by_hash[(tid ^ tid >> 10 ^ tid >> 20) % IBCC_OWED_HASHES];
}

void ibcc_owed_add(struct ibcc_owed *owed, uint32_t tid)
{
	(void)pthread_mutex_lock(&owed->mutex);
	++*at(owed, tid);
	owed->total++;
	(void)pthread_mutex_unlock(&owed->mutex);
}

void ibcc_owed_settle(struct ibcc_owed *owed, uint32_t tid)
{
	(void)pthread_mutex_lock(&owed->mutex);
	if (*at(owed, tid) > 0) {
		--*at(owed, tid);
		if (--owed->total == 0)
			(void)pthread_cond_broadcast(&owed->none);
	}
	(void)pthread_mutex_unlock(&owed->mutex);
}

bool ibcc_owed_wait(struct ibcc_owed *owed, uint32_t most_ms)
{
	struct timespec end;
	int64_t end_ns;
	bool is_none;

	(void)clock_gettime(CLOCK_MONOTONIC, &end);
	end_ns = end.tv_sec * NS_PER_S + end.tv_nsec + most_ms * NS_PER_MS;
	end.tv_sec = end_ns / NS_PER_S;
	end.tv_nsec = end_ns % NS_PER_S;

	(void)pthread_mutex_lock(&owed->mutex);
	while (owed->total > 0) {
		if (pthread_cond_timedwait(&owed->none, &owed->mutex, &end) != 0)
			break;
	}
	is_none = owed->total == 0;
	(void)pthread_mutex_unlock(&owed->mutex);
	return is_none;
}
