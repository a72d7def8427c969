// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tables: no routes of its own; the forwarding tables hold only what is written into them afterwards, such as a subnet manager's.
#include "registry.hpp"

namespace ccsim {
namespace {

const RoutingRegistration kTables("tables", [](Fabric&, const RoutingOptions&) {});

}  // namespace
}  // namespace ccsim
