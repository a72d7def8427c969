// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// event_wheel.hpp: the calendar of a run.
//
// Events within the horizon lie in slots of equal width, each an index-linked list in one pool; later ones wait in a heap and move
// into the wheel as it turns. A slot is sorted when its turn comes, so events leave in order of time, and those of equal time in
// the order in which they were pushed: a run depends on nothing else. Pushing and popping allocate only while the pool grows.
//
// Invariants
// 1. Every listed event's slot lies in (current_, current_ + num_slots_); the batch holds the rest of slot current_.
// 2. Every event in the heap has a slot at or beyond current_ + num_slots_.
// 3. A bit of occupied_ is set exactly if the slot's list is not empty; a bit of summary_ exactly if its word is not zero.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "units.hpp"

namespace ccsim {

struct Event {
  Time time;
  std::uint32_t target;    // whose event: a port, a host, a queue pair ...
  std::uint32_t argument;  // what with: a packet, blocks of credit ...
  std::uint32_t order;     // of the push, for equal times
  std::uint32_t type;
};

class EventWheel {
 public:
  // `slot_width` is rounded down to a power of two, `horizon` up to a power of two of slots (at most 2^16).
  EventWheel(Time slot_width, Time horizon) {
    shift_ = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max<Time>(slot_width, 1)))) - 1;
    const auto wanted = static_cast<std::uint64_t>(horizon >> shift_) + 1;
    num_slots_ = std::bit_ceil(std::clamp<std::uint64_t>(wanted, 4096, 65536));
    slots_.assign(num_slots_, Slot{});
    occupied_.assign(num_slots_ / 64, 0);
    summary_.assign((occupied_.size() + 63) / 64, 0);
  }

  // REQUIRES: time is not before the event popped last.
  void Push(Time time, std::uint32_t type, std::uint32_t target, std::uint32_t argument) {
    const std::uint64_t slot = static_cast<std::uint64_t>(time) >> shift_;
    const Event event{time, target, argument, next_order_++, type};
    if (slot <= current_) {
      InsertIntoBatch(event);
    } else if (slot - current_ < num_slots_) {
      Append(slot, event);
    } else {
      far_.push_back(event);
      std::push_heap(far_.begin(), far_.end(), Later);
    }
  }

  // The earliest event if it is not after `until`; false otherwise, and nothing changes that a later call could notice.
  bool Pop(Time until, Event& out) {
    if (batch_next_ == batch_.size() && !Advance(until)) return false;
    if (batch_[batch_next_].time > until) return false;
    out = batch_[batch_next_++];
    return true;
  }

 private:
  static constexpr std::uint32_t kEnd = UINT32_MAX;
  struct Slot {
    std::uint32_t head = kEnd;
    std::uint32_t tail = kEnd;
  };
  struct Listed {
    Event event;
    std::uint32_t next;
  };

  static bool Earlier(const Event& a, const Event& b) {
    if (a.time != b.time) return a.time < b.time;
    return static_cast<std::int32_t>(a.order - b.order) < 0;  // survives the counter's wrapping
  }
  static bool Later(const Event& a, const Event& b) { return Earlier(b, a); }

  void InsertIntoBatch(const Event& event) {
    batch_.push_back(event);
    std::size_t i = batch_.size() - 1;
    for (; i > batch_next_ && Earlier(event, batch_[i - 1]); --i) batch_[i] = batch_[i - 1];
    batch_[i] = event;
  }

  void Append(std::uint64_t slot, const Event& event) {
    std::uint32_t index = free_;
    if (index == kEnd) {
      index = static_cast<std::uint32_t>(pool_.size());
      pool_.push_back(Listed{event, kEnd});
    } else {
      free_ = pool_[index].next;
      pool_[index] = Listed{event, kEnd};
    }
    const std::size_t s = slot & (num_slots_ - 1);
    Slot& list = slots_[s];
    if (list.head == kEnd) {
      list.head = index;
      occupied_[s / 64] |= std::uint64_t{1} << (s % 64);
      summary_[s / 4096] |= std::uint64_t{1} << (s / 64 % 64);
    } else {
      pool_[list.tail].next = index;
    }
    list.tail = index;
  }

  // The first occupied slot after current_, as an absolute slot number, or UINT64_MAX.
  std::uint64_t NextOccupied() const {
    const std::size_t start = (current_ + 1) & (num_slots_ - 1);
    std::size_t word = start / 64;
    std::uint64_t bits = occupied_[word] & (~std::uint64_t{0} << (start % 64));
    if (bits == 0) {
      // Ask the summary for the next word with anything in it, going round once.
      std::size_t group = word / 64;
      std::uint64_t words = word % 64 == 63 ? 0 : summary_[group] & (~std::uint64_t{0} << (word % 64 + 1));
      for (std::size_t i = 0; words == 0; ++i) {
        if (i == summary_.size()) return UINT64_MAX;
        group = (group + 1) % summary_.size();
        words = summary_[group];
      }
      word = group * 64 + static_cast<std::size_t>(std::countr_zero(words));
      bits = occupied_[word];
      if (word == start / 64) bits &= (std::uint64_t{1} << (start % 64)) - 1;  // wrapped: only what lies before the start
      if (bits == 0) return UINT64_MAX;
    }
    const std::size_t slot = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
    return current_ + 1 + ((slot - start) & (num_slots_ - 1));
  }

  bool Advance(Time until) {
    std::uint64_t next = NextOccupied();
    if (!far_.empty()) next = std::min(next, static_cast<std::uint64_t>(far_.front().time) >> shift_);
    if (next == UINT64_MAX || next > (static_cast<std::uint64_t>(until) >> shift_)) return false;
    current_ = next;
    batch_.clear();
    batch_next_ = 0;
    const std::size_t s = current_ & (num_slots_ - 1);
    for (std::uint32_t i = slots_[s].head; i != kEnd;) {
      batch_.push_back(pool_[i].event);
      const std::uint32_t following = pool_[i].next;
      pool_[i].next = free_;
      free_ = i;
      i = following;
    }
    slots_[s] = Slot{};
    if ((occupied_[s / 64] &= ~(std::uint64_t{1} << (s % 64))) == 0) summary_[s / 4096] &= ~(std::uint64_t{1} << (s / 64 % 64));
    while (!far_.empty()) {
      const std::uint64_t slot = static_cast<std::uint64_t>(far_.front().time) >> shift_;
      if (slot >= current_ + num_slots_) break;
      std::pop_heap(far_.begin(), far_.end(), Later);
      if (slot == current_) {
        batch_.push_back(far_.back());
      } else {
        Append(slot, far_.back());
      }
      far_.pop_back();
    }
    SortBatch();
    return true;
  }

  void SortBatch() {
    if (batch_.size() > 24) {
      std::sort(batch_.begin(), batch_.end(), Earlier);
      return;
    }
    for (std::size_t i = 1; i < batch_.size(); ++i) {
      const Event event = batch_[i];
      std::size_t j = i;
      for (; j > 0 && Earlier(event, batch_[j - 1]); --j) batch_[j] = batch_[j - 1];
      batch_[j] = event;
    }
  }

  int shift_;
  std::uint64_t num_slots_;
  std::uint64_t current_ = 0;
  std::uint32_t next_order_ = 0;
  std::uint32_t free_ = kEnd;
  std::size_t batch_next_ = 0;
  std::vector<Event> batch_;
  std::vector<Slot> slots_;
  std::vector<std::uint64_t> occupied_;
  std::vector<std::uint64_t> summary_;
  std::vector<Listed> pool_;
  std::vector<Event> far_;
};

}  // namespace ccsim
