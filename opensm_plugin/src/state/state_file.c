/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _DEFAULT_SOURCE /* flock() */
#include "state/state_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ccpolicy/error_format.h"

#define LOCK_NAME "lock"
#define NEW_SUFFIX ".new"

struct ibcc_state_folder {
	char *path;
	const char *what; /* for messages */
	int fd;
	int lock_fd; /* the lock goes with it, however the process ends */
};

/* The folder and those above it. */
static int make_folders(const char *path, struct ccp_error *error)
{
	char quote[CCP_QUOTE_BYTES];
	char part[PATH_MAX];
	size_t length = strlen(path);

	if (length >= sizeof(part))
		return ccp_fail(error, "the state folder's path has %zu bytes, but must have at most %zu", length,
				sizeof(part) - 1);
	memcpy(part, path, length + 1);
	while (length > 1 && part[length - 1] == '/')
		part[--length] = '\0';
	for (size_t i = 1; i <= length; i++) {
		if (part[i] != '/' && part[i] != '\0')
			continue;
		char kept = part[i];
		part[i] = '\0';
		if (mkdir(part, kept ? 0755 : 0700) && errno != EEXIST && errno != EROFS)
			return ccp_fail(error, "the state folder %s cannot be made: %m", ccp_quote(quote, part, strlen(part)));
		part[i] = kept;
	}
	return 0;
}

/* The state decides what the fabric is brought to: only this process's user and root may write it. */
static int check_owner(const char *what, const char *path, const struct stat *status, const char *right, struct ccp_error *error)
{
	char quote[CCP_QUOTE_BYTES];

	ccp_quote(quote, path, strlen(path));
	if (status->st_uid != geteuid() && status->st_uid != 0)
		return ccp_fail(error, "%s %s belongs to user %u, but must belong to user %u, as whom OpenSM runs, or to root",
				what, quote, (unsigned)status->st_uid, (unsigned)geteuid());
	if (status->st_mode & (S_IWGRP | S_IWOTH))
		return ccp_fail(error, "%s %s may be written by others (mode %04o); chmod %s keeps them out", what, quote,
				(unsigned)(status->st_mode & 07777), right);
	return 0;
}

static int check_file(const struct ibcc_state_folder *folder, const char *name, const struct stat *status,
		      struct ccp_error *error)
{
	char what[NAME_MAX + 32];

	snprintf(what, sizeof(what), "%s in %s", name, folder->what);
	return check_owner(what, folder->path, status, "0600", error);
}

static int check_folder(const struct ibcc_state_folder *folder, struct ccp_error *error)
{
	char quote[CCP_QUOTE_BYTES];
	struct stat status;

	if (fstat(folder->fd, &status))
		return ccp_fail(error, "the status of the state folder %s cannot be read: %m",
				ccp_quote(quote, folder->path, strlen(folder->path)));
	return check_owner("the state folder", folder->path, &status, "0700", error);
}

/* The process that has the lock wrote its ID there; 0: unknown. */
static long holder_of(int lock_fd)
{
	char text[24];
	ssize_t length = pread(lock_fd, text, sizeof(text) - 1, 0);

	text[length > 0 ? length : 0] = '\0';
	return strtol(text, NULL, 10);
}

