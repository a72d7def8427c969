// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// pair_map.hpp: from (flow, endport) to an index, by open addressing with linear probing. An entry is removed by moving those behind
// it up (Knuth, vol. 3, 6.4, algorithm R), so that no tombstones gather in a long run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ccsim {

class PairMap {
 public:
  static constexpr std::uint32_t kAbsent = UINT32_MAX;

  std::uint32_t Find(std::uint32_t flow, std::uint32_t endport) const {
    if (size_ == 0) return kAbsent;
    const std::uint64_t key = Key(flow, endport);
    for (std::size_t i = Home(key);; i = (i + 1) & mask()) {
      if (entries_[i].value == kAbsent) return kAbsent;
      if (entries_[i].key == key) return entries_[i].value;
    }
  }

  // REQUIRES: the pair is not in the map; value is not kAbsent.
  void Insert(std::uint32_t flow, std::uint32_t endport, std::uint32_t value) {
    if ((size_ + 1) * 2 > entries_.size()) Grow();
    Place({Key(flow, endport), value});
    ++size_;
  }

  // REQUIRES: the pair is in the map.
  void Erase(std::uint32_t flow, std::uint32_t endport) {
    const std::uint64_t key = Key(flow, endport);
    std::size_t hole = Home(key);
    while (entries_[hole].key != key) hole = (hole + 1) & mask();
    for (std::size_t i = (hole + 1) & mask(); entries_[i].value != kAbsent; i = (i + 1) & mask()) {
      const std::size_t home = Home(entries_[i].key);
      // May move into the hole unless its home lies between the hole and itself.
      if (((i - home) & mask()) < ((i - hole) & mask())) continue;
      entries_[hole] = entries_[i];
      hole = i;
    }
    entries_[hole].value = kAbsent;
    --size_;
  }

  std::size_t size() const { return size_; }

 private:
  struct Entry {
    std::uint64_t key = 0;
    std::uint32_t value = kAbsent;
  };

  static std::uint64_t Key(std::uint32_t flow, std::uint32_t endport) { return std::uint64_t{flow} << 32 | endport; }
  std::size_t mask() const { return entries_.size() - 1; }
  std::size_t Home(std::uint64_t key) const { return ((key * 0x9E3779B97F4A7C15ULL) >> 32) & mask(); }

  void Place(const Entry& entry) {
    std::size_t i = Home(entry.key);
    while (entries_[i].value != kAbsent) i = (i + 1) & mask();
    entries_[i] = entry;
  }

  void Grow() {
    std::vector<Entry> old(entries_.empty() ? 64 : entries_.size() * 2);
    old.swap(entries_);
    for (const Entry& entry : old) {
      if (entry.value != kAbsent) Place(entry);
    }
  }

  std::vector<Entry> entries_;
  std::size_t size_ = 0;
};

}  // namespace ccsim
