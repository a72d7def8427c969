/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Events, without the interface of plugins, as in NVIDIA's headers. */
#pragma once

typedef enum { OSM_EVENT_ID_TRAP = 3 } osm_epi_event_id_t;
