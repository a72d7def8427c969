/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "scalar.h"

#include <stdlib.h>
#include <string.h>

static bool is_one_of(const char *text, const char *const *words)
{
	for (; *words; words++)
		if (!strcmp(text, *words))
			return true;
	return false;
}

static size_t count_digits(const char *text)
{
	return strspn(text, "0123456789");
}

/* [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )? */
static bool is_real(const char *text)
{
	text += *text == '-' || *text == '+';
	size_t whole = count_digits(text);
	text += whole;
	if (*text == '.') {
		size_t fraction = count_digits(++text);
		if (!whole && !fraction)
			return false;
		text += fraction;
	} else if (!whole) {
		return false;
	}
	if (*text == 'e' || *text == 'E') {
		text++;
		text += *text == '-' || *text == '+';
		size_t exponent = count_digits(text);
		if (!exponent)
			return false;
		text += exponent;
	}
	return *text == '\0';
}

/* All of `digits`, which are valid in `base`, as a number; false if that takes more than 64 bits. */
static bool to_magnitude(const char *digits, unsigned base, uint64_t *magnitude, double *real)
{
	bool fits = true;

	*magnitude = 0;
	*real = 0.0;
	for (; *digits; digits++) {
		unsigned c = (unsigned char)*digits;
		unsigned digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
		*real = *real * base + digit;
		fits = fits && *magnitude <= (UINT64_MAX - digit) / base;
		*magnitude = *magnitude * base + digit;
	}
	return fits;
}

/* [-+]? [0-9]+ | 0o [0-7]+ | 0x [0-9a-fA-F]+ */
static bool to_int(const char *text, struct ccp_scalar *scalar)
{
	unsigned base = 10;
	const char *digits = text;
	const char *alphabet = "0123456789";

	if (!strncmp(text, "0o", 2)) {
		base = 8;
		alphabet = "01234567";
		digits += 2;
	} else if (!strncmp(text, "0x", 2)) {
		base = 16;
		alphabet = "0123456789abcdefABCDEF";
		digits += 2;
	} else if (*text == '-' || *text == '+') {
		scalar->negative = *text == '-';
		digits++;
	}
	if (!*digits || digits[strspn(digits, alphabet)])
		return false;
	scalar->kind = to_magnitude(digits, base, &scalar->magnitude, &scalar->real) ? CCP_SCALAR_INT : CCP_SCALAR_REAL;
	if (scalar->negative)
		scalar->real = -scalar->real;
	return true;
}

struct ccp_scalar ccp_scalar_resolve(const char *text, size_t length)
{
	static const char *const null_words[] = {"", "~", "null", "Null", "NULL", NULL};
	static const char *const true_words[] = {"true", "True", "TRUE", NULL};
	static const char *const false_words[] = {"false", "False", "FALSE", NULL};
	static const char *const special_reals[] = {".inf",  ".Inf",  ".INF", "+.inf", "+.Inf", "+.INF", "-.inf",
						    "-.Inf", "-.INF", ".nan", ".NaN",  ".NAN",  NULL};
	struct ccp_scalar scalar = {.kind = CCP_SCALAR_STRING};

	if (strlen(text) != length)
		return scalar;
	if (is_one_of(text, null_words)) {
		scalar.kind = CCP_SCALAR_NULL;
	} else if (is_one_of(text, true_words) || is_one_of(text, false_words)) {
		scalar.kind = CCP_SCALAR_BOOL;
		scalar.truth = (*text | 0x20) == 't';
	} else if (is_one_of(text, special_reals)) {
		bool negative = *text == '-';
		const char *word = text + (*text == '-' || *text == '+') + 1;
		scalar.kind = CCP_SCALAR_REAL;
		scalar.real = strtod((*word | 0x20) == 'n' ? "nan" : negative ? "-inf" : "inf", NULL);
	} else if (to_int(text, &scalar)) {
		/* filled */
	} else if (is_real(text)) {
		scalar = (struct ccp_scalar){.kind = CCP_SCALAR_REAL, .real = strtod(text, NULL)};
	} else {
		scalar = (struct ccp_scalar){.kind = CCP_SCALAR_STRING};
	}
	return scalar;
}
