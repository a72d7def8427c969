/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * emitter.h: writes maps, lists and scalars as block-style YAML or as JSON. Internal.
 *
 * `key` is the key in the map that is open, or NULL for an element of the list that is open. Short collections may be `flow`, on
 * one line, and then so is all in them. Out of memory is remembered and shows at the end.
 */
#ifndef CCPOLICY_EMITTER_H
#define CCPOLICY_EMITTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ccpolicy/writer.h"

#define CCP_EMITTER_MAX_DEPTH 10

struct ccp_emitter {
	enum ccp_format format;
	bool failed;
	char *text;
	size_t length;
	size_t capacity;
	unsigned depth;
	struct {
		char close; /* '}' or ']' */
		bool flow;
		bool in_item; /* a block map that is an element of a list: its first key follows a dash */
		unsigned children;
	} open[CCP_EMITTER_MAX_DEPTH];
};

void ccp_emit_begin_map(struct ccp_emitter *e, const char *key, bool flow);
void ccp_emit_begin_list(struct ccp_emitter *e, const char *key, bool flow);
void ccp_emit_end(struct ccp_emitter *e); /* of the map or list opened last */

void ccp_emit_word(struct ccp_emitter *e, const char *key, const char *word); /* a string that is safe without quotes in YAML */
void ccp_emit_text(struct ccp_emitter *e, const char *key, const char *text); /* any UTF-8 string */
void ccp_emit_uint(struct ccp_emitter *e, const char *key, uint64_t value);
void ccp_emit_real(struct ccp_emitter *e, const char *key, double value); /* shortest form that reads back equal; "C" locale */
void ccp_emit_bool(struct ccp_emitter *e, const char *key, bool value);

#endif
