// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// event_wheel.hpp: events of any delay, in order of time.
//
// Events within the horizon lie in slots of equal width, each a list sorted by time and linked by index in one pool; later ones
// wait in a heap and move into the wheel as it turns. Events leave in order of time, and those of equal time in the order in which
// they were pushed: a run depends on nothing else. Pushing and popping allocate only while the pool grows.
//
// Invariants
// 1. Every listed event's slot lies in [current_, current_ + num_slots_), every event in the heap beyond; so what comes out of the
//    heap enters its slot before anything is pushed there directly, and the order of pushing holds.
// 2. A bit of occupied_ is set exactly if the slot's list is not empty; a bit of summary_ exactly if its word is not zero.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "units.hpp"

namespace ccsim {

// Two to a quarter of a cache line: most of what a run reads and writes is events.
struct Event {
  static constexpr unsigned kTypeBits = 5;
  static constexpr std::uint32_t kMaxTarget = (1u << (32 - kTypeBits)) - 1;

  Time time;
  std::uint32_t target : 32 - kTypeBits;  // whose event: a port, a host, a queue pair ...
  std::uint32_t type : kTypeBits;
  std::uint32_t argument;  // what with: a packet, a VL ...

  static Event Make(Time time, std::uint32_t type, std::uint32_t target, std::uint32_t argument) {
    Event e;
    e.time = time;
    e.target = target & kMaxTarget;
    e.type = type & ((1u << kTypeBits) - 1);
    e.argument = argument;
    return e;
  }
};
static_assert(sizeof(Event) == 16);

class EventWheel {
 public:
  // `slot_width` is rounded down to a power of two; the slots, a power of two of 4,096 to 65,536, cover the horizon if they can.
  EventWheel(Time slot_width, Time horizon) {
    shift_ = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max<Time>(slot_width, 1)))) - 1;
    const auto wanted = static_cast<std::uint64_t>(horizon >> shift_) + 1;
    num_slots_ = std::bit_ceil(std::clamp<std::uint64_t>(wanted, 4096, 65536));
    slots_.assign(num_slots_, Slot{});
    occupied_.assign(num_slots_ / 64, 0);
    summary_.assign((occupied_.size() + 63) / 64, 0);
  }

  // REQUIRES: time is not before the event popped last, nor before the last `until`.
  void Push(Time time, std::uint32_t type, std::uint32_t target, std::uint32_t argument) {
    const std::uint64_t slot = static_cast<std::uint64_t>(time) >> shift_;
    if (slot - current_ < num_slots_) {
      Insert(slot, Event::Make(time, type, target, argument));
    } else {
      far_.push_back(Far{Event::Make(time, type, target, argument), next_order_++});
      std::push_heap(far_.begin(), far_.end(), Later);
    }
  }

  // Says that nothing earlier than `now` is left or will be pushed: without it, a wheel from which nothing is taken for long would
  // take near events for far ones.
  void TurnTo(Time now) {
    const std::uint64_t slot = static_cast<std::uint64_t>(now) >> shift_;
    if (slot <= current_) return;
    current_ = slot;
    EnterFromHeap();
  }

  // Takes the earliest event out if it is not after `until`.
  bool Pop(Time until, Event& out) {
    std::size_t s = current_ & (num_slots_ - 1);
    if (slots_[s].head == kEnd) {
      if (!Advance(until)) return false;
      s = current_ & (num_slots_ - 1);
    }
    const std::uint32_t index = slots_[s].head;
    Listed& listed = pool_[index];
    if (listed.event.time > until) return false;
    out = listed.event;
    slots_[s].head = listed.next;
    if (listed.next == kEnd && (occupied_[s / 64] &= ~(std::uint64_t{1} << (s % 64))) == 0) {
      summary_[s / 4096] &= ~(std::uint64_t{1} << (s / 64 % 64));
    }
    listed.next = free_;
    free_ = index;
    return true;
  }

  // The earliest event; nullptr if there is none. Valid until the next call that changes something.
  const Event* Next() const {
    const Slot& now = slots_[current_ & (num_slots_ - 1)];
    if (now.head != kEnd) return &pool_[now.head].event;
    const std::uint64_t next = NextOccupied();
    if (next != UINT64_MAX) return &pool_[slots_[next & (num_slots_ - 1)].head].event;
    return far_.empty() ? nullptr : &far_.front().event;
  }
  // Its time; kNever if there is none.
  Time NextTime() const {
    const Event* const next = Next();
    return next == nullptr ? kNever : next->time;
  }

 private:
  static constexpr std::uint32_t kEnd = UINT32_MAX;
  struct Slot {
    std::uint32_t head = kEnd;
    std::uint32_t tail;  // valid while there is a head
  };
  struct Listed {
    Event event;
    std::uint32_t next;
  };
  struct Far {
    Event event;
    std::uint64_t order;
  };

  static bool Later(const Far& a, const Far& b) {
    return a.event.time != b.event.time ? a.event.time > b.event.time : a.order > b.order;
  }

  std::uint32_t Allocate(const Event& event) {
    std::uint32_t index = free_;
    if (index == kEnd) {
      index = static_cast<std::uint32_t>(pool_.size());
      pool_.push_back(Listed{event, kEnd});
    } else {
      free_ = pool_[index].next;
      pool_[index].event = event;
    }
    return index;
  }

  void Insert(std::uint64_t slot, const Event& event) {
    const std::uint32_t index = Allocate(event);
    const std::size_t s = slot & (num_slots_ - 1);
    Slot& list = slots_[s];
    if (list.head == kEnd) {
      list.head = list.tail = index;
      pool_[index].next = kEnd;
      occupied_[s / 64] |= std::uint64_t{1} << (s % 64);
      summary_[s / 4096] |= std::uint64_t{1} << (s / 64 % 64);
    } else if (event.time >= pool_[list.tail].event.time) {
      pool_[index].next = kEnd;
      pool_[list.tail].next = index;
      list.tail = index;
    } else if (event.time < pool_[list.head].event.time) {
      pool_[index].next = list.head;
      list.head = index;
    } else {
      // Behind all that are not later. Slots hold about one event, so the walk is short.
      std::uint32_t before = list.head;
      while (pool_[pool_[before].next].event.time <= event.time) before = pool_[before].next;
      pool_[index].next = pool_[before].next;
      pool_[before].next = index;
    }
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
        group = group + 1 == summary_.size() ? 0 : group + 1;
        words = summary_[group];
      }
      word = group * 64 + static_cast<std::size_t>(std::countr_zero(words));
      bits = occupied_[word];
    }
    const std::size_t slot = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
    return current_ + 1 + ((slot - start) & (num_slots_ - 1));
  }

  // REQUIRES: the current slot is empty. Turns to the next slot with an event, if that is not after `until`.
  bool Advance(Time until) {
    std::uint64_t next = NextOccupied();
    if (!far_.empty()) next = std::min(next, static_cast<std::uint64_t>(far_.front().event.time) >> shift_);
    if (next > (static_cast<std::uint64_t>(until) >> shift_)) return false;
    current_ = next;
    EnterFromHeap();
    return true;
  }

  void EnterFromHeap() {
    while (!far_.empty()) {
      const std::uint64_t slot = static_cast<std::uint64_t>(far_.front().event.time) >> shift_;
      if (slot - current_ >= num_slots_) break;
      std::pop_heap(far_.begin(), far_.end(), Later);
      Insert(slot, far_.back().event);
      far_.pop_back();
    }
  }

  int shift_;
  std::uint64_t num_slots_;
  std::uint64_t current_ = 0;
  std::uint64_t next_order_ = 0;
  std::uint32_t free_ = kEnd;
  std::vector<Slot> slots_;
  std::vector<std::uint64_t> occupied_;
  std::vector<std::uint64_t> summary_;
  std::vector<Listed> pool_;
  std::vector<Far> far_;
};

}  // namespace ccsim
