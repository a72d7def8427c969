/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * owed.h: how many requests have neither been answered nor come back. Those who send, who receive and who wait for the last one may be
 * different threads.
 *
 * Counted by a hash of their transaction IDs, so that an answer that comes twice does not count for another.
 */
#ifndef IBCC_OWED_H
#define IBCC_OWED_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define IBCC_OWED_HASHES 1024u

struct ibcc_owed {
	pthread_mutex_t mutex; /* of what follows */
	pthread_cond_t none;
	uint32_t total;
	uint16_t by_hash[IBCC_OWED_HASHES];
};

int ibcc_owed_init(struct ibcc_owed *owed); /* -1: no memory or other resources; then nothing need be destroyed */
void ibcc_owed_destroy(struct ibcc_owed *owed);

void ibcc_owed_add(struct ibcc_owed *owed, uint32_t tid);
void ibcc_owed_settle(struct ibcc_owed *owed, uint32_t tid); /* nothing, if none is owed */

/* Waits until nothing is owed, at most so long. Whether that is so. */
bool ibcc_owed_wait(struct ibcc_owed *owed, uint32_t most_ms);

#ifdef __cplusplus
}
#endif
#endif
