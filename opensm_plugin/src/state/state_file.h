/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * state_file.h: small files that outlive the process, in a folder that only one process uses at a time.
 *
 * A file is replaced as a whole: after a crash or a power cut it is the old one or the new one. The thread that writes should
 * block SIGXFSZ, as a limit on the size of files would end the process instead of failing the write.
 */
#ifndef IBCC_STATE_FILE_H
#define IBCC_STATE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "ccpolicy/error.h"

#ifdef __cplusplus
extern "C" {
#endif

#define IBCC_MAX_SET_ASIDE 16u

struct ibcc_state_folder;

/*
 * Locks the folder for this process, and makes it (0700, its parents 0755) if it is missing. NULL with `error` filled: it cannot
 * be made or opened, others than its owner and group may write to it, or another process uses it.
 */
struct ibcc_state_folder *ibcc_state_folder_open(const char *path, struct ccp_error *error);
/*
 * Opens a folder that others may write to, without a lock. `what`: "the base file's folder", for messages; a string that lasts. NULL
 * with `error` filled: it is missing or cannot be opened, or memory is refused.
 */
struct ibcc_state_folder *ibcc_state_folder_open_shared(const char *path, const char *what, struct ccp_error *error);
void ibcc_state_folder_close(struct ibcc_state_folder *folder); /* NULL is fine */
const char *ibcc_state_folder_path(const struct ibcc_state_folder *folder);

/*
 * 1: *text is the file's content, NUL-terminated and to be freed; 0: there is no such file; -1: it could not be read, is larger
 * than `max_bytes` or is no regular file, and `error` says so.
 */
int ibcc_state_file_read(const struct ibcc_state_folder *folder, const char *name, size_t max_bytes, char **text, size_t *length,
			 struct ccp_error *error);

/* Replaces the file, mode 0600, and returns when it is on the disk. -1 with `error` filled: the old one is still there. */
int ibcc_state_file_write(const struct ibcc_state_folder *folder, const char *name, const char *text, size_t length,
			  struct ccp_error *error);

/*
 * Adds `text`, which ends with a line break, to the end of the file, which is made with mode 0600 if it is missing; returns when
 * it is on the disk. A line that was cut short there before ends first. `*bytes`: how long the file is then. -1 with `error`
 * filled: some of it may be there.
 */
int ibcc_state_file_append(const struct ibcc_state_folder *folder, const char *name, const char *text, size_t length,
			   uint64_t *bytes, struct ccp_error *error);

/* NAME becomes NAME.1, that NAME.2, and so on; NAME.(count - 1) goes. What is missing is passed over. -1 with `error` filled. */
int ibcc_state_file_shift(const struct ibcc_state_folder *folder, const char *name, unsigned count, struct ccp_error *error);

/*
 * Renames a damaged file to NAME.broken-N, N from 1 to IBCC_MAX_SET_ASIDE, and stores N; if all these exist, the last is
 * replaced. -1 with `error`
 * filled: the file is still there.
 */
int ibcc_state_file_set_aside(const struct ibcc_state_folder *folder, const char *name, unsigned *number,
			      struct ccp_error *error);

#ifdef __cplusplus
}
#endif
#endif
