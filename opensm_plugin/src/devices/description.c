/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _POSIX_C_SOURCE 200809L
#include "devices/description.h"

#include <string.h>

/* Bytes of the printable UTF-8 character at `text`, of which `length` are there; 0: there is none. */
static size_t printable_character(const unsigned char *text, size_t length)
{
	size_t bytes = text[0] < 0x80 ? 1 : text[0] < 0xC2 ? 0 : text[0] < 0xE0 ? 2 : text[0] < 0xF0 ? 3 : text[0] < 0xF5 ? 4 : 0;

	if (bytes == 1)
		return text[0] >= 0x20 && text[0] != 0x7F;
	if (!bytes || bytes > length)
		return 0;
	for (size_t i = 1; i < bytes; i++) {
		if ((text[i] & 0xC0) != 0x80)
			return 0;
	}
	/* C1 controls, what fits fewer bytes, surrogates, and what is beyond U+10FFFF. */
	if ((text[0] == 0xC2 && text[1] < 0xA0) || (text[0] == 0xE0 && text[1] < 0xA0) || (text[0] == 0xED && text[1] > 0x9F) ||
	    (text[0] == 0xF0 && text[1] < 0x90) || (text[0] == 0xF4 && text[1] > 0x8F))
		return 0;
	return bytes;
}

void ibcc_description_copy(char out[IBCC_DESCRIPTION_BYTES], const char *description, size_t length)
{
	const unsigned char *text = (const unsigned char *)description;
	size_t at = 0;

	length = strnlen(description, length < IBCC_DESCRIPTION_BYTES - 1 ? length : IBCC_DESCRIPTION_BYTES - 1);
	while (at < length) {
		size_t bytes = printable_character(text + at, length - at);
		if (bytes)
			memcpy(out + at, text + at, bytes);
		else
			out[at] = ' ';
		at += bytes ? bytes : 1;
	}
	out[at] = '\0';
}
