/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _DEFAULT_SOURCE /* realpath() */
#include "profile_file.h"

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
 * What is watched are folders, as editors and configuration management put a new file in the old one's place: the folder of the path
 * (or, if it is missing, the nearest one above it) and, where the path is a symbolic link, the folder of what it leads to.
 *
 * IN_MODIFY is left out: half a document can be a valid one, so a file that is written in place is read when it is closed.
 */
#define WATCHED                                                                                                                  \
	(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF |      \
	 IN_ONLYDIR)

enum { NAMED, RESOLVED, NUM_FOLDERS };

struct ibcc_profile_file {
	char *path;
	int fd;
	int watches[NUM_FOLDERS]; /* -1: none; may be equal */
};

/* Cuts `path` to its folder's. False: it has none any more. */
static bool cut_to_folder(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash || !strcmp(path, "/"))
		return false;
	slash[slash == path] = '\0';
	return true;
}

static int watch_folder_of(int fd, char *path)
{
	while (cut_to_folder(path)) {
		int watch = inotify_add_watch(fd, path, WATCHED);
		if (watch >= 0)
			return watch;
	}
	return -1;
}

/* Watches what is right now; a folder that is watched already stays so. */
static void watch(struct ibcc_profile_file *file)
{
	int old[NUM_FOLDERS];
	char path[PATH_MAX];

	memcpy(old, file->watches, sizeof(old));
	memcpy(path, file->path, strlen(file->path) + 1);
	file->watches[NAMED] = watch_folder_of(file->fd, path);
	file->watches[RESOLVED] = realpath(file->path, path) ? watch_folder_of(file->fd, path) : file->watches[NAMED];
	for (int i = 0; i < NUM_FOLDERS; i++)
		if (old[i] >= 0 && old[i] != file->watches[NAMED] && old[i] != file->watches[RESOLVED])
			(void)inotify_rm_watch(file->fd, old[i]); /* fails if both were equal, or the folder is gone: as well */
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
	file->watches[NAMED] = file->watches[RESOLVED] = -1;
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
		result = ccp_fail(error, "it cannot be looked at: %m");
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
			result = ccp_fail(error, "it is larger than %u bytes, which is what a profile may have",
					  CCP_DOCUMENT_MAX_BYTES);
		}
	}
	close(fd);
	return result;
}

/*
 * Whether an event may mean another content. Where the path is a regular file, only what happens to its name matters, and a file that was
 * only now made will be closed when it is written; where it is a link or missing, anything may.
 */
static bool concerns_us(const struct ibcc_profile_file *file, const struct inotify_event *event)
{
	const char *name = strrchr(file->path, '/') + 1;
	struct stat status;

	if (!event->len || lstat(file->path, &status) || !S_ISREG(status.st_mode))
		return true;
	if (strcmp(event->name, name))
		return false;
	return !(event->mask & IN_CREATE) || status.st_nlink > 1;
}

bool ibcc_profile_file_drain(struct ibcc_profile_file *file)
{
	_Alignas(struct inotify_event) char buffer[4096];
	bool changed = false;
	ssize_t got;

	while ((got = read(file->fd, buffer, sizeof(buffer))) > 0) {
		const char *at = buffer;
		while (at < buffer + got) {
			const struct inotify_event *event = (const struct inotify_event *)(const void *)at;
			changed |= concerns_us(file, event);
			at += sizeof(*event) + event->len;
		}
	}
	if (changed)
		watch(file); /* before the file is read, so that nothing falls in between */
	return changed;
}
