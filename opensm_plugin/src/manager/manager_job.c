/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* manager_job.c: begins and ends a job. A job lasts until its goal is reached, however many passes that takes. */
#include <stdio.h>
#include <string.h>

#include "manager/manager_state.h"

void manager_begin_job(struct ibcc_manager *manager, const char *kind)
{
	struct ibcc_job *job = &manager->job;

	/* A sweep or a device that returned starts the pass over, but not the job: the goal is the same. */
	if (job->state == IBCC_JOB_RUNNING && job->revision == ibcc_revision_shown(manager_wanted_revision(manager)) &&
	    !strcmp(job->kind, kind))
		return;
	if (job->state == IBCC_JOB_RUNNING)
		manager_stop_pass(manager, IBCC_JOB_ENDED, "replaced by a later change");
	memset(job, 0, sizeof(*job));
	job->id = ++manager->last_job;
	job->kind = kind;
	job->revision = ibcc_revision_shown(manager_wanted_revision(manager));
	job->state = IBCC_JOB_RUNNING;
	job->began_ns = manager_now_ns(manager);
	manager->then_read = false;
}

void manager_stop_pass(struct ibcc_manager *manager, enum ibcc_job_state state, const char *message)
{
	manager_stand_in_phase(manager, PHASE_IDLE);
	manager->then_read = false;
	manager_clear_queue(manager);
	if (manager->job.state != IBCC_JOB_RUNNING)
		return;
	manager->job.state = state;
	manager->job.ended_ns = manager_now_ns(manager);
	snprintf(manager->job.message, sizeof(manager->job.message), "%s", message);
	manager_report_job_end(manager);
}
