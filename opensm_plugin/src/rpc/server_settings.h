/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* server_settings.h: the settings of the control socket, which methods see too. */
#ifndef IBCC_RPC_SERVER_SETTINGS_H
#define IBCC_RPC_SERVER_SETTINGS_H

struct ibcc_subnet;
struct ibcc_throttle_reports;

/* Borrowed: lasts as long as the server. */
struct ibcc_server_settings {
	const char *path;                               /* of the socket; its folder is made if it is missing */
	const char *group;                              /* a system group that must exist; NULL: none */
	const char *version;                            /* of this plugin, as hello and status return it */
	const char *opensm_version;                     /* "OpenSM 3.3.23" */
	struct ibcc_throttle_reports *throttle_reports; /* NULL: could not be opened */
	const struct ibcc_subnet *subnet;               /* OpenSM's subnet database */
};

#endif
