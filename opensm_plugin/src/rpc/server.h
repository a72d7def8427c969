/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * server.h: the control socket: JSON-RPC 2.0, one message a line, on a Unix stream socket of mode 0660.
 *
 * Runs on the manager's thread. A client is let in if its user is root or this process's own, or has the configured group; it says
 * hello first. One that does not read what it is sent is dropped when more than IBCC_MAX_UNSENT_BYTES wait for it; how many there may be,
 * and how long one may keep silent, is in admission.h.
 */
#ifndef IBCC_RPC_SERVER_H
#define IBCC_RPC_SERVER_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/log.h"
#include "ccpolicy/error.h"
#include "manager/manager.h"
#include "rpc/server_settings.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ibcc_server;
/*
 * Listens at `path`; a socket left there by a process that is gone is removed, any other file is left alone and is an error.
 * `epoll_fd`: where its descriptors are added; their data.ptr is what ibcc_server_handle takes. `manager` is what methods get.
 * NULL with `error` filled.
 */
struct ibcc_server *ibcc_server_open(const struct ibcc_server_settings *settings, struct ibcc_manager *manager, int epoll_fd,
				     struct ibcc_log *log, struct ccp_error *error);
void ibcc_server_close(struct ibcc_server *server); /* removes the socket */

/*
 * What epoll_wait has told of one of its descriptors, at `now_ns` of the monotonic clock. True: `data` was the server's. Events of clients
 * gone meanwhile do no harm.
 */
bool ibcc_server_handle(struct ibcc_server *server, void *data, unsigned events, int64_t now_ns);

/* Drops clients that have kept silent for too long; the next time that there may be one; INT64_MAX: none. */
void ibcc_server_tick(struct ibcc_server *server, int64_t now_ns);
int64_t ibcc_server_next_ns(const struct ibcc_server *server);

/*
 * To all who have subscribed to it: one of ibcc_event_names (rpc/events.h). Steals `params`, an object. From inside a method too: then it
 * goes out before the method's answer.
 */
void ibcc_server_publish(struct ibcc_server *server, const char *event, json_t *params);

#ifdef __cplusplus
}
#endif
#endif
