/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * manager.h: brings devices to what the profile wants, and keeps them there.
 *
 * All of it runs on one thread, which sleeps until there is mail (notices.h), a call on the control socket, or a deadline. Work goes in
 * passes: probe what is not known yet, set what differs (adapters before switches; to clear, switches first), and, when asked or when an
 * audit is due, read back. A pass looks only at what devices hold and should hold, so anything that changes meanwhile simply
 * begins another one.
 */
#ifndef IBCC_MANAGER_H
#define IBCC_MANAGER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/log.h"
#include "base/options.h"
#include "devices/devices.h"
#include "devices/snapshot.h"
#include "mad/window.h"
#include "manager/inbox.h"
#include "manager/roles.h"
#include "profiles/profiles.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ibcc_manager;

/* What the manager needs of the process around it. */
struct ibcc_manager_env {
	void *owner;
	/* The subnet as it is now; NULL: out of memory. */
	struct ibcc_snapshot *(*snapshot)(void *owner);
	/* What OpenSM is among the subnet managers now; cheap. */
	enum ibcc_sm_state (*sm_state)(void *owner);
	/* Opens the way for MADs; answers go to the notices. NULL: not possible now. */
	struct ibcc_mad_port *(*open_port)(void *owner, uint64_t port_guid);
	/* Told what happened, for those who subscribed: "applied", "drifted", "restored", "progress". Steals `params` (a json_t *). */
	void (*on_event)(void *owner, const char *event, void *params);
	int64_t (*now_ns)(void *owner);
	/* Whether OpenSM sweeps by now, though the mail that says so may not have been taken yet; cheap. */
	bool (*is_sweeping)(void *owner);
};

enum ibcc_job_state {
	IBCC_JOB_NONE,
	IBCC_JOB_RUNNING,
	IBCC_JOB_DONE,
	IBCC_JOB_FAILED, /* over the error budget; the last good state was restored, or could not be: `message` says */
	IBCC_JOB_ENDED,  /* something else came before it was done */
};

/* One effort to bring the fabric to a revision, or to read it back. */
struct ibcc_job {
	uint64_t id;      /* from 1 */
	const char *kind; /* "apply", "restore", "repair", "verify"; "probe": there is no profile yet */
	uint64_t revision;
	enum ibcc_job_state state;
	uint32_t devices, settled;                             /* present ones; how many of them are done with, well or not */
	uint64_t sets, gets;                                   /* requests of this job */
	uint32_t failed;                                       /* devices that did not answer */
	int64_t began_ns, first_set_ns, last_set_ns, ended_ns; /* 0: not yet */
	char message[256];
};

/* OpenSM's heavy sweeps, as far as it tells of them. */
struct ibcc_sweeps {
	uint64_t ended;   /* well or not */
	int64_t since_ns; /* when the one that is under way began; 0: none is */
};

/* Reading back. */
struct ibcc_audits {
	bool running;
	uint32_t mads_per_s; /* of a round of all devices */
	int64_t round_ns;    /* how long that takes */
	int64_t next_ns;     /* when it begins; INT64_MAX: it runs, or there is none */
};

struct ibcc_manager *ibcc_manager_create(const struct ibcc_options *options, const struct ibcc_manager_env *env,
					 struct ibcc_profiles *profiles, struct ibcc_log *log);
void ibcc_manager_destroy(struct ibcc_manager *manager); /* sends nothing any more */

/* The CC_Keys, borrowed; NULL, as at first: devices are asked with CC_Key 0, and their keys are left alone. */
void ibcc_manager_set_keys(struct ibcc_manager *manager, struct ibcc_keys *keys);

/* The loop's part: mail, time, and when to come again. */
void ibcc_manager_handle_inbox(struct ibcc_manager *manager, const struct ibcc_inbox_content *content);
void ibcc_manager_tick(struct ibcc_manager *manager);
int64_t ibcc_manager_next_ns(const struct ibcc_manager *manager); /* INT64_MAX: not by time alone */

/* What is wanted may have changed (file, call, time): resolves again and begins a pass. `kind`: of the job. Its id; 0: nothing to do. */
uint64_t ibcc_manager_converge(struct ibcc_manager *manager, const char *kind);
uint64_t ibcc_manager_verify(struct ibcc_manager *manager); /* reads all items of all devices; the job's id; 0: cannot now */

/* What a profile would change: in devices and MADs. -1 with `error` filled: it contradicts itself on this fabric. */
struct ibcc_plan {
	uint32_t devices; /* that would be sent something */
	uint32_t switches, cas;
	uint64_t sets;             /* MADs, retries apart */
	uint32_t unknown;          /* devices of which it is not known what they hold: they are counted above */
	struct ccp_tables *tables; /* with warnings; the caller's */
};
int ibcc_manager_plan(struct ibcc_manager *manager, const struct ccp_profile *profile, struct ibcc_plan *plan,
		      struct ccp_error *error);

int64_t ibcc_manager_now_ns(const struct ibcc_manager *manager); /* of the clock that all its times are of */

/* True when nothing is left to do or to wait for, or nothing can be done. For unloading. */
bool ibcc_manager_is_idle(const struct ibcc_manager *manager);

/*
 * What there is to see. A device's state is IBCC_STATE_UNKNOWN whenever it cannot be known: another subnet manager is MASTER or may be,
 * OpenSM's own manager writes, or the device is not in the fabric. What was last known of it is in ibcc_device_state and ibcc_device_seen_ns.
 */
enum ibcc_device_state ibcc_manager_device_state(const struct ibcc_manager *manager, const struct ibcc_device *device);
void ibcc_manager_count_states(const struct ibcc_manager *manager, uint32_t counts[IBCC_NUM_STATES]); /* of those present */

/* Devices that were set from the experiment of this revision, or from one before it, and do not hold what the base wants since. */
uint32_t ibcc_manager_count_experiment_holders(const struct ibcc_manager *manager, uint64_t revision);

/* The revision that the devices were last brought to, each or for the reason that it has; 0: not known, or none. */
uint64_t ibcc_manager_on_fabric(const struct ibcc_manager *manager);
/* Why that is not the wanted revision: a clause. NULL: it is, or none is wanted. */
const char *ibcc_manager_pending(const struct ibcc_manager *manager);

enum ibcc_role ibcc_manager_role(const struct ibcc_manager *manager);
const char *ibcc_manager_role_text(const struct ibcc_manager *manager); /* one word, as in `status` */
const struct ibcc_devices *ibcc_manager_devices(const struct ibcc_manager *manager);
struct ibcc_profiles *ibcc_manager_profiles(const struct ibcc_manager *manager);
const struct ibcc_options *ibcc_manager_options(const struct ibcc_manager *manager);
const struct ccp_tables *ibcc_manager_tables(const struct ibcc_manager *manager);      /* NULL: none */
const struct ibcc_snapshot *ibcc_manager_snapshot(const struct ibcc_manager *manager); /* NULL: none yet */
const struct ibcc_job *ibcc_manager_job(const struct ibcc_manager *manager);
const char *ibcc_manager_key_text(const struct ibcc_manager *manager, const struct ibcc_device *device); /* as of keys.h */
struct ibcc_window_counts ibcc_manager_mads(const struct ibcc_manager *manager);
struct ibcc_audits ibcc_manager_audits(const struct ibcc_manager *manager);
struct ibcc_sweeps ibcc_manager_sweeps(const struct ibcc_manager *manager);

#ifdef __cplusplus
}
#endif
#endif
