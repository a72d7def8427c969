// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// pair_table.hpp: values by (flow, endport), in one array with open addressing, so that a look-up touches one cache line.
//
// Values are not removed one by one: when the array is three quarters full, those that `is_idle` calls as good as never seen are dropped all
// together, and only if most remain does it grow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ccsim {

template <typename Value>
class PairTable {
 public:
  PairTable() : entries_(kLeastSize) {}

  // nullptr if there is none. Valid until the next Make.
  Value* Find(std::uint32_t flow, std::uint32_t endport) {
    const std::uint64_t key = Key(flow, endport);
    for (std::size_t i = Home(key); entries_[i].key != kEmpty; i = (i + 1) & mask()) {
      if (entries_[i].key == key) return &entries_[i].value;
    }
    return nullptr;
  }

  // Fetches what Find will look at.
  void Prefetch(std::uint32_t flow, std::uint32_t endport) const { __builtin_prefetch(&entries_[Home(Key(flow, endport))]); }

  // The value of a pair, a new one if it has none. is_idle(flow, value).
  template <typename IsIdle>
  Value& Make(std::uint32_t flow, std::uint32_t endport, IsIdle is_idle) {
    if (Value* known = Find(flow, endport)) return *known;
    if ((size_ + 1) * 4 > entries_.size() * 3) Sweep(is_idle);
    ++size_;
    return Place({Key(flow, endport), Value{}}).value;
  }

  // visit(flow, endport, value) for each.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (const Entry& entry : entries_) {
      if (entry.key != kEmpty)
        visit(static_cast<std::uint32_t>(entry.key >> 32), static_cast<std::uint32_t>(entry.key), entry.value);
    }
  }

  // Same, to change them.
  template <typename Visit>
  void ForEach(Visit visit) {
    for (Entry& entry : entries_) {
      if (entry.key != kEmpty)
        visit(static_cast<std::uint32_t>(entry.key >> 32), static_cast<std::uint32_t>(entry.key), entry.value);
    }
  }

 private:
  static constexpr std::size_t kLeastSize = 64;
  static constexpr std::uint64_t kEmpty = UINT64_MAX;
  struct Entry {
    std::uint64_t key = kEmpty;
    Value value{};
  };

  static std::uint64_t Key(std::uint32_t flow, std::uint32_t endport) { return std::uint64_t{flow} << 32 | endport; }
  std::size_t mask() const { return entries_.size() - 1; }
  std::size_t Home(std::uint64_t key) const { return ((key * 0x9E3779B97F4A7C15ULL) >> 32) & mask(); }

  Entry& Place(Entry entry) {
    std::size_t i = Home(entry.key);
    while (entries_[i].key != kEmpty) i = (i + 1) & mask();
    return entries_[i] = std::move(entry);
  }

  template <typename IsIdle>
  void Sweep(IsIdle is_idle) {
    std::vector<Entry> kept;
    for (Entry& entry : entries_) {
      if (entry.key != kEmpty && !is_idle(static_cast<std::uint32_t>(entry.key >> 32), entry.value)) kept.push_back(entry);
    }
    std::size_t size = kLeastSize;
    while (size * 5 < 8 * (kept.size() + 1)) size *= 2;
    entries_.assign(size, Entry{});
    size_ = kept.size();
    for (Entry& entry : kept) Place(entry);
  }

  std::vector<Entry> entries_;
  std::size_t size_ = 0;
};

}  // namespace ccsim
