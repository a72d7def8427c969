/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * manager.h: brings devices to the wanted profile, and keeps them there.
 *
 * All of it runs on one thread, which sleeps until there is something in the inbox (inbox.h), a call on the control socket, or a
 * deadline. Work goes in passes: probe devices that are unknown, set what differs (adapters before switches; to clear, switches
 * first), and, for a verification or an audit, read back. A pass looks only at what devices hold and should hold, so whatever
 * changes meanwhile simply begins another pass. Devices that are not responding are no part of it until they answer.
 *
 * This is the interface of all files manager_*.c; manager_state.h has the order in which they use each other.
 */
#ifndef IBCC_MANAGER_H
#define IBCC_MANAGER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/log.h"
#include "base/options.h"
#include "devices/as_found.h"
#include "devices/devices.h"
#include "devices/snapshot.h"
#include "devices/topology.h"
#include "mad/window.h"
#include "manager/inbox.h"
#include "manager/roles.h"
#include "profiles/profiles.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ibcc_manager;

/* The manager's environment: what it needs from the process around it. */
struct ibcc_manager_env {
	void *owner;
	const char *version; /* of the plugin; NULL: not known */
	/* Copies the subnet; NULL: out of memory. */
	struct ibcc_snapshot *(*snapshot)(void *owner);
	/* Returns OpenSM's state among the subnet managers; cheap. */
	enum ibcc_sm_state (*sm_state)(void *owner);
	/* Opens the local port for MADs, whose answers go to the inbox. NULL: cannot be opened now. */
	struct ibcc_mad_port *(*open_port)(void *owner, uint64_t port_guid);
	/* Copies the other subnet managers that OpenSM knows. NULL: the last sweep's are all that is known. */
	void (*other_sms)(void *owner, struct ibcc_other_sms *others);
	/* Publishes an event to subscribers, of rpc/events.h. Steals `params` (a json_t *). */
	void (*on_event)(void *owner, const char *event, void *params);
	int64_t (*now_ns)(void *owner);
	/* True if OpenSM sweeps now, even if the notice of that is still in the inbox; cheap. */
	bool (*is_sweeping)(void *owner);
	/* Returns the number of heavy sweeps that have begun, as struct ibcc_inbox_content has it of the time when it was taken. */
	uint32_t (*num_sweeps_begun)(void *owner);
};

enum ibcc_job_state {
	IBCC_JOB_NONE,
	IBCC_JOB_RUNNING,
	IBCC_JOB_DONE,
	IBCC_JOB_FAILED, /* over the error budget; `message` says whether the last good profile is restored */
	IBCC_JOB_ENDED,  /* a later change or another role has stopped it */
};

/* One effort to bring the fabric to a revision, or to read it back. */
struct ibcc_job {
	uint64_t id;       /* from 1 */
	const char *kind;  /* "apply", "restore", "repair", "verify"; "probe": there is no profile yet */
	uint64_t revision; /* 0: what devices were found with, or none */
	enum ibcc_job_state state;
	uint32_t devices, settled; /* present ones; those of them that hold what they can be brought to */
	uint64_t sets, gets;       /* requests of this job */
	uint32_t failed;           /* devices that have stopped answering */
	int64_t began_ns, first_set_ns, last_set_ns, ended_ns; /* 0: not yet */
	char message[256];
};

/* OpenSM's heavy sweeps, as far as it reports them. */
struct ibcc_sweeps {
	uint64_t ended;   /* with or without errors */
	int64_t since_ns; /* when the present one began; 0: OpenSM does not sweep */
	bool ok;          /* the last one that OpenSM ended as MASTER had no errors */
};

/* Audits: reading everything back at a low rate. */
struct ibcc_audits {
	bool running;
	uint32_t mads_per_s; /* rate of a round of all devices */
	int64_t round_ns;    /* duration of a round */
	int64_t next_ns;     /* when the next round begins; INT64_MAX: one runs, or none will */
};

/* The state folder of `profiles` also keeps what is known of NVIDIA's attributes. NULL: out of memory. */
struct ibcc_manager *ibcc_manager_create(const struct ibcc_options *options, const struct ibcc_manager_env *env,
					 struct ibcc_profiles *profiles, struct ibcc_log *log);
void ibcc_manager_destroy(struct ibcc_manager *manager); /* from now on nothing is sent */

/* Sets the CC_Keys, which are borrowed. NULL, as at first: requests have CC_Key 0, and devices keep their keys. */
void ibcc_manager_set_keys(struct ibcc_manager *manager, struct ibcc_keys *keys);

