/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rpc/method.h"

#include <assert.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"

static struct ibcc_rpc_method *first;

/* Keeps the list ascending by name, whatever the linker's order of the files. */
void ibcc_rpc_method_register(struct ibcc_rpc_method *method)
{
	struct ibcc_rpc_method **place = &first;

	while (*place && strcmp((*place)->name, method->name) < 0)
		place = &(*place)->next;
	method->next = *place;
	*place = method;
}

const struct ibcc_rpc_method *ibcc_rpc_method_find(const char *name)
{
	for (const struct ibcc_rpc_method *method = first; method; method = method->next)
		if (!strcmp(method->name, name))
			return method;
	return NULL;
}

const struct ibcc_rpc_method *ibcc_rpc_method_first(void)
{
	return first;
}

void ibcc_rpc_fail(struct ibcc_rpc_error *error, int code, const char *format, ...)
{
	va_list args;

	error->code = code;
	va_start(args, format);
	vsnprintf(error->message, sizeof(error->message), format, args);
	va_end(args);
	assert(ibcc_has_message_id(error->message));
}
