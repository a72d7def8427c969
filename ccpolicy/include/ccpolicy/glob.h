/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * glob.h: patterns for node descriptions, as in a shell: `*` any characters, `?` one, `[abc]`, `[a-z]` and `[!a]` one of a set
 * (or not of it), `\x` the character x itself. Case counts. A `[` that is never closed stands for itself, so every text is a
 * pattern. Not fnmatch(3): that depends on the locale, and its time is not bounded.
 */
#ifndef CCPOLICY_GLOB_H
#define CCPOLICY_GLOB_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* True if all of `text` fits `pattern`; both are UTF-8. Takes at most length times length steps. */
bool ccp_glob_match(const char *pattern, const char *text);

#ifdef __cplusplus
}
#endif
#endif
