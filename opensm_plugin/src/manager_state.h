/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* manager_state.h: what the manager's own files share. */
#ifndef IBCC_MANAGER_STATE_H
#define IBCC_MANAGER_STATE_H

#include "error_budget.h"
#include "manager.h"

#define NS_PER_S 1000000000LL
#define NS_PER_MS 1000000LL

/* What a pass is doing. */
enum phase {
	PHASE_IDLE,
	PHASE_PROBE,
	PHASE_SET_FIRST,  /* adapters; switches, if devices are cleared */
	PHASE_SET_SECOND, /* the others */
	PHASE_READ,       /* a verification, as fast as MADs go */
};

/*
 * An audit reads as slowly as it was told, while no pass has anything to do: of each device one item, then of each the next, so that a
 * device that does not answer keeps nobody waiting. What it finds to differ queues up, and is put right before anything more is read.
 */
struct audit {
	bool running;
	bool only_suspects;
	bool suspects; /* there are some, and their audit is due */
	bool found_drift;
	bool sent_in_lap;
	bool has_waited; /* at the end of a lap, for an answer: another lap follows */
	uint32_t round;  /* a pass number */
	uint32_t cursor;
	int64_t next_ns; /* when the next full one is due; INT64_MAX: never */
	int64_t next_mad_ns;
	int64_t step_ns; /* between two MADs of this round */
};

struct log_reading {
	uint32_t cursor;
	int64_t began_ns; /* this round */
	int64_t next_ns;
};

struct ibcc_manager {
	const struct ibcc_options *options;
	struct ibcc_surroundings around;
	struct ibcc_profiles *profiles;
	struct ibcc_log *log;

	struct ibcc_devices devices;
	struct ibcc_snapshot *snapshot;
	struct ccp_tables *tables;
	struct ibcc_window *window;
	struct ibcc_mad_port *port;
	uint64_t port_guid;
	int64_t port_pause_ns; /* from its last opening to the next at least, where it ends or cannot be opened */
	int64_t port_again_ns; /* when that is over */
	struct ibcc_error_budget *budget;
	struct ibcc_keys *keys; /* NULL: no key anywhere */

	enum ibcc_role_now role;
	bool sweeping;      /* OpenSM is, and nothing is sent */
	bool fabric_is_new; /* nothing has been resolved against `snapshot` yet */
	const char *blind;  /* why the fabric as it is after the last sweep could not be taken in; NULL: it was */
	struct ibcc_sweeps sweeps;
	bool told_long_sweep;
	bool over_budget;

	uint32_t last_pass; /* numbers of passes and audits, one sequence */
	uint32_t pass;
	enum phase phase;
	bool then_read; /* the pass ends with PHASE_READ */
	bool insists;   /* somebody has asked for it: devices that take other values than wanted are set again too */
	uint32_t cursor;
	struct ibcc_device *first_queued, *last_queued;
	int64_t retry_ns;             /* another pass for those that did not answer or refused; INT64_MAX: none */
	int64_t halted_pause_ns;      /* how long it last waited while halted; 0: it was not */
	uint64_t tables_revision;     /* that `tables` and all items were made from; 0: none, or not all of them */
	uint64_t on_fabric;           /* the revision of the last pass that came to its end; 0: none that counts still */
	uint64_t good_revision;       /* the last one that was brought to the devices without exceeding the budget; 0: none */
	uint64_t retreat_revision;    /* the base that came back for too many errors: there is no going back further; 0: none */
	uint64_t restore_revision;    /* what a rollback or an experiment's end has made the wanted one; 0: none has */
	uint64_t unresolved_revision; /* that was wanted and does not fit this fabric, or for which memory was refused; 0: none */
	char unresolved[CCP_ERROR_MESSAGE_BYTES + 64]; /* why; "": none */

	struct ibcc_job job;
	uint64_t last_job;
	int64_t next_progress_ns;

	struct audit audit;
	struct log_reading log_reading;
};

int64_t manager_now_ns(const struct ibcc_manager *manager);
uint64_t manager_wanted_revision(const struct ibcc_manager *manager); /* 0: none */
bool manager_may_send(const struct ibcc_manager *manager);            /* as far as the role goes; sweeps apart */
void manager_change_role(struct ibcc_manager *manager, enum ibcc_role_now role, const char *why);

/* manager_pass.c */
void manager_begin_pass(struct ibcc_manager *manager, const char *kind, bool then_read);
void manager_stop_pass(struct ibcc_manager *manager, enum ibcc_job_state state, const char *message);
void manager_pump(struct ibcc_manager *manager);
void manager_give_up(struct ibcc_manager *manager);
bool manager_send(struct ibcc_manager *manager, struct ibcc_device *device, enum ibcc_work work, uint32_t pass);
bool manager_is_settled(const struct ibcc_manager *manager, const struct ibcc_device *device);
bool manager_is_paused(const struct ibcc_manager *manager, const struct ibcc_device *device);
void manager_end_pauses(struct ibcc_manager *manager);
void manager_on_result(void *owner, const struct ibcc_request *request, const struct ibcc_result *result);
void manager_queue(struct ibcc_manager *manager, struct ibcc_device *device);
struct ibcc_device *manager_unqueue(struct ibcc_manager *manager); /* the first; there is one */
void manager_clear_queue(struct ibcc_manager *manager);

/* manager_sweeps.c */
void manager_sweep_look(struct ibcc_manager *manager);
void manager_sweep_begins(struct ibcc_manager *manager);
void manager_sweep_ends(struct ibcc_manager *manager);
void manager_sweeps_tick(struct ibcc_manager *manager);
int64_t manager_sweeps_next_ns(const struct ibcc_manager *manager);

/* manager_audit.c */
void manager_audit_schedule(struct ibcc_manager *manager);
void manager_audit_suspect(struct ibcc_manager *manager, struct ibcc_device *device);
void manager_audit_answers(struct ibcc_manager *manager, struct ibcc_device *device); /* one that did not is back */
void manager_audit_tick(struct ibcc_manager *manager);
int64_t manager_audit_next_ns(const struct ibcc_manager *manager);

/* manager_congestion.c */
void manager_congestion_tick(struct ibcc_manager *manager);
int64_t manager_congestion_next_ns(const struct ibcc_manager *manager);
void manager_congestion_take(struct ibcc_manager *manager, struct ibcc_device *device, const struct ibcc_result *result);

/* manager_keys.c */
void manager_keys_reload(struct ibcc_manager *manager);
void manager_keys_retry(struct ibcc_manager *manager);
void manager_keys_look_again(struct ibcc_manager *manager);
bool manager_key_is_settled(const struct ibcc_manager *manager, const struct ibcc_device *device);
bool manager_key_request(const struct ibcc_manager *manager, struct ibcc_device *device, struct ibcc_request *request);
uint64_t manager_header_key(const struct ibcc_manager *manager, const struct ibcc_device *device);
void manager_key_take(struct ibcc_manager *manager, struct ibcc_device *device, const struct ibcc_request *request,
		      const struct ibcc_result *result);

/* manager_events.c */
void manager_tell_progress(struct ibcc_manager *manager);
void manager_tell_job_end(struct ibcc_manager *manager);
void manager_tell_drift(struct ibcc_manager *manager, const struct ibcc_device *device, const struct ibcc_request *request);

#endif
