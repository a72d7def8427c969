/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rpc/params.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ccpolicy/error_format.h"

int ibcc_param_number(const struct ibcc_call *call, const char *name, int64_t least, int64_t most, int64_t *value,
		      struct ibcc_rpc_error *error)
{
	const json_t *given = json_object_get(call->params, name);

	if (!given)
		return 0;
	if (!json_is_integer(given) || json_integer_value(given) < least || json_integer_value(given) > most) {
		ibcc_rpc_fail(error, IBCC_RPC_INVALID_PARAMS, "IBCC0601: %s must be a whole number from %" PRId64 " to %" PRId64,
			      name, least, most);
		return -1;
	}
	*value = json_integer_value(given);
	return 0;
}

int ibcc_param_text(const struct ibcc_call *call, const char *name, const char **value, struct ibcc_rpc_error *error)
{
	const json_t *given = json_object_get(call->params, name);

	if (!given)
		return 0;
	if (!json_is_string(given)) {
		ibcc_rpc_fail(error, IBCC_RPC_INVALID_PARAMS, "IBCC0601: %s must be a text", name);
		return -1;
	}
	*value = json_string_value(given);
	return 0;
}

int ibcc_param_guid(const struct ibcc_call *call, const char *name, uint64_t *value, struct ibcc_rpc_error *error)
{
	const json_t *given = json_object_get(call->params, name);
	const char *text = json_string_value(given);
	char *end = NULL;
	uint64_t guid = 0;

	if (!given)
		return 0;
	if (json_is_integer(given) && json_integer_value(given) > 0) {
		*value = (uint64_t)json_integer_value(given);
		return 0;
	}
	if (text && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') && strlen(text) <= 18 && !strpbrk(text + 2, "+- \txX")) {
		errno = 0;
		guid = strtoull(text + 2, &end, 16);
	}
	if (!end || end == text + 2 || *end || errno || !guid) {
		char quoted[CCP_QUOTE_BYTES];
		ibcc_rpc_fail(error, IBCC_RPC_INVALID_PARAMS,
			      "IBCC0601: %s is %s, but must be a GUID, such as \"0x0002c90300000001\"", name,
			      text ? ccp_quote(quoted, text, strlen(text)) : "not a text");
		return -1;
	}
	*value = guid;
	return 0;
}

int ibcc_param_choice(const struct ibcc_call *call, const char *name, const char *const *names, unsigned count, int *value,
		      struct ibcc_rpc_error *error)
{
	const char *text = NULL;
	char known[256] = "";
	size_t length = 0;

	if (ibcc_param_text(call, name, &text, error))
		return -1;
	if (!text)
		return 0;
	for (unsigned i = 0; i < count; i++) {
		if (!strcmp(text, names[i])) {
			*value = (int)i;
			return 0;
		}
		if (length < sizeof(known))
			length += (size_t)snprintf(known + length, sizeof(known) - length, "%s%s", i ? ", " : "", names[i]);
	}
	char quoted[CCP_QUOTE_BYTES];
	ibcc_rpc_fail(error, IBCC_RPC_INVALID_PARAMS, "IBCC0601: %s is %s, but must be one of %s", name,
		      ccp_quote(quoted, text, strlen(text)), known);
	return -1;
}

int ibcc_require_param(const struct ibcc_call *call, const char *name, struct ibcc_rpc_error *error)
{
	if (json_object_get(call->params, name))
		return 0;
	ibcc_rpc_fail(error, IBCC_RPC_INVALID_PARAMS, "IBCC0601: %s is missing", name);
	return -1;
}
