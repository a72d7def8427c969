/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * options.h: the plugin's options, from event_plugin_options in opensm.conf.
 *
 * The line is one for all plugins: `otherplugin --x 1 ibcc --profile FILE --socket PATH thirdplugin --y 2`. Ours are the words
 * behind the first `ibcc`, up to one that is neither an option nor an option's value: another plugin's name. A line that begins
 * with `--` is ours too. An option is `--name value` or `--name=value`, and may be spelt with _ for -; "..." keeps blanks
 * together, with \" and \\ for those characters. A switch is `--name`, or `--name=yes` or `no`.
 */
#ifndef IBCC_OPTIONS_H
#define IBCC_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ccpolicy/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* After a sweep with errors. */
enum ibcc_when_sweep_failed {
	IBCC_WAIT, /* until a sweep ends without errors, nothing is sent but rollbacks and ends of trial runs */
	IBCC_ACT,  /* devices that OpenSM has brought up are brought to the wanted profile */
};

struct ibcc_options {
	char *profile;         /* path of the base profile; NULL: none, and nothing is written until one is applied */
	char *socket;          /* path of the control socket */
	char *group;           /* system group that may use the socket, beside root */
	char *state_dir;       /* where state outlives OpenSM */
	char *key_file;        /* CC_Keys; NULL: CC_Key 0 */
	char *base_file;       /* by which the next master knows what this one has done; NULL: none */
	char *ppcc_algorithms; /* names of PPCC algorithms; NULL: profiles name them by their numbers alone */
	uint32_t max_outstanding;
	uint32_t max_mads_per_s; /* retries included; 0: no limit */
	uint32_t timeout_ms;
	uint32_t max_timeout_ms;
	uint32_t retries;
	uint32_t when_sweep_failed; /* enum ibcc_when_sweep_failed */
	uint32_t max_errors;        /* failed requests in error_window_s beyond which the last good profile is restored */
	uint32_t error_window_s;    /* 0: errors are not counted */
	uint32_t audit_interval_s;  /* 0: no audit */
	uint32_t audit_mads_per_s;
	uint32_t log_interval_s;     /* of reading CongestionLogs; 0: never */
	uint32_t sl;                 /* of all MADs, 0..15 */
	uint32_t nvidia_write;       /* 1: NVIDIA's attributes are set, and not only read */
	uint32_t restore_on_exit_ms; /* how long unloading may take to put the base profile back */
};

/*
 * The defaults, changed by `line` (NULL: none). 0, or -1 with `error` filled: an unknown option, one that comes twice or lacks
 * its value, a number out of its range, a path that is not absolute (OpenSM as a daemon runs in /). Then nothing need be freed.
 */
int ibcc_options_parse(struct ibcc_options *options, const char *line, struct ccp_error *error);

/*
 * Puts the GUID of OpenSM's port, as 0x and 16 digits, in the place of each {guid} in paths: a host with several ports runs an
 * OpenSM for each, with one opensm.conf. -1 with `error` filled: there is a {guid}, but port_guid is 0, as OpenSM has not been
 * told its port; or a path is too long with it, or memory is refused.
 */
int ibcc_options_expand(struct ibcc_options *options, uint64_t port_guid, struct ccp_error *error);
void ibcc_options_destroy(struct ibcc_options *options);

/* One option: what help texts and the documentation's test need, and what the parser goes by. */
struct ibcc_option {
	const char *name;          /* as in struct ibcc_options */
	const char *value;         /* what stands for its value in help texts: FILE, PATH, NAME, N, WHEN; NULL: it needs none */
	const char *default_value; /* NULL: none */
	const char *help;          /* one sentence */
	uint32_t min, max;         /* of a number or a choice's index; max 0: it is a string */
	const char *choices;       /* "a or b or c": one of these words, kept as its index; NULL: it is no choice */
	size_t max_length;         /* of a string, in bytes */
	bool is_path;              /* a string that has to be an absolute path */
	size_t offset;             /* of the member in struct ibcc_options */
};
const struct ibcc_option *ibcc_option_list(uint32_t *count);

#ifdef __cplusplus
}
#endif
#endif
