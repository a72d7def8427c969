// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// vl_arbitration.hpp: which VL an output port serves next (IBA 7.6.9.2).
//
// Parameters  a port's VlArbitrationTables
// State       in each table the current entry and what is left of its weight; what is left of the Limit of High-Priority
// Behaviour   a table stays at its entry while that VL has a packet that can be sent and weight is left, and then moves on to the
//             next entry that has, whose weight starts afresh: weight that was not used is lost. A packet may take more than is
//             left, since a positive rest is enough to begin. The high table goes first until it has sent its limit; then the low
//             one sends a packet, if it has any, and the limit starts afresh. Each table keeps its place meanwhile
//
// Weights and packets are counted in units of 64 bytes, a part of one counting whole: so are credits.
#pragma once

#include <cstdint>

#include "vl_arbitration_tables.hpp"

namespace ccsim {

class VlArbiter {
 public:
  explicit VlArbiter(const VlArbitrationTables& tables) : tables_(&tables), high_left_(Limit()) {}
  const VlArbitrationTables& tables() const { return *tables_; }

  // The VL to serve, out of those with a packet that has its credits (bit per VL), or kNone. Changes nothing: call Sent() if the
  // packet goes.
  static constexpr int kNone = -1;
  int Pick(unsigned sendable) const {
    const Choice choice = Choose(sendable);
    return choice.entry == kNoEntry ? kNone : TableOf(choice.high)[choice.entry].vl;
  }

  // REQUIRES: Pick(sendable) gave a VL, of which a packet of so many 64-byte units now goes.
  void Sent(unsigned sendable, unsigned units) {
    const Choice choice = Choose(sendable);
    Place& place = choice.high ? high_ : low_;
    if (choice.entry != place.entry || place.left <= 0) {
      place.entry = choice.entry;
      place.left = TableOf(choice.high)[choice.entry].weight;
    }
    place.left -= static_cast<std::int32_t>(units);
    if (!choice.high) {
      high_left_ = Limit();
      return;
    }
    if (high_left_ <= 0) high_left_ = Limit();  // the low table had its turn and nothing to send
    high_left_ -= static_cast<std::int32_t>(units);
  }

 private:
  using Table = std::vector<VlArbitrationEntry>;
  static constexpr std::uint32_t kNoEntry = UINT32_MAX;
  struct Place {
    std::uint32_t entry = kNoEntry;
    std::int32_t left = 0;
  };
  struct Choice {
    bool high;
    std::uint32_t entry;
  };

  const Table& TableOf(bool high) const { return high ? tables_->high : tables_->low; }
  std::int32_t Limit() const { return tables_->high_limit == 0 ? 1 : tables_->high_limit * (4096 / 64); }

  Choice Choose(unsigned sendable) const {
    const std::uint32_t high = Next(tables_->high, high_, sendable);
    if (high != kNoEntry && (tables_->high_limit == kHighLimitNone || high_left_ > 0)) return {true, high};
    const std::uint32_t low = Next(tables_->low, low_, sendable);
    if (low != kNoEntry) return {false, low};
    return {true, high};
  }

  // The entry to serve: the current one while it has weight left, or else the next with anything to send, itself last of all.
  static std::uint32_t Next(const Table& table, const Place& place, unsigned sendable) {
    const auto serves = [&](std::uint32_t i) { return table[i].weight > 0 && (sendable >> table[i].vl & 1) != 0; };
    const auto size = static_cast<std::uint32_t>(table.size());
    if (place.entry != kNoEntry && place.left > 0 && serves(place.entry)) return place.entry;
    std::uint32_t i = place.entry;
    for (std::uint32_t tried = 0; tried < size; ++tried) {
      i = i == kNoEntry || i + 1 == size ? 0 : i + 1;
      if (serves(i)) return i;
    }
    return kNoEntry;
  }

  const VlArbitrationTables* tables_;
  Place high_;
  Place low_;
  std::int32_t high_left_;
};

}  // namespace ccsim
