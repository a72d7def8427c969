// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cc_dialect.hpp: the attributes of class 0x21 by which a device's congestion control is set, and with them its kind of congestion
// control. A device has one of these kinds; a fabric may have devices of several.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ccsim {

enum class CcDialect : std::uint8_t {
  A10,          // annex A10 of the specification: thresholds of fill levels, and tables of delays
  NvidiaDcqcn,  // NVIDIA's: thresholds of averaged queues; adapters run DCQCN
  NvidiaPpcc,   // NVIDIA's: adapters run algorithms of their firmware
  Both,         // all of these
  None,         // the device has no congestion control
};

// Names as in fabric documents, by the value of the enumeration.
inline constexpr std::array<std::string_view, 5> kCcDialectNames{"a10", "nvidia-dcqcn", "nvidia-ppcc", "both", "none"};

constexpr std::string_view NameOf(CcDialect dialect) { return kCcDialectNames[static_cast<std::size_t>(dialect)]; }

constexpr std::optional<CcDialect> FindCcDialect(std::string_view name) {
  for (std::size_t i = 0; i < kCcDialectNames.size(); ++i) {
    if (kCcDialectNames[i] == name) return static_cast<CcDialect>(i);
  }
  return std::nullopt;
}

constexpr bool HasCongestionControl(CcDialect dialect) { return dialect != CcDialect::None; }
constexpr bool KnowsA10(CcDialect dialect) { return dialect == CcDialect::A10 || dialect == CcDialect::Both; }
// The switches of the two NVIDIA dialects are alike.
constexpr bool KnowsNvidia(CcDialect dialect) { return dialect != CcDialect::A10 && dialect != CcDialect::None; }
constexpr bool KnowsDcqcn(CcDialect dialect) { return dialect == CcDialect::NvidiaDcqcn || dialect == CcDialect::Both; }
constexpr bool KnowsPpcc(CcDialect dialect) { return dialect == CcDialect::NvidiaPpcc || dialect == CcDialect::Both; }

}  // namespace ccsim