static int take_lock(struct ibcc_state_folder *folder, struct ccp_error *error)
{
	char quote[CCP_QUOTE_BYTES];
	char text[24];

	ccp_quote(quote, folder->path, strlen(folder->path));
	folder->lock_fd = openat(folder->fd, LOCK_NAME, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (folder->lock_fd < 0 && errno == EROFS) /* locks need no writing */
		folder->lock_fd = openat(folder->fd, LOCK_NAME, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (folder->lock_fd < 0)
		return ccp_fail(error, "the file " LOCK_NAME " in the state folder %s cannot be opened: %m", quote);
	if (flock(folder->lock_fd, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK)
			return ccp_fail(error, "the state folder %s cannot be locked: %m", quote);
		return ccp_fail(error,
				"the state folder %s is in use by another OpenSM (process %ld); each needs its own --state-dir",
				quote, holder_of(folder->lock_fd));
	}
	int length = snprintf(text, sizeof(text), "%ld\n", (long)getpid());
	if (ftruncate(folder->lock_fd, 0) || pwrite(folder->lock_fd, text, (size_t)length, 0) != length) {
		/* without it the other process's error only lacks the ID */
	}
	return 0;
}

struct ibcc_state_folder *ibcc_state_folder_open(const char *path, struct ccp_error *error)
{
	char quote[CCP_QUOTE_BYTES];
	struct ibcc_state_folder *folder = calloc(1, sizeof(*folder));

	if (!folder) {
		(void)ccp_fail_no_memory(error);
		return NULL;
	}
	folder->fd = -1;
	folder->lock_fd = -1;
	folder->what = "the state folder";
	folder->path = strdup(path);
	if (!folder->path) {
		(void)ccp_fail_no_memory(error);
		goto fail;
	}
	if (make_folders(path, error))
		goto fail;
	folder->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder->fd < 0) {
		(void)ccp_fail(error, "the state folder %s cannot be opened: %m", ccp_quote(quote, path, strlen(path)));
		goto fail;
	}
	if (check_folder(folder, error) || take_lock(folder, error))
		goto fail;
	return folder;
fail:
	ibcc_state_folder_close(folder);
	return NULL;
}

struct ibcc_state_folder *ibcc_state_folder_open_shared(const char *path, const char *what, struct ccp_error *error)
{
	char quote[CCP_QUOTE_BYTES];
	struct ibcc_state_folder *folder = calloc(1, sizeof(*folder));

	if (folder)
		*folder = (struct ibcc_state_folder){.path = strdup(path), .what = what, .fd = -1, .lock_fd = -1};
	if (!folder || !folder->path) {
		ibcc_state_folder_close(folder);
		(void)ccp_fail_no_memory(error);
		return NULL;
	}
	folder->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder->fd >= 0)
		return folder;
	(void)ccp_fail(error, "%s %s cannot be opened: %m", what, ccp_quote(quote, path, strlen(path)));
	ibcc_state_folder_close(folder);
	return NULL;
}

void ibcc_state_folder_close(struct ibcc_state_folder *folder)
{
	if (!folder)
		return;
	if (folder->lock_fd >= 0)
		close(folder->lock_fd);
	if (folder->fd >= 0)
		close(folder->fd);
	free(folder->path);
	free(folder);
}

const char *ibcc_state_folder_path(const struct ibcc_state_folder *folder)
{
	return folder->path;
}

static int fail_file(const struct ibcc_state_folder *folder, const char *name, const char *what, struct ccp_error *error)
{
	char quote[CCP_QUOTE_BYTES];
	int cause = errno;

	ccp_quote(quote, folder->path, strlen(folder->path));
	errno = cause;
	return ccp_fail(error, "%s in %s %s cannot be %s: %m", name, folder->what, quote, what);
}

