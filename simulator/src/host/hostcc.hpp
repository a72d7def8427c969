// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// hostcc.hpp: hostCC's state on one host: smoothed signals, and the level to which it throttles the host's other work.
//
// Signals     occupancy of the root complex's write buffer, in lines, and the adapter's write bandwidth; each sample moves the smoothed
//             value by its weight, and samples out of range are ignored
// Levels      bandwidth below its target and occupancy above its threshold: one up. The reverse: one down, rarely. Else it stays
// Marks       every packet while the smoothed occupancy is above its threshold
#pragma once

#include <cstddef>

#include "host/host_model.hpp"
#include "units.hpp"

namespace ccsim {

class HostCc {
 public:
  // Returns true if the level has changed.
  bool Sample(const HostCcSettings& settings, Time now, double occupancy_lines, double gbps) {
    if (occupancy_lines > settings.least_lines) {
      occupancy_ += settings.occupancy_weight * (occupancy_lines - occupancy_);
    }
    if (gbps < settings.most_gbps) bandwidth_ += settings.bandwidth_weight * (gbps - bandwidth_);
    const bool starved = bandwidth_ < settings.target_gbps && occupancy_ > settings.occupancy_lines;
    const bool served = bandwidth_ > settings.target_gbps && occupancy_ < settings.occupancy_lines;
    if (starved && level_ + 1 < settings.level_factors.size()) {
      ++level_;
      return true;
    }
    if (served && level_ > 0 && now >= next_down_) {
      --level_;
      next_down_ = now + FromNs(settings.step_down_us * 1000);
      return true;
    }
    return false;
  }
  bool marks(const HostCcSettings& settings) const { return settings.enabled && occupancy_ > settings.occupancy_lines; }
  std::size_t level() const { return level_; }
  double occupancy_lines() const { return occupancy_; }
  double gbps() const { return bandwidth_; }

 private:
  double occupancy_ = 0;
  double bandwidth_ = 0;
  std::size_t level_ = 0;
  Time next_down_ = 0;
};

}  // namespace ccsim
