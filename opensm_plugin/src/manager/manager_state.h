/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * manager_state.h: the manager's state, and what its files offer each other.
 *
 * Calls go down only: a file uses those whose section stands above its own, and no other (tests/opensm_plugin/test_arrows.py).
 * manager.c is the last:
 * it gets all that comes in, and time, and hands them on.
 */
#ifndef IBCC_MANAGER_STATE_H
#define IBCC_MANAGER_STATE_H

#include <jansson.h>

#include "base/ns.h"
#include "changes/base_file.h"
#include "devices/nvidia_memory.h"
#include "manager/error_budget.h"
#include "manager/manager.h"

/* Phases of a pass. */
enum phase {
	PHASE_IDLE,
	PHASE_PROBE,
	PHASE_CLEAR,      /* switches that a former profile has set NVIDIA's attributes of, where this one has none */
	PHASE_SET_FIRST,  /* adapters; switches, if devices are cleared */
	PHASE_SET_SECOND, /* the others */
	PHASE_READ,       /* a verification, as fast as MADs go */
};

/*
 * An audit reads at a low rate while no pass runs: one item of each device, then the next item of each, so that a device that
 * does not answer does not hold up the others. A device found to differ is queued, and repaired before anything more is read.
 */
struct audit {
	bool running;
	bool only_suspects;
	bool suspects; /* an audit of the devices that are suspect is due */
	bool found_drift;
	bool sent_in_lap;
	bool has_waited; /* for an answer, at the end of a lap: another lap follows */
	uint32_t round;  /* a pass number */
	uint32_t cursor;
	int64_t next_ns; /* when the next audit of all devices is due; INT64_MAX: never */
	int64_t next_mad_ns;
	int64_t step_ns; /* between two MADs of this round */
};

struct log_reading {
	uint32_t cursor;
	int64_t began_ns; /* this round */
	int64_t next_ns;
};

/*
 * Devices are asked for their firmware in a window of their own, while no pass runs and no audit is about to send, at the rate of
 * audits. So neither waits for them, and their time-outs are nobody's failures.
 */
struct firmware_reading {
	struct ibcc_window *window;
	bool due;     /* a device may have to be asked */
	bool stopped; /* OpenSM stops: nobody is asked any more */
	uint32_t cursor;
	int64_t next_ns;
	int64_t untold_ns; /* since when an answer is not in the topology yet; 0: all are */
};

#define IBCC_MAX_MODEL_SENTENCES 32u /* about devices of one model that differ */

/* OpenSM's log has this sentence already: devices of one model differ. */
struct said_difference {
	struct ibcc_node_identity identity;
	struct ibcc_firmware firmware;
	unsigned what;
};

/* The pass keeps here how long it waits for devices that are not responding. */
struct lateness {
	int64_t began_ns;     /* the pass */
	int64_t end_ns;       /* until then it waits at its end for what it is late with; 0: it has not come to its end */
	int64_t next_ns;      /* when it looks again; INT64_MAX: not by time alone */
	int64_t look_ns;      /* not before: each look is at all requests */
	int64_t overdue_ns;   /* by the last look, when the next request will be overdue */
	uint64_t seen;        /* MADs, at the last look */
	bool is_for_somebody; /* the pass was asked for, and devices were given another chance */
	bool has_other_keys;  /* the key file has changed, and one of its keys may be that of a device that was not responding */
	uint32_t marked;      /* devices, by the present look */
};

/* Devices that were not responding are asked beside passes and audits, each after its pause. */
struct silent_asking {
	uint32_t in_flight;
	int64_t next_ns; /* when one of them may be due; INT64_MAX: none will be */
};

/* NVIDIA's attributes: memory of models and of devices that were written to, and names of algorithms. */
struct nvidia {
	struct ibcc_nvidia_memory *memory; /* NULL: it cannot be kept, so that nothing is written */
	struct ibcc_nvidia_founds *founds; /* NULL: what devices were found with is not kept */
	struct ibcc_ppcc_names *names;     /* NULL: none */
	bool looks;                        /* all devices are asked whether they are on: others may have switched them on */
	bool is_requested;                 /* somebody wants to know what devices have, whatever the profile says */
	bool is_on;                        /* some device is asked */
	char unsaved
		[CCP_ERROR_MESSAGE_BYTES]; /* why something that has to be noted is not, as the log has it; "": all is noted */
	bool said_forgotten;               /* that there are too many models */
	uint32_t num_said;                 /* since somebody asked */
	struct said_difference said[IBCC_MAX_MODEL_SENTENCES];
};

