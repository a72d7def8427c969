/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "ccpolicy/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ccpolicy/error_format.h"

/* Length of `text` without a multi-byte character that was cut off at its end. */
static size_t whole_characters(const char *text, size_t length)
{
	size_t start = length;

	while (start > 0 && length - start < 3 && ((unsigned char)text[start - 1] & 0xC0) == 0x80)
		start--;
	if (start == 0)
		return length;
	unsigned char lead = (unsigned char)text[start - 1];
	size_t need = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
	return need > length - start + 1 ? start - 1 : length;
}

void ccp_set_error(struct ccp_error *error, uint32_t line, uint32_t column, const char *format, ...)
{
	if (!error)
		return;
	va_list args;
	va_start(args, format);
	int wanted = vsnprintf(error->message, sizeof(error->message), format, args);
	va_end(args);
	if (wanted >= (int)sizeof(error->message))
		error->message[whole_characters(error->message, sizeof(error->message) - 1)] = '\0';
	error->line = line;
	error->column = column;
}

const char *ccp_quote(char out[CCP_QUOTE_BYTES], const char *text, size_t length)
{
	static const char ellipsis[] = "\xE2\x80\xA6'";
	const size_t room = CCP_QUOTE_BYTES - sizeof(ellipsis) - 4; /* 4: the longest thing written at once */
	size_t at = 0;

	out[at++] = '\'';
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];
		if (at > room) {
			at = whole_characters(out, at);
			memcpy(out + at, ellipsis, sizeof(ellipsis));
			return out;
		}
		if (c < 0x20 || c == 0x7F)
			at += (size_t)snprintf(out + at, 5, "\\x%02X", c);
		else
			out[at++] = (char)c;
	}
	out[at++] = '\'';
	out[at] = '\0';
	return out;
}
