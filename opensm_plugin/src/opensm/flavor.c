/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _DEFAULT_SOURCE /* be64toh(), which headers of OpenSM's call */
#include "opensm/flavor.h"

#include <stddef.h>

#ifdef IBCC_NVIDIA_OPENSM

#define CC_IGNORED 0 /* mlnx_congestion_control: neither cleared nor set */

uint8_t ibcc_flavor_sm_state(const struct osm_opensm *osm)
{
	return osm->subn.sm_state_info.sm_state;
}

bool ibcc_flavor_cc_is_on(const struct osm_opensm *osm)
{
	return osm->subn.opt.mlnx_congestion_control != CC_IGNORED;
}

uint64_t ibcc_flavor_port_guid(const struct osm_opensm *osm)
{
	return osm->subn.opt.num_guids ? cl_ntoh64(osm->subn.opt.guid[0]) : 0;
}

const struct osm_routing_engine *ibcc_flavor_engine(const struct osm_opensm *osm)
{
	return osm->subn.routing_engine_used;
}

#else

uint8_t ibcc_flavor_sm_state(const struct osm_opensm *osm)
{
	return osm->subn.sm_state;
}

bool ibcc_flavor_cc_is_on(const struct osm_opensm *osm)
{
	return osm->subn.opt.congestion_control;
}

uint64_t ibcc_flavor_port_guid(const struct osm_opensm *osm)
{
	return cl_ntoh64(osm->subn.opt.guid);
}

const struct osm_routing_engine *ibcc_flavor_engine(const struct osm_opensm *osm)
{
	return osm->routing_engine_used;
}

#endif

/* OpenSM's own function for that is not exported to plugins. */
static const char *const engines[] = {
	[OSM_ROUTING_ENGINE_TYPE_MINHOP] = "minhop",     [OSM_ROUTING_ENGINE_TYPE_UPDN] = "updn",
	[OSM_ROUTING_ENGINE_TYPE_DNUP] = "dnup",         [OSM_ROUTING_ENGINE_TYPE_FILE] = "file",
	[OSM_ROUTING_ENGINE_TYPE_FTREE] = "ftree",       [OSM_ROUTING_ENGINE_TYPE_LASH] = "lash",
	[OSM_ROUTING_ENGINE_TYPE_DOR] = "dor",           [OSM_ROUTING_ENGINE_TYPE_TORUS_2QOS] = "torus-2QoS",
	[OSM_ROUTING_ENGINE_TYPE_SSSP] = "sssp",         [OSM_ROUTING_ENGINE_TYPE_DFSSSP] = "dfsssp",
#ifdef IBCC_NVIDIA_OPENSM
	[OSM_ROUTING_ENGINE_TYPE_PQFT] = "pqft",         [OSM_ROUTING_ENGINE_TYPE_CHAIN] = "chain",
	[OSM_ROUTING_ENGINE_TYPE_AR_DOR] = "ar_dor",     [OSM_ROUTING_ENGINE_TYPE_AR_UPDN] = "ar_updn",
	[OSM_ROUTING_ENGINE_TYPE_AR_FTREE] = "ar_ftree", [OSM_ROUTING_ENGINE_TYPE_AR_TORUS] = "ar_torus",
#else
	[OSM_ROUTING_ENGINE_TYPE_NUE] = "nue",
#endif
};

const char *ibcc_flavor_engine_name(int type)
{
	const bool is_named = type >= 0 && (size_t)type < sizeof(engines) / sizeof(engines[0]) && engines[type];

	if (type == OSM_ROUTING_ENGINE_TYPE_NONE)
		return NULL;
	return is_named ? engines[type] : "unknown";
}
