/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* libibverbs's own functions, which ours of the same names hide. The library is not linked: only programs that use it load it. */
#ifndef IBCC_METER_REAL_H
#define IBCC_METER_REAL_H

#include <infiniband/verbs.h>

enum meter_real_name {
	METER_OPEN_DEVICE,
	METER_IMPORT_DEVICE,
	METER_CLOSE_DEVICE,
	METER_CREATE_QP,
	METER_MODIFY_QP,
	METER_DESTROY_QP,
	METER_DESTROY_CQ,
	METER_QP_TO_QP_EX,
	METER_WC_STATUS_STR,
	METER_MLX5_OPEN_DEVICE,
	METER_MLX5_CREATE_QP,
	METER_REAL_COUNT
};

typedef void meter_function(void);

/* Ends the program with one sentence if it is nowhere: it was called, so it must be. */
meter_function *meter_real(enum meter_real_name name);

void meter_real_set(enum meter_real_name name, meter_function *function);

/* Somebody looked `symbol` up in a library that he had loaded himself, and found `real`: that is what
 * ours shall call. Ours, or NULL. */
meter_function *meter_real_found(const char *symbol, meter_function *real);

#endif
