// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// pair_index.hpp: numbers for pairs (port, endport), as they come up. Open addressing: a look-up is mostly one line of memory.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "engine/big_vector.hpp"

namespace ccsim {

class PairIndex {
 public:
  // The number of the pair; `number` if it has none yet, which it then has. REQUIRES: `number` is how many pairs have been added.
  std::uint32_t FindOrAdd(std::uint32_t port, std::uint32_t endport, std::uint32_t number) {
    const std::uint64_t key = std::uint64_t{port} << 32 | endport;
    if (key == last_.key) return last_.number;  // who asks often asks twice
    std::size_t place = Place(key);
    while (slots_[place].key != key) {
      if (slots_[place].key == kEmpty) {
        slots_[place] = last_ = {key, number};
        if (2 * (std::size_t{number} + 1) > slots_.size()) Grow();
        return number;
      }
      place = (place + 1) & (slots_.size() - 1);
    }
    last_ = slots_[place];
    return last_.number;
  }

  // The most memory that an index of so many pairs has taken on the way: while it grows, it has its slots twice over.
  static constexpr std::uint64_t MostBytes(std::uint64_t pairs) {
    const std::uint64_t slots = std::bit_ceil(std::max<std::uint64_t>(2 * pairs, kFirstSlots));
    return (slots == kFirstSlots ? slots : slots + slots / 2) * sizeof(Slot);
  }

 private:
  static constexpr std::uint64_t kFirstSlots = 1024;
  static constexpr std::uint64_t kEmpty = UINT64_MAX;
  struct Slot {
    std::uint64_t key = kEmpty;
    std::uint32_t number = 0;
  };

  std::size_t Place(std::uint64_t key) const { return (key * 0x9E3779B97F4A7C15ULL) >> shift_; }
  void Grow() {
    BigVector<Slot> before(slots_.size() * 2);
    before.swap(slots_);
    --shift_;
    for (const Slot& slot : before) {
      if (slot.key == kEmpty) continue;
      std::size_t place = Place(slot.key);
      while (slots_[place].key != kEmpty) place = (place + 1) & (slots_.size() - 1);
      slots_[place] = slot;
    }
  }

  BigVector<Slot> slots_ = BigVector<Slot>(kFirstSlots);
  unsigned shift_ = 64 - std::countr_zero(kFirstSlots);
  Slot last_;  // looked up
};

}  // namespace ccsim
