/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "real.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "exports.h"

struct real {
	const char *symbol;
	const char *library;
	meter_function *ours; /* NULL: only called */
	_Atomic(meter_function *) real;
};

#define VERBS "libibverbs.so.1"
#define MLX5 "libmlx5.so.1"

static struct real reals[METER_REAL_COUNT] = {
	[METER_OPEN_DEVICE] = {"ibv_open_device", VERBS, (meter_function *)ibv_open_device, NULL},
	[METER_IMPORT_DEVICE] = {"ibv_import_device", VERBS, (meter_function *)ibv_import_device, NULL},
	[METER_CLOSE_DEVICE] = {"ibv_close_device", VERBS, (meter_function *)ibv_close_device, NULL},
	[METER_CREATE_QP] = {"ibv_create_qp", VERBS, (meter_function *)ibv_create_qp, NULL},
	[METER_MODIFY_QP] = {"ibv_modify_qp", VERBS, (meter_function *)ibv_modify_qp, NULL},
	[METER_DESTROY_QP] = {"ibv_destroy_qp", VERBS, (meter_function *)ibv_destroy_qp, NULL},
	[METER_DESTROY_CQ] = {"ibv_destroy_cq", VERBS, (meter_function *)ibv_destroy_cq, NULL},
	[METER_QP_TO_QP_EX] = {"ibv_qp_to_qp_ex", VERBS, NULL, NULL},
	[METER_WC_STATUS_STR] = {"ibv_wc_status_str", VERBS, NULL, NULL},
	[METER_MLX5_OPEN_DEVICE] = {"mlx5dv_open_device", MLX5, (meter_function *)mlx5dv_open_device, NULL},
	[METER_MLX5_CREATE_QP] = {"mlx5dv_create_qp", MLX5, (meter_function *)mlx5dv_create_qp, NULL},
};

meter_function *meter_real(enum meter_real_name name)
{
	struct real *real = &reals[name];
	meter_function *function = atomic_load_explicit(&real->real, memory_order_acquire);

	if (function)
		return function;
	function = (meter_function *)dlsym(RTLD_NEXT, real->symbol);
	if (!function) {
		/* A library that was loaded for itself is not among those that come next. */
		void *library = dlopen(real->library, RTLD_LAZY);
		function = library ? (meter_function *)dlsym(library, real->symbol) : NULL;
	}
	if (!function) {
		dprintf(STDERR_FILENO, "libibcc_meter: %s has no %s, which the program called\n", real->library, real->symbol);
		_exit(2);
	}
	meter_real_set(name, function);
	return function;
}

void meter_real_set(enum meter_real_name name, meter_function *function)
{
	atomic_store_explicit(&reals[name].real, function, memory_order_release);
}

meter_function *meter_real_found(const char *symbol, meter_function *found)
{
	for (int i = 0; i < METER_REAL_COUNT; i++)
		if (reals[i].ours && found != reals[i].ours && !strcmp(symbol, reals[i].symbol)) {
			meter_real_set((enum meter_real_name)i, found);
			return reals[i].ours;
		}
	return NULL;
}
