// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// vl_arbitration_tables.hpp: VLArbitrationTable of a port (IBA 7.6.9, 14.2.5.9): which VL may send how much.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ccsim {

struct VlArbitrationEntry {
  std::uint8_t vl = 0;      // a data VL
  std::uint8_t weight = 0;  // units of 64 bytes; 0: the entry is passed over
  friend bool operator==(const VlArbitrationEntry&, const VlArbitrationEntry&) = default;
};

inline constexpr std::uint8_t kHighLimitNone = 255;  // Limit of High-Priority: high never gives way to low
inline constexpr std::size_t kMaxVlArbitrationEntries = 64;

struct VlArbitrationTables {
  std::vector<VlArbitrationEntry> high;
  std::vector<VlArbitrationEntry> low;
  // Amount that the high table may send before the low one has a turn: units of 4,096 bytes; 0: one packet.
  std::uint8_t high_limit = kHighLimitNone;
  friend bool operator==(const VlArbitrationTables&, const VlArbitrationTables&) = default;

  // Bit per VL with an entry of a weight above 0: all others are never served.
  std::uint16_t served_vls() const {
    std::uint16_t vls = 0;
    for (const auto* table : {&high, &low}) {
      for (const VlArbitrationEntry& e : *table) vls |= static_cast<std::uint16_t>(e.weight > 0 ? 1u << e.vl : 0u);
    }
    return vls;
  }
};

}  // namespace ccsim
