// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// sma/port_info_set.hpp: Set(PortInfo): checks its fields and applies them.
#pragma once

#include <cstdint>

#include "emulator/mad.hpp"

namespace ccsim::emulator {

class Subnet;

// Takes PortInfo for a port. Either all of it is taken or, with kInvalidField, nothing. A manager that does not know extended speeds
// leaves them as they are.
MadStatus SetPortInfo(Subnet& subnet, Place port, const std::uint8_t* data, bool knows_extended_speeds);

}  // namespace ccsim::emulator
