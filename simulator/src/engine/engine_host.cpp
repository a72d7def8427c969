// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// engine_host.cpp: a channel adapter's port, on its way out.
//
// Ports       ready throttles for each VL, in turn, behind the host's bus; ACKs and CNPs in a queue of their own that goes first
//             and does not cross the bus
// Events      kHostWake, kThrottleEnd, kControl
// Behaviour   a data packet starts when the link is idle, the bus free, credits there, and its throttle's delay over: the later of
//             these, never their sum. The delay after a packet is the CCT entry at the CCTI of its start. Which queue pairs have
//             a packet to send is the business of engine_traffic.cpp
// Data        HostState, ThrottleState, QueuePairState
#include <algorithm>

#include "engine/engine.hpp"
#include "engine/index_queue.hpp"

namespace ccsim {

void Engine::MakeReady(std::uint32_t queue_pair) {
  if (JoinThrottle(queue_pair)) TryInject(flows_[queue_pairs_[queue_pair].flow].src);
}

void Engine::MakeReadySoon(std::uint32_t queue_pair) {
  const std::uint32_t host = flows_[queue_pairs_[queue_pair].flow].src;
  if (JoinThrottle(queue_pair)) WakeAt(host, std::max(now_, NextInjection(hosts_[host])));
}

bool Engine::JoinThrottle(std::uint32_t queue_pair) {
  QueuePairState& qp = queue_pairs_[queue_pair];
  ThrottleState& throttle = throttles_[qp.throttle];
  qp.queued = true;
  PushBack(throttle.queue_pairs, queue_pairs_, queue_pair);
  if (throttle.status != ThrottleStatus::Idle) return false;
  Enqueue(flows_[qp.flow].src, qp.vl, qp.throttle);
  return true;
}

void Engine::Enqueue(std::uint32_t host, unsigned vl, std::uint32_t throttle) {
  throttles_[throttle].status = ThrottleStatus::Queued;
  PushBack(ReadyQueue(host, vl), throttles_, throttle);
  hosts_[host].ready_vls |= static_cast<std::uint16_t>(1u << vl);
}

void Engine::OnThrottleEnd(std::uint32_t index) {
  ThrottleState& throttle = throttles_[index];
  throttle.status = ThrottleStatus::Idle;
  if (throttle.queue_pairs.head == kNoIndex) {
    if (throttle.context != kNoIndex) DropContext(throttle.context);
    return;
  }
  const QueuePairState& qp = queue_pairs_[throttle.queue_pairs.head];
  const std::uint32_t host = flows_[qp.flow].src;
  Enqueue(host, qp.vl, index);
  TryInject(host);
}

void Engine::OnHostWake(std::uint32_t host) {
  hosts_[host].wake = Either(hosts_[host].wake == now_, kNever, hosts_[host].wake);
  TryInject(host);
}

// A host that has nothing to send sets no alarm: whatever comes up next tries at once, and sets it if it is too early.
void Engine::WakeAt(std::uint32_t host_index, Time time) {
  HostState& host = hosts_[host_index];
  if (time >= host.wake) return;
  host.wake = time;
  calendar_.PushAt(now_, time, kHostWake, host_index, 0);
}

void Engine::TryInject(std::uint32_t host_index) {
  HostState& host = hosts_[host_index];
  if ((host.control_vls | host.ready_vls) == 0) return;
  if (now_ < host.link_free) return WakeAt(host_index, host.control_vls != 0 ? host.link_free : NextInjection(host));
  if (arbitrates_ && arbiters_[host.port]) {
    if (TryInjectArbitrated(host_index)) WakeAfterInjection(host_index);
    return;
  }
  if (host.control_vls != 0 && TryInjectControl(host_index)) {
    if ((host.control_vls | host.ready_vls) != 0)
      WakeAt(host_index, host.control_vls != 0 ? host.link_free : NextInjection(host));
    return;
  }
  if (host.ready_vls == 0) return;
  if (now_ < host.inject_free) return WakeAt(host_index, host.inject_free);
  for (unsigned i = 0; i < num_vls_; ++i) {
    const unsigned vl = num_vls_ == 1 ? 0 : (host.next_vl + i) % num_vls_;
    if ((host.ready_vls >> vl & 1) == 0 || !ServeHead(host_index, vl)) continue;
    const unsigned travels_on = maps_sls_ ? HeadVl(host_index, vl) : vl;
    if (travels_on != kNoVl && !HasCredits(host.port, travels_on, HeadBlocks(host_index, vl))) continue;
    InjectData(host_index, vl);
    host.next_vl = (vl + 1 == num_vls_ ? 0 : vl + 1) & 0xF;
    return WakeAfterInjection(host_index);
  }
}

unsigned Engine::HeadVl(std::uint32_t host, unsigned queue) const {
  const QueuePairState& qp = queue_pairs_[throttles_[ready_[std::size_t{host} * num_vls_ + queue].head].queue_pairs.head];
  const FlowState& flow = flows_[qp.flow];
  return levels_.FirstVl(flow.src, levels_.Sl(flow.sl, flow.src, qp.destination));
}

// As WakeAt; after full packets the time is always equally far, so that the event is cheap.
void Engine::WakeAfterInjection(std::uint32_t host_index) {
  HostState& host = hosts_[host_index];
  if ((host.control_vls | host.ready_vls) == 0) return;
  const Time time = host.control_vls != 0 ? host.link_free : NextInjection(host);
  if (time >= host.wake) return;
  host.wake = time;
  calendar_.PushAfter(now_, time - now_, kHostWake, host_index, 0);
}

// Brings a queue pair that has begun a message to the head of the ready queue; takes those that have none to begin out of it. True
// if there is one.
bool Engine::ServeHead(std::uint32_t host_index, unsigned vl) {
  IndexQueue& ready = ReadyQueue(host_index, vl);
  const bool chooses = !chooses_.empty() && chooses_[host_index] != 0;
  while (ready.head != kNoIndex) {
    if (chooses) ChooseNext(host_index, vl);
    const std::uint32_t throttle = ready.head;
    const std::uint32_t qp = throttles_[throttle].queue_pairs.head;
    if (qp == kNoIndex) {
      throttles_[throttle].status = ThrottleStatus::Idle;
      PopFront(ready, throttles_);
      continue;
    }
    const bool stopped = flows_[queue_pairs_[qp].flow].stop <= now_;
    if (!stopped && (queue_pairs_[qp].message_left > 0 || BeginMessage(qp))) return true;
    PopFront(throttles_[throttle].queue_pairs, queue_pairs_);
    queue_pairs_[qp].queued = false;
  }
  HostState& host = hosts_[host_index];
  host.ready_vls &= static_cast<std::uint16_t>(~(1u << vl));
  if ((host.control_vls >> vl & 1) == 0 && !maps_sls_) Lane(host.port, vl).wants_credits = false;
  if ((host.ready_vls | host.control_vls) == 0) StopWaiting(host.port);
  return false;
}

void Engine::InjectData(std::uint32_t host_index, unsigned vl) {
  IndexQueue& ready = ReadyQueue(host_index, vl);
  const std::uint32_t throttle_index = PopFront(ready, throttles_);
  if (ready.head == kNoIndex) hosts_[host_index].ready_vls &= static_cast<std::uint16_t>(~(1u << vl));
  const std::uint32_t qp_index = PopFront(throttles_[throttle_index].queue_pairs, queue_pairs_);
  QueuePairState& qp = queue_pairs_[qp_index];
  qp.queued = false;

  const std::uint32_t payload = std::min(qp.message_left, mtu_bytes_);
  qp.message_left -= payload;
  const std::uint32_t packet = pool_.Allocate();
  Packet& k = pool_[packet];
  k.flow = qp.flow;
  k.drawn = flows_[qp.flow].destinations != nullptr;
  k.queue_pair = k.drawn ? flows_[qp.flow].first_queue_pair : qp_index;
  k.destination = qp.destination;
  QueuePairState& numbered = queue_pairs_[k.queue_pair];
  k.sequence = numbered.sequence++;
  k.wire_bytes = static_cast<std::uint16_t>(payload + kHeaderBytes);
  k.sl = flows_[qp.flow].sl;
  k.vl = static_cast<std::uint8_t>(vl);
  if (maps_sls_) {
    k.sl = levels_.Sl(k.sl, flows_[qp.flow].src, k.destination);
    k.vl = levels_.FirstVl(flows_[qp.flow].src, k.sl);
  }
  k.kind = PacketKind::Data;
  k.fecn = k.becn = false;
  k.ends_message = qp.message_left == 0;
  k.permits = k.ends_message && flows_[qp.flow].permits;
  k.ack_request = ++numbered.unrequested >= model_.ca.ack_every_packets;
  if (k.ack_request) numbered.unrequested = 0;
  ++flow_counters_[qp.flow].sent_packets;
  const Time packet_time = TimeFor(k.wire_bytes, ports_[hosts_[host_index].port].byte_time);
  hosts_[host_index].link_free = now_ + packet_time;
  hosts_[host_index].inject_free = now_ + TimeFor(payload, hosts_[host_index].inject_byte_time);
  if (!chooses_.empty() && chooses_[host_index] != 0) CountTurn(host_index, vl, qp_index, payload);
  if (qp.pacing > 0 && !qp.whole) qp.due += TimeFor(payload, qp.pacing);
  if (k.vl != kNoVl) [[likely]] {
    Transmit(hosts_[host_index].port, packet);
  } else {
    ++port_counters_[hosts_[host_index].port].discards;
    Lose(packet);
  }

  if (qp.draws && flows_[qp.flow].setting != kNoIndex) {
    DelayDrawn(qp_index, packet_time);
  } else {
    DelayThrottle(throttle_index, packet_time);
  }
  ContinueWith(qp_index);
  // What the throttle has left goes to the end of the queue, or waits for the delay to be over.
  ThrottleState& throttle = throttles_[throttle_index];
  if (throttle.status == ThrottleStatus::Delayed) return;
  if (throttle.queue_pairs.head != kNoIndex) {
    Enqueue(host_index, vl, throttle_index);
  } else {
    throttle.status = ThrottleStatus::Idle;
    if (throttle.context != kNoIndex) DropContext(throttle.context);
  }
}

// The injection rate delay after a packet of the throttle.
void Engine::DelayThrottle(std::uint32_t throttle_index, Time packet_time) {
  ThrottleState& throttle = throttles_[throttle_index];
  if (throttle.setting == kNoIndex) return;
  const ReactionSetting& setting = settings_[throttle.setting];
  const Time delay = InjectionRateDelay(setting, CurrentCcti(setting, throttle.reaction, now_), packet_time);
  if (delay == 0) return;
  throttle.status = ThrottleStatus::Delayed;
  calendar_.PushAt(now_, now_ + packet_time + delay, kThrottleEnd, throttle_index, 0);
}

bool Engine::TryInjectControl(std::uint32_t host_index) {
  HostState& host = hosts_[host_index];
  for (unsigned vl = 0; vl < num_vls_; ++vl) {
    if ((host.control_vls >> vl & 1) == 0) continue;
    PacketQueue& queue = ControlQueue(host_index, vl);
    if (!HasCredits(host.port, vl, pool_[queue.head].blocks())) continue;
    InjectControl(host_index, vl);
    return true;
  }
  return false;
}

void Engine::InjectControl(std::uint32_t host_index, unsigned vl) {
  HostState& host = hosts_[host_index];
  PacketQueue& queue = ControlQueue(host_index, vl);
  const std::uint32_t packet = queue.Pop(pool_);
  if (queue.empty()) host.control_vls &= static_cast<std::uint16_t>(~(1u << vl));
  host.link_free = now_ + TimeFor(pool_[packet].wire_bytes, ports_[host.port].byte_time);
  Transmit(host.port, packet);
}

void Engine::OnControl(std::uint32_t host, std::uint32_t packet) {
  const unsigned vl = pool_[packet].vl;
  if (ports_[hosts_[host].port].impaired) [[unlikely]] {
    ++port_counters_[hosts_[host].port].discards;
    return Lose(packet);
  }
  ControlQueue(host, vl).Push(pool_, packet);
  hosts_[host].control_vls |= static_cast<std::uint16_t>(1u << vl);
  TryInject(host);
}

}  // namespace ccsim
