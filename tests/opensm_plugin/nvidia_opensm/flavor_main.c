/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Prints what flavor.c makes of a stand-in for NVIDIA's OpenSM. */
#include <inttypes.h>
#include <stdio.h>

#include "opensm/flavor.h"

int main(void) {
  struct osm_routing_engine engine = {.type = OSM_ROUTING_ENGINE_TYPE_AR_UPDN};
  struct osm_opensm osm = {.subn = {.routing_engine_used = &engine}};

  osm.subn.sm_state_info.sm_state = 3;
  printf("%u %d %" PRIu64 "\n", ibcc_flavor_sm_state(&osm), ibcc_flavor_cc_is_on(&osm), ibcc_flavor_port_guid(&osm));
  osm.subn.opt.mlnx_congestion_control = 2;
  osm.subn.opt.num_guids = 1;
  osm.subn.opt.guid[0] = htobe64(0x1234);
  printf("%d 0x%" PRIx64 "\n", ibcc_flavor_cc_is_on(&osm), ibcc_flavor_port_guid(&osm));
  printf("%s %s %s\n", ibcc_flavor_engine_name(ibcc_flavor_engine(&osm)->type), ibcc_flavor_engine_name(99),
         ibcc_flavor_engine_name(OSM_ROUTING_ENGINE_TYPE_NONE) ? "some" : "none");
  return 0;
}