/* What devices were found with: revision 0. */
struct found_keeping {
	char reason[CCP_ERROR_MESSAGE_BYTES];  /* why it is not kept; "": it is */
	char unsaved[CCP_ERROR_MESSAGE_BYTES]; /* why the disk does not have it; "": it has */
	uint32_t followed;                     /* devices that were read to hold something else, since this was told */
	char first[65];                        /* the first of them */
	bool marks;                            /* some switch was found to mark packets, or may have */
};

/* What the base file has of this process. */
struct written_down {
	bool is_there;
	uint64_t base, trial; /* revisions; 0: none */
	uint32_t keys;        /* their generation, as it is signed */
	int64_t deadline_ns;
	struct ibcc_nvidia_counts touched;
	uint64_t found; /* ibcc_as_found_changes */
};

struct takeover {
	uint64_t number, epoch; /* as of struct ibcc_handover */
	int64_t written_s;
	bool has_looked;
	bool is_refused;              /* the file that is there must not be replaced: `problem` says why */
	bool is_to_read;              /* somebody else has written it */
	struct ibcc_base_stamp stamp; /* of the file that was last read or written */
	struct written_down last;
	int64_t next_ns; /* when it is written again after a failure */
	char problem[CCP_ERROR_MESSAGE_BYTES];
};

/* Lines of the log of changes on devices that have drifted, in the present minute. */
struct drift_lines {
	int64_t began_ns;
	uint32_t count;
	uint64_t omitted; /* since the last line */
};

/*
 * Where the manager stands: may it send, what is it doing, and which revision is where. Read anywhere; written by the verbs of
 * manager_standing.c alone. Revisions are 0 for none, and IBCC_REVISION_AS_FOUND for what devices were found with.
 */
struct standing {
	enum ibcc_role role;
	bool sweeping;       /* OpenSM sweeps: nothing is sent */
	bool over_budget;    /* too many devices have failed: the next tick gives up */
	enum phase phase;    /* of the pass */
	uint64_t pass;       /* that it brings to the devices */
	uint64_t tables;     /* that `tables` and all items were made from; 0 also where not all items were */
	uint64_t on_fabric;  /* of the last completed pass; 0 also where some devices were sent another since */
	uint64_t good;       /* the last one that was brought to the devices within the error budget */
	uint64_t fallback;   /* the base that was restored after too many errors, the last resort */
	uint64_t restore;    /* that a rollback or the end of a trial run has put in force */
	uint64_t unresolved; /* that does not fit this fabric, or for which memory was refused */
};

struct ibcc_manager {
	struct standing standing;
	const struct ibcc_options *options;
	struct ibcc_manager_env env;
	struct ibcc_profiles *profiles;
	struct ibcc_log *log;

	struct ibcc_devices devices;
	struct ibcc_snapshot *snapshot;
	struct ccp_tables *tables;
	struct ibcc_window *window;
	struct ibcc_mad_port *port;
	uint64_t port_guid;
	int64_t port_pause_ns; /* the least time between two openings of a port that ends or cannot be opened */
	int64_t port_again_ns; /* when that time is over */
	struct ibcc_error_budget *budget;
	struct ibcc_keys *keys; /* NULL: no key anywhere */

	bool fabric_is_new;           /* nothing has been resolved against `snapshot` yet */
	const char *snapshot_failure; /* why the fabric of the last sweep could not be copied; NULL: it was copied */
	struct ibcc_sweeps sweeps;
	struct ibcc_topology topology;
	int64_t topology_swept_s; /* wall clock: when the last sweep ended whose subnet was compared */
	bool topology_sweep_ok;   /* that sweep had no errors */
	struct ibcc_other_sms other_sms;
	int64_t unsure_since_ns; /* LIDs may be others': when the first sweep after the last snapshot began; 0: there was none */
	bool logged_long_sweep;

