// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/unknown_modifiers.hpp"

#include <algorithm>

namespace ccsim::emulator {

void UnknownModifiers::Note(std::uint32_t node, const Mad& mad) {
  const auto found = std::find_if(rows_.begin(), rows_.end(), [&](const UnknownModifier& row) {
    return row.node == node && row.mgmt_class == mad.mgmt_class() && row.method == mad.method() &&
           row.attribute == mad.attribute() && row.modifier == mad.modifier();
  });
  if (found != rows_.end()) {
    ++found->count;
    return;
  }
  if (rows_.size() == kMaxRows) return;
  rows_.push_back({.node = node,
                   .mgmt_class = mad.mgmt_class(),
                   .method = mad.method(),
                   .attribute = mad.attribute(),
                   .modifier = mad.modifier(),
                   .count = 1});
}

}  // namespace ccsim::emulator
