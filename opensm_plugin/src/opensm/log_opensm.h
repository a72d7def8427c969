/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * log_opensm.h: writes the plugin's lines to OpenSM's log, at OpenSM's level: `ibcc: …`, and errors as `ibcc: ERR: …`.
 */
#ifndef IBCC_LOG_OPENSM_H
#define IBCC_LOG_OPENSM_H

#include "base/log.h"

struct osm_log;

struct ibcc_log_opensm {
	struct ibcc_log log;
	struct osm_log *opensm; /* borrowed; from any thread */
};

void ibcc_log_opensm_init(struct ibcc_log_opensm *log, struct osm_log *opensm);

#endif
