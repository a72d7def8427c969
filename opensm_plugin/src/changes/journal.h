/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * journal.h: entries of systemd's journal by its native protocol: a datagram of FIELD=value lines
 * (systemd.io/JOURNAL_NATIVE_PROTOCOL). No
 * library: libsystemd would be a dependency of OpenSM's process for one sendto().
 */
#ifndef IBCC_JOURNAL_H
#define IBCC_JOURNAL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define IBCC_JOURNAL_SOCKET "/run/systemd/journal/socket" /* where journald listens */
#define IBCC_JOURNAL_BYTES 16384u                         /* of one entry at most */

/* Zero-initialised is empty. A field that has no room sets `is_cut`, and the entry is not sent. */
struct ibcc_journal_entry {
	char bytes[IBCC_JOURNAL_BYTES];
	size_t length;
	int is_cut;
};

/* `name`: A-Z, 0-9 and _ . A value with a line break is written with its length, as the protocol asks. */
void ibcc_journal_add(struct ibcc_journal_entry *entry, const char *name, const char *value);

/* A descriptor for ibcc_journal_send; -1 with errno. */
int ibcc_journal_open(void);

/* Never waits. -1 with errno: nobody listens at `path`, or its queue is full. */
int ibcc_journal_send(int fd, const char *path, const struct ibcc_journal_entry *entry);

#ifdef __cplusplus
}
#endif
#endif
