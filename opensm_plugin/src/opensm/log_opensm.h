/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * log_opensm.h: the plugin's lines in OpenSM's log, at OpenSM's level: `ibcc: …`, and `ibcc: ERR: …` for what somebody has to mend.
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
