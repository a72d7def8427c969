// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// unknown_modifiers.hpp: counts requests whose attribute modifier the asked device does not know. Where no public source states the
// modifiers of an attribute, these rows show which ones a manager tries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/mad.hpp"

namespace ccsim::emulator {

struct UnknownModifier {
  std::uint32_t node = 0;
  std::uint8_t mgmt_class = 0, method = 0;
  std::uint16_t attribute = 0;
  std::uint32_t modifier = 0;
  std::uint64_t count = 0;
};

class UnknownModifiers {
 public:
  void Note(std::uint32_t node, const Mad& mad);
  // In the order of their first requests. After kMaxRows rows, others are not counted.
  const std::vector<UnknownModifier>& rows() const { return rows_; }
  void Clear() { rows_.clear(); }

  static constexpr std::size_t kMaxRows = 256;

 private:
  std::vector<UnknownModifier> rows_;
};

}  // namespace ccsim::emulator
