/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "ccpolicy/glob.h"

#include <stddef.h>
#include <stdint.h>

/* The character at *text, which moves behind it. A byte that is not UTF-8 is a character by itself. */
static uint32_t next_character(const char **text)
{
	const unsigned char *t = (const unsigned char *)*text;
	size_t more = t[0] >= 0xF0 ? 3 : t[0] >= 0xE0 ? 2 : t[0] >= 0xC0 ? 1 : 0;
	uint32_t c = more ? t[0] & (0x3Fu >> more) : t[0];

	for (size_t i = 1; i <= more; i++) {
		if ((t[i] & 0xC0) != 0x80) {
			*text += 1;
			return t[0];
		}
		c = c << 6 | (t[i] & 0x3F);
	}
	*text += more + 1;
	return c;
}

/* Matches `c` against the set that starts behind a `[`; *pattern moves behind its `]`. False in *closed if there is none. */
static bool match_set(const char **pattern, uint32_t c, bool *closed)
{
	const char *p = *pattern;
	bool negated = *p == '!' || *p == '^';
	bool found = false;

	p += negated;
	for (bool first = true; *p && (first || *p != ']'); first = false) {
		uint32_t low = next_character(&p);
		uint32_t high = low;
		if (low == '\\' && *p)
			low = high = next_character(&p);
		if (p[0] == '-' && p[1] && p[1] != ']') {
			p++;
			high = next_character(&p);
			if (high == '\\' && *p)
				high = next_character(&p);
		}
		found = found || (low <= c && c <= high);
	}
	*closed = *p == ']';
	*pattern = p + *closed;
	return found != negated;
}

/* Matches one character of the pattern, which is not a `*`, with one of the text; both move on if it fits. */
static bool match_one(const char **pattern, const char **text)
{
	const char *p = *pattern;
	const char *t = *text;
	uint32_t wanted, c;
	bool fits;

	if (!*p || !*t)
		return false;
	c = next_character(&t);
	wanted = next_character(&p);
	if (wanted == '?') {
		fits = true;
	} else if (wanted == '[') {
		const char *behind = p;
		bool closed;
		fits = match_set(&behind, c, &closed);
		if (closed)
			p = behind;
		else
			fits = c == '[';
	} else {
		if (wanted == '\\' && *p)
			wanted = next_character(&p);
		fits = c == wanted;
	}
	if (fits) {
		*pattern = p;
		*text = t;
	}
	return fits;
}

bool ccp_glob_match(const char *pattern, const char *text)
{
	const char *star = NULL; /* behind the last `*`: only the last one can need another try */
	const char *retry = NULL;

	while (*text || *pattern) {
		if (*pattern == '*') {
			star = ++pattern;
			retry = text;
			continue;
		}
		if (match_one(&pattern, &text))
			continue;
		if (!star || !*retry)
			return false;
		next_character(&retry);
		text = retry;
		pattern = star;
	}
	return true;
}
