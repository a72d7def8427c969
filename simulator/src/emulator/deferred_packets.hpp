// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// deferred_packets.hpp: packets that clients get later: responses that a fault delays, and requests that have timed out.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/client.hpp"

namespace ccsim::emulator {

class DeferredPackets {
 public:
  struct Entry {
    ClientRef to;
    std::int64_t due_ns = 0;
    std::uint64_t order = 0;  // among those with the same due time: the order of Add()
    ibsim::Packet packet;
  };

  void Add(ClientRef to, std::int64_t due_ns, const ibsim::Packet& packet);
  bool empty() const { return queue_.empty(); }
  // REQUIRES: not empty.
  std::int64_t next_due_ns() const { return entries_[queue_.front()].due_ns; }
  // Removes the packet that is due first. REQUIRES: not empty.
  Entry Take();

 private:
  bool Later(std::uint32_t a, std::uint32_t b) const;

  std::vector<Entry> entries_;         // slots, used again
  std::vector<std::uint32_t> unused_;  // of entries_
  std::vector<std::uint32_t> queue_;   // a heap of slots, with the first due on top
  std::uint64_t added_ = 0;
};

}  // namespace ccsim::emulator
