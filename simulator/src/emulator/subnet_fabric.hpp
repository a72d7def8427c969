// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// subnet_fabric.hpp: the fabric as its devices' tables make it.
#pragma once

#include "emulator/subnet.hpp"
#include "fabric.hpp"

namespace ccsim::emulator {

// A copy of the subnet's fabric that forwards as the switches' LinearForwardingTables say: from a switch to an endport by the entry
// of its base LID.
Fabric FabricOf(const Subnet& subnet);

}  // namespace ccsim::emulator
