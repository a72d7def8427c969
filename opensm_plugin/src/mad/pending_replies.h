/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * pending_replies.h: counts requests whose reply is pending: neither an answer nor a time-out has come. The threads that send,
 * that receive and that wait until there are none may be different ones.
 *
 * They are counted by a hash of their transaction IDs, so that an answer that comes twice does not count for another request.
 */
#ifndef IBCC_PENDING_REPLIES_H
#define IBCC_PENDING_REPLIES_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define IBCC_PENDING_REPLIES_HASHES 1024u

struct ibcc_pending_replies {
	pthread_mutex_t mutex; /* of what follows */
	pthread_cond_t none;
	uint32_t total;
	uint16_t by_hash[IBCC_PENDING_REPLIES_HASHES];
};

int ibcc_pending_replies_init(
	struct ibcc_pending_replies *pending); /* -1: no memory or other resources; then nothing need be destroyed */
void ibcc_pending_replies_destroy(struct ibcc_pending_replies *pending);

void ibcc_pending_replies_add(struct ibcc_pending_replies *pending, uint32_t tid);
void ibcc_pending_replies_done(struct ibcc_pending_replies *pending, uint32_t tid); /* no effect without a pending reply */

/* Waits until no reply is pending, but at most `most_ms`. Returns whether none is. */
bool ibcc_pending_replies_wait_empty(struct ibcc_pending_replies *pending, uint32_t most_ms);

#ifdef __cplusplus
}
#endif
#endif
