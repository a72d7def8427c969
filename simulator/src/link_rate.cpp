// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "link_rate.hpp"

#include <array>
#include <cstddef>
#include <stdexcept>

namespace ccsim {
namespace {

struct SpeedRow {
  LinkSpeed speed;
  std::string_view name;
  double lane_signalling_gbps;
  double encoding_efficiency;
};

// IBA volume 2, chapter 5; FDR10 is Mellanox's. From HDR on the forward error correction is inside the quoted lane rate.
constexpr std::array<SpeedRow, 9> kSpeeds{{
    {LinkSpeed::SDR, "SDR", 2.5, 0.8},
    {LinkSpeed::DDR, "DDR", 5.0, 0.8},
    {LinkSpeed::QDR, "QDR", 10.0, 0.8},
    {LinkSpeed::FDR10, "FDR10", 10.3125, 64.0 / 66.0},
    {LinkSpeed::FDR, "FDR", 14.0625, 64.0 / 66.0},
    {LinkSpeed::EDR, "EDR", 25.78125, 64.0 / 66.0},
    {LinkSpeed::HDR, "HDR", 50.0, 1.0},
    {LinkSpeed::NDR, "NDR", 100.0, 1.0},
    {LinkSpeed::XDR, "XDR", 200.0, 1.0},
}};

const SpeedRow& RowOf(LinkSpeed speed) { return kSpeeds[static_cast<std::size_t>(speed)]; }

}  // namespace

double LinkRate::data_gbps() const {
  const SpeedRow& row = RowOf(speed);
  return width * row.lane_signalling_gbps * row.encoding_efficiency;
}

std::string LinkRate::ToString() const { return std::to_string(width) + "x" + std::string(RowOf(speed).name); }

LinkRate ParseLinkRate(std::string_view text) {
  const std::size_t x = text.find('x');
  if (x != std::string_view::npos) {
    const std::string_view width = text.substr(0, x);
    const std::string_view speed = text.substr(x + 1);
    for (const int lanes : {1, 2, 4, 8, 12}) {
      if (width != std::to_string(lanes)) continue;
      for (const SpeedRow& row : kSpeeds) {
        if (row.name == speed) return LinkRate{static_cast<std::uint8_t>(lanes), row.speed};
      }
    }
  }
  throw std::invalid_argument(
      "link rate '" + std::string(text) +
      "' is not a width (1x, 2x, 4x, 8x, 12x) and a speed (SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR, XDR), "
      "such as 4xNDR");
}

}  // namespace ccsim
