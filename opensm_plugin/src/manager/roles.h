/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * roles.h: the roles of this OpenSM, and what the plugin does in each. docs/operate/plugin.md, "States", describes them for
 * administrators.
 */
#ifndef IBCC_ROLES_H
#define IBCC_ROLES_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum ibcc_role {
	IBCC_ROLE_STARTING,     /* no heavy sweep of this OpenSM has ended yet */
	IBCC_ROLE_MASTER,       /* MASTER, and its last heavy sweep ended well */
	IBCC_ROLE_SWEEP_FAILED, /* MASTER, and its last heavy sweep ended with errors */
	IBCC_ROLE_HALTED,       /* MASTER; too many devices have stopped answering, and it retries after growing pauses */
	IBCC_ROLE_CONFLICT,     /* MASTER, but OpenSM's own congestion control manager is on and would write the same tables */
	IBCC_ROLE_DISCOVERING,  /* OpenSM is looking for other subnet managers, whether or not it was MASTER before */
	IBCC_ROLE_STANDBY,      /* another subnet manager is MASTER */
	IBCC_NUM_ROLES,
};

struct ibcc_role_rules {
	const char *text; /* the role in `status` */
	bool is_master;   /* OpenSM is MASTER */
	bool sends;       /* devices are brought to the wanted profile; in SWEEP_FAILED the option --when-sweep-failed decides */
	bool restores;    /* rollbacks and ends of trial runs are sent, whatever that option says */
	bool counts_errors;  /* failed requests count against the error budget */
	bool knows_states;   /* a device is believed to be as it was last seen */
	bool others_write;   /* others may write the tables meanwhile */
	const char *pending; /* why the wanted profile is not brought to the devices; NULL: it is */
	const char *entered; /* the line in the log when the role begins */
};
extern const struct ibcc_role_rules ibcc_roles[IBCC_NUM_ROLES];

#ifdef __cplusplus
}
#endif
#endif
