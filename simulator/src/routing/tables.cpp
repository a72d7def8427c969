// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tables: makes no routes; the forwarding tables hold what is written into them afterwards, such as a subnet manager's tables.
#include "registry.hpp"

namespace ccsim {
namespace {

const RoutingRegistration kRegistered("tables", [](Fabric&, const RoutingOptions&) {});

}  // namespace
}  // namespace ccsim
