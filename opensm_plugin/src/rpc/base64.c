/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rpc/base64.h"

#include <stdlib.h>

json_t *ibcc_json_base64(const uint8_t *bytes, size_t length)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const size_t size = (length + 2) / 3 * 4;
	char *text = malloc(size + 1);
	char *at = text;

	if (!text)
		return NULL;
	for (size_t i = 0; i < length; i += 3) {
		const size_t left = length - i;
		const uint32_t group =
			(uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) | (left > 2 ? bytes[i + 2] : 0);
		*at++ = digits[group >> 18];
		*at++ = digits[group >> 12 & 63];
		*at++ = left > 1 ? digits[group >> 6 & 63] : '=';
		*at++ = left > 2 ? digits[group & 63] : '=';
	}
	json_t *json = json_stringn_nocheck(text, size);
	free(text);
	return json;
}
