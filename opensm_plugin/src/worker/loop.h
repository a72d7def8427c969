/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * loop.h: one turn of the plugin's thread, and the restore on exit. There are no descriptors and threads here, so that the tests'
 * simulation runs the same code.
 */
#ifndef IBCC_LOOP_H
#define IBCC_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/log.h"
#include "base/options.h"
#include "manager/inbox.h"
#include "manager/manager.h"
#include "profiles/profiles.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All but `stopping` is borrowed. */
struct ibcc_loop {
	const struct ibcc_options *options;
	struct ibcc_profiles *profiles;
	struct ibcc_inbox *inbox;
	struct ibcc_manager *manager;
	struct ibcc_log *log;
	bool stopping; /* OpenSM is about to unload the plugin */
};

void ibcc_loop_take_inbox(struct ibcc_loop *loop);
void ibcc_loop_check_profile_file(struct ibcc_loop *loop); /* the profile file may have changed */
void ibcc_loop_tick(struct ibcc_loop *loop);               /* does what is due */
int64_t ibcc_loop_next_ns(const struct ibcc_loop *loop);
bool ibcc_loop_is_sweeping(const struct ibcc_loop *loop); /* for struct ibcc_manager_env */

/*
 * The restore on exit, once `stopping`: a trial run ends with OpenSM, as the next process begins with the base, and until then
 * the fabric should have that. The same goes for a trial run that has ended, if the base has not been brought to all devices yet.
 *
 * begin: false if there is nothing to restore. Otherwise the loop runs on while is_restoring, and end logs the result.
 */
struct ibcc_restore_on_exit {
	uint64_t job;
	int64_t until_ns;
	const char *pending;
};
bool ibcc_loop_begin_restore_on_exit(struct ibcc_loop *loop, struct ibcc_restore_on_exit *act);
bool ibcc_loop_is_restoring(const struct ibcc_loop *loop, const struct ibcc_restore_on_exit *act);
void ibcc_loop_end_restore_on_exit(struct ibcc_loop *loop, const struct ibcc_restore_on_exit *act);

#ifdef __cplusplus
}
#endif
#endif
