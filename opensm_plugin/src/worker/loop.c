/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "worker/loop.h"

#include <inttypes.h>

#include "base/ns.h"
#include "ccpolicy/error.h"
#include "changes/change_log.h"

static int64_t now_ns(const struct ibcc_loop *loop)
{
	return ibcc_manager_now_ns(loop->manager);
}

void ibcc_loop_take_inbox(struct ibcc_loop *loop)
{
	struct ibcc_inbox_content content;

	ibcc_inbox_take(loop->inbox, &content);
	if (content.notices & IBCC_NOTICE_STOP)
		loop->stopping = true;
	ibcc_manager_handle_inbox(loop->manager, &content);
}

void ibcc_loop_check_profile_file(struct ibcc_loop *loop)
{
	if (ibcc_profiles_file_event(loop->profiles))
		(void)ibcc_manager_converge(loop->manager, "apply");
}

static void end_experiment(struct ibcc_loop *loop)
{
	struct ibcc_change_log *changes = ibcc_profiles_changes(loop->profiles);
	struct ccp_error error;

	ibcc_log(loop->log, IBCC_LOG_INFO, "the trial run has timed out: restoring the base profile");
	ibcc_change_log_attribute(changes, NULL, "it timed out");
	(void)ibcc_profiles_end_experiment(loop->profiles, &error); /* there is one, so it ends, whatever the disk says */
	ibcc_change_log_attribute(changes, NULL, NULL);
	(void)ibcc_manager_converge(loop->manager, "restore");
}

void ibcc_loop_tick(struct ibcc_loop *loop)
{
	const int64_t now = now_ns(loop);

	if (ibcc_profiles_deadline_ns(loop->profiles) <= now)
		end_experiment(loop);
	if (ibcc_profiles_tick(loop->profiles, now))
		(void)ibcc_manager_converge(loop->manager, "apply");
	ibcc_manager_tick(loop->manager);
}

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

int64_t ibcc_loop_next_ns(const struct ibcc_loop *loop)
{
	return earlier(ibcc_manager_next_ns(loop->manager),
		       earlier(ibcc_profiles_deadline_ns(loop->profiles), ibcc_profiles_next_ns(loop->profiles)));
}

bool ibcc_loop_is_sweeping(const struct ibcc_loop *loop)
{
	return !loop->stopping && ibcc_inbox_is_sweeping(loop->inbox);
}

/* Counts devices that may hold values of any trial run. */
static uint32_t count_holders(const struct ibcc_loop *loop)
{
	return ibcc_manager_count_experiment_holders(loop->manager, UINT64_MAX);
}

/*
 * Any running job counts: if the profile file changes meanwhile, another job brings the new base to the devices. What is left of the
 * time is for those that are not responding.
 */
bool ibcc_loop_is_restoring(const struct ibcc_loop *loop, const struct ibcc_restore_on_exit *act)
{
	return act->job && now_ns(loop) < act->until_ns &&
	       (ibcc_manager_job(loop->manager)->state == IBCC_JOB_RUNNING ||
		ibcc_manager_awaits_experiment_holders(loop->manager));
}

bool ibcc_loop_begin_restore_on_exit(struct ibcc_loop *loop, struct ibcc_restore_on_exit *act)
{
	const uint32_t limit_ms = loop->options->restore_on_exit_ms;
	struct ccp_error error;

	*act = (struct ibcc_restore_on_exit){.until_ns = now_ns(loop) + limit_ms * NS_PER_MS};
	if (!ibcc_profiles_experiment(loop->profiles) && !count_holders(loop))
		return false;
	ibcc_change_log_attribute(ibcc_profiles_changes(loop->profiles), NULL, "OpenSM ended");
	if (!count_holders(loop)) {
		(void)ibcc_profiles_end_experiment(loop->profiles, &error);
		ibcc_log(loop->log, IBCC_LOG_INFO, "unloaded during a trial run that was not sent to any device");
		return false;
	}
	if (!limit_ms) {
		ibcc_log(loop->log, IBCC_LOG_INFO,
			 "IBCC0406: unloaded during a trial run, which stays on the fabric: restore_on_exit_ms is 0");
		return false;
	}
	(void)ibcc_profiles_end_experiment(loop->profiles, &error);
	act->job = ibcc_manager_converge(loop->manager, "restore");
	act->pending = act->job ? NULL : ibcc_manager_pending(loop->manager);
	return true;
}

void ibcc_loop_end_restore_on_exit(struct ibcc_loop *loop, const struct ibcc_restore_on_exit *act)
{
	const uint32_t holders = count_holders(loop);

	if (!holders)
		ibcc_log(loop->log, IBCC_LOG_INFO, "unloaded during a trial run: base profile restored");
	else if (!act->job)
		ibcc_log(loop->log, IBCC_LOG_ERROR,
			 "IBCC0405: unloaded during a trial run, and the base profile could not be restored: %s; %" PRIu32
			 " devices may hold the trial run's values until this OpenSM is MASTER again",
			 act->pending ? act->pending : "nothing can be sent", holders);
	else
		ibcc_log(loop->log, IBCC_LOG_ERROR,
			 "IBCC0405: unloaded during a trial run, and the base profile could not be restored within %" PRIu32
			 " ms: %" PRIu32 " devices may hold the trial run's values until this OpenSM is MASTER again",
			 loop->options->restore_on_exit_ms, holders);
}
