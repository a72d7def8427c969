/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _POSIX_C_SOURCE 200809L /* monotonic clocks */

#include "mad/pending_replies.h"

#include <string.h>
#include <time.h>

#include "base/ns.h"

int ibcc_pending_replies_init(struct ibcc_pending_replies *pending)
{
	pthread_condattr_t monotonic;
	int result;

	memset(pending, 0, sizeof(*pending));
	if (pthread_condattr_init(&monotonic) != 0)
		return -1;
	(void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	result = pthread_cond_init(&pending->none, &monotonic);
	(void)pthread_condattr_destroy(&monotonic);
	if (result != 0)
		return -1;
	if (pthread_mutex_init(&pending->mutex, NULL) != 0) {
		(void)pthread_cond_destroy(&pending->none);
		return -1;
	}
	return 0;
}

void ibcc_pending_replies_destroy(struct ibcc_pending_replies *pending)
{
	(void)pthread_mutex_destroy(&pending->mutex);
	(void)pthread_cond_destroy(&pending->none);
}

static uint16_t *at(struct ibcc_pending_replies *pending, uint32_t tid)
{
	return &pending->by_hash[(tid ^ tid >> 10 ^ tid >> 20) % IBCC_PENDING_REPLIES_HASHES];
}

void ibcc_pending_replies_add(struct ibcc_pending_replies *pending, uint32_t tid)
{
	(void)pthread_mutex_lock(&pending->mutex);
	++*at(pending, tid);
	pending->total++;
	(void)pthread_mutex_unlock(&pending->mutex);
}

void ibcc_pending_replies_done(struct ibcc_pending_replies *pending, uint32_t tid)
{
	(void)pthread_mutex_lock(&pending->mutex);
	if (*at(pending, tid) > 0) {
		--*at(pending, tid);
		if (--pending->total == 0)
			(void)pthread_cond_broadcast(&pending->none);
	}
	(void)pthread_mutex_unlock(&pending->mutex);
}

bool ibcc_pending_replies_wait_empty(struct ibcc_pending_replies *pending, uint32_t most_ms)
{
	struct timespec end;
	int64_t end_ns;
	bool is_none;

	(void)clock_gettime(CLOCK_MONOTONIC, &end);
	end_ns = end.tv_sec * NS_PER_S + end.tv_nsec + most_ms * NS_PER_MS;
	end.tv_sec = end_ns / NS_PER_S;
	end.tv_nsec = end_ns % NS_PER_S;

	(void)pthread_mutex_lock(&pending->mutex);
	while (pending->total > 0) {
		if (pthread_cond_timedwait(&pending->none, &pending->mutex, &end) != 0)
			break;
	}
	is_none = pending->total == 0;
	(void)pthread_mutex_unlock(&pending->mutex);
	return is_none;
}
