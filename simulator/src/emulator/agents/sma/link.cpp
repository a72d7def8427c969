// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agents/sma/link.hpp"

#include <bit>

namespace ccsim::emulator {
namespace {

struct Width {
  std::uint8_t lanes;
  LinkWidths bit;
};
constexpr Width kWidths[] = {{1, kWidth1x}, {2, kWidth2x}, {4, kWidth4x}, {8, kWidth8x}, {12, kWidth12x}};

std::uint8_t WidestOf(std::uint8_t widths) {
  std::uint8_t widest = 0;
  for (const Width& w : kWidths) {
    if ((widths & w.bit) != 0) widest = w.bit;
  }
  return widest;
}

}  // namespace

void SetRate(SmaPort& port, LinkRate rate) {
  // 1x is what every port can fall back to; other widths are those of the port itself.
  port.widths_supported = kWidth1x;
  for (const Width& w : kWidths) {
    if (w.lanes == rate.width) port.widths_supported |= w.bit;
  }
  port.widths_enabled = port.widths_supported;
  port.width_active = WidestOf(port.widths_supported);
  port.speeds_supported = SpeedsUpTo(rate.speed);
  // FDR10 is an offer of one vendor: ports that run faster do not make it.
  if (rate.speed > LinkSpeed::FDR10) port.speeds_supported &= static_cast<LinkSpeeds>(~SpeedBit(LinkSpeed::FDR10));
  port.speeds_enabled = port.speeds_supported;
  port.speed_active = SpeedBit(rate.speed);
}

bool NegotiateLink(SmaPort& a, SmaPort& b) {
  if (a.physical_state == PhysicalState::Disabled || b.physical_state == PhysicalState::Disabled) return false;
  // A polling port wakes a sleeping one.
  if (a.physical_state == PhysicalState::Sleep && b.physical_state == PhysicalState::Sleep) return false;
  const std::uint8_t width = WidestOf(a.widths_enabled & b.widths_enabled);
  const LinkSpeeds speeds = a.speeds_enabled & b.speeds_enabled;
  if (width == 0 || speeds == 0) return false;
  a.width_active = b.width_active = width;
  a.speed_active = b.speed_active = std::bit_floor(speeds);
  return true;
}

}  // namespace ccsim::emulator
