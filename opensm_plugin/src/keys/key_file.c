/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _DEFAULT_SOURCE /* explicit_bzero() */
#include "keys/key_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ccpolicy/error_format.h"

#define MAX_BYTES 4096u

enum { CURRENT, NEXT, PREVIOUS, PROTECT, LEASE_PERIOD, NUM_NAMES };

static const struct {
	const char *name;
	const char *right;
} names[NUM_NAMES] = {
	[CURRENT] = {"current", "0x and 1 to 16 hexadecimal digits"},
	[NEXT] = {"next", "0x and 1 to 16 hexadecimal digits"},
	[PREVIOUS] = {"previous", "0x and 1 to 16 hexadecimal digits"},
	[PROTECT] = {"protect", "yes or no"},
	[LEASE_PERIOD] = {"lease_period_s", "a number of seconds from 0 to 65535"},
};

static bool parse_key(const char *value, size_t length, uint64_t *key)
{
	uint64_t number = 0;

	if (length < 3 || length > 18 || value[0] != '0' || value[1] != 'x')
		return false;
	for (size_t i = 2; i < length; i++) {
		static const char digits[] = "0123456789abcdef0123456789ABCDEF";
		const char *digit = strchr(digits, value[i]);
		if (!digit || !*digit)
			return false;
		number = number << 4 | (uint64_t)((digit - digits) & 15);
	}
	*key = number;
	return true;
}

static bool parse_truth(const char *value, size_t length, bool *truth)
{
	static const char *const words[] = {"no", "yes", "false", "true"};

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strlen(words[i]) == length && !memcmp(words[i], value, length)) {
			*truth = i % 2;
			return true;
		}
	}
	return false;
}

static bool parse_seconds(const char *value, size_t length, uint16_t *seconds)
{
	uint32_t number = 0;

	if (!length || length > 5)
		return false;
	for (size_t i = 0; i < length; i++) {
		if (value[i] < '0' || value[i] > '9')
			return false;
		number = number * 10 + (uint32_t)(value[i] - '0');
	}
	*seconds = (uint16_t)number;
	return number <= UINT16_MAX;
}

static bool parse_value(int name, const char *value, size_t length, struct ibcc_key_file *file)
{
	switch (name) {
	case CURRENT:
		return parse_key(value, length, &file->current);
	case NEXT:
		file->has_next = true;
		return parse_key(value, length, &file->next);
	case PREVIOUS:
		file->has_previous = true;
		return parse_key(value, length, &file->previous);
	case PROTECT:
		return parse_truth(value, length, &file->protect);
	default:
		return parse_seconds(value, length, &file->lease_period_s);
	}
}

/* Without the blanks around it and without a comment. */
static void trim(const char **text, size_t *length)
{
	const char *start = *text, *end = *text + *length;

	for (const char *c = start; c < end; c++) {
		if (*c == '#' && (c == start || c[-1] == ' ' || c[-1] == '\t')) {
			end = c;
			break;
		}
	}
	while (start < end && (*start == ' ' || *start == '\t'))
		start++;
	while (end > start && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
		end--;
	*text = start;
	*length = (size_t)(end - start);
}

/* `seen` has a bit for each name. */
static int parse_line(const char *text, size_t length, uint32_t line, uint32_t *seen, struct ibcc_key_file *file,
		      struct ccp_error *error)
{
	trim(&text, &length);
	if (!length || (length == 3 && !memcmp(text, "---", 3)))
		return 0;
	const char *colon = memchr(text, ':', length);
	size_t name_length = colon ? (size_t)(colon - text) : 0;
	int name = 0;
	while (name < NUM_NAMES && (strlen(names[name].name) != name_length || memcmp(names[name].name, text, name_length)))
		name++;
	if (name == NUM_NAMES)
		return ccp_fail_at(error, line, 1,
				   "this line must begin with current:, next:, previous:, protect: or lease_period_s:");
	if (*seen & 1u << name)
		return ccp_fail_at(error, line, 1, "%s is given twice, but must be given once", names[name].name);
	*seen |= 1u << name;
	const char *value = colon + 1;
	size_t value_length = length - name_length - 1;
	trim(&value, &value_length);
	if (!parse_value(name, value, value_length, file))
		return ccp_fail_at(error, line, 1, "%s must be %s", names[name].name, names[name].right);
	return 0;
}

int ibcc_key_file_parse(const char *text, struct ibcc_key_file *file, struct ccp_error *error)
{
	uint32_t seen = 0, line = 1;

	*file = (struct ibcc_key_file){.protect = true, .lease_period_s = 60};
	for (const char *at = text;; line++) {
		size_t length = strcspn(at, "\n");
		if (parse_line(at, length, line, &seen, file, error))
			return -1;
		if (!at[length])
			break;
		at += length + 1;
	}
	if (!(seen & 1u << CURRENT))
		return ccp_fail(error, "current is missing, the key that devices have");
	if (file->has_next && file->next == file->current)
		return ccp_fail(error, "next must be another key than current");
	return 0;
}

static int check_owner(int fd, const char *quote, struct ccp_error *error)
{
	struct stat status;

	if (fstat(fd, &status))
		return ccp_fail(error, "the status of the key file %s cannot be read: %m", quote);
	if (!S_ISREG(status.st_mode))
		return ccp_fail(error, "the key file %s is not a regular file", quote);
	if (status.st_uid != 0 && status.st_uid != geteuid())
		return ccp_fail(error,
				"the key file %s belongs to user %u, but must belong to root or to the user of this process, %u",
				quote, (unsigned)status.st_uid, (unsigned)geteuid());
	if (status.st_mode & 07177)
		return ccp_fail(error,
				"the key file %s has mode %04o, but must have 0600 or less, so that nobody else reads the keys",
				quote, (unsigned)(status.st_mode & 07777));
	return 0;
}

int ibcc_key_file_read(const char *path, struct ibcc_key_file *file, struct ccp_error *error)
{
	char quote[CCP_QUOTE_BYTES];
	char text[MAX_BYTES + 2];
	struct ccp_error wrong;
	size_t length = 0;
	ssize_t got;
	int result = -1;

	memset(file, 0, sizeof(*file));
	ccp_quote(quote, path, strlen(path));
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return ccp_fail(error, "the key file %s cannot be opened: %m", quote);
	if (check_owner(fd, quote, error))
		goto out;
	while (length <= MAX_BYTES && (got = read(fd, text + length, MAX_BYTES + 1 - length))) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			(void)ccp_fail(error, "the key file %s cannot be read: %m", quote);
			goto out;
		}
		length += (size_t)got;
	}
	text[length] = '\0';
	if (length > MAX_BYTES || strlen(text) != length)
		(void)ccp_fail(error, "the key file %s must be plain text of at most %u bytes", quote, MAX_BYTES);
	else if (ibcc_key_file_parse(text, file, &wrong))
		ccp_set_error(error, wrong.line, wrong.column, "the key file %s is wrong: %s", quote, wrong.message);
	else
		result = 0;
out:
	close(fd);
	explicit_bzero(text, sizeof(text));
	if (result)
		explicit_bzero(file, sizeof(*file));
	return result;
}