	uint32_t last_pass; /* passes and audits are numbered in one sequence */
	uint32_t pass;
	bool has_read;    /* it has come to PHASE_READ */
	bool then_read;   /* the pass ends with PHASE_READ */
	bool set_clamped; /* the pass was asked for: devices that took other values than they were sent are set again too */
	uint32_t cursor;
	struct ibcc_device *first_queued, *last_queued;
	int64_t retry_ns;        /* when another pass begins for devices that did not answer or refused; INT64_MAX: never */
	int64_t halted_pause_ns; /* how long the last pause in role HALTED was; 0: there was none */
	char unresolved[CCP_ERROR_MESSAGE_BYTES + 64]; /* why; "": none */
	char unnoted[CCP_ERROR_MESSAGE_BYTES];         /* why devices wait that are `unnoted` */

	struct ibcc_job job;
	uint64_t last_job;
	int64_t next_progress_ns;

	struct drift_lines drift_lines;
	bool said_mute; /* the log has it that no device answers class 0x21 */

	struct lateness late;
	struct silent_asking silent;
	struct audit audit;
	struct log_reading log_reading;
	struct firmware_reading firmware;
	struct nvidia nvidia;
	struct found_keeping found;
	struct takeover takeover;
};

static inline int64_t manager_now_ns(const struct ibcc_manager *manager)
{
	return manager->env.now_ns(manager->env.owner);
}

/* manager_state.c */
uint64_t manager_wanted_revision(const struct ibcc_manager *manager); /* 0: none */
bool manager_has_wanted(const struct ibcc_manager *manager);          /* devices were told what they should hold */
bool manager_may_send(const struct ibcc_manager *manager);            /* as far as the role goes, sweeps apart */
bool manager_has_firmware(const struct ibcc_device *device);          /* it was asked for it, whatever came of that */
bool manager_is_paused(const struct ibcc_manager *manager, const struct ibcc_device *device);
/* It is not set before something is noted, and that could not be. */
bool manager_waits_for_note(const struct ibcc_device *device);
const char *manager_why_unnoted(const struct ibcc_manager *manager); /* NULL: no device waits for a note */
void manager_queue(struct ibcc_manager *manager, struct ibcc_device *device);
struct ibcc_device *manager_unqueue(struct ibcc_manager *manager); /* the first; there must be one */
void manager_clear_queue(struct ibcc_manager *manager);

/* manager_standing.c */
void manager_stand_in_role(struct ibcc_manager *manager, enum ibcc_role role);
void manager_stand_sweeping(struct ibcc_manager *manager, bool sweeping);
void manager_stand_over_budget(struct ibcc_manager *manager, bool over_budget);
void manager_stand_in_phase(struct ibcc_manager *manager, enum phase phase);
void manager_stand_at_pass(struct ibcc_manager *manager); /* one begins, for what is wanted */
void manager_stand_with_tables(struct ibcc_manager *manager, uint64_t revision);
void manager_stand_mixed(struct ibcc_manager *manager); /* some devices hold another revision, or it is not known */
/* A pass has ended: `is_good`, nobody is late; `is_whole`, no device is left. */
void manager_stand_on_fabric(struct ibcc_manager *manager, bool is_good, bool is_whole);
void manager_stand_restoring(struct ibcc_manager *manager); /* what is wanted now was put in force by a rollback or an end */
void manager_stand_back(struct ibcc_manager *manager);      /* what is wanted now is the last resort */
void manager_stand_unresolved(struct ibcc_manager *manager, uint64_t revision, const char *why); /* 0, "": all is resolved */

/* manager_events.c */
void manager_report_progress(struct ibcc_manager *manager);
void manager_report_job_end(struct ibcc_manager *manager);
void manager_report_drift(struct ibcc_manager *manager, struct ibcc_device *device, const struct ibcc_request *request);
void manager_report_if_repaired(struct ibcc_manager *manager, struct ibcc_device *device);
void manager_report_sm(struct ibcc_manager *manager, enum ibcc_role before, const char *message);
/* Publishes an event with the epoch and the time in it. Steals `params`; NULL: there was no memory for them. */
void manager_publish_live(struct ibcc_manager *manager, const char *event, json_t *params);

