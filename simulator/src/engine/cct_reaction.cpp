// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/cct_reaction.hpp"

#include <algorithm>

namespace ccsim {
namespace {

void React(EngineCore& e, const ReactionSetting& setting, ReactionState& reaction, const Packet& k) {
  const bool below = CurrentCcti(setting, reaction, e.now_) < setting.trigger_threshold;
  OnBecn(setting, e.model_.ca.ccti_timer, reaction, e.now_);
  if (below && reaction.ccti >= setting.trigger_threshold) e.LogReached(setting, k);
}

}  // namespace

void CctReaction::OnBecn(EngineCore& e, const Packet& k) {
  FlowState& flow = e.flows_[k.flow];
  if (!k.drawn || flow.setting == kNoIndex) {
    ThrottleState& throttle = e.throttles_[e.queue_pairs_[k.queue_pair].throttle];
    if (throttle.setting != kNoIndex) React(e, e.settings_[throttle.setting], throttle.reaction, k);
    return;
  }
  const std::uint32_t setting = e.SettingFor(flow, k.answering_endport());
  if (setting == kNoIndex) return;
  ReactionRecord& record = e.MakeReaction(k.flow, k.answering_endport());
  const std::uint32_t held = record.queue_pair();
  ReactionState reaction = e.ReactionOf(record);
  React(e, e.settings_[setting], reaction, k);
  if (held != kNoIndex) {
    e.throttles_[e.queue_pairs_[held].throttle].reaction = reaction;
  } else {
    record.Set(reaction);
  }
  flow.reacts_until = std::max(flow.reacts_until, FallsToMin(e.settings_[setting], reaction));
}

void CctReaction::DelayThrottle(EngineCore& e, std::uint32_t index, Time packet_time) {
  const ThrottleState& throttle = e.throttles_[index];
  const ReactionSetting& setting = e.settings_[throttle.setting];
  const Time delay = InjectionRateDelay(setting, CurrentCcti(setting, throttle.reaction, e.now_), packet_time);
  if (delay != 0) e.HoldBack(index, packet_time, delay);
}

void CctReaction::AfterDrawnPacket(EngineCore& e, const SentPacket& sent) {
  const QueuePairState& qp = e.queue_pairs_[sent.queue_pair];
  const FlowState& flow = e.flows_[qp.flow];
  const std::uint32_t index = e.SettingFor(flow, qp.destination);
  if (index == kNoIndex) return;
  const ReactionSetting& setting = e.settings_[index];
  ReactionState reaction{.since = e.now_, .ccti = setting.min};
  if (e.now_ < flow.reacts_until) {
    const ReactionRecord* record = e.reactions_.Find(qp.flow, qp.destination);
    if (record != nullptr) reaction = e.ReactionOf(*record);
  }
  const Time delay = InjectionRateDelay(setting, CurrentCcti(setting, reaction, e.now_), sent.wire_time);
  if (delay != 0) e.HoldBackDrawn(sent.queue_pair, sent.wire_time, delay);
}

}  // namespace ccsim
