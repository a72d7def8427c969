// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// sma_pack.hpp: attributes as they stand in a MAD, for those who want them without sending one: a node's own programs read them from
// their kernel, which asks for no key.
#pragma once

#include <cstdint>

#include "emulator/mad.hpp"

namespace ccsim::emulator {

class Subnet;

inline constexpr std::size_t kSmpDataBytes = 64;

// All write kSmpDataBytes. `at` is the port by which the question came in.
void PackNodeInfo(const Subnet& subnet, Place at, std::uint8_t* data);
void PackNodeDescription(const Subnet& subnet, std::uint32_t node, std::uint8_t* data);
// Of `port` of the node: of a switch 0 for its management port. The M_Key is there.
void PackPortInfo(const Subnet& subnet, Place at, std::uint8_t port, std::uint8_t* data);

// PortInfo:CapabilityMask and CapabilityMask2; of a switch's external ports they are 0.
std::uint32_t CapabilityMask(const Subnet& subnet, Place port);
std::uint16_t CapabilityMask2(const Subnet& subnet, Place port);

}  // namespace ccsim::emulator
