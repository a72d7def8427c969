// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// sma/vl_arbitration.hpp: the VL arbitration that was set, in the form that the data plane uses.
#pragma once

#include <optional>

#include "emulator/agents/sma/state.hpp"
#include "vl_arbitration_tables.hpp"

namespace ccsim::emulator {

// Empty if none was set; VLs then take turns. Entries without weight are left out.
std::optional<VlArbitrationTables> VlArbitrationOf(const SmaPort& port);

}  // namespace ccsim::emulator
