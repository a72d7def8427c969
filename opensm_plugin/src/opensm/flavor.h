/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * flavor.h: in what NVIDIA's OpenSM 5.x differs from linux-rdma's 3.3.x, as far as its headers show; only this file and flavor.c know.
 *
 * docs/inside/plugin-internals.md has the command that compiles the plugin against NVIDIA's headers. How that OpenSM finds and
 * calls a plugin is not in them: its loader may want other symbols than osm_event_plugin.
 */
#ifndef IBCC_FLAVOR_H
#define IBCC_FLAVOR_H

#include <stdbool.h>
#include <stdint.h>

#include <opensm/osm_config.h> /* before the others: what is in their structures depends on it */
#include <opensm/osm_event_plugin.h>
#include <opensm/osm_opensm.h>

/* A header of NVIDIA's alone. */
#if defined(__has_include)
#if __has_include(<opensm/osm_key_mgr.h>)
#define IBCC_NVIDIA_OPENSM 1
#endif
#endif

#ifdef IBCC_NVIDIA_OPENSM
/* NVIDIA's headers do not have it any more: this is the interface of event plugins up to 5.x, as linux-rdma's osm_event_plugin.h has it. */
typedef struct osm_event_plugin {
	const char *osm_version;
	void *(*create)(struct osm_opensm *osm);
	void (*delete)(void *plugin_data);
	void (*report)(void *plugin_data, osm_epi_event_id_t event_id, void *event_data);
} osm_event_plugin_t;
#endif

uint8_t ibcc_flavor_sm_state(const struct osm_opensm *osm); /* IB_SMINFO_STATE_... */

/* True if OpenSM's own manager writes the tables: congestion_control TRUE, or mlnx_congestion_control 1 (off) or 2 (on). */
bool ibcc_flavor_cc_is_on(const struct osm_opensm *osm);

/* GUID of the port that OpenSM is bound to, in host order; 0: it was not told. Of several, the first. */
uint64_t ibcc_flavor_port_guid(const struct osm_opensm *osm);

const struct osm_routing_engine *ibcc_flavor_engine(const struct osm_opensm *osm); /* of the last sweep; NULL: none */

/* The engine's name as opensm.conf has it; NULL: no engine; "unknown": a newer one. */
const char *ibcc_flavor_engine_name(int type);

#endif
