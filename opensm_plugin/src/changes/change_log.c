/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _POSIX_C_SOURCE 200809L
#include "changes/change_log.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/ns.h"
#include "changes/journal.h"
#include "state/state_json.h"

#define NAME "changes.log"
#define FILE_BYTES (IBCC_CHANGE_LOG_BYTES + IBCC_CHANGE_LINE_BYTES) /* that is read */
#define NOTICE "5"                                                  /* syslog's priority */

struct ibcc_change_log {
	const struct ibcc_state_folder *folder;
	const char *journal;
	struct ibcc_log *log;
	int journal_fd;
	uint64_t number; /* of the last line */
	uint64_t bytes;  /* of changes.log; UINT64_MAX: not known */
	uint64_t missed;
	bool has_peer;
	struct ibcc_peer peer;
	const char *why; /* NULL: none */
	int64_t refused_ns;
	uint64_t omitted;
};

/* "changes.log", "changes.log.1", … */
static const char *name_of(char name[32], unsigned file)
{
	if (file)
		snprintf(name, 32, NAME ".%u", file);
	else
		snprintf(name, 32, NAME);
	return name;
}

/* Parses the line from `text` to before `end`; NULL: it is not a line of this log. */
static json_t *parse(const char *text, const char *end)
{
	json_t *line = json_loadb(text, (size_t)(end - text), 0, NULL);

	if (json_is_integer(json_object_get(line, "number")))
		return line;
	json_decref(line);
	return NULL;
}

static uint64_t number_of(const json_t *line)
{
	return (uint64_t)json_integer_value(json_object_get(line, "number"));
}

/* Returns the begin of the line that ends at `end`, its line break or the end of the text. */
static const char *line_begin(const char *text, const char *end)
{
	while (end > text && end[-1] != '\n')
		end--;
	return end;
}

/* True if the first line, and so all of them, has a number of at least `before`. */
static bool is_later(const char *text, size_t length, uint64_t before)
{
	const char *end = memchr(text, '\n', length);
	json_t *line = end ? parse(text, end) : NULL;
	const bool later = line && number_of(line) >= before;

	json_decref(line);
	return later;
}

/*
 * Puts lines of one file before those of `lines`, newest first, until it has `limit`. 1: there is such a file; 0: there is none;
 * -1: it cannot be read, or memory was refused.
 */
static int take_lines(const struct ibcc_state_folder *folder, unsigned file, uint64_t before, uint32_t limit, json_t *lines,
		      struct ccp_error *error)
{
	char name[32];
	char *text;
	size_t length;
	int found = ibcc_state_file_read(folder, name_of(name, file), FILE_BYTES, &text, &length, error);

	if (found <= 0)
		return found;
	if (before && is_later(text, length, before))
		length = 0;
	for (const char *end = text + length; end > text && json_array_size(lines) < limit;) {
		const char *begin = line_begin(text, end);
		json_t *line = parse(begin, end);
		if (!line || (before && number_of(line) >= before))
			json_decref(line);
		else if (json_array_insert_new(lines, 0, line)) {
			found = -1;
			break;
		}
		end = begin > text ? begin - 1 : text;
	}
	free(text);
	return found;
}

json_t *ibcc_change_log_read(const struct ibcc_change_log *changes, uint64_t before, uint32_t limit, struct ccp_error *error)
{
	json_t *lines = json_array();

	if (!lines || !changes)
		return lines;
	/* A file may be missing between two, where a disk was full in the middle of a shift. */
	for (unsigned file = 0; file < IBCC_CHANGE_LOG_FILES && json_array_size(lines) < limit; file++) {
		if (take_lines(changes->folder, file, before, limit, lines, error) < 0) {
			json_decref(lines);
			return NULL;
		}
	}
	return lines;
}

struct ibcc_change_log *ibcc_change_log_open(const struct ibcc_state_folder *folder, const char *journal, struct ibcc_log *log)
{
	struct ccp_error error = {.message = ""};
	struct ibcc_change_log *changes = calloc(1, sizeof(*changes));

	if (!changes)
		return NULL;
	*changes = (struct ibcc_change_log){.folder = folder, .journal = journal, .log = log, .bytes = UINT64_MAX};
	changes->journal_fd = journal ? ibcc_journal_open() : -1;
	if (journal && changes->journal_fd < 0) {
		free(changes);
		return NULL;
	}
	json_t *last = ibcc_change_log_read(changes, 0, 1, &error);
	if (!last && (!error.message[0] || ibcc_error_is_no_memory(&error))) {
		ibcc_change_log_close(changes);
		return NULL;
	}
	changes->number =
		number_of(json_array_get(last, 0)); /* 0 of a file that cannot be read: the first line says what is wrong */
	json_decref(last);
	return changes;
}

void ibcc_change_log_close(struct ibcc_change_log *changes)
{
	if (!changes)
		return;
	if (changes->journal_fd >= 0)
		close(changes->journal_fd);
	free(changes);
}

void ibcc_change_log_attribute(struct ibcc_change_log *changes, const struct ibcc_peer *peer, const char *why)
{
	if (!changes)
		return;
	changes->has_peer = peer != NULL;
	if (peer)
		changes->peer = *peer;
	changes->why = why;
}

/* Appends a line, with its line break, to the file. -1 with `error` filled. */
static int keep(struct ibcc_change_log *changes, const char *text, size_t length, struct ccp_error *error)
{
	/* The size of the file is unknown at first, and after a failure: appending a line finds it out. */
	if (changes->bytes != UINT64_MAX && changes->bytes + length > IBCC_CHANGE_LOG_BYTES) {
		if (ibcc_state_file_shift(changes->folder, NAME, IBCC_CHANGE_LOG_FILES, error))
			return -1; /* and again for the next line: a file that cannot be shifted does not grow */
		changes->bytes = 0;
	}
	if (!ibcc_state_file_append(changes->folder, NAME, text, length, &changes->bytes, error))
		return 0;
	changes->bytes = UINT64_MAX;
	return -1;
}

