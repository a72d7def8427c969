// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// mad_counts.hpp: counts the MADs that nodes send, with the times of the first and the last, by class, method and attribute: the load
// that a manager puts on a fabric.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "emulator/mad.hpp"

namespace ccsim::emulator {

struct MadCount {
  std::uint8_t mgmt_class = 0, method = 0;
  std::uint16_t attribute = 0;
  std::uint64_t count = 0;
  std::int64_t first_ns = 0, last_ns = 0;
};

class MadCounts {
 public:
  void Note(const Mad& mad, std::int64_t now_ns);
  // In the order of their first MADs. After kMaxRows rows, MADs of other kinds are not counted.
  const std::vector<MadCount>& rows() const { return rows_; }
  void Clear();

  static constexpr std::size_t kMaxRows = 1024;

 private:
  std::vector<MadCount> rows_;
  std::unordered_map<std::uint32_t, std::size_t> index_;
};

}  // namespace ccsim::emulator
