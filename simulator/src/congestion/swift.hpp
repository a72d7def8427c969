// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// swift.hpp: the window of a queue pair by delay, as Swift has it (Kumar et al., SIGCOMM 2020, Algorithm 1): one window by the delay in the
// fabric and one by that in the receiving host, each with its target; the smaller governs.
//
// Behaviour   a delay below its target: the window grows by `additive` packets a round trip. Above it: at most once a round trip it falls by
//             `beta` times the part of the delay that is too much, and keeps 1 - most_decrease at least
//             A window below 1 is a pause: a packet, and then 1 / window round trips without any
#pragma once

#include <algorithm>
#include <cstdint>

#include "units.hpp"

namespace ccsim {

struct SwiftSetting {
  Time fabric_target = 0;
  Time host_target = 0;
  double additive = 1;  // packets
  double beta = 0.8;
  double most_decrease = 0.5;
  double first_window = 1;  // packets; so is the next
  double least_window = 0.001;

  Time targets() const { return fabric_target + host_target; }
};

struct SwiftWindow {
  double packets = 0;
  Time decreased = 0;  // when it fell last

  void OnDelay(const SwiftSetting& s, Time delay, Time target, Time round_trip, double acked, double most, Time now) {
    if (delay < target) {
      packets += s.additive * acked / std::max(packets, 1.0);
    } else if (now - decreased >= round_trip) {
      const double excess = static_cast<double>(delay - target) / static_cast<double>(delay);
      packets *= std::max(1 - s.beta * excess, 1 - s.most_decrease);
      decreased = now;
    }
    packets = std::clamp(packets, s.least_window, most);
  }
};

struct SwiftState {
  SwiftWindow fabric, host;
  Time round_trip = 0;  // the latest; 0: none has ended

  // `most`: packets that the link carries in both targets together; a larger window would hold nothing back.
  void OnRoundTrip(const SwiftSetting& s, Time whole, Time in_host, double acked, double most, Time now) {
    if (round_trip == 0) fabric.packets = host.packets = std::min(s.first_window, most);
    round_trip = std::max<Time>(whole, 1);
    fabric.OnDelay(s, whole - in_host, s.fabric_target, round_trip, acked, most, now);
    host.OnDelay(s, in_host, s.host_target, round_trip, acked, most, now);
  }
  double window(const SwiftSetting& s) const { return round_trip == 0 ? s.first_window : std::min(fabric.packets, host.packets); }
};

}  // namespace ccsim
