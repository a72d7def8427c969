/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * worker.h: the plugin's thread, and its loop over the inbox, the control socket, the profile file, and time.
 */
#ifndef IBCC_WORKER_H
#define IBCC_WORKER_H

#include <stdbool.h>

#include "base/log.h"
#include "base/options.h"
#include "ccpolicy/error.h"
#include "devices/snapshot.h"
#include "devices/subnet.h"
#include "mad/mad_port.h"
#include "manager/inbox.h"
#include "profiles/profiles.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ibcc_worker;

/* Borrowed until the worker has stopped. The functions are called from its thread. */
struct ibcc_worker_settings {
	const struct ibcc_options *options;
	struct ibcc_profiles *profiles;
	struct ibcc_keys *keys; /* NULL: devices are asked with CC_Key 0, and their keys are left alone */
	struct ibcc_inbox *inbox;
	struct ibcc_log *log;
	const char *version;        /* of this plugin */
	const char *opensm_version; /* "OpenSM 3.3.23" */

	void *owner;
	struct ibcc_snapshot *(*snapshot)(void *owner);                      /* NULL: out of memory */
	enum ibcc_sm_state (*sm_state)(void *owner);                         /* cheap */
	void (*other_sms)(void *owner, struct ibcc_other_sms *others);       /* NULL: they are not told */
	struct ibcc_mad_port *(*open_port)(void *owner, uint64_t port_guid); /* NULL: not possible now */
	const struct ibcc_subnet *subnet;                                    /* for the methods of the control socket */
};

/*
 * Starts the thread, with all signals blocked: they are OpenSM's. A control socket that cannot be opened is no error: the log has
 * a line, and opening is retried. NULL with `error` filled: out of memory, descriptors or threads.
 */
struct ibcc_worker *ibcc_worker_start(const struct ibcc_worker_settings *settings, struct ccp_error *error);

/*
 * Ends the thread and frees the worker. During a trial run the thread restores the base profile first, for at most
 * restore_on_exit_ms; the log says whether it could. NULL is fine.
 */
void ibcc_worker_stop(struct ibcc_worker *worker);

#ifdef __cplusplus
}
#endif
#endif
