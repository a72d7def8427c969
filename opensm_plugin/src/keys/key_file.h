/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * key_file.h: the file in which an administrator gives the CC_Keys.
 *
 * It has one `name: value` a line, which is YAML: `current` (the key of all devices), `next` (while the key is changed),
 * `previous` (a key that some devices may still have), `protect` (yes or no; default yes), `lease_period_s` (default 60). A key
 * is 0x and 1 to 16 hexadecimal digits; 0x0 stands for no key. No error quotes anything from this file.
 */
#ifndef IBCC_KEY_FILE_H
#define IBCC_KEY_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "ccpolicy/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ibcc_key_file {
	uint64_t current, next, previous;
	bool has_next, has_previous;
	bool protect;            /* devices show their key only to requests that have it */
	uint16_t lease_period_s; /* how long devices stay protected after a wrong key was tried; 0: for ever */
};

/*
 * Returns 0, or -1 with `error` filled: the file cannot be read, is no regular file, may be read or written by others than its
 * owner, belongs neither to root nor to this process's user, or has a wrong line. Wipe `file`.
 */
int ibcc_key_file_read(const char *path, struct ibcc_key_file *file, struct ccp_error *error);

/* Parses the text of such a file. -1 with `error` filled, including the line. */
int ibcc_key_file_parse(const char *text, struct ibcc_key_file *file, struct ccp_error *error);

#ifdef __cplusplus
}
#endif
#endif
