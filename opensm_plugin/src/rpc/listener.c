/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _GNU_SOURCE /* SOCK_CLOEXEC */
#include "rpc/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "ccpolicy/error_format.h"
#include "changes/peer.h"

#define WAITING_CLIENTS 16
#define MAX_GROUP_BYTES (1u << 20) /* of a group's entry, with its members */

static int find_group(const char *name, gid_t *group, struct ccp_error *error)
{
	struct group entry, *found = NULL;
	char *buffer = NULL;
	int fault = ERANGE;

	for (size_t size = 1024; fault == ERANGE && size <= MAX_GROUP_BYTES; size *= 4) {
		char *bigger = realloc(buffer, size);
		if (!bigger) {
			free(buffer);
			return ccp_fail_no_memory(error);
		}
		buffer = bigger;
		fault = getgrnam_r(name, &entry, buffer, size, &found);
	}
	if (found)
		*group = found->gr_gid;
	free(buffer);
	if (found)
		return 0;
	char quoted[CCP_QUOTE_BYTES];
	ccp_quote(quoted, name, strlen(name));
	errno = fault;
	if (fault)
		return ccp_fail(error, "cannot look up the group %s of the control socket: %m", quoted);
	return ccp_fail(error, "there is no group %s, which --group names; create it with groupadd", quoted);
}

/* Makes the folder of `path`, if it is missing, but not those above it. */
static int make_folder(const char *path, struct ccp_error *error)
{
	char folder[sizeof(((struct sockaddr_un *)NULL)->sun_path)];
	const char *end = strrchr(path, '/');

	if (!end || end == path)
		return 0;
	memcpy(folder, path, (size_t)(end - path));
	folder[end - path] = '\0';
	if (!mkdir(folder, 0755)) {
		if (!chmod(folder, 0755)) /* whatever the umask */
			return 0;
	} else if (errno == EEXIST) {
		return 0;
	}
	return ccp_fail(error, "cannot make the folder %s of the control socket: %m", folder);
}

/* Removes a socket that nobody listens at. */
static int clear_away(const struct sockaddr_un *address, struct ccp_error *error)
{
	const char *path = address->sun_path;
	struct stat there;
	int result = 0;

	if (lstat(path, &there))
		return errno == ENOENT ? 0 : ccp_fail(error, "cannot look at %s: %m", path);
	if (!S_ISSOCK(there.st_mode))
		return ccp_fail(error, "%s is not a socket; remove it, or choose another path for the control socket", path);
	int asking = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); /* a busy listener causes EAGAIN */
	if (asking < 0)
		return ccp_fail(error, "cannot make a socket: %m");
	if (!connect(asking, (const struct sockaddr *)address, sizeof(*address)) || errno == EAGAIN || errno == EPROTOTYPE)
		result = ccp_fail(error, "another process listens at %s; choose another path for the control socket", path);
	else if (errno != ECONNREFUSED && errno != ENOENT)
		result = ccp_fail(error, "cannot find out who listens at %s: %m", path);
	else if (unlink(path) && errno != ENOENT)
		result = ccp_fail(error, "cannot remove %s, which an ended process has left: %m", path);
	close(asking);
	return result;
}

/*
 * Binds and listens. fchmod before bind sets the file's mode, as the umask is the whole process's; only the owner may connect
 * until the group is set.
 */
static int bind_and_listen(struct ibcc_listener *listener, const struct sockaddr_un *address, struct ccp_error *error)
{
	const char *path = address->sun_path, *what = "make";
	struct stat made;
	bool bound = false;

	listener->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (listener->fd < 0 || fchmod(listener->fd, 0600) ||
	    bind(listener->fd, (const struct sockaddr *)address, sizeof(*address)))
		goto failed;
	bound = true;
	what = "give to its group";
	if (listener->group != IBCC_NO_GROUP && lchown(path, (uid_t)-1, listener->group))
		goto failed;
	what = "set the mode of";
	if (chmod(path, 0660) || lstat(path, &made))
		goto failed;
	what = "listen at";
	if (listen(listener->fd, WAITING_CLIENTS))
		goto failed;
	listener->device = made.st_dev;
	listener->inode = made.st_ino;
	return 0;

failed:
	ccp_set_error(error, 0, 0, "cannot %s the control socket %s: %m", what, path);
	if (bound)
		unlink(path);
	if (listener->fd >= 0)
		close(listener->fd);
	return -1;
}

int ibcc_listener_open(struct ibcc_listener *listener, const char *path, const char *group, struct ccp_error *error)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t length = strlen(path);

	if (!length || length >= sizeof(address.sun_path))
		return ccp_fail(error, "the control socket's path '%.200s' has %zu bytes, but must have 1 to %zu", path, length,
				sizeof(address.sun_path) - 1);
	memcpy(address.sun_path, path, length);
	listener->group = IBCC_NO_GROUP;
	if (group && find_group(group, &listener->group, error))
		return -1;
	if (make_folder(path, error) || clear_away(&address, error))
		return -1;
	return bind_and_listen(listener, &address, error);
}

void ibcc_listener_close(struct ibcc_listener *listener, const char *path)
{
	struct stat there;

	if (!lstat(path, &there) && there.st_dev == listener->device && there.st_ino == listener->inode)
		unlink(path);
	close(listener->fd);
}