/* manager_topology.c */
void manager_take_topology(struct ibcc_manager *manager, struct ibcc_snapshot *snapshot);       /* of a sweep that has ended */
bool manager_note_other_sms(struct ibcc_manager *manager, const struct ibcc_other_sms *others); /* true: they have changed */

/* manager_sweeps.c */
void manager_sweep_check(struct ibcc_manager *manager);
void manager_sweep_is_unsure(struct ibcc_manager *manager);
void manager_sweep_begins(struct ibcc_manager *manager);
void manager_sweep_ends(struct ibcc_manager *manager);
void manager_sweeps_tick(struct ibcc_manager *manager);
int64_t manager_sweeps_next_ns(const struct ibcc_manager *manager);

/* manager_keys.c */
bool manager_keys_reload(struct ibcc_manager *manager); /* true: there are other keys now */
void manager_keys_retry(struct ibcc_manager *manager);
void manager_keys_retry_paused(struct ibcc_manager *manager); /* of devices whose pause is over */
void manager_keys_look_again(struct ibcc_manager *manager);
bool manager_key_is_settled(const struct ibcc_manager *manager, const struct ibcc_device *device);
bool manager_key_request(const struct ibcc_manager *manager, struct ibcc_device *device, struct ibcc_request *request);
uint64_t manager_header_key(const struct ibcc_manager *manager, const struct ibcc_device *device);
void manager_key_handle_result(struct ibcc_manager *manager, struct ibcc_device *device, const struct ibcc_request *request,
			       const struct ibcc_result *result);

/* manager_congestion.c */
void manager_congestion_tick(struct ibcc_manager *manager);
int64_t manager_congestion_next_ns(const struct ibcc_manager *manager);
void manager_congestion_handle_result(struct ibcc_manager *manager, struct ibcc_device *device, const struct ibcc_result *result);

/* manager_found.c */
void manager_found_open(struct ibcc_manager *manager);
void manager_found_close(struct ibcc_manager *manager);
void manager_found_take(struct ibcc_manager *manager, struct ibcc_device *device); /* all that it holds was read */
/* Since then another may have answered for it. */
void manager_found_doubt(struct ibcc_manager *manager, struct ibcc_device *device, int64_t since_ns);
void manager_found_follow(struct ibcc_manager *manager, struct ibcc_device *device); /* it was read while it is watched */
void manager_found_freeze(struct ibcc_manager *manager);                             /* a profile is in force */
void manager_found_look(struct ibcc_manager *manager);                               /* revision 0 is in force */
/* Before a Set of annex A10's attributes: true when the disk has what the device was found with, or nobody keeps that; -> false with
 * `error` filled. */
bool manager_found_may_set(struct ibcc_manager *manager, struct ibcc_device *device, struct ccp_error *error);
void manager_found_end_pass(struct ibcc_manager *manager);

/* manager_nvidia_found.c */
void manager_nvidia_found_open(struct ibcc_manager *manager);
void manager_nvidia_found_close(struct ibcc_manager *manager);
/* For what is about to be wanted, which has values for the device or not. True: the device is to be brought back to revision 0. */
bool manager_nvidia_found_prepare(struct ibcc_manager *manager, struct ibcc_device *device, bool has_values);
void manager_nvidia_found_take(struct ibcc_manager *manager, struct ibcc_device *device);    /* all that it holds was read */
void manager_nvidia_found_suspect(struct ibcc_manager *manager, struct ibcc_device *device); /* it may have been reset */
/* Before the first Set to a device: keeps its row, in memory. False: there is none, though there should be. */
bool manager_nvidia_found_keep(struct ibcc_manager *manager, const struct ibcc_device *device);
bool manager_nvidia_found_is_safe(struct ibcc_manager *manager); /* the disk has all rows, or nobody keeps any */
void manager_nvidia_found_end(struct ibcc_manager *manager, struct ibcc_device *device); /* it holds what it should */
void manager_nvidia_found_end_pass(struct ibcc_manager *manager);

