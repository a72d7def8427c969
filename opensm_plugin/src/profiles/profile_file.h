/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * profile_file.h: the file that opensm.conf names as the base profile: its content, and when it may have changed.
 */
#ifndef IBCC_PROFILE_FILE_H
#define IBCC_PROFILE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "ccpolicy/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ibcc_profile_file;

/* Watches from now on. NULL with `error` filled: out of memory or descriptors. The file need not be there, nor its folder. */
struct ibcc_profile_file *ibcc_profile_file_open(const char *path, struct ccp_error *error);
void ibcc_profile_file_close(struct ibcc_profile_file *file); /* NULL is fine */

/*
 * *text is the content, to be freed. -1 with `error` filled: missing, no regular file, larger than a document may be, unreadable.
 */
int ibcc_profile_file_read(const struct ibcc_profile_file *file, char **text, size_t *length, struct ccp_error *error);

int ibcc_profile_file_fd(const struct ibcc_profile_file *file); /* readable when it may have changed */
bool ibcc_profile_file_drain(struct ibcc_profile_file *file);   /* true: it may have changed; read it */

#ifdef __cplusplus
}
#endif
#endif
