// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// averaged_queue.hpp: marking by an averaged queue between two thresholds, as switches with NVIDIA's congestion control do.
//
// Parameters  an AveragingSetting of a switch (CongestionSwitchGeneralSettings) and a ThresholdProfile of a port VL and SL
//             (CongestionPortProfileSettings)
// State       AveragedQueue of a port VL
// Behaviour   every `period` the average moves towards the queue's fill level by `weight`; below `min_bytes` nothing is marked, at
//             `max_bytes` a share of `share`, linear in between. Above `max_bytes` it is not documented what an InfiniBand switch does
//             (model.switch.mark_above_max)
//
// Samples are not events: the level is constant between arrivals and departures, so the average is brought up to date before each.
#pragma once

#include <cstdint>

#include "congestion/power.hpp"
#include "model.hpp"
#include "units.hpp"

namespace ccsim {

struct AveragingSetting {
  Time period = 64 * kFsPerNs;  // 2^aqs_time * 64 ns
  double weight = 1;            // 2^-aqs_weight

  friend bool operator==(const AveragingSetting&, const AveragingSetting&) = default;
};

struct ThresholdProfile {
  double min_bytes = 0;
  double max_bytes = 0;
  double share = 0;  // percent / 100

  bool marks() const { return share > 0; }
  friend bool operator==(const ThresholdProfile&, const ThresholdProfile&) = default;
};

struct AveragedQueue {
  double bytes = 0;
  Time sampled_at = 0;  // the last sample
};

// Takes the samples up to `now`, before which the level has been `level_bytes`.
inline void AverageUpTo(const AveragingSetting& s, AveragedQueue& q, double level_bytes, Time now) {
  if (now < q.sampled_at + s.period) return;
  const Time samples = (now - q.sampled_at) / s.period;
  q.sampled_at += samples * s.period;
  const double kept = s.weight >= 1 ? 0 : Power(1 - s.weight, static_cast<std::uint64_t>(samples));
  q.bytes = level_bytes + (q.bytes - level_bytes) * kept;
}

// The probability that a packet is marked.
inline double MarkingShare(const ThresholdProfile& p, double average_bytes, MarkAboveMax above_max) {
  if (!p.marks() || average_bytes < p.min_bytes) return 0;
  if (average_bytes > p.max_bytes && above_max != MarkAboveMax::Percent) return above_max == MarkAboveMax::All ? 1 : 0;
  if (average_bytes >= p.max_bytes) return p.share;
  return p.share * (average_bytes - p.min_bytes) / (p.max_bytes - p.min_bytes);
}

}  // namespace ccsim
