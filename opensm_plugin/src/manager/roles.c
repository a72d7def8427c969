/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "manager/roles.h"

#include <stddef.h>

const struct ibcc_role_rules ibcc_roles[IBCC_NUM_ROLES] = {
	[IBCC_ROLE_STARTING] = {.text = "starting",
				.pending = "no heavy sweep of this OpenSM has ended yet",
				.entered = "starting: waiting for the first sweep"},
	[IBCC_ROLE_MASTER] = {.text = "master",
			      .is_master = true,
			      .sends = true,
			      .restores = true,
			      .counts_errors = true,
			      .knows_states = true,
			      .entered = "master: the profile in force, if there is one, goes to the devices"},
	[IBCC_ROLE_SWEEP_FAILED] = {.text = "sweep-failed",
				    .is_master = true,
				    .sends = true,
				    .restores = true,
				    .knows_states = true,
				    .pending = "the last sweep ended with errors, and --when-sweep-failed is wait",
				    .entered = "the sweep ended with errors"},
	[IBCC_ROLE_HALTED] = {.text = "halted",
			      .is_master = true,
			      .sends = true,
			      .restores = true,
			      .counts_errors = true,
			      .knows_states = true,
			      .pending = "too many devices have stopped answering",
			      .entered = "halted: too many devices have stopped answering"},
	[IBCC_ROLE_CONFLICT] =
		{.text = "conflict",
		 .is_master = true,
		 .others_write = true,
		 .pending = "OpenSM's own congestion control is on: congestion_control or mlnx_congestion_control",
		 .entered =
			 "OpenSM's own congestion control is on (congestion_control or mlnx_congestion_control), so both would "
			 "write the same tables: nothing is sent until it is FALSE or 0"},
	[IBCC_ROLE_DISCOVERING] = {.text = "discovering",
				   .pending = "OpenSM is looking for other subnet managers",
				   .entered = "discovering: OpenSM is looking for other subnet managers, and nothing is sent"},
	[IBCC_ROLE_STANDBY] = {.text = "standby",
			       .others_write = true,
			       .pending = "another subnet manager is MASTER",
			       .entered = "standby: another subnet manager is MASTER, and nothing is sent"},
};
