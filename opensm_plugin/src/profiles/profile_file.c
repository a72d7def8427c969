/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _DEFAULT_SOURCE /* realpath() */
#include "profiles/profile_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ccpolicy/error_format.h"
#include "ccpolicy/reader.h"

/*
 * The plugin watches folders, as editors and configuration management put a new file in the old one's place: the folder of the
 * path (or, if it is missing, the nearest one above it), those in which the path's symbolic links lie, and the folder of what it
 * leads to.
 *
 * IN_MODIFY is left out: half a document can be a valid one, so a file that is written in place is read when it is closed.
 */
#define WATCHED                                                                                                                  \
	(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF |      \
	 IN_ONLYDIR)

#define MAX_WATCHES 8u

struct watches {
	uint32_t count;
	int list[MAX_WATCHES];
	int own; /* of the path's own folder, -1: it is missing */
};

struct ibcc_profile_file {
	char *path;
	int fd;
	struct watches watches;
};

/* Cuts `path` to the path of its folder. False: it has none. */
static bool cut_to_folder(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash || !strcmp(path, "/"))
		return false;
	slash[slash == path] = '\0';
	return true;
}

static bool has_watch(const struct watches *watches, int watch)
{
	for (uint32_t i = 0; i < watches->count; i++)
		if (watches->list[i] == watch)
			return true;
	return false;
}

/* Watches a folder and returns its number, the same for all paths to one folder; -1: there is no such folder. */
static int add_watch(int fd, struct watches *watches, const char *folder)
{
	int watch = inotify_add_watch(fd, folder, WATCHED);

	if (watch >= 0 && !has_watch(watches, watch) && watches->count < MAX_WATCHES)
		watches->list[watches->count++] = watch;
	return watch;
}

static void add_folders_of_links(int fd, struct watches *watches, const char *path)
{
	char part[PATH_MAX];
	struct stat status;

	for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		memcpy(part, path, (size_t)(slash - path));
		part[slash - path] = '\0';
		if (!lstat(part, &status) && S_ISLNK(status.st_mode) && cut_to_folder(part))
			(void)add_watch(fd, watches, part);
	}
}

/* Watches the folders that the path leads through now. */
static void watch(struct ibcc_profile_file *file)
{
	struct watches old = file->watches;
	struct watches *now = &file->watches;
	char path[PATH_MAX];

	now->count = 0;
	memcpy(path, file->path, strlen(file->path) + 1);
	(void)cut_to_folder(path);
	now->own = add_watch(file->fd, now, path);
	for (int watch = now->own; watch < 0 && cut_to_folder(path);)
		watch = add_watch(file->fd, now, path);
	if (realpath(file->path, path) && cut_to_folder(path))
		(void)add_watch(file->fd, now, path);
	add_folders_of_links(file->fd, now, file->path);
	for (uint32_t i = 0; i < old.count; i++)
		if (!has_watch(now, old.list[i]))
			(void)inotify_rm_watch(file->fd, old.list[i]); /* fails for a folder that is gone, which is fine */
}

struct ibcc_profile_file *ibcc_profile_file_open(const char *path, struct ccp_error *error)
{
	char quote[CCP_QUOTE_BYTES];
	struct ibcc_profile_file *file;

	if (path[0] != '/' || strlen(path) >= PATH_MAX) {
		(void)ccp_fail(error, "the profile file is %s, but must be an absolute path of at most %d bytes",
			       ccp_quote(quote, path, strlen(path)), PATH_MAX - 1);
		return NULL;
	}
	file = calloc(1, sizeof(*file));
	if (!file) {
		(void)ccp_fail_no_memory(error);
		return NULL;
	}
	file->fd = -1;
	file->path = strdup(path);
	if (!file->path) {
		(void)ccp_fail_no_memory(error);
		goto fail;
	}
	file->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (file->fd < 0) {
		(void)ccp_fail(error, "the profile file cannot be watched for changes: %m");
		goto fail;
	}
	watch(file);
	return file;
fail:
	ibcc_profile_file_close(file);
	return NULL;
}

void ibcc_profile_file_close(struct ibcc_profile_file *file)
{
	if (!file)
		return;
	if (file->fd >= 0)
		close(file->fd);
	free(file->path);
	free(file);
}

int ibcc_profile_file_fd(const struct ibcc_profile_file *file)
{
	return file->fd;
}

/* Reads all of `fd`, or CCP_DOCUMENT_MAX_BYTES + 1 bytes of it. 0, or a negative errno. */
static int read_content(int fd, char **text, size_t *length)
{
	size_t room = 16384, at = 0;
	char *content = malloc(room);

	if (!content)
		return -ENOMEM;
	while (at <= CCP_DOCUMENT_MAX_BYTES) {
		if (at == room) {
			char *grown = realloc(content, 2 * room);
			if (!grown) {
				free(content);
				return -ENOMEM;
			}
			content = grown;
			room *= 2;
		}
		ssize_t got = read(fd, content + at, room - at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			int cause = errno;
			free(content);
			return -cause;
		}
		if (!got)
			break;
		at += (size_t)got;
	}
	*text = content;
	*length = at;
	return 0;
}

int ibcc_profile_file_read(const struct ibcc_profile_file *file, char **text, size_t *length, struct ccp_error *error)
{
	struct stat status;
	int result;

	int fd = open(file->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return ccp_fail(error, "it cannot be opened: %m");
	if (fstat(fd, &status)) {
		result = ccp_fail(error, "its status cannot be read: %m");
	} else if (!S_ISREG(status.st_mode)) {
		result = ccp_fail(error, "it is not a regular file");
	} else {
		result = read_content(fd, text, length);
		errno = -result;
		if (result == -ENOMEM)
			result = ccp_fail_no_memory(error);
		else if (result)
			result = ccp_fail(error, "it cannot be read: %m");
		else if (*length > CCP_DOCUMENT_MAX_BYTES) {
			free(*text);
			result = ccp_fail(error, "it is larger than %u bytes, the limit of a profile", CCP_DOCUMENT_MAX_BYTES);
		}
	}
	close(fd);
	return result;
}

/*
 * Returns true if the content may have changed with this event. If the path is a regular file, only events of its name matter in
 * its folder; a file that was just created will be closed when it is written. In other folders every event may matter, and so
 * may lost ones (their watch is -1).
 */
static bool concerns_us(const struct ibcc_profile_file *file, const struct inotify_event *event, const char *event_name)
{
	const char *name = strrchr(file->path, '/') + 1;
	struct stat status;

	if (event->wd != file->watches.own || !event->len || lstat(file->path, &status) || !S_ISREG(status.st_mode))
		return true;
	if (strcmp(event_name, name))
		return false;
	return !(event->mask & IN_CREATE) || status.st_nlink > 1;
}

bool ibcc_profile_file_drain(struct ibcc_profile_file *file)
{
	char buffer[4096];
	struct inotify_event event;
	bool changed = false;
	ssize_t got;

	while ((got = read(file->fd, buffer, sizeof(buffer))) > 0) {
		for (const char *at = buffer; at < buffer + got; at += sizeof(event) + event.len) {
			memcpy(&event, at, sizeof(event));
			changed = changed || concerns_us(file, &event, at + sizeof(event));
		}
	}
	if (changed)
		watch(file); /* before the file is read, so that no change is missed */
	return changed;
}
