/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Programs that load libibverbs themselves (NCCL: dlopen, then dlvsym with a version) get what they ask that library for,
 * whatever was preloaded. So dlvsym hands them the meter's functions. dlsym is left alone: it would have to know its caller.
 */
#include <dlfcn.h>
#include <stdatomic.h>

#include "real.h"

typedef void *dlvsym_function(void *handle, const char *symbol, const char *version);

__attribute__((visibility("default"))) void *dlvsym(void *restrict handle, const char *restrict symbol,
						    const char *restrict version)
{
	static _Atomic(dlvsym_function *) real;
	dlvsym_function *function = atomic_load_explicit(&real, memory_order_acquire);

	if (!function) {
		function = (dlvsym_function *)dlsym(RTLD_NEXT, "dlvsym");
		atomic_store_explicit(&real, function, memory_order_release);
	}
	void *found = function(handle, symbol, version);
	meter_function *ours = found ? meter_real_found(symbol, (meter_function *)found) : NULL;
	return ours ? (void *)ours : found;
}
