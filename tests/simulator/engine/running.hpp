// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// running.hpp: flows, options and rates for tests that run an engine.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/engine.hpp"

namespace ccsim::testing {

inline constexpr double kLinkGbps = 16.0 * 2048 / 2074;  // payload that a 4xDDR link carries

inline RunOptions Options(double duration_s, double sample_interval_s) {
  RunOptions options;
  options.duration = FromSeconds(duration_s);
  options.sample_interval = FromSeconds(sample_interval_s);
  return options;
}

inline Flow MakeFlow(std::uint32_t src, std::uint32_t dst, std::uint8_t sl = 0) {
  Flow flow;
  flow.src = src;
  flow.dst = dst;
  flow.sl = sl;
  return flow;
}

// Mean payload rate of a flow over the samples from `first` up to `last`, or to the end.
inline double Gbps(const Engine& engine, std::size_t flow, Time sample_interval, std::size_t first = 1,
                   std::size_t last = SIZE_MAX) {
  const RunRecord& record = engine.record();
  last = std::min(last, record.num_samples);
  double bytes = 0;
  for (std::size_t s = first; s < last; ++s) bytes += static_cast<double>(record.received_bytes[s * engine.num_flows() + flow]);
  return bytes * 8e-9 / (AsSeconds(sample_interval) * static_cast<double>(last - first));
}

// Runs to the end and checks everything now and then.
inline void RunChecked(Engine& engine) {
  engine.Run([&](Time) {
    engine.CheckInvariants();
    return true;
  });
  engine.CheckInvariants();
}

}  // namespace ccsim::testing
