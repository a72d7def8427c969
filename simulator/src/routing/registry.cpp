// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "registry.hpp"

#include <map>
#include <stdexcept>

namespace ccsim {
namespace {

struct Routing {
  RoutingFunction route;
  TakesRoots takes_roots;
};

// A local static, since the files of this folder are initialised in no particular order.
std::map<std::string, Routing>& Routings() {
  static std::map<std::string, Routing> routings;
  return routings;
}

std::string Joined(const std::vector<std::string>& names) {
  std::string joined;
  for (const std::string& name : names) joined += (joined.empty() ? "" : ", ") + name;
  return joined;
}

}  // namespace

RoutingRegistration::RoutingRegistration(const char* name, RoutingFunction route, TakesRoots takes_roots) {
  if (!Routings().emplace(name, Routing{route, takes_roots}).second) {
    throw std::logic_error("routing '" + std::string(name) + "' is registered twice");
  }
}

std::vector<std::string> RoutingNames() {
  std::vector<std::string> names;
  for (const auto& [name, routing] : Routings()) names.push_back(name);
  return names;
}

void RouteBy(Fabric& fabric, const std::string& name, const RoutingOptions& options) {
  const auto found = Routings().find(name);
  if (found == Routings().end()) {
    throw std::invalid_argument("routing '" + name + "' is not known; there are " + Joined(RoutingNames()));
  }
  if (!options.roots.empty() && found->second.takes_roots == TakesRoots::No) {
    throw std::invalid_argument("routing '" + name + "' takes no roots; leave them out");
  }
  for (const std::uint32_t root : options.roots) {
    if (root >= fabric.nodes().size() || fabric.switch_ordinal(root) == kNone) {
      throw std::invalid_argument("root " + std::to_string(root) + " is not a switch of this fabric");
    }
  }
  fabric.ClearForwarding();
  try {
    found->second.route(fabric, options);
  } catch (...) {
    fabric.ClearForwarding();
    throw;
  }
}

}  // namespace ccsim
