/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * message.h: JSON-RPC 2.0 to and from lines.
 *
 * A result whose line would be longer than IBCC_MAX_LINE_BYTES goes out in parts: notifications `part {id, text}` with pieces of
 * its JSON text, in order, and then a response whose result is `{"$parts": number}`.
 */
#ifndef IBCC_RPC_MESSAGE_H
#define IBCC_RPC_MESSAGE_H

#include <jansson.h>
#include <stddef.h>

#include "rpc/method.h"
#include "rpc/output.h"

#ifdef __cplusplus
extern "C" {
#endif

#define IBCC_MAX_LINE_BYTES (1u << 20)
#define IBCC_MAX_ID_BYTES 256u
#define IBCC_MAX_RESULT_BYTES                                                                                                    \
	(6u << 20) /* of JSON text; in parts it is at most twice as long, which still fits the bound of what may wait */

struct ibcc_message {
	json_t *json;         /* holds all of it; NULL: no JSON */
	const json_t *id;     /* NULL: it has none, or none that may be one */
	const char *method;   /* of a request or notification only */
	const json_t *params; /* NULL: none given */
};

/*
 * Parses a line. -1 with `error` filled: it is no request; what could be parsed is in `message`, which must be cleared in any
 * case.
 */
int ibcc_message_read(struct ibcc_message *message, const char *line, size_t length, struct ibcc_rpc_error *error);
void ibcc_message_clear(struct ibcc_message *message);

/* Each adds whole lines, or nothing: -1, out of memory. `id` NULL: null. */
int ibcc_write_error(struct ibcc_output *output, const json_t *id, const struct ibcc_rpc_error *error);
int ibcc_write_notification(struct ibcc_output *output, const char *method, const json_t *params);
/* 1 with `error` filled: the result is too long, nothing was added. */
int ibcc_write_result(struct ibcc_output *output, const json_t *id, const json_t *result, struct ibcc_rpc_error *error);

#ifdef __cplusplus
}
#endif
#endif
