/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * client.h: one client: it receives bytes, cut anywhere, and collects what is to be sent in `output`. It knows no sockets.
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

#define IBCC_PROTOCOL 2 /* in 1, commit and rollback took no revision, and status had fewer fields */

#define IBCC_MAX_UNSENT_BYTES (16u << 20)

struct ibcc_server_settings;

/* Objects that are passed to calls; the same for all clients. */
struct ibcc_service {
	const struct ibcc_server_settings *settings;
	struct ibcc_manager *manager;
};

/* A new client is all zeros. */
struct ibcc_client {
	char *line; /* the part of a line that has come so far */
	size_t length, capacity;
	struct ibcc_output output;
	struct ibcc_peer peer; /* its process and user */
	bool greeted;
	uint32_t events;  /* its subscriptions, as bits of enum ibcc_event */
	bool over;        /* nothing is read from it any more; it is dropped when all that waits is sent */
	const char *gone; /* it is dropped at once, for this reason; NULL: it is not */
};

/* Handles bytes from the client, and calls a method for each complete line. */
void ibcc_client_receive(struct ibcc_client *client, const struct ibcc_service *service, const char *bytes, size_t length);

/* Queues a notification; a client that does not read is dropped for it. `params`: borrowed. */
void ibcc_client_notify(struct ibcc_client *client, const char *method, const json_t *params);

void ibcc_client_clear(struct ibcc_client *client); /* frees its memory, and makes it a new client */

#ifdef __cplusplus
}
#endif
#endif
