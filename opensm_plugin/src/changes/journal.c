/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _GNU_SOURCE /* SOCK_CLOEXEC */
#include "changes/journal.h"

#include <endian.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

static void add_bytes(struct ibcc_journal_entry *entry, const void *bytes, size_t length)
{
	if (entry->is_cut || length > sizeof(entry->bytes) - entry->length) {
		entry->is_cut = 1;
		return;
	}
	memcpy(entry->bytes + entry->length, bytes, length);
	entry->length += length;
}

void ibcc_journal_add(struct ibcc_journal_entry *entry, const char *name, const char *value)
{
	const size_t length = strlen(value);
	const uint64_t length_le = htole64(length);

	add_bytes(entry, name, strlen(name));
	if (memchr(value, '\n', length)) {
		add_bytes(entry, "\n", 1);
		add_bytes(entry, &length_le, sizeof(length_le));
	} else {
		add_bytes(entry, "=", 1);
	}
	add_bytes(entry, value, length);
	add_bytes(entry, "\n", 1);
}

int ibcc_journal_open(void)
{
	return socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

int ibcc_journal_send(int fd, const char *path, const struct ibcc_journal_entry *entry)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const size_t length = strlen(path);

	if (entry->is_cut || length >= sizeof(address.sun_path)) {
		errno = entry->is_cut ? EMSGSIZE : ENAMETOOLONG;
		return -1;
	}
	memcpy(address.sun_path, path, length + 1);
	ssize_t sent = sendto(fd, entry->bytes, entry->length, MSG_NOSIGNAL | MSG_DONTWAIT, (const struct sockaddr *)&address,
			      sizeof(address));
	return sent < 0 ? -1 : 0;
}
