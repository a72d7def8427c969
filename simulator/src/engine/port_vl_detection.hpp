// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// port_vl_detection.hpp: the policy `Detection` of annex A10.2.1: when a port VL is in the congestion state.
//
// Data        LaneState; the fill level of each VOQ where each is judged on its own (model.switch.threshold_mode `voq`)
#pragma once

#include <vector>

#include "engine/core.hpp"

namespace ccsim {

class PortVlDetection {
 public:
  template <typename E>
  void Build(E& e) {
    if (e.model_.switches.threshold_mode != ThresholdMode::Voq) return;
    queue_bytes_.assign(e.num_crosspoints_, 0);
    queue_over_.assign(e.num_crosspoints_, 0);
  }
  template <typename E>
  void Widen(E& e, unsigned before, unsigned vls) {
    if (queue_bytes_.empty()) return;
    queue_bytes_ = e.WidenCrosspoints(queue_bytes_, before, vls);
    queue_over_ = e.WidenCrosspoints(queue_over_, before, vls);
  }

  // A packet has come to the lane's `crosspoint`. True: the lane has entered the congestion state.
  template <typename E>
  [[gnu::always_inline]] bool AfterArrival(E& e, LaneState& lane, std::uint32_t crosspoint, unsigned wire_bytes) {
    const std::uint32_t high = lane.detection.high_bytes;
    if (ModeOf(e) == ThresholdMode::Voq) {
      queue_bytes_[crosspoint] += wire_bytes;
      if (queue_over_[crosspoint] != 0 || queue_bytes_[crosspoint] < high || !MayCross(e, lane)) return false;
      queue_over_[crosspoint] = 1;
      ++lane.inputs_over;
      const bool entered = !lane.congested;
      lane.congested = true;
      return entered;
    }
    if (FillLevel(e, lane, crosspoint) < high || lane.congested || !MayCross(e, lane)) return false;
    lane.congested = true;
    return true;
  }

  // A packet leaves a lane in the congestion state: whether it may be marked.
  template <typename E>
  [[gnu::always_inline]] bool MayMark(const E& e, const LaneState& lane, const Packet& k) const {
    if (k.wire_bytes < lane.detection.min_bytes) return false;
    // After this packet there must be credits for another: a port that gets them one packet at a time is somebody's victim.
    return lane.detection.victim_mask || e.model_.switches.root_test == RootTest::Crossing ||
           e.Available(lane) >= static_cast<std::int32_t>(k.blocks()) + e.mtu_blocks_;
  }

  // A packet has left the lane's `crosspoint`.
  template <typename E>
  [[gnu::always_inline]] void AfterDeparture(E& e, LaneState& lane, std::uint32_t crosspoint, unsigned wire_bytes) {
    const std::uint32_t low = lane.detection.low_bytes;
    if (ModeOf(e) == ThresholdMode::Voq) {
      queue_bytes_[crosspoint] -= wire_bytes;
      if (queue_over_[crosspoint] == 0 || queue_bytes_[crosspoint] >= low) return;
      queue_over_[crosspoint] = 0;
      lane.congested = --lane.inputs_over > 0;
    } else if (lane.congested && FillLevel(e, lane, crosspoint) < low) {
      lane.congested = false;
    }
  }

  // Gives the fill level that is compared with a Threshold.
  template <typename E>
  [[gnu::always_inline]] std::uint64_t FillLevel(const E& e, const LaneState& lane, std::uint32_t crosspoint) const {
    switch (ModeOf(e)) {
      case ThresholdMode::Voq: return queue_bytes_[crosspoint];
      case ThresholdMode::Sum: return lane.queued_bytes;
      case ThresholdMode::Contributing: return std::uint64_t{lane.queued_bytes} * lane.queued_inputs;
    }
    return 0;
  }

  // Sets the state as if the present fill levels had just been reached.
  template <typename E>
  void Redetect(E& e, std::uint32_t port, LaneState& lane) {
    const Detection& d = lane.detection;
    const auto over = [&](bool before, std::uint64_t level) {
      if (!d.marks()) return false;
      return before ? level >= d.low_bytes : level >= d.high_bytes && MayCross(e, lane);
    };
    if (e.model_.switches.threshold_mode != ThresholdMode::Voq) {
      lane.congested = over(lane.congested, FillLevel(e, lane, lane.first_crosspoint));
      return;
    }
    lane.inputs_over = 0;
    const std::uint32_t end = lane.first_crosspoint + e.switches_[e.ports_[port].switch_ordinal].num_ports;
    for (std::uint32_t crosspoint = lane.first_crosspoint; crosspoint < end; ++crosspoint) {
      queue_over_[crosspoint] = over(queue_over_[crosspoint] != 0, queue_bytes_[crosspoint]);
      lane.inputs_over = static_cast<std::uint8_t>(lane.inputs_over + queue_over_[crosspoint]);
    }
    lane.congested = lane.inputs_over > 0;
  }

 private:
  template <typename E>
  [[gnu::always_inline]] static ThresholdMode ModeOf(const E& e) {
    return E::kPlain ? ThresholdMode::Sum : e.model_.switches.threshold_mode;
  }

  // The root test when a threshold is crossed.
  template <typename E>
  static bool MayCross(E& e, LaneState& lane) {
    if (e.shares_) {
      e.TakeSharedCredits(lane, e.now_);
    } else {
      e.TakeCredits(lane, e.now_);
    }
    return lane.detection.victim_mask || e.model_.switches.root_test == RootTest::Marking || e.Available(lane) >= e.mtu_blocks_;
  }

  std::vector<std::uint32_t> queue_bytes_;  // by queue, if each is judged on its own; so is the next
  std::vector<std::uint8_t> queue_over_;    // it has crossed the threshold and not yet fallen below the release level
};

}  // namespace ccsim
