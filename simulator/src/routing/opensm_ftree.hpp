// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// opensm_ftree.hpp: the routes of OpenSM's engine ftree on trees in which links or switches are missing.
#pragma once

#include "switch_graph.hpp"
#include "tree_levels.hpp"

namespace ccsim {

// Fills the forwarding tables of `fabric`, which `graph` was made of, as OpenSM 3.3.23 (osm_ucast_ftree.c) does when it is told the tops of
// `levels` as roots, hosts on leaves as compute nodes, and hosts elsewhere as I/O nodes. Routers keep no routes. Hosts may be out of
// reach of others then, as they are with OpenSM. Throws std::invalid_argument with the reason where OpenSM refuses.
void RouteAsOpensmFtree(Fabric& fabric, const SwitchGraph& graph, const TreeLevels& levels);

}  // namespace ccsim
