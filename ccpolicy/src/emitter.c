/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "emitter.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(struct ccp_emitter *e, const char *text, size_t length)
{
	if (e->failed)
		return;
	if (e->capacity - e->length <= length) {
		size_t capacity = 2 * e->capacity + length + 256;
		char *grown = realloc(e->text, capacity);
		if (!grown) {
			e->failed = true;
			return;
		}
		e->text = grown;
		e->capacity = capacity;
	}
	memcpy(e->text + e->length, text, length);
	e->length += length;
	e->text[e->length] = '\0';
}

static void put_string(struct ccp_emitter *e, const char *text)
{
	put(e, text, strlen(text));
}

/* Characters that libyaml does not read back as they are, or that a terminal would obey. */
static bool needs_escape(uint32_t c)
{
	return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029 || c == 0xFEFF || c == 0xFFFE || c == 0xFFFF;
}

static void put_quoted(struct ccp_emitter *e, const char *text)
{
	const unsigned char *t = (const unsigned char *)text;

	put(e, "\"", 1);
	while (*t) {
		size_t bytes = *t >= 0xF0 ? 4 : *t >= 0xE0 ? 3 : *t >= 0xC0 ? 2 : 1;
		uint32_t c = bytes == 1 ? *t : *t & (0x7Fu >> bytes);
		for (size_t i = 1; i < bytes; i++)
			c = c << 6 | (t[i] & 0x3F);
		if (c == '"' || c == '\\')
			put(e, "\\", 1);
		if (needs_escape(c)) {
			char escape[sizeof("\\uFFFFFFFF")];
			snprintf(escape, sizeof(escape), "\\u%04X", (unsigned)c);
			put_string(e, escape);
		} else {
			put(e, (const char *)t, bytes);
		}
		t += bytes;
	}
	put(e, "\"", 1);
}

static bool is_flow(const struct ccp_emitter *e)
{
	return e->format == CCP_FORMAT_JSON || (e->depth && e->open[e->depth - 1].flow);
}

/* All that stands before a value: separator, indentation, dash, key. */
static void begin_value(struct ccp_emitter *e, const char *key, bool is_block_collection)
{
	if (e->depth) {
		bool first = e->open[e->depth - 1].children++ == 0;
		if (is_flow(e)) {
			put_string(e, first ? "" : ", ");
		} else if (first && e->open[e->depth - 1].in_item) {
			/* the dash is on this line already */
		} else {
			for (unsigned i = 1; i < e->depth; i++)
				put(e, "  ", 2);
		}
		if (!key && !is_flow(e))
			put(e, "- ", 2);
	}
	if (!key)
		return;
	if (e->format == CCP_FORMAT_JSON)
		put_quoted(e, key);
	else
		put_string(e, key);
	put_string(e, is_block_collection ? ":" : ": ");
}

static void end_value(struct ccp_emitter *e)
{
	if (!is_flow(e))
		put(e, "\n", 1);
}

static void begin_collection(struct ccp_emitter *e, const char *key, bool flow, char open, char close)
{
	bool block = !flow && !is_flow(e);

	assert(e->depth < CCP_EMITTER_MAX_DEPTH);
	begin_value(e, key, block);
	if (!block)
		put(e, &open, 1);
	else if (key)
		put(e, "\n", 1);
	e->open[e->depth].close = close;
	e->open[e->depth].flow = !block;
	e->open[e->depth].in_item = block && !key && e->depth;
	e->open[e->depth].children = 0;
	e->depth++;
}

void ccp_emit_begin_map(struct ccp_emitter *e, const char *key, bool flow)
{
	begin_collection(e, key, flow, '{', '}');
}

void ccp_emit_begin_list(struct ccp_emitter *e, const char *key, bool flow)
{
	begin_collection(e, key, flow, '[', ']');
}

void ccp_emit_end(struct ccp_emitter *e)
{
	bool flow = is_flow(e);

	e->depth--;
	if (flow) {
		put(e, &e->open[e->depth].close, 1);
		end_value(e);
	}
}

void ccp_emit_word(struct ccp_emitter *e, const char *key, const char *word)
{
	begin_value(e, key, false);
	if (e->format == CCP_FORMAT_JSON)
		put_quoted(e, word);
	else
		put_string(e, word);
	end_value(e);
}

void ccp_emit_text(struct ccp_emitter *e, const char *key, const char *text)
{
	begin_value(e, key, false);
	put_quoted(e, text);
	end_value(e);
}

void ccp_emit_uint(struct ccp_emitter *e, const char *key, uint64_t value)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%" PRIu64, value);
	begin_value(e, key, false);
	put_string(e, digits);
	end_value(e);
}

void ccp_emit_real(struct ccp_emitter *e, const char *key, double value)
{
	char digits[32];

	for (int precision = 15; precision <= 17; precision++) {
		snprintf(digits, sizeof(digits), "%.*g", precision, value);
		if (strtod(digits, NULL) == value)
			break;
	}
	begin_value(e, key, false);
	put_string(e, digits);
	end_value(e);
}

void ccp_emit_bool(struct ccp_emitter *e, const char *key, bool value)
{
	begin_value(e, key, false);
	put_string(e, value ? "true" : "false");
	end_value(e);
}
