// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// sma/link.hpp: the widths and speeds that a port supports, has enabled, and trains to, and their fields in PortInfo.
#pragma once

#include <cstdint>

#include "emulator/agents/sma/state.hpp"
#include "link_rate.hpp"

namespace ccsim::emulator {

// Makes the port support and enable everything up to this rate, and run at it.
void SetRate(SmaPort& port, LinkRate rate);

// Returns whether two cabled ports train; if so, both get the widest width and the highest speed that both have enabled.
bool NegotiateLink(SmaPort& a, SmaPort& b);

// The fields of PortInfo that a set of speeds is spread over.
constexpr std::uint8_t BasicSpeeds(LinkSpeeds speeds) { return speeds & 0x7; }
constexpr std::uint8_t ExtendedSpeeds(LinkSpeeds speeds) { return speeds >> 4 & 0xF; }   // FDR, EDR, HDR, NDR
constexpr std::uint8_t ExtendedSpeeds2(LinkSpeeds speeds) { return speeds >> 8 & 0x1; }  // XDR
constexpr bool HasFdr10(LinkSpeeds speeds) { return (speeds & SpeedBit(LinkSpeed::FDR10)) != 0; }
inline constexpr LinkSpeeds kBasicSpeedBits = 0x007;
inline constexpr LinkSpeeds kExtendedSpeedBits = 0x0F0;

}  // namespace ccsim::emulator
