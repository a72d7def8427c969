// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// check_nvidia.hpp: whether a run can act on what a profile's section `nvidia` gives the devices of a fabric.
#pragma once

#include "ccpolicy/tables.h"
#include "fabric.hpp"

namespace ccsim {

// Throws std::invalid_argument with a sentence on an adapter that would react by an algorithm of its firmware (PPCC), which nobody else
// knows.
void CheckNoPpcc(const Fabric& fabric, const ccp_tables& tables);

// The same for tables from a profile; throws likewise if they enable NVIDIA's congestion control where no device of the fabric has it.
void CheckNvidia(const Fabric& fabric, const ccp_tables& tables);

}  // namespace ccsim
