/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * base_file.h: the file by which one OpenSM of a fabric leaves to the next what it would have to know: base, trial run, and devices
 * whose NVIDIA attributes were set (docs/operate/handover.md).
 *
 * A line "ibcc-base-file 1 sha256 DIGEST hmac-sha256 DIGEST" (or "none": it is not signed), and a JSON object. Both digests are of
 * all bytes after that line; the key of the second is `current` of the key file, as 8 bytes. One thread only.
 */
#ifndef IBCC_BASE_FILE_H
#define IBCC_BASE_FILE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "ccpolicy/error.h"
#include "keys/keys.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Tells one file from the next in its place. Zeros: there is none. */
struct ibcc_base_stamp {
	uint64_t inode, bytes;
	int64_t changed_s, changed_ns;
};
struct ibcc_base_stamp ibcc_base_file_stamp(const char *path);
bool ibcc_base_stamp_is_same(const struct ibcc_base_stamp *a, const struct ibcc_base_stamp *b);

enum ibcc_base_found {
	IBCC_BASE_ABSENT,
	IBCC_BASE_READ,
	IBCC_BASE_DAMAGED, /* cut, or no such file at all */
	IBCC_BASE_REFUSED, /* it is not signed as it should be, is of a newer version, or cannot be read: it is left as it is */
};

/*
 * Reads the file. `keys` NULL, or without a key that is not 0: it need not be signed. *root is new if READ, else NULL; `error` has a
 * sentence if DAMAGED or REFUSED.
 */
enum ibcc_base_found ibcc_base_file_read(const char *path, const struct ibcc_keys *keys, json_t **root, struct ccp_error *error);

/* Replaces the file, mode 0600; returns when it is on the disk. Steals `root`. -1 with `error` filled: the old one is still there. */
int ibcc_base_file_write(const char *path, const struct ibcc_keys *keys, json_t *root, struct ccp_error *error);

/* Renames a damaged file to PATH.broken-N. -1 with `error` filled: it is still there. */
int ibcc_base_file_set_aside(const char *path, unsigned *number, struct ccp_error *error);

#ifdef __cplusplus
}
#endif
#endif
