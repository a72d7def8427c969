// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// sma/port_info.hpp: the capability masks of a port.
#pragma once

#include <cstdint>

#include "emulator/mad.hpp"

namespace ccsim::emulator {

class Subnet;

// PortInfo:CapabilityMask and CapabilityMask2. Of a switch's external ports they are 0.
std::uint32_t CapabilityMask(const Subnet& subnet, Place port);
std::uint16_t CapabilityMask2(const Subnet& subnet, Place port);

}  // namespace ccsim::emulator