/* Reads to the end of the file, which is at most `bytes`. The number of bytes, or -1. */
static ssize_t read_whole(int fd, char *text, size_t bytes)
{
	size_t at = 0;

	while (at < bytes) {
		ssize_t got = read(fd, text + at, bytes - at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (!got)
			break;
		at += (size_t)got;
	}
	return (ssize_t)at;
}

int ibcc_state_file_read(const struct ibcc_state_folder *folder, const char *name, size_t max_bytes, char **text, size_t *length,
			 struct ccp_error *error)
{
	struct stat status;
	int result = -1;

	int fd = openat(folder->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : fail_file(folder, name, "opened", error);
	if (fstat(fd, &status)) {
		(void)fail_file(folder, name, "looked at", error);
		goto out;
	}
	if (!S_ISREG(status.st_mode) || (uint64_t)status.st_size > max_bytes) {
		(void)ccp_fail(error, "%s in %s '%.200s' must be a regular file of at most %zu bytes", name, folder->what,
			       folder->path, max_bytes);
		goto out;
	}
	if (check_file(folder, name, &status, error))
		goto out;
	char *content = malloc((size_t)status.st_size + 1);
	if (!content) {
		(void)ccp_fail_no_memory(error);
		goto out;
	}
	ssize_t got = read_whole(fd, content, (size_t)status.st_size);
	if (got < 0) {
		(void)fail_file(folder, name, "read", error);
		free(content);
		goto out;
	}
	content[got] = '\0';
	*text = content;
	*length = (size_t)got;
	result = 1;
out:
	close(fd);
	return result;
}

static int write_whole(int fd, const char *text, size_t length)
{
	while (length) {
		ssize_t put = write(fd, text, length);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -1;
		text += put;
		length -= (size_t)put;
	}
	return 0;
}

int ibcc_state_file_write(const struct ibcc_state_folder *folder, const char *name, const char *text, size_t length,
			  struct ccp_error *error)
{
	char new_name[NAME_MAX + 1];

	snprintf(new_name, sizeof(new_name), "%s" NEW_SUFFIX, name);
	(void)unlinkat(folder->fd, new_name, 0); /* one that a crash has left */
	int fd = openat(folder->fd, new_name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return fail_file(folder, new_name, "made", error);
	if (write_whole(fd, text, length) || fsync(fd)) {
		(void)fail_file(folder, new_name, "written", error);
		close(fd);
		goto fail;
	}
	if (close(fd)) {
		(void)fail_file(folder, new_name, "written", error);
		goto fail;
	}
	if (renameat(folder->fd, new_name, folder->fd, name)) {
		(void)fail_file(folder, name, "replaced", error);
		goto fail;
	}
	/* The new file is in place, which cannot be undone; it stays unless the machine loses power now. */
	(void)fsync(folder->fd);
	return 0;
fail:
	(void)unlinkat(folder->fd, new_name, 0);
	return -1;
}

/* 1: the last byte is a line break, or there is none. */
static int ends_with_line(int fd, off_t bytes)
{
	char last;

	return !bytes || (pread(fd, &last, 1, bytes - 1) == 1 && last == '\n');
}

int ibcc_state_file_append(const struct ibcc_state_folder *folder, const char *name, const char *text, size_t length,
			   uint64_t *bytes, struct ccp_error *error)
{
	struct stat status;
	int result = -1;

	int fd = openat(folder->fd, name, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	if (fd < 0)
		return fail_file(folder, name, "opened", error);
	if (fstat(fd, &status)) {
		(void)fail_file(folder, name, "looked at", error);
	} else if (!S_ISREG(status.st_mode)) {
		(void)ccp_fail(error, "%s in %s '%.200s' must be a regular file", name, folder->what, folder->path);
	} else if (check_file(folder, name, &status, error)) {
		/* it says so */
	} else if ((!ends_with_line(fd, status.st_size) && write_whole(fd, "\n", 1)) || write_whole(fd, text, length) ||
		   fsync(fd) || fstat(fd, &status)) {
		(void)fail_file(folder, name, "written", error);
	} else {
		*bytes = (uint64_t)status.st_size;
		result = 0;
	}
	close(fd);
	return result;
}

int ibcc_state_file_shift(const struct ibcc_state_folder *folder, const char *name, unsigned count, struct ccp_error *error)
{
	char from[NAME_MAX + 1], to[NAME_MAX + 1];

	for (unsigned n = count - 1; n; n--) {
		snprintf(to, sizeof(to), "%s.%u", name, n);
		if (n > 1)
			snprintf(from, sizeof(from), "%s.%u", name, n - 1);
		else
			snprintf(from, sizeof(from), "%s", name);
		if (renameat(folder->fd, from, folder->fd, to) && errno != ENOENT)
			return fail_file(folder, from, "renamed", error);
	}
	(void)fsync(folder->fd);
	return 0;
}

int ibcc_state_file_set_aside(const struct ibcc_state_folder *folder, const char *name, unsigned *number, struct ccp_error *error)
{
	char aside[NAME_MAX + 1];
	struct stat status;

	for (unsigned n = 1;; n++) {
		snprintf(aside, sizeof(aside), "%s.broken-%u", name, n);
		if (n < IBCC_MAX_SET_ASIDE && !fstatat(folder->fd, aside, &status, AT_SYMLINK_NOFOLLOW))
			continue;
		if (renameat(folder->fd, name, folder->fd, aside))
			return fail_file(folder, name, "set aside", error);
		(void)fsync(folder->fd);
		*number = n;
		return 0;
	}
}
