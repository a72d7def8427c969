// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// engine_receive.cpp: a channel adapter's port, on its way in.
//
// Ports       a receive buffer for each VL that drains through the host's bus, packet after packet
// Events      kBecn (an ACK or CNP with a BECN has come), kDelivered
// Behaviour   one link brings a host's packets in order, so a packet's whole fate is known when it enters that link: when its
//             tail comes, when it has been drained, whether a CNP or an ACK answers it. Events exist only for what others must
//             learn at that moment: a BECN, a permit, a delivery that belongs to a later sample
// Data        HostState; QueuePairState or ReceiverRecord for what is kept of a queue pair at its receiver
#include <algorithm>
#include <utility>

#include "engine/engine.hpp"

namespace ccsim {

void Engine::Receive(std::uint32_t host_index, std::uint32_t packet, Time tail_there) {
  const Packet k = pool_[packet];  // a copy: the pool may move when a CNP or an ACK is made
  HostState& host = hosts_[host_index];
  if (k.kind != PacketKind::Data) {
    // A FECN on an ACK or a CNP is ignored (IBA A10; thesis, Paper I, footnote 2). Neither crosses the bus.
    GiveCredit(k.from, k.vl, k.blocks(), tail_there);
    if (k.becn) {
      if (k.drawn) reactions_.Prefetch(k.flow, k.sequence);
      calendar_.PushAfter(now_, tail_there - now_, kBecn, host_index, packet);
    } else {
      pool_.Free(packet);
    }
    return;
  }
  if (k.fecn) OnFecn(host_index, k, tail_there);
  Time delivered = tail_there;
  if (host.receive_byte_time != 0) {
    delivered = std::max(host.receive_free, tail_there) + TimeFor(k.payload_bytes(), host.receive_byte_time);
    host.receive_free = delivered;
  }
  GiveCredit(k.from, k.vl, k.blocks(), delivered);
  if (!k.drawn && k.sequence != queue_pairs_[k.queue_pair].expected_sequence++) TakeOutOfOrder(k);
  if (k.ack_request) SendControl(host_index, k, PacketKind::Ack, TakeBecnPending(k), delivered + becn_delay_);
  if (delivered > next_sample_ || k.permits) {
    calendar_.PushAt(now_, delivered, kDelivered, host_index, packet);
  } else {
    CountDelivery(host, k);
    pool_.Free(packet);
  }
}

void Engine::CountDelivery(HostState& host, const Packet& k) {
  FlowCounters& counters = flow_counters_[k.flow];
  ++counters.received_packets;
  counters.received_bytes += k.payload_bytes();
  counters.received_messages += k.ends_message;
  host.received_bytes += k.payload_bytes();
}

void Engine::OnDelivered(std::uint32_t host, std::uint32_t packet) {
  const Packet k = pool_[packet];
  CountDelivery(hosts_[host], k);
  pool_.Free(packet);
  if (!k.permits) return;
  for (const std::uint32_t granted : flows_[k.flow].grants) {
    const Time think = flows_[k.flow].think;
    if (think > 0) {
      calendar_.PushAt(now_, now_ + think, kPermit, granted, 0);
    } else {
      OnPermit(granted);
    }
  }
}

void Engine::OnFecn(std::uint32_t host, const Packet& k, Time tail_there) {
  if (tail_there <= options_.duration) {
    ++flow_counters_[k.flow].fecn_received;
    ++port_counters_[hosts_[host].port].fecn_received;
  }
  const auto is_idle = [this](std::uint32_t, const ReceiverRecord& r) { return r.cnp_allowed() <= now_ && !r.becn_pending(); };
  ReceiverRecord* record = !k.drawn ? nullptr : &receivers_.Make(k.flow, k.destination, is_idle);
  if (model_.ca.becn_carrier == BecnCarrier::Ack) {
    if (record != nullptr) {
      record->tag = 1;
    } else {
      queue_pairs_[k.queue_pair].becn_pending = true;
    }
    return;
  }
  Time& allowed = record != nullptr ? record->time : queue_pairs_[k.queue_pair].cnp_allowed;
  if (tail_there < allowed) return;
  allowed = tail_there + cnp_spacing_;
  SendControl(host, k, PacketKind::Cnp, true, tail_there + becn_delay_);
}

bool Engine::TakeBecnPending(const Packet& k) {
  if (model_.ca.becn_carrier == BecnCarrier::Cnp) return false;
  if (!k.drawn) return std::exchange(queue_pairs_[k.queue_pair].becn_pending, false);
  ReceiverRecord* record = receivers_.Find(k.flow, k.destination);
  if (record == nullptr || !record->becn_pending()) return false;
  record->tag = 0;
  return true;
}

void Engine::OnBecn(std::uint32_t packet) {
  const Packet k = pool_[packet];
  pool_.Free(packet);
  ++flow_counters_[k.flow].becn_received;
  ++port_counters_[hosts_[flows_[k.flow].src].port].becn_received;
  FlowState& flow = flows_[k.flow];
  if (!k.drawn || flow.setting == kNoIndex) {
    ThrottleState& throttle = throttles_[queue_pairs_[k.queue_pair].throttle];
    if (throttle.setting != kNoIndex) React(settings_[throttle.setting], throttle.reaction, k);
    return;
  }
  const std::uint32_t setting = SettingFor(flow, k.sequence);
  if (setting == kNoIndex) return;
  ReactionRecord& record = MakeReaction(k.flow, k.sequence);
  const std::uint32_t held = record.queue_pair();
  ReactionState reaction = ReactionOf(record);
  React(settings_[setting], reaction, k);
  if (held != kNoIndex) {
    throttles_[queue_pairs_[held].throttle].reaction = reaction;
  } else {
    record.Set(reaction);
  }
  flow.reacts_until = std::max(flow.reacts_until, FallsToMin(settings_[setting], reaction));
}

void Engine::React(const ReactionSetting& setting, ReactionState& reaction, const Packet& k) {
  const bool below = CurrentCcti(setting, reaction, now_) < setting.trigger_threshold;
  ccsim::OnBecn(setting, model_.ca.ccti_timer, reaction, now_);
  if (below && reaction.ccti >= setting.trigger_threshold) LogReached(setting, k);
}

// An answer to the data packet `k`, ready to be sent at the time `ready`.
void Engine::SendControl(std::uint32_t host, const Packet& k, PacketKind kind, bool becn, Time ready) {
  const std::uint32_t packet = pool_.Allocate();
  Packet& answer = pool_[packet];
  answer.flow = k.flow;
  answer.queue_pair = k.queue_pair;
  answer.destination = flows_[k.flow].src;
  answer.sequence = k.destination;
  answer.wire_bytes = static_cast<std::uint16_t>(kind == PacketKind::Ack ? kAckBytes : kCnpBytes);
  const FlowState& flow = flows_[k.flow];
  answer.sl = maps_sls_ ? levels_.Sl(flow.sl, k.destination, flow.src) : flow.sl;
  answer.vl = maps_sls_ ? levels_.FirstVl(host, answer.sl) : flow.vl;
  if (model_.ca.control_vl == ControlVl::Last && !maps_sls_) answer.vl = static_cast<std::uint8_t>(num_vls_ - 1);
  answer.kind = kind;
  answer.fecn = answer.ack_request = answer.ends_message = answer.permits = false;
  answer.drawn = k.drawn;
  answer.becn = becn;
  if (answer.vl == kNoVl) [[unlikely]] {
    ++port_counters_[hosts_[host].port].discards;
    return Lose(packet);
  }
  calendar_.PushAt(now_, ready, kControl, host, packet);
}

}  // namespace ccsim
