/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * method.h: a method of the control socket: one file under methods/, which registers it in its last line.
 */
#ifndef IBCC_RPC_METHOD_H
#define IBCC_RPC_METHOD_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "manager/manager.h"

#ifdef __cplusplus
extern "C" {
#endif

/* JSON-RPC 2.0's own codes, and ours. */
enum ibcc_rpc_code {
	IBCC_RPC_PARSE_ERROR = -32700,
	IBCC_RPC_INVALID_REQUEST = -32600,
	IBCC_RPC_METHOD_NOT_FOUND = -32601,
	IBCC_RPC_INVALID_PARAMS = -32602,
	IBCC_RPC_INTERNAL_ERROR = -32603,
	IBCC_RPC_BUSY = -32000, /* a trial run is in force, this OpenSM may not act now, or there is no place for a client */
	IBCC_RPC_PROTOCOL_UNKNOWN = -32002,
	IBCC_RPC_CONFLICT = -32003, /* the call's revision is not in force */
	IBCC_RPC_NOTHING = -32004,  /* there is nothing to commit, or to return to */
	IBCC_RPC_DISK = -32005,     /* state could not be written; nothing has changed */
	IBCC_RPC_UNKNOWN_DEVICE = -32006,
	IBCC_RPC_NOT_ALLOWED = -32007, /* neither root nor of the group */
};

struct ibcc_client;
struct ibcc_server_settings;

struct ibcc_call {
	struct ibcc_manager *manager;
	struct ibcc_client *client;
	const struct ibcc_server_settings *settings;
	const json_t *params; /* an object; never NULL */
	int64_t now_ns;       /* of the monotonic clock */
};

struct ibcc_rpc_error {
	int code;
	char message[640];
	uint64_t guid;         /* of the device concerned; 0: none */
	int port;              /* -1: none */
	const char *attribute; /* NULL: none */
	int status;            /* -1: none */
};

struct ibcc_rpc_method {
	const char *name;
	const char *help;          /* one sentence */
	const char *const *params; /* names of its parameters, NULL at the end: a call with others is refused */
	bool changes;              /* it changes something, so its refusals are in the log of changes too */
	/* A new reference to the result; or NULL with `error` filled, which says "out of memory" before the call. */
	json_t *(*call)(struct ibcc_call *call, struct ibcc_rpc_error *error);
	struct ibcc_rpc_method *next; /* the registry's */
};

void ibcc_rpc_method_register(struct ibcc_rpc_method *method);
const struct ibcc_rpc_method *ibcc_rpc_method_find(const char *name); /* NULL: none */
const struct ibcc_rpc_method *ibcc_rpc_method_first(void);            /* all of them, by `next` */

/* In a method's file, last line. */
#define IBCC_RPC_METHOD(method)                                                                                                  \
	__attribute__((constructor)) static void register_##method(void)                                                         \
	{                                                                                                                        \
		ibcc_rpc_method_register(&(method));                                                                             \
	}

/* REQUIRES: the sentence begins with the id of its message (base/log.h). */
__attribute__((format(printf, 3, 4))) void ibcc_rpc_fail(struct ibcc_rpc_error *error, int code, const char *format, ...);

#ifdef __cplusplus
}
#endif
#endif
