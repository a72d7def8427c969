// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/deferred_packets.hpp"

#include <algorithm>

namespace ccsim::emulator {

bool DeferredPackets::Later(std::uint32_t a, std::uint32_t b) const {
  const Entry& left = entries_[a];
  const Entry& right = entries_[b];
  return left.due_ns != right.due_ns ? left.due_ns > right.due_ns : left.order > right.order;
}

void DeferredPackets::Add(ClientRef to, std::int64_t due_ns, const ibsim::Packet& packet) {
  std::uint32_t slot = 0;
  if (unused_.empty()) {
    slot = static_cast<std::uint32_t>(entries_.size());
    entries_.emplace_back();
  } else {
    slot = unused_.back();
    unused_.pop_back();
  }
  entries_[slot] = {to, due_ns, ++added_, packet};
  queue_.push_back(slot);
  std::push_heap(queue_.begin(), queue_.end(), [this](std::uint32_t a, std::uint32_t b) { return Later(a, b); });
}

DeferredPackets::Entry DeferredPackets::Take() {
  std::pop_heap(queue_.begin(), queue_.end(), [this](std::uint32_t a, std::uint32_t b) { return Later(a, b); });
  const std::uint32_t slot = queue_.back();
  queue_.pop_back();
  unused_.push_back(slot);
  return entries_[slot];
}

}  // namespace ccsim::emulator
