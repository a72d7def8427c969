/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* error_format.h: fills a struct ccp_error. For this library, and for code that reads other documents than profiles. */
#ifndef CCPOLICY_ERROR_FORMAT_H
#define CCPOLICY_ERROR_FORMAT_H

#include <stddef.h>

#include "ccpolicy/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fills `error`, which may be NULL. */
void ccp_set_error(struct ccp_error *error, uint32_t line, uint32_t column, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* The same with the value -1, so that callers can `return ccp_fail(...)`; macros, so that analysers see the value too. */
#define ccp_fail_at(error, line, column, ...) (ccp_set_error((error), (line), (column), __VA_ARGS__), -1)
#define ccp_fail(error, ...) ccp_fail_at((error), 0, 0, __VA_ARGS__)
#define ccp_fail_no_memory(error) ccp_fail((error), "out of memory")

#define CCP_QUOTE_BYTES 96

/*
 * Writes `text` to `out` (CCP_QUOTE_BYTES) as it may appear in a sentence: between single quotes, control characters as \xNN,
 * long text cut and marked with an ellipsis. Returns `out`.
 */
const char *ccp_quote(char out[CCP_QUOTE_BYTES], const char *text, size_t length);

#ifdef __cplusplus
}
#endif
#endif
