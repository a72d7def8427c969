/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * server.h: the control socket: JSON-RPC 2.0, one message a line, on a Unix stream socket of mode 0660.
 *
 * It runs on the manager's thread. It admits a client whose user is root or this process's own, or that is in the configured
 * group; the client's first message is hello. A client that does not read is dropped when more than IBCC_MAX_UNSENT_BYTES wait
 * for it. The number of clients and their idle time are limited by admission.h.
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
 * Listens at the path of the settings. A socket that an ended process has left there is removed; any other file is an error. The
 * descriptors are added to `epoll_fd`, with a data.ptr for ibcc_server_handle. `manager` is passed to methods. NULL with `error`
 * filled.
 */
struct ibcc_server *ibcc_server_open(const struct ibcc_server_settings *settings, struct ibcc_manager *manager, int epoll_fd,
				     struct ibcc_log *log, struct ccp_error *error);
void ibcc_server_close(struct ibcc_server *server); /* removes the socket */

/*
 * Handles an event of epoll_wait, at `now_ns` of the monotonic clock. Returns whether `data` is the server's. Events of clients
 * that have left since do no harm.
 */
bool ibcc_server_handle(struct ibcc_server *server, void *data, unsigned events, int64_t now_ns);

/* Drops clients that were idle for too long. next_ns: when the next one may be; INT64_MAX: none. */
void ibcc_server_tick(struct ibcc_server *server, int64_t now_ns);
int64_t ibcc_server_next_ns(const struct ibcc_server *server);

/*
 * Sends an event, one of ibcc_event_names (rpc/events.h), to all who have subscribed to it. Steals `params`, an object. From
 * inside a method, it is sent before the method's answer.
 */
void ibcc_server_publish(struct ibcc_server *server, const char *event, json_t *params);

#ifdef __cplusplus
}
#endif
#endif
