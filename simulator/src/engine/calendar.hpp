// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// calendar.hpp: the events to come, in order of time.
//
// Nearly all events of a run follow the present by one of a few constant delays: the time of a full packet on the wire, a hop's
// latency. Events of one delay come in order by themselves, so each such delay has a track, a ring that is written at one end and
// read at the other; the earliest event of all is at the head of a track or of the wheel, which takes what is left over. A track
// costs no search, and its memory is walked from front to back however many ports the fabric has.
//
// Order: by time; events of equal time by track (the wheel first, then tracks in the order of their making), in a track as pushed.
// That order depends on nothing but the pushes, so a run is the same each time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "engine/big_vector.hpp"
#include "engine/event_wheel.hpp"
#include "units.hpp"

namespace ccsim {

class Calendar {
 public:
  static constexpr unsigned kNoTrack = 0;

  // As EventWheel.
  Calendar(Time slot_width, Time horizon) : wheel_(slot_width, horizon) {
    head_time_.fill(kNever);
    delay_.fill(-1);
    track_of_.fill(0);
  }

  // An event at any time that is not before `now`, which never decreases from call to call.
  void PushAt(Time now, Time time, std::uint32_t type, std::uint32_t target, std::uint32_t argument) {
    if (time < head_time_[0]) head_time_[0] = time;
    wheel_.TurnTo(now);
    wheel_.Push(time, type, target, argument);
  }

  // The track of a delay, made if there is room for one more; kNoTrack otherwise.
  unsigned TrackFor(Time delay) {
    const std::size_t place = Place(delay);
    if (delay_[place] == delay) return track_of_[place];
    if (delay_[place] >= 0 || num_tracks_ == kMaxTracks) return kNoTrack;
    delay_[place] = delay;
    track_of_[place] = static_cast<std::uint8_t>(num_tracks_);
    return num_tracks_++;
  }

  // An event `delay` after `now`, in the track that TrackFor(delay) gave.
  void PushOnTrack(unsigned track, Time now, Time delay, std::uint32_t type, std::uint32_t target, std::uint32_t argument) {
    if (track == kNoTrack) return PushAt(now, now + delay, type, target, argument);
    Track& l = tracks_[track];
    if (l.tail - l.head >= l.mask) Grow(l);
    l.ring[l.tail & l.mask] = Event::Make(now + delay, type, target, argument);
    l.ring[++l.tail & l.mask] = Nothing();
    // A branch, and not the smaller of the two: which event comes next would wait for this one's time otherwise, and that for all
    // that had to be looked up for it.
    if (head_time_[track] == kNever) [[unlikely]]
      head_time_[track] = now + delay;
  }

  // The same where the track is not known beforehand. For delays that recur: tracks are few, and none is ever given up.
  void PushAfter(Time now, Time delay, std::uint32_t type, std::uint32_t target, std::uint32_t argument) {
    PushOnTrack(TrackFor(delay), now, delay, type, target, argument);
  }

  // Takes the earliest event out if it is not after `until`, and says where it came from: what Ahead() asks for; track 0 is the
  // wheel. kNothing if there is none.
  static constexpr unsigned kNothing = UINT32_MAX;
  unsigned Pop(Time until, Event& out) {
    const auto [time, best] = num_tracks_ <= 8 ? EarliestOf<8>(0) : Earlier(EarliestOf<8>(0), EarliestOf<8>(8));
    if (time > until || time == kNever) return kNothing;
    if (best == 0) {
      wheel_.Pop(until, out);
      const Event* const next = wheel_.Next();
      next_of_wheel_ = next == nullptr ? Nothing() : *next;
      head_time_[0] = next_of_wheel_.time;
      return 0;
    }
    Track& l = tracks_[best];
    const Event* ring = l.ring.data();
    out = ring[l.head++ & l.mask];
    head_time_[best] = ring[l.head & l.mask].time;
    return best;
  }

  // The same for the wheel: the event behind the one that Pop took from it, whatever has been pushed since.
  const Event& NextOfWheel() const { return next_of_wheel_; }

  // The event that will come so many places behind the one that Pop took from this track; or, if there is none yet, one that has been,
  // or one of a type that no event has: good enough to guess what will be touched.
  const Event& Ahead(unsigned track, std::size_t places) const {
    const Track& l = tracks_[track];
    return l.ring[(l.head + places - 1) & l.mask];
  }

 private:
  static constexpr unsigned kMaxTracks = 16;  // the wheel's place, 0, included
  static Event Nothing() { return Event::Make(kNever, UINT32_MAX, 0, 0); }

  struct Track {
    BigVector<Event> ring = BigVector<Event>(64, Nothing());  // behind the last event is Nothing()
    std::size_t mask = 63;
    std::size_t head = 0;
    std::size_t tail = 0;
  };

  struct Head {
    Time time;
    unsigned track;
  };

  // The earlier head, of equals the first. Whether compilers take branches is left to them: without any, it was slower, as the next
  // event's work could not begin on a guess.
  static Head Earlier(Head a, Head b) {
    const bool second = b.time < a.time;
    a.track = second ? b.track : a.track;
    a.time = second ? b.time : a.time;
    return a;
  }
  // Finds the earliest of so many tracks by halves: the processor compares pairs at once, where a loop would make each comparison wait
  // for the one before.
  template <unsigned kTracks>
  Head EarliestOf(unsigned first) const {
    if constexpr (kTracks == 1) {
      return {head_time_[first], first};
    } else {
      return Earlier(EarliestOf<kTracks / 2>(first), EarliestOf<kTracks / 2>(first + kTracks / 2));
    }
  }

  static std::size_t Place(Time delay) { return (static_cast<std::uint64_t>(delay) * 0x9E3779B97F4A7C15ULL) >> 58; }

  static void Grow(Track& track) {
    BigVector<Event> larger(track.ring.size() * 2, Nothing());
    for (std::size_t i = track.head; i != track.tail; ++i) larger[i & (larger.size() - 1)] = track.ring[i & track.mask];
    track.ring.swap(larger);
    track.mask = track.ring.size() - 1;
  }

  EventWheel wheel_;
  Event next_of_wheel_ = Nothing();
  std::array<Time, kMaxTracks> head_time_;  // 0: of the wheel
  std::array<Track, kMaxTracks> tracks_;
  unsigned num_tracks_ = 1;
  std::array<Time, 64> delay_;  // by hashed delay: the delay that has a track there, or -1
  std::array<std::uint8_t, 64> track_of_;
};

}  // namespace ccsim
