/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * options.h: what stands behind `ibcc` in opensm.conf's event_plugin_options.
 *
 * The line is one for all plugins: ours are the words from `ibcc` on up to the name of another plugin that is loaded; a line that
 * begins with `--` is ours too. A word is `--name value` or `--name=value`.
 */
#ifndef IBCC_OPTIONS_H
#define IBCC_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "ccpolicy/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ibcc_options {
	char *profile;   /* path of the base profile; NULL: none, the plugin watches and writes nothing until one is applied */
	char *socket;    /* path of the control socket */
	char *group;     /* system group that may use the socket, beside root */
	char *state_dir; /* where state outlives OpenSM */
	char *key_file;  /* CC_Keys; NULL: CC_Key 0 */
	uint32_t max_outstanding;
	uint32_t max_mads_per_s;
	uint32_t timeout_ms;
	uint32_t max_timeout_ms;
	uint32_t retries;
	uint32_t max_errors;       /* of requests that failed for good, in error_window_s; beyond: stop and restore */
	uint32_t error_window_s;   /* 0: errors are not counted */
	uint32_t audit_interval_s; /* 0: no audit */
	uint32_t audit_mads_per_s;
	uint32_t log_interval_s;     /* of reading CongestionLogs; 0: never */
	uint32_t restore_on_exit_ms; /* how long unloading may take to put the base profile back */
};

/* The defaults, changed by `line` (NULL: none). 0, or -1 with `error` filled; then nothing need be freed. */
int ibcc_options_parse(struct ibcc_options *options, const char *line, struct ccp_error *error);
void ibcc_options_destroy(struct ibcc_options *options);

/* One option, for help texts and the documentation's test. */
struct ibcc_option_text {
	const char *name, *value, *default_value, *help;
};
const struct ibcc_option_text *ibcc_option_texts(uint32_t *count);

#ifdef __cplusplus
}
#endif
#endif
