// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// engine_detection.cpp: when a port VL is in the congestion state (IBA annex A10.2.1), on fabrics of all kinds; engine_switch.cpp has the
// plain ones' part of it.
//
// Data        LaneState; voq_bytes_ and voq_over_ where each VOQ is judged on its own
#include "engine/engine.hpp"

namespace ccsim {

bool Engine::MayCross(LaneState& lane) {
  if (shares_) {
    TakeSharedCredits(lane, now_);
  } else {
    TakeCredits(lane, now_);
  }
  return lane.detection.victim_mask || model_.switches.root_test == RootTest::Marking || Available(lane) >= mtu_blocks_;
}

// After this packet there must be credits for another: a port that gets them one packet at a time is somebody's victim.
bool Engine::MayMark(const LaneState& lane, unsigned blocks) const {
  return lane.detection.victim_mask || model_.switches.root_test == RootTest::Crossing ||
         Available(lane) >= static_cast<std::int32_t>(blocks) + mtu_blocks_;
}

std::uint64_t Engine::FillLevel(const LaneState& lane, std::uint32_t voq) const {
  switch (model_.switches.threshold_mode) {
    case ThresholdMode::Voq: return voq_bytes_[voq];
    case ThresholdMode::Sum: return lane.queued_bytes;
    case ThresholdMode::Contributing: return std::uint64_t{lane.queued_bytes} * lane.queued_inputs;
  }
  return 0;
}

bool Engine::DetectAfterArrival(LaneState& lane, std::uint32_t voq, unsigned wire_bytes) {
  const std::uint32_t high = lane.detection.high_bytes;
  switch (model_.switches.threshold_mode) {
    case ThresholdMode::Voq: {
      voq_bytes_[voq] += wire_bytes;
      if (voq_over_[voq] != 0 || voq_bytes_[voq] < high || !MayCross(lane)) return false;
      voq_over_[voq] = 1;
      ++lane.inputs_over;
      const bool entered = !lane.congested;
      lane.congested = true;
      return entered;
    }
    case ThresholdMode::Sum:
      if (lane.congested || lane.queued_bytes < high) return false;
      return lane.congested = MayCross(lane);
    case ThresholdMode::Contributing:
      if (lane.congested || std::uint64_t{lane.queued_bytes} * lane.queued_inputs < high) return false;
      return lane.congested = MayCross(lane);
  }
  return false;
}

void Engine::DetectAfterDeparture(LaneState& lane, std::uint32_t voq, unsigned wire_bytes) {
  const std::uint32_t low = lane.detection.low_bytes;
  switch (model_.switches.threshold_mode) {
    case ThresholdMode::Voq:
      voq_bytes_[voq] -= wire_bytes;
      if (voq_over_[voq] != 0 && voq_bytes_[voq] < low) {
        voq_over_[voq] = 0;
        lane.congested = --lane.inputs_over > 0;
      }
      return;
    case ThresholdMode::Sum:
      if (lane.congested && lane.queued_bytes < low) lane.congested = false;
      return;
    case ThresholdMode::Contributing:
      if (lane.congested && std::uint64_t{lane.queued_bytes} * lane.queued_inputs < low) lane.congested = false;
      return;
  }
}

}  // namespace ccsim
