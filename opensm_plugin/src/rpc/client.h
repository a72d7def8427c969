/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * client.h: one client: bytes come in, in whatever cuts, and what is to go back to it piles up in `output`. Knows no sockets.
 */
#ifndef IBCC_RPC_CLIENT_H
#define IBCC_RPC_CLIENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "changes/peer.h"
#include "manager/manager.h"
#include "rpc/output.h"

#ifdef __cplusplus
extern "C" {
#endif

#define IBCC_PROTOCOL 2 /* 1: commit and rollback took no revision, and status told less */

#define IBCC_MAX_UNSENT_BYTES (16u << 20)

struct ibcc_server_settings;

/* What calls get; the same for all clients. */
struct ibcc_service {
	const struct ibcc_server_settings *settings;
	struct ibcc_manager *manager;
};

/* Zero-initialised is a client that has said nothing yet. */
struct ibcc_client {
	char *line; /* the beginning of a line that is not whole yet */
	size_t length, capacity;
	struct ibcc_output output;
	struct ibcc_peer peer; /* who it is, as the kernel says */
	bool greeted;
	uint32_t events;  /* bits of enum ibcc_event: what it has subscribed to */
	bool over;        /* nothing is read from it any more; it goes when it has got all that waits */
	const char *gone; /* it goes at once: a reason for the log; NULL: it does not */
};

/* Takes what has come from the client, and calls methods for each whole line. */
void ibcc_client_receive(struct ibcc_client *client, const struct ibcc_service *service, const char *bytes, size_t length);

/* A notification to one who does not read is what drops it. `params`: borrowed. */
void ibcc_client_notify(struct ibcc_client *client, const char *method, const json_t *params);

void ibcc_client_clear(struct ibcc_client *client); /* frees; it is as new then */

#ifdef __cplusplus
}
#endif
#endif
