// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/mad_counts.hpp"

namespace ccsim::emulator {

void MadCounts::Note(const Mad& mad, std::int64_t now_ns) {
  const std::uint32_t key = std::uint32_t{mad.mgmt_class()} << 24 | std::uint32_t{mad.method()} << 16 | mad.attribute();
  const auto found = index_.find(key);
  if (found != index_.end()) {
    MadCount& row = rows_[found->second];
    ++row.count;
    row.last_ns = now_ns;
    return;
  }
  if (rows_.size() == kMaxRows) return;
  index_.emplace(key, rows_.size());
  rows_.push_back({.mgmt_class = mad.mgmt_class(),
                   .method = mad.method(),
                   .attribute = mad.attribute(),
                   .count = 1,
                   .first_ns = now_ns,
                   .last_ns = now_ns});
}

void MadCounts::Clear() {
  rows_.clear();
  index_.clear();
}

}  // namespace ccsim::emulator
