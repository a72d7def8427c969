// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// minhop.hpp: shortest-path routing, balanced over equal paths, in the manner of OpenSM's minhop engine.
#pragma once

#include "../fabric.hpp"

namespace ccsim {

// Fills the forwarding tables: for each switch and destination a port on a shortest path; among equals the port that carries the
// fewest destinations so far, then the lowest. Destinations that cannot be reached keep kNoRoute.
void RouteMinhop(Fabric& fabric);

}  // namespace ccsim
