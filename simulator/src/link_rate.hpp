// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// link_rate.hpp: InfiniBand link widths and speeds, and the data rate that each pair gives.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ccsim {

enum class LinkSpeed : std::uint8_t { SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR, XDR };

struct LinkRate {
  std::uint8_t width = 4;  // lanes: 1, 2, 4, 8 or 12
  LinkSpeed speed = LinkSpeed::NDR;

  // Data rate after line encoding (8b/10b up to QDR, 64b/66b from FDR10; HDR and later are named by their data rate), Gb/s.
  double data_gbps() const;
  // As ibnetdiscover prints it: "4xNDR".
  std::string ToString() const;
  bool operator==(const LinkRate&) const = default;
};

// Reads "4xNDR", or throws std::invalid_argument with a sentence that lists the known widths and speeds.
LinkRate ParseLinkRate(std::string_view text);

}  // namespace ccsim
