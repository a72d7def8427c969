/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* port_opensm.h: a port of OpenSM's subnet database, copied. The caller holds OpenSM's lock. */
#ifndef IBCC_PORT_OPENSM_H
#define IBCC_PORT_OPENSM_H

#include <opensm/osm_config.h> /* before the others, whose structures depend on it */
#include <opensm/osm_opensm.h>

#include "devices/subnet_port.h"

enum ibcc_subnet_kind ibcc_kind_opensm(const osm_node_t *node);

/* `physp` is a valid port of the node, not port 0 of a switch. */
void ibcc_port_opensm(struct ibcc_subnet_port *port, const osm_node_t *node, const osm_physp_t *physp);

#endif