/* "apply of revision 3, profile 'x', by process 4711 of user 0: acknowledged: …", for people who read the journal. */
static void say(char *sentence, size_t size, const struct ibcc_change_log *changes, const struct ibcc_change *change)
{
	char revision[160] = "", by[64] = "";

	if (change->revision)
		snprintf(revision, sizeof(revision), " of revision %" PRIu64 "%s%.100s%s", change->revision,
			 change->profile ? ", profile '" : "", change->profile ? change->profile : "",
			 change->profile ? "'" : "");
	if (changes->has_peer)
		snprintf(by, sizeof(by), ", by process %ld of user %lu", (long)changes->peer.pid,
			 (unsigned long)changes->peer.uid);
	snprintf(sentence, size, "%s%s%s%s%s: %s%s%s", change->what, revision, by, changes->why ? ", because " : "",
		 changes->why ? changes->why : "", change->result, change->message ? ": " : "",
		 change->message ? change->message : "");
}

/* A missing journal is no error. */
static void tell_journal(struct ibcc_change_log *changes, const struct ibcc_change *change, const char *line)
{
	struct ibcc_journal_entry *entry = changes->journal_fd < 0 ? NULL : calloc(1, sizeof(*entry));
	char text[1024];

	if (!entry)
		return;
	say(text, sizeof(text), changes, change);
	ibcc_journal_add(entry, "MESSAGE", text);
	ibcc_journal_add(entry, "PRIORITY", NOTICE);
	ibcc_journal_add(entry, "SYSLOG_IDENTIFIER", "ibcc");
	ibcc_journal_add(entry, "IBCC_WHAT", change->what);
	ibcc_journal_add(entry, "IBCC_RESULT", change->result);
	if (change->revision) {
		snprintf(text, sizeof(text), "%" PRIu64, change->revision);
		ibcc_journal_add(entry, "IBCC_REVISION", text);
	}
	if (changes->has_peer) {
		snprintf(text, sizeof(text), "%lu", (unsigned long)changes->peer.uid);
		ibcc_journal_add(entry, "IBCC_UID", text);
		snprintf(text, sizeof(text), "%ld", (long)changes->peer.pid);
		ibcc_journal_add(entry, "IBCC_PID", text);
	}
	ibcc_journal_add(entry, "IBCC_CHANGE", line);
	(void)ibcc_journal_send(changes->journal_fd, changes->journal, entry);
	free(entry);
}

static json_t *number_or_null(bool is_known, json_int_t value)
{
	return is_known ? json_integer(value) : json_null();
}

/* NULL: out of memory. */
static json_t *make_line(const struct ibcc_change_log *changes, const struct ibcc_change *change, json_t *more)
{
	const time_t now = time(NULL);
	struct tm when;
	char at[32] = "";

	if (gmtime_r(&now, &when))
		(void)strftime(at, sizeof(at), "%Y-%m-%dT%H:%M:%SZ", &when);
	json_t *line = json_pack("{s:I, s:s, s:s, s:o, s:o, s:s?, s:o, s:s?, s:s, s:s?}", "number", (json_int_t)changes->number,
				 "at", at, "what", change->what, "uid", number_or_null(changes->has_peer, changes->peer.uid),
				 "pid", number_or_null(changes->has_peer, changes->peer.pid), "why", changes->why, "revision",
				 number_or_null(change->revision || change->profile, (json_int_t)change->revision), "profile",
				 change->profile, "result", change->result, "message", change->message);
	if (line && !(more && json_object_update_missing(line, more)) &&
	    !(changes->missed && json_object_set_new(line, "missed", json_integer((json_int_t)changes->missed))))
		return line;
	json_decref(line);
	return NULL;
}

void ibcc_change_log_add(struct ibcc_change_log *changes, const struct ibcc_change *change, json_t *more)
{
	struct ccp_error error = {.message = "out of memory, or the line is too long"};
	char *text = NULL;

	if (!changes)
		goto out;
	changes->number++;
	json_t *line = make_line(changes, change, more);
	text = line ? json_dumps(line, JSON_COMPACT | JSON_PRESERVE_ORDER) : NULL;
	json_decref(line);
	size_t length = text ? strlen(text) : 0;
	char *longer = text && length + 2 <= IBCC_CHANGE_LINE_BYTES ? realloc(text, length + 2) : NULL;
	bool is_kept = false;
	if (longer) {
		text = longer;
		tell_journal(changes, change, text);
		memcpy(text + length, "\n", 2);
		is_kept = !keep(changes, text, length + 1, &error);
	}
	if (is_kept) {
		changes->missed = 0;
	} else if (!changes->missed++) {
		ibcc_log(changes->log, IBCC_LOG_ERROR, "IBCC0105: changes are not written to " NAME ": %s", error.message);
	}
out:
	free(text);
	json_decref(more);
}

void ibcc_change_log_refuse(struct ibcc_change_log *changes, const char *what, const char *message, int64_t now_ns)
{
	const struct ibcc_change change = {.what = what, .result = "refused", .message = message};

	if (!changes)
		return;
	if (changes->refused_ns && now_ns - changes->refused_ns < NS_PER_S) {
		changes->omitted++;
		return;
	}
	changes->refused_ns = now_ns;
	ibcc_change_log_add(changes, &change,
			    changes->omitted ? json_pack("{s:I}", "omitted", (json_int_t)changes->omitted) : NULL);
	changes->omitted = 0;
}
