// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// pair_table.hpp: records by (flow, endport), in one array with open addressing, so that a look-up touches one cache line.
//
// At most half of the array is full: whether the first place is taken is a branch that nobody can foresee, and how many follow one
// more. Records are not removed one by one: when it is half full, those that `is_idle` calls as good as never seen are dropped all
// together, and only if most remain does it grow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/big_vector.hpp"

namespace ccsim {

// What a record derives from. It adds eight bytes of its own; what `tag` means is its own matter, too.
struct PairRecord {
  static constexpr std::uint64_t kNoPair = (std::uint64_t{1} << 48) - 1;

  std::uint64_t pair : 48 = kNoPair;  // the table's
  std::uint64_t tag : 16 = 0;
};

template <typename Record>
class PairTable {
 public:
  static constexpr unsigned kEndportBits = 20;
  static constexpr std::uint32_t kMaxFlows = 1u << (48 - kEndportBits);
  static constexpr std::uint32_t kMaxEndports = (1u << kEndportBits) - 1;

  PairTable() : records_(kLeastSize) {}

  // nullptr if there is none. Valid until the next Make. REQUIRES: flow < kMaxFlows, endport < kMaxEndports, as everywhere here.
  Record* Find(std::uint32_t flow, std::uint32_t endport) {
    const std::uint64_t pair = Pair(flow, endport);
    for (std::size_t i = Home(pair); records_[i].pair != PairRecord::kNoPair; i = (i + 1) & mask()) {
      if (records_[i].pair == pair) return &records_[i];
    }
    return nullptr;
  }

  // Fetches what Find will look at.
  void Prefetch(std::uint32_t flow, std::uint32_t endport) const { __builtin_prefetch(&records_[Home(Pair(flow, endport))]); }

  // The record of a pair, a new one if it has none. is_idle(flow, record).
  template <typename IsIdle>
  Record& Make(std::uint32_t flow, std::uint32_t endport, IsIdle is_idle) {
    if (Record* known = Find(flow, endport)) return *known;
    if ((size_ + 1) * 2 > records_.size()) Sweep(is_idle);
    ++size_;
    Record fresh;
    fresh.pair = Pair(flow, endport) & PairRecord::kNoPair;
    return Place(fresh);
  }

  // visit(flow, endport, record) for each.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (const Record& record : records_) {
      if (record.pair != PairRecord::kNoPair) visit(FlowOf(record), EndportOf(record), record);
    }
  }

  // Same, to change them.
  template <typename Visit>
  void ForEach(Visit visit) {
    for (Record& record : records_) {
      if (record.pair != PairRecord::kNoPair) visit(FlowOf(record), EndportOf(record), record);
    }
  }

 private:
  static_assert(sizeof(Record) == 16, "four records a cache line");
  static constexpr std::size_t kLeastSize = 64;

  static std::uint64_t Pair(std::uint32_t flow, std::uint32_t endport) { return std::uint64_t{flow} << kEndportBits | endport; }
  static std::uint32_t FlowOf(const Record& r) { return static_cast<std::uint32_t>(r.pair >> kEndportBits); }
  static std::uint32_t EndportOf(const Record& r) { return static_cast<std::uint32_t>(r.pair & kMaxEndports); }
  std::size_t mask() const { return records_.size() - 1; }
  std::size_t Home(std::uint64_t pair) const { return ((pair * 0x9E3779B97F4A7C15ULL) >> 32) & mask(); }

  Record& Place(const Record& record) {
    std::size_t i = Home(record.pair);
    while (records_[i].pair != PairRecord::kNoPair) i = (i + 1) & mask();
    return records_[i] = record;
  }

  template <typename IsIdle>
  void Sweep(IsIdle is_idle) {
    // First all that there are, without branches, as nobody could foresee which places are taken.
    std::vector<Record> kept(size_ + 1);
    std::size_t n = 0;
    for (const Record& record : records_) {
      kept[n] = record;
      n += std::size_t{record.pair != PairRecord::kNoPair};
    }
    kept.pop_back();
    std::erase_if(kept, [&](const Record& record) { return is_idle(FlowOf(record), record); });
    std::size_t size = kLeastSize;
    while (size < 3 * (kept.size() + 1)) size *= 2;
    records_.assign(size, Record{});
    size_ = kept.size();
    for (const Record& record : kept) Place(record);
  }

  BigVector<Record> records_;
  std::size_t size_ = 0;
};

}  // namespace ccsim
