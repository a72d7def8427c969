/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#pragma once

#include <endian.h>
#include <stdint.h>

#define cl_ntoh64(number) be64toh(number)

/* Numbers differ from linux-rdma's behind FTREE. */
enum {
  OSM_ROUTING_ENGINE_TYPE_NONE,
  OSM_ROUTING_ENGINE_TYPE_MINHOP,
  OSM_ROUTING_ENGINE_TYPE_UPDN,
  OSM_ROUTING_ENGINE_TYPE_DNUP,
  OSM_ROUTING_ENGINE_TYPE_FILE,
  OSM_ROUTING_ENGINE_TYPE_FTREE,
  OSM_ROUTING_ENGINE_TYPE_PQFT,
  OSM_ROUTING_ENGINE_TYPE_LASH,
  OSM_ROUTING_ENGINE_TYPE_DOR,
  OSM_ROUTING_ENGINE_TYPE_TORUS_2QOS,
  OSM_ROUTING_ENGINE_TYPE_SSSP,
  OSM_ROUTING_ENGINE_TYPE_DFSSSP,
  OSM_ROUTING_ENGINE_TYPE_CHAIN,
  OSM_ROUTING_ENGINE_TYPE_AR_DOR = 15,
  OSM_ROUTING_ENGINE_TYPE_AR_UPDN,
  OSM_ROUTING_ENGINE_TYPE_AR_FTREE,
  OSM_ROUTING_ENGINE_TYPE_AR_TORUS,
};

struct osm_routing_engine {
  int type;
};

struct osm_opensm {
  struct {
    struct {
      uint8_t sm_state;
    } sm_state_info;
    struct {
      uint64_t guid[8];
      uint8_t num_guids;
      uint8_t mlnx_congestion_control;
    } opt;
    struct osm_routing_engine* routing_engine_used;
  } subn;
};
