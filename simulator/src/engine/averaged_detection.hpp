// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// averaged_detection.hpp: the policy `Detection` of fabrics on which switches may have NVIDIA's congestion control: port VLs of those
// that hold its thresholds mark by their averaged queue (congestion/averaged_queue.hpp), others as port_vl_detection.hpp says.
//
// Behaviour   the queue of a port VL is what all inputs hold for it. A packet leaves with a mark by the average of that moment, its own SL
//             choosing the thresholds. Whether the port has credits makes no difference, nor does the packet's size, as the attributes
//             have no field for either. Such a port VL counts as congested all the time, so that each packet is looked at
// Data        a MarkingSetting and an AveragedQueue for each lane
#pragma once

#include <utility>
#include <vector>

#include "congestion/averaged_queue.hpp"
#include "congestion/nvidia_settings.hpp"
#include "engine/core.hpp"
#include "engine/port_vl_detection.hpp"
#include "engine/rng_streams.hpp"
#include "rng.hpp"

namespace ccsim {

class AveragedDetection : public PortVlDetection {
 public:
  template <typename E>
  void Build(E& e) {
    PortVlDetection::Build(e);
    lanes_.resize(e.lanes_.size());
    rng_ = Rng(e.options_.seed, rng_streams::kAveragedMarks[0]);
  }
  template <typename E>
  void Widen(E& e, unsigned before, unsigned vls) {
    PortVlDetection::Widen(e, before, vls);
    std::vector<AveragedLane> wide(lanes_.size() / before * vls);
    for (std::size_t i = 0; i < lanes_.size(); ++i) wide[i / before * vls + i % before] = lanes_[i];
    lanes_ = std::move(wide);
  }

  template <typename E>
  bool AfterArrival(E& e, LaneState& lane, std::uint32_t crosspoint, unsigned wire_bytes) {
    if (AveragedLane& own = Of(e, lane); own.on) Average(own, lane.queued_bytes - wire_bytes, e.now_);
    return PortVlDetection::AfterArrival(e, lane, crosspoint, wire_bytes);
  }
  template <typename E>
  bool MayMark(const E& e, LaneState& lane, const Packet& k) {
    AveragedLane& own = Of(e, lane);
    if (!own.on) return PortVlDetection::MayMark(e, lane, k);
    Average(own, lane.queued_bytes + k.wire_bytes, e.now_);
    const ThresholdProfile& profile = own.setting.profiles[own.setting.of_sl[k.sl]];
    const double share = MarkingShare(profile, own.queue.bytes, e.model_.switches.mark_above_max);
    return share > 0 && rng_.Uniform() < share;
  }
  template <typename E>
  void AfterDeparture(E& e, LaneState& lane, std::uint32_t crosspoint, unsigned wire_bytes) {
    if (AveragedLane& own = Of(e, lane); own.on) {
      Average(own, lane.queued_bytes + wire_bytes, e.now_);
    }
    PortVlDetection::AfterDeparture(e, lane, crosspoint, wire_bytes);
  }
  // The average of a switch that has just been told to keep one begins at 0.
  template <typename E>
  void Redetect(E& e, std::uint32_t port, LaneState& lane) {
    const std::uint32_t ordinal = e.ports_[port].switch_ordinal;
    AveragedLane& own = Of(e, lane);
    if (own.on) Average(own, lane.queued_bytes, e.now_);
    if (own.on && !e.held_.Averages(ordinal)) lane.congested = false;
    PortVlDetection::Redetect(e, port, lane);
    if (!e.held_.Averages(ordinal)) {
      own.on = false;
      return;
    }
    const NvidiaSwitch& held = e.held_.NvidiaOf(ordinal);
    const auto vl = static_cast<unsigned>(&lane - &e.Lane(port, 0));
    own.setting = MakeMarking(e.model_.switches, held.general, held.ports[e.port_names_[port].port], vl);
    if (!own.on) own.queue = {.bytes = 0, .sampled_at = e.now_ - e.now_ % own.setting.averaging.period};
    own.on = true;
    lane.congested = own.setting.marks();
  }

 private:
  struct AveragedLane {
    MarkingSetting setting;
    AveragedQueue queue;
    bool on = false;
  };

  template <typename E>
  AveragedLane& Of(const E& e, const LaneState& lane) {
    return lanes_[static_cast<std::size_t>(&lane - e.lanes_.data())];
  }
  static void Average(AveragedLane& own, std::uint32_t level_bytes, Time now) {
    AverageUpTo(own.setting.averaging, own.queue, level_bytes, now);
  }

  std::vector<AveragedLane> lanes_;
  Rng rng_{0, 0};
};

}  // namespace ccsim
