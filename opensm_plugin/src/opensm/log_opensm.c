/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "opensm/log_opensm.h"

#include <opensm/osm_config.h>
#include <opensm/osm_log.h>

static void write_line(struct ibcc_log *log, enum ibcc_log_level level, const char *line)
{
	static const osm_log_level_t levels[] = {
		[IBCC_LOG_ERROR] = OSM_LOG_ERROR, [IBCC_LOG_INFO] = OSM_LOG_INFO, [IBCC_LOG_DEBUG] = OSM_LOG_DEBUG};
	osm_log_t *opensm = ((struct ibcc_log_opensm *)log)->opensm;

	osm_log(opensm, levels[level], level == IBCC_LOG_ERROR ? "ibcc: ERR: %s\n" : "ibcc: %s\n", line);
}

void ibcc_log_opensm_init(struct ibcc_log_opensm *log, struct osm_log *opensm)
{
	log->log.write = write_line;
	log->opensm = opensm;
}
