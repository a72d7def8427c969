// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// exchange_lids.c: a plugin of OpenSM, beside ibcc's, that has hosts exchange their LIDs while OpenSM runs. OpenSM gives each port the
// LID that its table of GUIDs has, and nobody outside can change that table before OpenSM ends. The file that IBCC_EXCHANGE_LIDS names has
// two port GUIDs a line; when a heavy sweep begins, each two exchange what the table has for them, and the file is removed.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <opensm/osm_config.h>
#include <opensm/osm_db_pack.h>
#include <opensm/osm_event_plugin.h>
#include <opensm/osm_opensm.h>
#include <opensm/osm_version.h>

static void* create(osm_opensm_t* osm) { return osm; }

static void delete(void* context) { (void)context; }

static void exchange(osm_db_domain_t* table, uint64_t one, uint64_t other) {
  uint16_t one_low, one_high, other_low, other_high;

  if (osm_db_guid2lid_get(table, one, &one_low, &one_high) || osm_db_guid2lid_get(table, other, &other_low, &other_high)) return;
  osm_db_guid2lid_set(table, one, other_low, other_high);
  osm_db_guid2lid_set(table, other, one_low, one_high);
}

// Runs in the thread that sweeps, before it gives out LIDs.
static void report(void* context, osm_epi_event_id_t event, void* data) {
  osm_opensm_t* osm = context;
  const char* path = getenv("IBCC_EXCHANGE_LIDS");
  uint64_t one, other;

  (void)data;
  if (event != OSM_EVENT_ID_HEAVY_SWEEP_START || path == NULL) return;
  FILE* file = fopen(path, "re");
  if (file == NULL) return;
  while (fscanf(file, "%" SCNx64 " %" SCNx64, &one, &other) == 2) exchange(osm->sm.lid_mgr.p_g2l, one, other);
  fclose(file);
  remove(path);
}

osm_event_plugin_t osm_event_plugin = {OSM_VERSION, create, delete, report};