/* For the loop: handles the inbox's content, and time; and returns when to call again. */
void ibcc_manager_handle_inbox(struct ibcc_manager *manager, const struct ibcc_inbox_content *content);
void ibcc_manager_tick(struct ibcc_manager *manager);
int64_t ibcc_manager_next_ns(const struct ibcc_manager *manager); /* INT64_MAX: not by time alone */

/*
 * Call it when the wanted profile may have changed (file, call, time): resolves it and begins a pass. Returns the job's id; 0:
 * none began.
 */
uint64_t ibcc_manager_converge(struct ibcc_manager *manager, const char *kind);
uint64_t
ibcc_manager_verify(struct ibcc_manager *manager); /* reads all items of all devices; returns the job's id; 0: not possible now */

/*
 * Asks each device anew whether it has NVIDIA's attributes, whatever the profile says and whatever is known of its model, and with
 * `values` reads what it holds of them, unless it was set since it was read; returns the job's id; 0: not possible now.
 */
uint64_t ibcc_manager_probe_nvidia(struct ibcc_manager *manager, bool values);

/*
 * Clears NVIDIA's attributes of devices that are foreign: of the node with this GUID, or of all of them (0). Returns the job's id, and
 * in *count their number. 0 with `error` filled: there are none, nothing may be written, or that cannot be noted on the disk.
 */
uint64_t ibcc_manager_clear_foreign(struct ibcc_manager *manager, uint64_t guid, uint32_t *count, struct ccp_error *error);

/* The base file. `path` NULL: there is none. */
struct ibcc_handover {
	const char *path;
	uint64_t number, epoch; /* the greatest number that this node has written or taken over; takeovers, from 1 */
	int64_t written_s;      /* wall clock: when this process last wrote it; 0: not yet */
	const char *problem;    /* why it is not as it should be; NULL: it is */
};
struct ibcc_handover ibcc_manager_handover(const struct ibcc_manager *manager);

/* Ends the job that runs, if one does, as nothing is sent any more: OpenSM ends. */
void ibcc_manager_end_job(struct ibcc_manager *manager, const char *why);

/* Checks what a profile asks of this machine. -1 with `error` filled: it names an algorithm or a parameter that is in no file. */
int ibcc_manager_check(struct ibcc_manager *manager, const struct ccp_profile *profile, struct ccp_error *error);

/*
 * Counts what a profile would change on devices that hold what they are known to hold, or what they were found with, or on devices
 * that hold what the base says (without a base what they were found with), whatever is in force. Tells `tell` of each device that would be sent something, if
 * it is given. ibcc_manager_plan returns -1 with `error` filled if a profile contradicts itself on this fabric, there is no base, or
 * `tell` does not return 0: it is out of memory.
 */
enum ibcc_plan_from {
	IBCC_PLAN_FROM_HELD,
	IBCC_PLAN_FROM_BASE,
	IBCC_PLAN_FROM_AS_FOUND,
};
#define IBCC_PLAN_ATTRIBUTES 16u /* a device has fewer */
#define IBCC_PLAN_STEPS 8u       /* that are told of a device */
struct ibcc_plan_step {
	uint16_t attribute, scope;
	uint32_t block;
	const struct ibcc_payload *held, *wanted; /* `held` NULL: not known */
};
struct ibcc_plan_device {
	const struct ibcc_device *device;
	uint16_t attributes[IBCC_PLAN_ATTRIBUTES]; /* in the order in which they are set */
	uint32_t num_attributes;
	uint32_t sets;
	uint32_t num_steps;
	struct ibcc_plan_step steps[IBCC_PLAN_STEPS]; /* the first of the Sets; they last while `tell` runs */
	bool unknown;                                 /* it is not known what the device holds */
};
typedef int ibcc_plan_tell(void *owner, const struct ibcc_plan_device *planned);
struct ibcc_plan {
	uint32_t devices; /* that would be sent something */
	uint32_t switches, cas;
	uint64_t sets;             /* MADs, retries apart */
	uint32_t unknown;          /* devices of which it is not known what they hold: they are counted above */
	struct ccp_tables *tables; /* with warnings; the caller's */
};
int ibcc_manager_plan(struct ibcc_manager *manager, enum ibcc_plan_from from, const struct ccp_profile *profile,
		      struct ibcc_plan *plan, ibcc_plan_tell *tell, void *owner, struct ccp_error *error);

/*
 * Tells of models and devices whose answers about NVIDIA's attributes are not trusted, and of devices of one model that differ: a
 * sentence each. -1: `tell` did not return 0, as it is out of memory.
 */
