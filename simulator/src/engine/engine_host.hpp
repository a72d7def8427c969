// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// engine_host.hpp: a channel adapter's port: packets on their way out, and on their way in.
//
// Ports       ready throttles for each VL, in turn, behind the host's bus; ACKs and CNPs in a queue of their own that goes first
//             and does not cross the bus; a receive buffer for each VL that drains through the bus
// Events      kHostWake, kThrottleEnd, kControl, kBecn (an ACK or CNP with a BECN has come), kDelivered, kDrain
// Behaviour   a data packet starts when the link is idle, the bus free, credits there, and its throttle's delay over: the later of
//             these, never their sum. The delay after a packet is the CCT entry at the CCTI of its start. Which queue pairs have
//             a packet to send is the business of core_traffic.cpp.
//             One link brings a host's packets in order, so a packet's whole fate is known when it enters that link: when its
//             tail comes, when it has been drained, whether a CNP or an ACK answers it. Events exist only for what others must
//             learn at that moment: a BECN, a permit, a delivery that belongs to a later sample
// Data        HostState, ThrottleState, QueuePairState
#pragma once

#include <algorithm>
#include <array>
#include <optional>

#include "engine/engine_class.hpp"
#include "engine/index_queue.hpp"

namespace ccsim {

// --- Out --------------------------------------------------------------------------------------------------------------------------

template <typename P>
void EngineOf<P>::OnThrottleEnd(std::uint32_t index) {
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

template <typename P>
void EngineOf<P>::OnHostWake(std::uint32_t host) {
  hosts_[host].wake = Either(hosts_[host].wake == now_, kNever, hosts_[host].wake);
  TryInject(host);
}

template <typename P>
[[gnu::noinline]] void EngineOf<P>::TryInject(std::uint32_t host_index) {
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

// Brings a queue pair that has begun a message to the head of the ready queue; takes those that have none to begin out of it. True
// if there is one.
template <typename P>
bool EngineOf<P>::ServeHead(std::uint32_t host_index, unsigned vl) {
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
    if (!stopped && (queue_pairs_[qp].message_left > 0 || BeginMessage(qp))) {
      if constexpr (P::Transport::kHolds) {
        if (transport_.Holds(*this, host_index, queue_pairs_[qp])) {
          Park(throttle, qp);
          continue;
        }
      }
      return true;
    }
    PopFront(throttles_[throttle].queue_pairs, queue_pairs_);
    queue_pairs_[qp].queued = false;
  }
  HostState& host = hosts_[host_index];
  host.ready_vls &= static_cast<std::uint16_t>(~(1u << vl));
  if ((host.control_vls >> vl & 1) == 0 && !maps_sls_) Lane(host.port, vl).wants_credits = false;
  if ((host.ready_vls | host.control_vls) == 0) StopWaiting(host.port);
  return false;
}

// Takes a queue pair that the transport holds back out of the ready queue, at whose head it is. What a drawing one has begun to send
// waits in a queue pair of its destination's own, and it goes on to its next message.
template <typename P>
void EngineOf<P>::Park(std::uint32_t throttle, std::uint32_t queue_pair) {
  if (queue_pairs_[queue_pair].draws) {
    const std::uint32_t held = HandOver(queue_pair);
    queue_pairs_[held].queued = true;  // nobody makes it ready but Unpark()
    if constexpr (P::Transport::kHolds) transport_.Park(*this, held);
    return;
  }
  PopFront(throttles_[throttle].queue_pairs, queue_pairs_);  // and it stays `queued`, likewise
  if constexpr (P::Transport::kHolds) transport_.Park(*this, queue_pair);
}

template <typename P>
[[gnu::noinline]] void EngineOf<P>::Inject(std::uint32_t port, std::uint32_t packet) {
  Transmit(port, packet);
}

template <typename P>
void EngineOf<P>::InjectData(std::uint32_t host_index, unsigned vl) {
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
  if constexpr (requires { P::Reaction::kByRoundTrip; }) k.ack_request = true;
  if (k.ack_request) numbered.unrequested = 0;
  ++flow_counters_[qp.flow].sent_packets;
  const Time packet_time = TimeFor(k.wire_bytes, ports_[hosts_[host_index].port].byte_time);
  hosts_[host_index].link_free = now_ + packet_time;
  hosts_[host_index].inject_free = now_ + TimeFor(payload, hosts_[host_index].inject_byte_time);
  if (!chooses_.empty() && chooses_[host_index] != 0) CountTurn(host_index, vl, qp_index, payload);
  if (qp.pacing > 0 && !qp.whole) qp.due += TimeFor(payload, qp.pacing);
  if (k.vl != kNoVl) [[likely]] {
    Inject(hosts_[host_index].port, packet);
  } else {
    ++port_counters_[hosts_[host_index].port].discards;
    Lose(packet);
  }

  const SentPacket sent{qp_index, payload + kHeaderBytes, packet_time};
  if (qp.draws && flows_[qp.flow].setting != kNoIndex) {
    P::Reaction::AfterDrawnPacket(*this, sent);
  } else {
    P::Reaction::AfterPacket(*this, throttle_index, sent);
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

template <typename P>
bool EngineOf<P>::TryInjectControl(std::uint32_t host_index) {
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

template <typename P>
void EngineOf<P>::InjectControl(std::uint32_t host_index, unsigned vl) {
  HostState& host = hosts_[host_index];
  PacketQueue& queue = ControlQueue(host_index, vl);
  const std::uint32_t packet = queue.Pop(pool_);
  if (queue.empty()) host.control_vls &= static_cast<std::uint16_t>(~(1u << vl));
  host.link_free = now_ + TimeFor(pool_[packet].wire_bytes, ports_[host.port].byte_time);
  Inject(host.port, packet);
}

template <typename P>
void EngineOf<P>::OnControl(std::uint32_t host, std::uint32_t packet) {
  const unsigned vl = pool_[packet].vl;
  if (ports_[hosts_[host].port].impaired) [[unlikely]] {
    ++port_counters_[hosts_[host].port].discards;
    return Lose(packet);
  }
  ControlQueue(host, vl).Push(pool_, packet);
  hosts_[host].control_vls |= static_cast<std::uint16_t>(1u << vl);
  TryInject(host);
}

// REQUIRES: the host's link is free. Of one VL, ACKs and CNPs go first.
template <typename P>
bool EngineOf<P>::TryInjectArbitrated(std::uint32_t host_index) {
  HostState& host = hosts_[host_index];
  unsigned sendable = 0;
  constexpr unsigned kFromControl = kMaxVls;
  std::array<unsigned, kMaxVls> queue_of;  // the ready queue whose head travels on the VL, or kFromControl
  std::array<unsigned, kMaxVls> blocks_of;
  const auto offer = [&](unsigned vl, unsigned queue, unsigned blocks) {
    if ((sendable >> vl & 1) != 0 || !HasCredits(host.port, vl, blocks)) return;
    sendable |= 1u << vl;
    queue_of[vl] = queue;
    blocks_of[vl] = blocks;
  };
  for (unsigned vl = 0; vl < num_vls_; ++vl) {
    if ((host.control_vls >> vl & 1) != 0) offer(vl, kFromControl, pool_[ControlQueue(host_index, vl).head].blocks());
  }
  const bool bus_free = now_ >= host.inject_free;
  if (!bus_free && host.ready_vls != 0) WakeAt(host_index, host.inject_free);
  for (unsigned i = 0; bus_free && i < num_vls_; ++i) {
    const unsigned queue = (host.next_vl + i) % num_vls_;
    if ((host.ready_vls >> queue & 1) == 0 || !ServeHead(host_index, queue)) continue;
    const unsigned vl = maps_sls_ ? HeadVl(host_index, queue) : queue;
    if (vl == kNoVl) {
      InjectData(host_index, queue);  // to be discarded
      return true;
    }
    offer(vl, queue, HeadBlocks(host_index, queue));
  }
  std::optional<VlArbiter>& arbiter = arbiters_[host.port];
  if (!arbiter) return false;
  const int picked = arbiter->Pick(sendable);
  if (picked == VlArbiter::kNone) return false;
  const auto vl = static_cast<unsigned>(picked);
  arbiter->Sent(sendable, blocks_of[vl]);
  if (queue_of[vl] == kFromControl) {
    InjectControl(host_index, vl);
  } else {
    host.next_vl = (queue_of[vl] + 1) % num_vls_ & 0xF;
    InjectData(host_index, queue_of[vl]);
  }
  return true;
}

// --- In ---------------------------------------------------------------------------------------------------------------------------

template <typename P>
[[gnu::noinline]] void EngineOf<P>::Receive(std::uint32_t host_index, std::uint32_t packet, Time tail_there) {
  const Packet k = pool_[packet];  // a copy: the pool may move when a CNP or an ACK is made
  HostState& host = hosts_[host_index];
  if (k.kind != PacketKind::Data) {
    // A FECN on an ACK or a CNP is ignored (IBA A10; thesis, Paper I, footnote 2). Neither crosses the bus.
    queueing_.GiveBack(*this, k.from, k, k.vl, tail_there);
    if (k.becn) {
      if (k.drawn) reactions_.Prefetch(k.flow, k.answering_endport());
      calendar_.PushAfter(now_, tail_there - now_, kBecn, host_index, packet);
    } else {
      pool_.Free(packet);
    }
    return;
  }
  if constexpr (P::HostSink::kQueues) {
    if (sink_.Holds(host_index)) return sink_.Arrive(*this, host_index, packet, tail_there);
  }
  if (k.fecn) P::Notification::OnFecn(*this, host_index, k, tail_there);
  Accept(host_index, packet, k, P::HostSink::Delivered(host, k, tail_there));
}

// The data packet `k`, a copy of `packet`, leaves the receive buffer at the time `delivered`.
template <typename P>
[[gnu::always_inline]] inline void EngineOf<P>::Accept(std::uint32_t host_index, std::uint32_t packet, const Packet& k,
                                                       Time delivered) {
  queueing_.GiveBack(*this, k.from, k, k.vl, delivered);
  if (!k.drawn && k.sequence != queue_pairs_[k.queue_pair].expected_sequence++) TakeOutOfOrder(k);
  if (k.ack_request) {
    unsigned sl = kSlOfData;
    if constexpr (requires { P::Notification::AckSl(*this); }) sl = P::Notification::AckSl(*this);
    SendControl(host_index, k, PacketKind::Ack, P::Notification::TakeBecn(*this, k), delivered + becn_delay_, sl);
  }
  if (delivered > next_sample_ || k.permits) {
    calendar_.PushAt(now_, delivered, kDelivered, host_index, packet);
  } else {
    CountDelivery(hosts_[host_index], k);
    pool_.Free(packet);
  }
}

template <typename P>
void EngineOf<P>::OnDrain(std::uint32_t host_index) {
  if constexpr (P::HostSink::kQueues) {
    const std::uint32_t packet = sink_.Drained(*this, host_index);
    if (packet == kNoPacket) return;
    const Packet k = pool_[packet];
    if (k.fecn) P::Notification::OnFecn(*this, host_index, k, now_);
    Accept(host_index, packet, k, now_);
  }
}

template <typename P>
void EngineOf<P>::OnBecn(std::uint32_t packet) {
  const Packet k = pool_[packet];
  pool_.Free(packet);
  if constexpr (!requires { P::Reaction::kByRoundTrip; }) {  // else it is an RTT packet
    ++flow_counters_[k.flow].becn_received;
    ++port_counters_[hosts_[flows_[k.flow].src].port].becn_received;
  }
  P::Reaction::OnBecn(*this, k);
}

}  // namespace ccsim
