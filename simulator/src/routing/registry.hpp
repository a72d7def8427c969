// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry.hpp: routings by name. A routing is a file in this folder and registers itself in its last line; no list elsewhere names it.
// The registry is written before main() or while the Python module is loaded, and afterwards only read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../fabric.hpp"

namespace ccsim {

struct RoutingOptions {
  // Node indices of the switches at the top, for routings that have a top; empty: the routing finds them.
  std::vector<std::uint32_t> roots;
  // 0: destinations come in the order in which OpenSM has them; others: in random orders, so that how much routes depend on it is seen.
  std::uint64_t order_seed = 0;
};

// Fills the forwarding tables of a fabric that has none and, if the routing needs them, path SLs, SL-to-VL tables and the least number
// of VLs. Destinations that cannot be reached keep kNoRoute. Throws std::invalid_argument with the reason if it cannot route the fabric.
using RoutingFunction = void (*)(Fabric& fabric, const RoutingOptions& options);

enum class TakesRoots : std::uint8_t { No, Yes };

// A static object of this type in the last line of a routing's file registers the routing.
struct RoutingRegistration {
  RoutingRegistration(const char* name, RoutingFunction route, TakesRoots takes_roots = TakesRoots::No);
};

// In alphabetical order.
std::vector<std::string> RoutingNames();

// Clears the routes of the fabric and routes it. Throws std::invalid_argument if the name is unknown, if a root is not a switch or the
// routing takes no roots, and with the routing's own reasons; the fabric then has no routes.
void RouteBy(Fabric& fabric, const std::string& name, const RoutingOptions& options = {});

}  // namespace ccsim
