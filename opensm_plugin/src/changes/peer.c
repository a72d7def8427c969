/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _GNU_SOURCE /* struct ucred */
#include "changes/peer.h"

#include <sys/socket.h>

#ifndef SO_PEERGROUPS
#define SO_PEERGROUPS 59
#endif

/*
 * Supplementary groups are asked of the kernel, which knew them when the peer connected. The user database would be a second
 * opinion, and could keep OpenSM waiting for a directory server.
 */
int ibcc_peer_of(int fd, gid_t group, struct ibcc_peer *peer)
{
	struct ucred credentials;
	socklen_t size = sizeof(credentials);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size))
		return -1;
	peer->pid = credentials.pid;
	peer->uid = credentials.uid;
	peer->in_group = group != IBCC_NO_GROUP && credentials.gid == group;
	if (group == IBCC_NO_GROUP || peer->in_group)
		return 0;

	gid_t groups[IBCC_MAX_PEER_GROUPS];
	size = sizeof(groups);
	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &size))
		return 0; /* an old kernel, or more groups than anybody has: what is not known does not let in */
	for (size_t i = 0; i < size / sizeof(groups[0]); i++)
		if (groups[i] == group)
			peer->in_group = true;
	return 0;
}

bool ibcc_peer_is_allowed(const struct ibcc_peer *peer, uid_t own)
{
	return peer->uid == 0 || peer->uid == own || peer->in_group;
}