/* manager_differences.c */
/* To the log, where a device's facts are others than before and no reset was seen. */
void manager_differences_say_if_changed(struct ibcc_manager *manager, struct ibcc_device *device);
void manager_differences_say(struct ibcc_manager *manager); /* to the log: of devices of one model, once each */
/* Tells the same sentences. -1: `tell` did not return 0. */
int manager_differences_tell(const struct ibcc_manager *manager, ibcc_sentence_tell *tell, void *owner);

/* manager_models.c */
void manager_models_tell_wanted(struct ibcc_manager *manager, struct ibcc_device *device);
/* Before a device is asked: sets what is believed of its answers. */
void manager_models_recall(struct ibcc_manager *manager, struct ibcc_device *device);
void manager_models_learn(struct ibcc_manager *manager, struct ibcc_device *device);
void manager_models_doubt(struct ibcc_manager *manager);     /* devices that have failed are tested anew */
void manager_models_ask_facts(struct ibcc_manager *manager); /* of all devices, as they may have changed */

/* manager_takeover.c */
void manager_takeover_open(struct ibcc_manager *manager);
/* True if the base file has all that it should, or there is none; -> false with `error` filled: it could not be written. */
bool manager_takeover_note(struct ibcc_manager *manager, struct ccp_error *error);
bool manager_takeover_covers_trial(struct ibcc_manager *manager,
				   struct ccp_error *error); /* the same, as far as a trial run needs it */
bool manager_takeover_covers_devices(struct ibcc_manager *manager,
				     struct ccp_error *error); /* as far as Sets of NVIDIA's need it */
/* Before a Set of annex A10's attributes: the file says what the device held. False: it could not be written, and a trial run waits. */
bool manager_takeover_covers_found(struct ibcc_manager *manager, struct ccp_error *error);
/* After a sweep: reads the file if it is another one. True: what is wanted may have changed. */
bool manager_takeover_look(struct ibcc_manager *manager, const struct ibcc_snapshot *snapshot);
bool manager_takeover_tick(struct ibcc_manager *manager); /* true: as above */
int64_t manager_takeover_next_ns(const struct ibcc_manager *manager);

/* manager_nvidia.c */
void manager_nvidia_open(struct ibcc_manager *manager);
void manager_nvidia_close(struct ibcc_manager *manager);
/* Returns names of algorithms as the file has them now, to be destroyed; NULL: the profile needs none, or those of before hold. */
struct ibcc_ppcc_names *manager_nvidia_read_names(struct ibcc_manager *manager, const struct ccp_profile *profile);
/* -1 with `error` filled: the profile names an algorithm or a parameter that is in no file. Changes nothing. */
int manager_nvidia_check(struct ibcc_manager *manager, const struct ccp_profile *profile, struct ccp_error *error);
/* For a profile that is about to be wanted; NULL: what devices were found with. -1 with `error` filled: as above. */
int manager_nvidia_prepare(struct ibcc_manager *manager, const struct ccp_profile *profile, struct ccp_error *error);
bool manager_nvidia_waits(const struct ibcc_manager *manager, const struct ibcc_device *device); /* for its firmware */
void manager_nvidia_contested(struct ibcc_manager *manager, struct ibcc_device *device);
void manager_nvidia_doubt(struct ibcc_manager *manager); /* devices that were silent are asked anew */
/* Before a Set: true when the disk has that the device is written to, and what the parameters were that are set; -> false with `error`
 * filled. */
bool manager_nvidia_may_set(struct ibcc_manager *manager, struct ibcc_device *device, uint16_t attribute,
			    struct ccp_error *error);
void manager_nvidia_end_pass(struct ibcc_manager *manager);
void manager_nvidia_request(struct ibcc_manager *manager, bool values); /* all are asked; with `values` also what they hold */
void manager_nvidia_look(struct ibcc_manager *manager);                 /* others may have switched devices on */
/* Notes that foreign devices are this plugin's from now on. Returns their number; 0 with `error` filled. */
uint32_t manager_nvidia_own_foreign(struct ibcc_manager *manager, uint64_t guid, struct ccp_error *error);

/* manager_firmware.c */
struct ibcc_window *manager_firmware_window(struct ibcc_manager *manager); /* NULL: out of memory */
void manager_firmware_look(struct ibcc_manager *manager);                  /* a device may have to be asked */
void manager_firmware_stop(struct ibcc_manager *manager);
void manager_firmware_tick(struct ibcc_manager *manager);
int64_t manager_firmware_next_ns(const struct ibcc_manager *manager);
bool manager_firmware_is_over(const struct ibcc_manager *manager); /* nobody is asked, or to be asked, now */

