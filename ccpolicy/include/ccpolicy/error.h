/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * error.h: an error in a document or a value.
 *
 * Functions that can fail because of their input take a struct ccp_error, which may be NULL, and fill it on failure only. The
 * message is one sentence in UTF-8; `line` and `column` have its place in the document.
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
	uint32_t line;                         /* from 1; 0: the error has no place in a document */
	uint32_t column;                       /* in characters, from 1 */
};

#ifdef __cplusplus
}
#endif
#endif
