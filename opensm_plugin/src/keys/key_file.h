/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * key_file.h: the file in which an administrator gives the CC_Keys.
 *
 * One `name: value` a line, which is YAML: `current` (the key of all devices), `next` (given while the key is changed), `previous` (one
 * that devices may still have), `protect` (yes or no; yes if not given), `lease_period_s` (60 if not given). A key is 0x and 1 to 16
 * hexadecimal digits; 0x0 stands for no key. No sentence about this file holds anything that stands in it.
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
	bool protect;            /* devices show their key only to who knows it */
	uint16_t lease_period_s; /* how long devices go on with that after a wrong key was tried; 0: for ever */
};

/*
 * 0, or -1 with `error` filled: it cannot be read, is no regular file, may be read or written by others than its owner, belongs to somebody
 * who is neither root nor this process's user, or is wrong in a line. Wipe what was filled.
 */
int ibcc_key_file_read(const char *path, struct ibcc_key_file *file, struct ccp_error *error);

/* The same of a text: 0, or -1 with `error` filled, its line too. */
int ibcc_key_file_parse(const char *text, struct ibcc_key_file *file, struct ccp_error *error);

#ifdef __cplusplus
}
#endif
#endif
