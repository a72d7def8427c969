// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core_program.cpp: from what the devices hold to what the engine acts on, at the start and whenever tables are set.
//
// Behaviour   only what differs from before is touched, so that setting the same tables again changes nothing. Marking: the port VL
//             is in the congestion state if its fill level says so under the new thresholds. Reaction: a CCTI stays where it is
//             within its new bounds. Where Port_Control changes, or an SL comes under control, queue pairs get other throttles
// Data        held_, settings_, throttles_
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "engine/core.hpp"
#include "engine/index_queue.hpp"
#include "engine/rng_streams.hpp"

namespace ccsim {

void EngineCore::Program(const ccp_tables& tables) {
  held_.Check(tables);
  std::vector<bool> whole(num_endports_), averaged(switches_.size());
  for (std::uint32_t e = 0; e < num_endports_; ++e) whole[e] = held_.WholeSls(e);
  for (std::uint32_t s = 0; s < switches_.size(); ++s) averaged[s] = held_.Averages(s);
  held_.Set(tables);
  ReviseDetection(averaged);
  std::vector<bool> other = AddSettings();
  ReviseReactions();
  ReviseRates();
  for (std::uint32_t e = 0; e < num_endports_; ++e) other[e] = other[e] || whole[e] != held_.WholeSls(e);
  if (std::find(other.begin(), other.end(), true) != other.end()) AssignThrottles(other);
}

// `averaged`: by switch, whether it has marked by averaged queues.
void EngineCore::ReviseDetection(const std::vector<bool>& averaged) {
  bool starves = false;
  std::vector<Starvation> starvation(ports_.size());
  for (std::uint32_t s = 0; s < switches_.size(); ++s) {
    const SwitchState& sw = switches_[s];
    const ccp_switch_tables tables = held_.OfSwitch(s);
    const bool averages = held_.Averages(s);
    for (std::uint32_t port = sw.first_port; port < sw.first_port + sw.num_ports; ++port) {
      if (!averages) starvation[port] = MakeStarvation(model_.switches, tables, port_names_[port].port);
      starves = starves || starvation[port].applies();
      const Detection detection = averages ? Detection{} : MakeDetection(model_.switches, tables, port_names_[port].port);
      for (unsigned vl = 0; vl < num_vls_; ++vl) {
        if (Lane(port, vl).detection == detection && !averages && !averaged[s]) continue;
        Lane(port, vl).detection = detection;
        Redetect(port, vl);
      }
    }
  }
  starves_ = starves;
  if (!starves) return;
  starvation_ = std::move(starvation);
  credit_held_until_.resize(lanes_.size(), 0);
}

ReactionSetting EngineCore::MakeSetting(std::uint32_t endport, unsigned sl) const {
  const ccp_ca_sl_setting& raw = held_.OfSl(endport, sl);
  const HeldTables::Cct& cct = held_.CctOf(endport);
  ReactionSetting s;
  s.period = raw.ccti_timer * kCctiTimerUnit;
  // Ports' timers run free: without phases of their own, hosts would move in lockstep.
  if (s.period > 0) {
    Rng phase(options_.seed, rng_streams::kTimerPhases[(std::uint64_t{endport} << 8) + sl]);
    s.phase = static_cast<Time>(phase.Below(static_cast<std::uint64_t>(s.period)));
  }
  s.increase = raw.ccti_increase;
  s.limit = static_cast<std::uint16_t>(cct.size() - 1);
  s.min = std::min<std::uint16_t>(raw.ccti_min, s.limit);
  s.trigger_threshold = raw.trigger_threshold;
  s.sl = static_cast<std::uint8_t>(sl);
  s.table = cct.data();
  return s;
}

std::uint32_t EngineCore::SettingOf(std::uint32_t endport, unsigned sl) const {
  return setting_of_.empty() ? kNoIndex : setting_of_[std::size_t{endport} * kNumSls + sl];
}

std::uint32_t EngineCore::SettingFor(const FlowState& flow, std::uint32_t destination) const {
  if (levels_.path_sl_bits() == 0) return flow.setting;
  return SettingOf(flow.src, levels_.Sl(flow.sl, flow.src, destination));
}

// Settings for the SLs that flows may use and that have come under control. Gives, by host, whether there are new ones.
std::vector<bool> EngineCore::AddSettings() {
  std::vector<bool> added(num_endports_, false);
  if (setting_of_.empty()) setting_of_.assign(std::size_t{num_endports_} * kNumSls, kNoIndex);
  for (const FlowState& flow : flows_) {
    for (unsigned path = 0; path < 1u << levels_.path_sl_bits(); ++path) {
      const unsigned sl = unsigned{flow.sl} << levels_.path_sl_bits() | path;
      std::uint32_t& index = setting_of_[std::size_t{flow.src} * kNumSls + sl];
      if (index != kNoIndex || !held_.Controls(flow.src, sl)) continue;
      index = static_cast<std::uint32_t>(settings_.size());
      settings_.push_back(MakeSetting(flow.src, sl));
      added[flow.src] = true;
    }
  }
  return added;
}

void EngineCore::ReviseReactions() {
  std::vector<std::optional<ReactionSetting>> before(settings_.size());
  bool revised = false;
  for (std::uint32_t e = 0; e < num_endports_; ++e) {
    for (unsigned sl = 0; sl < kNumSls; ++sl) {
      const std::uint32_t index = SettingOf(e, sl);
      if (index == kNoIndex) continue;
      const ReactionSetting setting = MakeSetting(e, sl);
      if (setting == settings_[index]) continue;
      before[index] = std::exchange(settings_[index], setting);
      revised = true;
    }
  }
  if (!revised) return;
  const auto revise = [&](std::uint32_t setting, ReactionState& reaction) {
    if (setting == kNoIndex || !before[setting]) return;
    const std::uint16_t ccti = CurrentCcti(*before[setting], reaction, now_);
    OnProgrammed(settings_[setting], model_.ca.ccti_timer, reaction, ccti, now_);
  };
  for (ThrottleState& throttle : throttles_) revise(throttle.setting, throttle.reaction);
  reactions_.ForEach([&](std::uint32_t flow, std::uint32_t endport, ReactionRecord& record) {
    if (record.queue_pair() != kNoIndex) return;  // its throttle has been seen to
    ReactionState reaction = record.reaction();
    revise(SettingFor(flows_[flow], endport), reaction);
    record.Set(reaction);
  });
  FindReactsUntil();
}

// A queue pair of an adapter that has just begun to react by rates is as if no CNP had come.
void EngineCore::ReviseRates() {
  if (!rates_.any()) return;
  std::vector<std::optional<DcqcnSetting>> before(num_endports_);
  for (std::uint32_t e = 0; e < num_endports_; ++e) {
    DcqcnSetting setting;
    if (held_.ReactsBy(e) == ActsBy::Nvidia) {
      setting = MakeDcqcnSetting(model_.ca, held_.RpOf(e), GbpsOf(ports_[hosts_[e].port].byte_time));
    }
    if (setting != rates_.setting(e)) before[e] = std::exchange(rates_.setting(e), setting);
  }
  rates_.ForEach([this](std::uint32_t queue_pair) { return queue_pairs_[queue_pair].flow; },
                 [&](std::uint32_t flow, DcqcnState& state) {
                   const std::uint32_t e = flows_[flow].src;
                   if (!before[e]) return;
                   if (before[e]->line_gbps == 0) {
                     state = {};
                   } else if (rates_.setting(e).line_gbps > 0) {
                     OnProgrammed(*before[e], rates_.setting(e), state, now_);
                   }
                 });
}

void EngineCore::FindReactsUntil() {
  for (FlowState& flow : flows_) flow.reacts_until = 0;
  reactions_.ForEach([&](std::uint32_t index, std::uint32_t endport, const ReactionRecord& record) {
    FlowState& flow = flows_[index];
    const std::uint32_t setting = SettingFor(flow, endport);
    if (setting == kNoIndex) return;
    flow.reacts_until = std::max(flow.reacts_until, FallsToMin(settings_[setting], ReactionOf(record)));
  });
}

// Takes all queue pairs of these hosts out of their throttles' queues. Gives them in the order in which they would be served.
std::vector<std::uint32_t> EngineCore::TakeQueued(const std::vector<bool>& hosts) {
  std::vector<std::uint32_t> taken;
  const auto empty = [&](ThrottleState& throttle) {
    while (throttle.queue_pairs.head != kNoIndex) {
      const std::uint32_t qp = PopFront(throttle.queue_pairs, queue_pairs_);
      queue_pairs_[qp].queued = false;
      taken.push_back(qp);
    }
  };
  for (std::uint32_t h = 0; h < num_endports_; ++h) {
    if (!hosts[h]) continue;
    for (unsigned vl = 0; vl < num_vls_; ++vl) {
      IndexQueue& ready = ReadyQueue(h, vl);
      while (ready.head != kNoIndex) {
        ThrottleState& throttle = throttles_[PopFront(ready, throttles_)];
        throttle.status = ThrottleStatus::Idle;
        empty(throttle);
      }
    }
    hosts_[h].ready_vls = 0;
  }
  // And those that wait for a delay to be over.
  for (std::uint32_t i = 0; i < queue_pairs_.size(); ++i) {
    if (queue_pairs_[i].queued && hosts[flows_[queue_pairs_[i].flow].src]) empty(throttles_[queue_pairs_[i].throttle]);
  }
  return taken;
}

// The setting that governs a queue pair's packets, whether it or its throttle is asked.
std::uint32_t EngineCore::SettingOf(const QueuePairState& qp) const {
  const FlowState& flow = flows_[qp.flow];
  const bool drawing = flow.destinations != nullptr && !qp.is_context;
  return SettingOf(flow.src, levels_.Sl(flow.sl, flow.src, drawing ? flow.src : qp.destination));
}

// A queue pair for a single destination that is not there any more, or has nothing to send but a delay to end.
bool EngineCore::IsSpareContext(std::uint32_t index, bool has_packets) {
  const QueuePairState& qp = queue_pairs_[index];
  if (!qp.is_context) return false;
  const ReactionRecord* record = reactions_.Find(qp.flow, qp.destination);
  if (record == nullptr || record->queue_pair() != index) return true;
  if (has_packets) return false;
  const std::uint32_t left = qp.throttle;
  DropContext(index);
  throttles_[left].context = kNoIndex;  // its end of delay comes, and finds nobody
  queue_pairs_[index].throttle = static_cast<std::uint32_t>(throttles_.size());
  throttles_.emplace_back();
  return true;
}

// Gives the queue pairs of these hosts the throttles that their tables ask for: one each, or one for all of an SL. What they have
// queued is queued there in the same order; a new throttle has the largest CCTI of those that it replaces, which are left to end
// their delays with nobody waiting.
void EngineCore::AssignThrottles(const std::vector<bool>& hosts) {
  const std::vector<std::uint32_t> queued = TakeQueued(hosts);
  std::vector<bool> has_packets(queue_pairs_.size(), false);
  for (const std::uint32_t i : queued) has_packets[i] = true;
  for (std::uint32_t i = 0; i < queue_pairs_.size(); ++i) {
    if (queue_pairs_[i].queued) has_packets[i] = true;  // the transport holds it back
  }
  std::map<std::pair<std::uint32_t, unsigned>, std::uint32_t> shared;  // throttle by host and SL
  for (std::uint32_t i = 0; i < queue_pairs_.size(); ++i) {
    QueuePairState& qp = queue_pairs_[i];
    FlowState& flow = flows_[qp.flow];
    if (!hosts[flow.src] || IsSpareContext(i, has_packets[i])) continue;
    const std::uint32_t setting = SettingOf(qp);
    const bool whole_sl = setting != kNoIndex && held_.WholeSls(flow.src);
    if (!qp.is_context) flow.setting = whole_sl ? kNoIndex : SettingOfAny(flow);
    std::uint16_t ccti = 0;
    if (qp.throttle != kNoIndex) {
      ThrottleState& left = throttles_[qp.throttle];
      if (left.setting != kNoIndex) ccti = CurrentCcti(settings_[left.setting], left.reaction, now_);
      left.context = kNoIndex;
    }
    const auto next = static_cast<std::uint32_t>(throttles_.size());
    qp.throttle = whole_sl ? shared.try_emplace({flow.src, settings_[setting].sl}, next).first->second : next;
    if (qp.throttle == next) {
      // One that draws its destinations is never held back itself: the queue pairs to them are.
      ThrottleState& made = throttles_.emplace_back();
      made.setting = qp.draws && !whole_sl ? kNoIndex : setting;
      made.context = qp.is_context && !whole_sl ? i : kNoIndex;
    }
    ThrottleState& throttle = throttles_[qp.throttle];
    if (throttle.setting == kNoIndex || (qp.throttle != next && ccti <= throttle.reaction.ccti)) continue;
    OnProgrammed(settings_[setting], model_.ca.ccti_timer, throttle.reaction, ccti, now_);
  }
  for (const std::uint32_t i : queued) {
    QueuePairState& qp = queue_pairs_[i];
    qp.queued = true;
    PushBack(throttles_[qp.throttle].queue_pairs, queue_pairs_, i);
    if (throttles_[qp.throttle].status == ThrottleStatus::Idle) Enqueue(flows_[qp.flow].src, qp.vl, qp.throttle);
  }
  FindReactsUntil();
  if (queued.empty()) return;
  for (std::uint32_t h = 0; h < num_endports_; ++h) {
    if (hosts[h]) TryInject(h);
  }
}

// Of a flow's packets to any of its destinations, which may travel on several SLs.
std::uint32_t EngineCore::SettingOfAny(const FlowState& flow) const {
  for (unsigned path = 0; path < 1u << levels_.path_sl_bits(); ++path) {
    const std::uint32_t setting = SettingOf(flow.src, unsigned{flow.sl} << levels_.path_sl_bits() | path);
    if (setting != kNoIndex) return setting;
  }
  return kNoIndex;
}

}  // namespace ccsim
