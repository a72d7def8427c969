// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// calendar.hpp: the events to come, in order of time.
//
// Nearly all events of a run follow the present by one of a few constant delays: the time of a full packet on the wire, a hop's
// latency. Events of one delay come in order by themselves, so each such delay has a lane, a ring that is written at one end and
// read at the other; the earliest event of all is at the head of a lane or of the wheel, which takes what is left over. A lane
// costs no search, and its memory is walked from front to back however many ports the fabric has.
//
// Order: by time; events of equal time by lane (the wheel first, then lanes in the order of their making), in a lane as pushed.
// That order depends on nothing but the pushes, so a run is the same each time.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/event_wheel.hpp"
#include "units.hpp"

namespace ccsim {

class Calendar {
 public:
  static constexpr unsigned kNoLane = 0;

  // As EventWheel.
  Calendar(Time slot_width, Time horizon) : wheel_(slot_width, horizon) {
    head_time_.fill(kNever);
    delay_.fill(-1);
    lane_of_.fill(0);
  }

  // An event at any time that is not before `now`, which never decreases from call to call.
  void PushAt(Time now, Time time, std::uint32_t type, std::uint32_t target, std::uint32_t argument) {
    if (time < head_time_[0]) head_time_[0] = time;
    wheel_.TurnTo(now);
    wheel_.Push(time, type, target, argument);
  }

  // The lane of a delay, made if there is room for one more; kNoLane otherwise.
  unsigned LaneFor(Time delay) {
    const std::size_t place = Place(delay);
    if (delay_[place] == delay) return lane_of_[place];
    if (delay_[place] >= 0 || num_lanes_ == kMaxLanes) return kNoLane;
    delay_[place] = delay;
    lane_of_[place] = static_cast<std::uint8_t>(num_lanes_);
    lanes_[num_lanes_].ring.resize(64);
    return num_lanes_++;
  }

  // An event `delay` after `now`, in the lane that LaneFor(delay) gave.
  void PushInLane(unsigned lane, Time now, Time delay, std::uint32_t type, std::uint32_t target, std::uint32_t argument) {
    if (lane == kNoLane) return PushAt(now, now + delay, type, target, argument);
    Lane& l = lanes_[lane];
    const std::size_t count = l.tail - l.head;
    if (count == l.ring.size()) Grow(l);
    l.ring[l.tail++ & (l.ring.size() - 1)] = Event::Make(now + delay, type, target, argument);
    if (count == 0) head_time_[lane] = now + delay;
  }

  // The same where the lane is not known beforehand. For delays that recur: lanes are few, and none is ever given up.
  void PushAfter(Time now, Time delay, std::uint32_t type, std::uint32_t target, std::uint32_t argument) {
    PushInLane(LaneFor(delay), now, delay, type, target, argument);
  }

  // Takes the earliest event out if it is not after `until`. `far`, `near` and `next` are shown events that will come, the first of
  // them last, so that the caller may fetch what they will touch.
  template <typename Far, typename Near, typename Next>
  bool Pop(Time until, Event& out, Far far, Near near, Next next) {
    unsigned best = 0;
    Time time = head_time_[0];
    for (unsigned i = 1; i < num_lanes_; ++i) {
      const bool earlier = head_time_[i] < time;
      time = earlier ? head_time_[i] : time;
      best = earlier ? i : best;
    }
    if (time > until || time == kNever) return false;
    if (best == 0) {
      wheel_.Pop(until, out);
      head_time_[0] = wheel_.NextTime();
      return true;
    }
    Lane& l = lanes_[best];
    const Event* ring = l.ring.data();
    const std::size_t mask = l.ring.size() - 1;
    out = ring[l.head & mask];
    const std::size_t left = l.tail - ++l.head;
    head_time_[best] = left == 0 ? kNever : ring[l.head & mask].time;
    if (left > kFar) {
      far(ring[(l.head + kFar) & mask]);
      near(ring[(l.head + kNear) & mask]);
      next(ring[(l.head + kNext) & mask]);
    }
    return true;
  }

 private:
  static constexpr unsigned kMaxLanes = 16;  // the wheel's place, 0, included
  static constexpr std::size_t kFar = 10;
  static constexpr std::size_t kNear = 5;
  static constexpr std::size_t kNext = 2;
  struct Lane {
    std::vector<Event> ring;
    std::size_t head = 0;
    std::size_t tail = 0;
  };

  static std::size_t Place(Time delay) { return (static_cast<std::uint64_t>(delay) * 0x9E3779B97F4A7C15ULL) >> 58; }

  static void Grow(Lane& lane) {
    std::vector<Event> larger(lane.ring.size() * 2);
    for (std::size_t i = lane.head; i != lane.tail; ++i) larger[i & (larger.size() - 1)] = lane.ring[i & (lane.ring.size() - 1)];
    lane.ring.swap(larger);
  }

  EventWheel wheel_;
  std::array<Time, kMaxLanes> head_time_;  // 0: of the wheel
  std::array<Lane, kMaxLanes> lanes_;
  unsigned num_lanes_ = 1;
  std::array<Time, 64> delay_;  // by hashed delay: the delay that has a lane there, or -1
  std::array<std::uint8_t, 64> lane_of_;
};

}  // namespace ccsim