typedef int ibcc_sentence_tell(void *owner, const char *sentence);
int ibcc_manager_tell_models(const struct ibcc_manager *manager, ibcc_sentence_tell *tell, void *owner);

int64_t ibcc_manager_now_ns(const struct ibcc_manager *manager); /* by the clock of all times here */

/* True if there is nothing to do or to wait for now, or nothing may be sent. */
bool ibcc_manager_is_idle(const struct ibcc_manager *manager);

/*
 * The manager's status. A device's state is IBCC_STATE_UNKNOWN while it cannot be known: another subnet manager is MASTER or may
 * be, OpenSM's own congestion control manager writes, or the device is not in the fabric. ibcc_device_state and
 * ibcc_device_seen_ns have what was last known.
 */
enum ibcc_device_state ibcc_manager_device_state(const struct ibcc_manager *manager, const struct ibcc_device *device);
void ibcc_manager_count_states(const struct ibcc_manager *manager, uint32_t counts[IBCC_NUM_STATES]); /* of those present */

/*
 * Counts devices that may hold values of a trial run up to this revision: they were sent some, and have not been brought to the
 * base since.
 */
uint32_t ibcc_manager_count_experiment_holders(const struct ibcc_manager *manager, uint64_t revision);

/* True if one of them is not responding, so that it may yet be brought to the base, or a pass runs. */
bool ibcc_manager_awaits_experiment_holders(const struct ibcc_manager *manager);

/*
 * Returns the revision on the fabric: the one that all devices were last brought to, but for those whose state says why not; 0:
 * none, or unknown.
 */
uint64_t ibcc_manager_on_fabric(const struct ibcc_manager *manager);
/*
 * What devices were found with, which is in force where the revision is IBCC_REVISION_AS_FOUND; NULL: it is not kept, and `reason` says
 * why. Else `reason` says why the disk does not have it, so that devices are not set; "": it has.
 */
const struct ibcc_as_found *ibcc_manager_as_found(const struct ibcc_manager *manager, const char **reason);
/* Returns why that is not the wanted revision, as a clause; NULL: it is, or none is wanted. */
const char *ibcc_manager_pending(const struct ibcc_manager *manager);

enum ibcc_role ibcc_manager_role(const struct ibcc_manager *manager);
const char *ibcc_manager_role_text(const struct ibcc_manager *manager); /* as in `status` */
const struct ibcc_devices *ibcc_manager_devices(const struct ibcc_manager *manager);
struct ibcc_profiles *ibcc_manager_profiles(const struct ibcc_manager *manager);
const struct ibcc_options *ibcc_manager_options(const struct ibcc_manager *manager);
bool ibcc_manager_writes_nvidia(const struct ibcc_manager *manager);
const struct ccp_tables *ibcc_manager_tables(const struct ibcc_manager *manager); /* NULL: none */
/* Between two calls: NULL, or what does not hold of the manager that always must. For tests and debug builds. */
const char *ibcc_manager_fault(const struct ibcc_manager *manager);

/* Fills a sentence where all devices answer OpenSM and none answers class 0x21. False: that is not so. */
#define IBCC_MUTE_BYTES 256u
bool ibcc_manager_describe_mute(const struct ibcc_manager *manager, char text[IBCC_MUTE_BYTES]);
const struct ibcc_snapshot *ibcc_manager_snapshot(const struct ibcc_manager *manager); /* NULL: none yet */
const struct ibcc_topology *ibcc_manager_topology(const struct ibcc_manager *manager); /* of epoch 0 before the first sweep */
/* When the last sweep ended whose subnet the topology is, by the wall clock; `ok`: without errors. */
int64_t ibcc_manager_topology_swept_s(const struct ibcc_manager *manager, bool *ok);
const struct ibcc_other_sms *ibcc_manager_other_sms(const struct ibcc_manager *manager);
const struct ibcc_job *ibcc_manager_job(const struct ibcc_manager *manager);
const char *ibcc_manager_key_text(const struct ibcc_manager *manager, const struct ibcc_device *device); /* as of keys.h */
struct ibcc_window_counts ibcc_manager_mads(const struct ibcc_manager *manager);
struct ibcc_audits ibcc_manager_audits(const struct ibcc_manager *manager);
struct ibcc_sweeps ibcc_manager_sweeps(const struct ibcc_manager *manager);
/* True if OpenSM sweeps now, even if the manager has not heard of it yet. */
bool ibcc_manager_is_sweeping(const struct ibcc_manager *manager);
/* Returns the number of heavy sweeps that have begun. */
uint32_t ibcc_manager_num_sweeps_begun(const struct ibcc_manager *manager);

#ifdef __cplusplus
}
#endif
#endif
