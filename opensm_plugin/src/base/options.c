/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _POSIX_C_SOURCE 200809L /* strdup() */
#include "base/options.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ccpolicy/error_format.h"

#define MAX_PATH_LENGTH 4095u
#define MAX_SOCKET_LENGTH 107u /* what struct sockaddr_un has room for */
#define MAX_GROUP_LENGTH 255u

#define STRING(member, value, default_value, length, is_path, help)                                                              \
	{#member, value, default_value, help, 0, 0, NULL, length, is_path, offsetof(struct ibcc_options, member)}
#define NUMBER(member, default_value, min, max, help)                                                                            \
	{#member, "N", default_value, help, min, max, NULL, 0, false, offsetof(struct ibcc_options, member)}
#define CHOICE(member, value, choices, last, default_value, help)                                                                \
	{#member, value, default_value, help, 0, last, choices, 0, false, offsetof(struct ibcc_options, member)}

static const struct ibcc_option options_known[] = {
	STRING(profile, "FILE", NULL, MAX_PATH_LENGTH, true,
	       "read the base profile from FILE, and again whenever it changes; without it nothing is written until a profile is "
	       "applied through the socket"),
	STRING(socket, "PATH", "/run/ibcc/opensm.sock", MAX_SOCKET_LENGTH, true, "listen at PATH, a socket of mode 0660"),
	STRING(group, "NAME", NULL, MAX_GROUP_LENGTH, false,
	       "let the system group NAME use the control socket; without it only root may"),
	STRING(state_dir, "PATH", "/var/lib/ibcc/opensm", MAX_PATH_LENGTH, true,
	       "keep in PATH what outlives OpenSM: base, history, reports on adapters; each OpenSM of a host needs its own, and "
	       "{guid} in a path stands for the GUID of its port"),
	STRING(key_file, "FILE", NULL, MAX_PATH_LENGTH, true,
	       "read the CC_Keys from FILE, which its owner alone may read; without it CC_Key is 0"),
	STRING(base_file, "FILE", NULL, MAX_PATH_LENGTH, true,
	       "write base, trial run and the devices with NVIDIA's attributes to FILE before each change, and read FILE when "
	       "taking over "
	       "from another OpenSM"),
	STRING(ppcc_algorithms, "FILE", NULL, MAX_PATH_LENGTH, true,
	       "read names of PPCC algorithms and of their parameters from FILE; without it profiles give numbers"),
	CHOICE(nvidia_write, NULL, "no or yes", 1, "no",
	       "set NVIDIA's attributes of devices whose answers pass all tests; without it they are only read"),
	NUMBER(max_outstanding, "256", 1, 4096, "keep at most N requests in flight, one to a device"),
	NUMBER(max_mads_per_s, "0", 0, 1000000,
	       "send at most N MADs a second, retries included; 0: as many as max_outstanding lets through"),
	NUMBER(timeout_ms, "200", 1, 60000,
	       "wait N milliseconds for the answer to the first try, and twice as long for that to each further one"),
	NUMBER(max_timeout_ms, "2000", 1, 60000, "wait at most N milliseconds for an answer; not below timeout_ms"),
	NUMBER(retries, "7", 0, 100, "try a request N times more before it counts as failed"),
	CHOICE(when_sweep_failed, "WHEN", "wait or act", IBCC_ACT, "act",
	       "after a sweep with errors, act on the ports that are ACTIVE, or wait for a sweep without errors; rollbacks never "
	       "wait"),
	NUMBER(max_errors, "20", 0, 1000000,
	       "after more than N failed requests within error_window_s, stop and restore the last good profile; 2 % of the "
	       "devices if that is more"),
	NUMBER(error_window_s, "5", 0, 86400, "count the failed requests of the last N seconds; 0: failures are not counted"),
	NUMBER(audit_interval_s, "600", 0, 604800, "read all tables back every N seconds; 0: no audit"),
	NUMBER(audit_mads_per_s, "500", 1, 1000000,
	       "send at most N MADs a second in an audit, within max_mads_per_s; fewer where a round takes less than half of "
	       "audit_interval_s"),
	NUMBER(log_interval_s, "0", 0, 86400, "read the CongestionLogs every N seconds; 0: they are not read"),
	NUMBER(sl, "0", 0, 15, "send MADs at SL N, for fabrics on which SL 0 is not the one for management"),
	NUMBER(restore_on_exit_ms, "5000", 0, 60000,
	       "when OpenSM stops during a trial run, take at most N milliseconds to restore the base profile; 0: do not restore "
	       "it"),
};

#define NUM_OPTIONS (sizeof(options_known) / sizeof(options_known[0]))

const struct ibcc_option *ibcc_option_list(uint32_t *count)
{
	*count = NUM_OPTIONS;
	return options_known;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/*
 * Copies the next word of *line to `out`, without quotes, and moves *line behind it. 1: there was one, 0: the line has ended, -1:
 * a quote is not closed.
 */
static int next_word(const char **line, char *out, struct ccp_error *error)
{
	const char *c = *line;
	bool quoted = false;

	while (is_blank(*c))
		c++;
	if (!*c)
		return 0;
	for (; *c && (quoted || !is_blank(*c)); c++) {
		if (*c == '"') {
			quoted = !quoted;
			continue;
		}
		if (quoted && *c == '\\' && (c[1] == '"' || c[1] == '\\'))
			c++;
		*out++ = *c;
	}
	*out = '\0';
	*line = c;
	return quoted ? ccp_fail(error, "event_plugin_options has a \" that is not closed by another") : 1;
}

static bool same_name(const char *known, const char *given, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (known[i] != (given[i] == '-' ? '_' : given[i]))
			return false; /* also where `known` ends */
	return known[length] == '\0';
}

static const struct ibcc_option *find_option(const char *name, size_t length)
{
	for (size_t i = 0; i < NUM_OPTIONS; i++)
		if (same_name(options_known[i].name, name, length))
			return &options_known[i];
	return NULL;
}

#define NAME_BYTES 32u

/* Returns the option's name with hyphens. */
static const char *spelt(char out[NAME_BYTES], const struct ibcc_option *option)
{
	size_t i;

	for (i = 0; option->name[i] && i < NAME_BYTES - 1; i++)
		out[i] = option->name[i] == '_' ? '-' : option->name[i];
	out[i] = '\0';
	return out;
}

static int fail_unknown(const char *word, size_t length, struct ccp_error *error)
{
	char quote[CCP_QUOTE_BYTES];
	char name[NAME_BYTES];
	char known[600] = "";
	size_t at = 0;

	for (size_t i = 0; i < NUM_OPTIONS; i++)
		at += (size_t)snprintf(known + at, sizeof(known) - at, "%s--%s", i ? ", " : "", spelt(name, &options_known[i]));
	return ccp_fail(error, "ibcc has no option %s; it has %s", ccp_quote(quote, word, length), known);
}

static int set_number(const struct ibcc_option *option, const char *value, uint32_t *member, struct ccp_error *error)
{
	char quote[CCP_QUOTE_BYTES];
	char name[NAME_BYTES];
	size_t digits = strspn(value, "0123456789");
	unsigned long long number = strtoull(value, NULL, 10); /* beyond its range: the largest, which is out of ours too */

	if (!digits || value[digits] || number < option->min || number > option->max)
		return ccp_fail(error, "--%s is %s, but must be a number from %u to %u", spelt(name, option),
				ccp_quote(quote, value, strlen(value)), option->min, option->max);
	*member = (uint32_t)number;
	return 0;
}

static int set_choice(const struct ibcc_option *option, const char *value, uint32_t *member, struct ccp_error *error)
{
	static const char between[] = " or ";
	char quote[CCP_QUOTE_BYTES];
	char name[NAME_BYTES];
	const char *word = option->choices;

	for (uint32_t index = 0; word; index++) {
		const char *end = strstr(word, between);
		const size_t length = end ? (size_t)(end - word) : strlen(word);
		if (strlen(value) == length && !strncmp(word, value, length)) {
			*member = index;
			return 0;
		}
		word = end ? end + strlen(between) : NULL;
	}
	return ccp_fail(error, "--%s is %s, but must be %s", spelt(name, option), ccp_quote(quote, value, strlen(value)),
			option->choices);
}

static int set_string(const struct ibcc_option *option, const char *value, char **member, struct ccp_error *error)
{
	char quote[CCP_QUOTE_BYTES];
	char name[NAME_BYTES];
	size_t length = strlen(value);

	if (!length || length > option->max_length || (option->is_path && value[0] != '/'))
		return ccp_fail(error, "--%s is %s, but must be %s of at most %zu bytes", spelt(name, option),
				ccp_quote(quote, value, length),
				option->is_path ? "an absolute path, one that begins with /," : "the name of a system group,",
				option->max_length);
	char *copy = strdup(value);
	if (!copy)
		return ccp_fail_no_memory(error);
	free(*member);
	*member = copy;
	return 0;
}

static int set_option(struct ibcc_options *options, const struct ibcc_option *option, const char *value, struct ccp_error *error)
{
	void *member = (char *)options + option->offset;

	if (option->choices)
		return set_choice(option, value, member, error);
	return option->max ? set_number(option, value, member, error) : set_string(option, value, member, error);
}

/* Moves *line behind the word `ibcc`, unless it begins with options. False: the line has no options of ours. */
static int find_ours(const char **line, char *word, struct ccp_error *error)
{
	const char *at = *line;
	bool first = true;
	int found;

	while ((found = next_word(&at, word, error)) > 0) {
		if (first && !strncmp(word, "--", 2))
			return 1;
		first = false;
		if (!strcmp(word, "ibcc")) {
			*line = at;
			return 1;
		}
	}
	return found;
}

/* `word` and `value` have room for any word of the line. */
static int parse_ours(struct ibcc_options *options, const char *line, char *word, char *value, struct ccp_error *error)
{
	bool seen[NUM_OPTIONS] = {false};
	char spelling[NAME_BYTES];
	int found;

	while ((found = next_word(&line, word, error)) > 0 && !strncmp(word, "--", 2)) {
		const char *name = word + 2;
		size_t length = strcspn(name, "=");
		const struct ibcc_option *option = find_option(name, length);
		if (!option)
			return fail_unknown(word, length + 2, error);
		if (seen[option - options_known])
			return ccp_fail(error, "--%s is given twice, but must be given once", spelt(spelling, option));
		seen[option - options_known] = true;
		if (name[length] == '=') {
			if (set_option(options, option, name + length + 1, error))
				return -1;
			continue;
		}
		if (!option->value) {
			if (set_option(options, option, "yes", error))
				return -1;
			continue;
		}
		found = next_word(&line, value, error);
		if (found < 0)
			return -1;
		if (!found || !strncmp(value, "--", 2))
			return ccp_fail(error, "--%s lacks its value: write --%s %s", spelt(spelling, option), spelling,
					option->value);
		if (set_option(options, option, value, error))
			return -1;
	}
	return found < 0 ? -1 : 0;
}

static int set_defaults(struct ibcc_options *options, struct ccp_error *error)
{
	for (size_t i = 0; i < NUM_OPTIONS; i++) {
		const struct ibcc_option *option = &options_known[i];
		if (option->default_value && set_option(options, option, option->default_value, error))
			return -1;
	}
	return 0;
}

/* Checks options against each other. */
static int check(const struct ibcc_options *options, struct ccp_error *error)
{
	if (options->max_timeout_ms < options->timeout_ms)
		return ccp_fail(error, "--max-timeout-ms is %u, but must be at least %u, which is --timeout-ms",
				options->max_timeout_ms, options->timeout_ms);
	return 0;
}

int ibcc_options_parse(struct ibcc_options *options, const char *line, struct ccp_error *error)
{
	char *words = NULL;
	int result = -1;

	memset(options, 0, sizeof(*options));
	if (set_defaults(options, error))
		goto out;
	if (line) {
		size_t room = strlen(line) + 1;
		words = calloc(2, room);
		if (!words) {
			(void)ccp_fail_no_memory(error);
			goto out;
		}
		int ours = find_ours(&line, words, error);
		if (ours < 0 || (ours && parse_ours(options, line, words, words + room, error)))
			goto out;
	}
	result = check(options, error);
out:
	free(words);
	if (result)
		ibcc_options_destroy(options);
	return result;
}

#define GUID_MARK "{guid}"
#define GUID_DIGITS "0x0002c90300000001"

static int expand(const struct ibcc_option *option, char **member, uint64_t port_guid, struct ccp_error *error)
{
	char name[NAME_BYTES];
	const char *from = *member, *mark;
	size_t marks = 0;

	for (mark = strstr(from, GUID_MARK); mark; mark = strstr(mark + 1, GUID_MARK))
		marks++;
	if (!marks)
		return 0;
	if (!port_guid)
		return ccp_fail(error,
				"--%s has " GUID_MARK
				", but OpenSM was not told which port it is for: start it with -g GUID, or set "
				"guid in opensm.conf",
				spelt(name, option));
	const size_t length = strlen(from) + marks * (strlen(GUID_DIGITS) - strlen(GUID_MARK));
	if (length > option->max_length)
		return ccp_fail(error, "--%s has %zu bytes with the GUID in it, but must have at most %zu", spelt(name, option),
				length, option->max_length);
	char *to = calloc(1, length + 1), *end = to;
	if (!to)
		return ccp_fail_no_memory(error);
	while ((mark = strstr(from, GUID_MARK))) {
		memcpy(end, from, (size_t)(mark - from));
		end += mark - from;
		end += snprintf(end, sizeof(GUID_DIGITS), "0x%016" PRIx64, port_guid);
		from = mark + strlen(GUID_MARK);
	}
	memcpy(end, from, strlen(from));
	free(*member);
	*member = to;
	return 0;
}

int ibcc_options_expand(struct ibcc_options *options, uint64_t port_guid, struct ccp_error *error)
{
	for (size_t i = 0; i < NUM_OPTIONS; i++) {
		void *member = (char *)options + options_known[i].offset;
		char **path = member;
		if (options_known[i].is_path && *path && expand(&options_known[i], path, port_guid, error))
			return -1;
	}
	return 0;
}

void ibcc_options_destroy(struct ibcc_options *options)
{
	for (size_t i = 0; i < NUM_OPTIONS; i++) {
		void *member = (char *)options + options_known[i].offset;
		char **string = member;
		if (options_known[i].max)
			continue;
		free(*string);
		*string = NULL;
	}
}
