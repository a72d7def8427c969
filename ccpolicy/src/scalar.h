/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* scalar.h: what an unquoted scalar means under YAML 1.2's core schema (10.3.2 of its specification). Internal. */
#ifndef CCPOLICY_SCALAR_H
#define CCPOLICY_SCALAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ccp_scalar_kind {
	CCP_SCALAR_NULL,
	CCP_SCALAR_BOOL,
	CCP_SCALAR_INT,
	CCP_SCALAR_REAL,
	CCP_SCALAR_STRING,
};

struct ccp_scalar {
	enum ccp_scalar_kind kind;
	bool truth;    /* of a BOOL */
	bool negative; /* an INT is magnitude, or -magnitude if this is set */
	uint64_t magnitude;
	double real; /* of a REAL and, rounded, of an INT */
};

/*
 * Resolves `length` bytes at `text`, which are followed by a NUL. An integer beyond 64 bits is a REAL. Uses strtod(): the
 * caller's thread is in the "C" locale (locale_scope.h).
 */
struct ccp_scalar ccp_scalar_resolve(const char *text, size_t length);

#endif
