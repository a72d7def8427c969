/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* listener.h: the socket in the file system. */
#ifndef IBCC_RPC_LISTENER_H
#define IBCC_RPC_LISTENER_H

#include <sys/types.h>

#include "ccpolicy/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ibcc_listener {
	int fd;
	gid_t group; /* whose members may use it; IBCC_NO_GROUP: none */
	dev_t device;
	ino_t inode; /* of the file: another that takes its place is not ours to remove */
};

/*
 * Listens at `path`, mode 0660, and makes its folder, 0755, if only that is missing. A socket that nothing listens at is
 * replaced. `group`: a name, or NULL. Returns 0, or -1 with `error` filled.
 */
int ibcc_listener_open(struct ibcc_listener *listener, const char *path, const char *group, struct ccp_error *error);
void ibcc_listener_close(struct ibcc_listener *listener, const char *path); /* removes the file */

#ifdef __cplusplus
}
#endif
#endif
