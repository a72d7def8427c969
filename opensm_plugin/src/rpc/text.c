/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rpc/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Length of the character that begins at `text`; 0: it is one that is to be escaped, or none. */
static size_t showable(const unsigned char *text, size_t length)
{
	static const uint32_t smallest[] = {0, 0, 0xA0, 0x800,
					    0x10000}; /* below 0x80 in two bytes is no UTF-8, below 0xA0 a control */
	unsigned char lead = text[0];

	if (lead < 0x80)
		return lead >= 0x20 && lead != 0x7F;
	size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
	if (lead < 0xC2 || lead > 0xF4 || size > length)
		return 0;
	uint32_t code = lead & (0xFFu >> (size + 1));
	for (size_t i = 1; i < size; i++) {
		if ((text[i] & 0xC0) != 0x80)
			return 0;
		code = code << 6 | (text[i] & 0x3F);
	}
	if (code < smallest[size] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
		return 0;
	return size;
}

json_t *ibcc_json_text(const char *bytes, size_t length)
{
	char *shown = malloc(4 * length + 1);
	size_t at = 0;

	if (!shown)
		return NULL;
	for (size_t i = 0; i < length;) {
		size_t size = showable((const unsigned char *)bytes + i, length - i);
		if (!size)
			at += (size_t)snprintf(shown + at, 5, "\\x%02X", (unsigned char)bytes[i++]);
		for (; size; size--)
			shown[at++] = bytes[i++];
	}
	json_t *text = json_stringn(shown, at);
	free(shown);
	return text;
}

json_t *ibcc_json_guid(uint64_t guid)
{
	char text[19];

	snprintf(text, sizeof(text), "0x%016" PRIx64, guid);
	return json_string(text);
}
