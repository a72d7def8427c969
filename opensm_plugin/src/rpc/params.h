/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * params.h: reads and checks the parameters of a call. Each function leaves `value` as it was if the parameter is missing, and
 * returns -1 with `error` filled if it is wrong.
 */
#ifndef IBCC_RPC_PARAMS_H
#define IBCC_RPC_PARAMS_H

#include <stdint.h>

#include "rpc/method.h"

#ifdef __cplusplus
extern "C" {
#endif

int ibcc_param_number(const struct ibcc_call *call, const char *name, int64_t least, int64_t most, int64_t *value,
		      struct ibcc_rpc_error *error);
int ibcc_param_text(const struct ibcc_call *call, const char *name, const char **value, struct ibcc_rpc_error *error);
/* "0x0002c90300000001", or a number above 0. */
int ibcc_param_guid(const struct ibcc_call *call, const char *name, uint64_t *value, struct ibcc_rpc_error *error);
/* Reads one of `names`, as its index. */
int ibcc_param_choice(const struct ibcc_call *call, const char *name, const char *const *names, unsigned count, int *value,
		      struct ibcc_rpc_error *error);
/* -1 with `error` filled: the parameter is missing. */
int ibcc_require_param(const struct ibcc_call *call, const char *name, struct ibcc_rpc_error *error);

#ifdef __cplusplus
}
#endif
#endif
