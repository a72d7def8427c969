// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry.hpp: routings by name. A routing is one file of this folder, which adds itself in its last line; no list elsewhere
// names it. Written at start-up only, before main() or while the Python module is loaded.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../fabric.hpp"

namespace ccsim {

struct RoutingOptions {
  // Node indices of the switches at the top, for routings that know of a top; empty: found by the routing itself.
  std::vector<std::uint32_t> roots;
};

// Fills the forwarding tables of a fabric that has none, and where it needs them path SLs, SL-to-VL tables and the least number of
// VLs. Destinations that cannot be reached keep kNoRoute. Throws std::invalid_argument, with the reason, on a fabric that it
// cannot route.
using RoutingFunction = void (*)(Fabric& fabric, const RoutingOptions& options);

enum class TakesRoots : std::uint8_t { No, Yes };

// A static object of this type, in the last line of a routing's file, adds it.
struct RoutingRegistration {
  RoutingRegistration(const char* name, RoutingFunction route, TakesRoots takes_roots = TakesRoots::No);
};

// In alphabetical order.
std::vector<std::string> RoutingNames();

// Clears what an earlier routing left and routes anew. Throws std::invalid_argument on an unknown name, on roots that are no switches
// or that the routing has no use for, and for the routing's own reasons; the fabric is then without routes.
void RouteBy(Fabric& fabric, const std::string& name, const RoutingOptions& options = {});

}  // namespace ccsim
