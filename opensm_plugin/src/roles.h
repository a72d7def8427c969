/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * roles.h: what this OpenSM is to the fabric, and what follows from that for the plugin. docs/plugin.md, "States", has the same table in words.
 */
#ifndef IBCC_ROLES_H
#define IBCC_ROLES_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum ibcc_role_now {
	IBCC_ROLE_STARTING,     /* no heavy sweep of this OpenSM has ended yet */
	IBCC_ROLE_MASTER,       /* MASTER, and its last heavy sweep ended well */
	IBCC_ROLE_SWEEP_FAILED, /* MASTER, and its last heavy sweep ended with errors */
	IBCC_ROLE_HALTED,       /* MASTER; too many devices have stopped to answer, and it tries again after growing pauses */
	IBCC_ROLE_CONFLICT,     /* MASTER, but OpenSM's own congestion control manager is on: two would write the same tables */
	IBCC_ROLE_DISCOVERING,  /* OpenSM looks for other subnet managers; it was MASTER before, or was not */
	IBCC_ROLE_STANDBY,      /* another subnet manager is MASTER */
	IBCC_NUM_ROLES,
};

struct ibcc_role {
	const char *text;    /* as in `status` */
	bool is_master;      /* OpenSM is MASTER */
	bool sends;          /* devices are brought to what is wanted; in SWEEP_FAILED the option --when-sweep-failed decides */
	bool restores;       /* rollbacks and ends of experiments go out, whatever that option says */
	bool charges;        /* requests that fail count against the error budget */
	bool knows;          /* what was last seen of a device is believed to be so still */
	bool others_write;   /* somebody else may write the tables meanwhile */
	const char *pending; /* why what is wanted is not brought to the devices now; NULL: it is */
	const char *entered; /* what the log says when it begins */
};
extern const struct ibcc_role ibcc_roles[IBCC_NUM_ROLES];

#ifdef __cplusplus
}
#endif
#endif