/* manager_port.c */
bool manager_open_port(struct ibcc_manager *manager, uint64_t port_guid);
void manager_port_tick(struct ibcc_manager *manager);

/* manager_job.c */
void manager_begin_job(struct ibcc_manager *manager, const char *kind); /* unless it runs already */
void manager_stop_pass(struct ibcc_manager *manager, enum ibcc_job_state state, const char *message);

/* manager_role.c */
void manager_change_role(struct ibcc_manager *manager, enum ibcc_role role, const char *why);
void manager_forget_devices(struct ibcc_manager *manager);

/* manager_mute.c */
void manager_mute_say(struct ibcc_manager *manager); /* at the end of a pass: to the log, once */

/* manager_late.c */
void manager_late_begin_pass(struct ibcc_manager *manager);
bool manager_late_leave(struct ibcc_manager *manager);      /* true: there are requests that the pass no longer waits for */
bool manager_late_is_awaited(struct ibcc_manager *manager); /* at the end of the pass */
bool manager_late_awaits_firmware(const struct ibcc_manager *manager);
void manager_late_take_result(struct ibcc_manager *manager, struct ibcc_device *device);
void manager_late_look_for_silent(struct ibcc_manager *manager, int64_t when_ns); /* one of them may be due then */
uint32_t manager_late_count(const struct ibcc_manager *manager); /* devices that had answered before, and are late now */

/* manager_pauses.c */
bool manager_is_settled(const struct ibcc_manager *manager, const struct ibcc_device *device);
void manager_pause_device(struct ibcc_manager *manager, struct ibcc_device *device);
void manager_end_pauses(struct ibcc_manager *manager);
int64_t manager_longer_pause(const struct ibcc_manager *manager, int64_t pause_ns);
/* Gives each device that is left a time at which it is asked again, and the manager the earliest of these at which a pass is needed.
 * Returns their number. `*first_ns`: the earliest of all. */
uint32_t manager_schedule_retries(struct ibcc_manager *manager, int64_t *first_ns);

/* manager_send.c */
bool manager_send(struct ibcc_manager *manager, struct ibcc_device *device, enum ibcc_work work, uint32_t pass);

/* manager_pass_end.c */
void manager_end_pass(struct ibcc_manager *manager);

/* manager_pass.c */
/* `kind` NULL: a job begins with the first Set, if there is one. */
void manager_begin_pass(struct ibcc_manager *manager, const char *kind, bool then_read);
bool manager_pump(struct ibcc_manager *manager); /* true: a pass has ended */

/* manager_silent.c */
void manager_silent_tick(struct ibcc_manager *manager);
int64_t manager_silent_next_ns(const struct ibcc_manager *manager);

/* manager_audit.c */
void manager_audit_schedule(struct ibcc_manager *manager);
void manager_audit_suspect(struct ibcc_manager *manager, struct ibcc_device *device);
/* It answers again, or supports the class again. */
void manager_audit_device_is_back(struct ibcc_manager *manager, struct ibcc_device *device);
void manager_audit_look_for_suspects(
	struct ibcc_manager *manager); /* reads those that an audit could not read, and the next one can */
void manager_audit_tick(struct ibcc_manager *manager);
int64_t manager_audit_next_ns(const struct ibcc_manager *manager);

/* manager_converge.c */
uint64_t manager_converge(struct ibcc_manager *manager, const char *kind); /* the job's id; 0: there is nothing to do */
void manager_retry(struct ibcc_manager *manager);
void manager_give_up(struct ibcc_manager *manager);

/* manager_fabric.c */
void manager_suspect_all(struct ibcc_manager *manager);
void manager_take_snapshot(struct ibcc_manager *manager, struct ibcc_snapshot *snapshot); /* of a sweep that has ended */
void manager_take_cut_sweep(struct ibcc_manager *manager); /* of one that was cut short: LIDs may be other devices' now */
void manager_lose_fabric(struct ibcc_manager *manager, const char *why);

#endif
