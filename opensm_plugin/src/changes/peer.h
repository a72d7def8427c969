/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* peer.h: the process at the other end of a connection, as the kernel knows it, and whether it may use the socket. */
#ifndef IBCC_RPC_PEER_H
#define IBCC_RPC_PEER_H

#include <stdbool.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define IBCC_NO_GROUP ((gid_t) - 1)
#define IBCC_MAX_PEER_GROUPS 1024u

struct ibcc_peer {
	pid_t pid;
	uid_t uid;
	bool in_group; /* the process is in the group, as its own or a supplementary one; never in IBCC_NO_GROUP */
};

/* -1 with errno: the kernel does not know it. */
int ibcc_peer_of(int fd, gid_t group, struct ibcc_peer *peer);

/* Allowed are root, the user `own`, and the group. */
bool ibcc_peer_is_allowed(const struct ibcc_peer *peer, uid_t own);

#ifdef __cplusplus
}
#endif
#endif
