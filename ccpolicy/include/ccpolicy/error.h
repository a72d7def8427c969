/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * error.h: how the library says what is wrong with a document or a value.
 *
 * Functions that can fail for a reason that a person can mend take a struct ccp_error and fill it on failure only. The
 * message is one sentence in UTF-8, without the place, which is in `line` and `column`.
 */
#ifndef CCPOLICY_ERROR_H
#define CCPOLICY_ERROR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CCP_ERROR_MESSAGE_BYTES 640

struct ccp_error {
	char message[CCP_ERROR_MESSAGE_BYTES]; /* NUL-terminated; cut at a character if it would not fit */
	uint32_t line;                         /* from 1; 0: the fault has no place in a document */
	uint32_t column;                       /* in characters, from 1 */
};

#ifdef __cplusplus
}
#endif
#endif
