// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// engine_host.cpp: a channel adapter's port.
//
// Ports       injection: ready throttles for each VL, in turn, behind the host's bus; ACKs and CNPs in a queue of their own that
//             goes first and does not cross the bus. Reception: a buffer that drains through the bus
// Events      kInject, kThrottleEnd, kOffer, kControl, kFlowStart; kHostReceive, kDelivered
// Behaviour   a data packet starts when the link is idle, the bus free, credits there, and its throttle's delay over: the later of
//             these, never their sum. The delay after a packet is the CCT entry at the CCTI of its start
// Data        HostState, ThrottleState, QueuePairState
#include <algorithm>
#include <stdexcept>
#include <string>

#include "engine/engine.hpp"

namespace ccsim {
namespace {

// A queue of indices that are linked through `next` of the records they index.
template <typename Records>
void PushBack(IndexQueue& queue, Records& records, std::uint32_t index) {
  records[index].next = kNoIndex;
  if (queue.head == kNoIndex) {
    queue.head = index;
  } else {
    records[queue.tail].next = index;
  }
  queue.tail = index;
}

template <typename Records>
std::uint32_t PopFront(IndexQueue& queue, const Records& records) {
  const std::uint32_t index = queue.head;
  queue.head = records[index].next;
  return index;
}

}  // namespace

void Engine::OnFlowStart(std::uint32_t flow) {
  for (std::uint32_t qp = flow_first_queue_pair_[flow]; qp < flow_first_queue_pair_[flow + 1]; ++qp) {
    if (queue_pairs_[qp].due > now_) {
      wheel_.Push(queue_pairs_[qp].due, kOffer, qp, 0);
    } else {
      MakeReady(qp);
    }
  }
}

void Engine::MakeReady(std::uint32_t queue_pair) {
  const QueuePairState& qp = queue_pairs_[queue_pair];
  ThrottleState& throttle = throttles_[qp.throttle];
  PushBack(throttle.queue_pairs, queue_pairs_, queue_pair);
  if (throttle.status != ThrottleStatus::Idle) return;
  const std::uint32_t host = flows_[qp.flow].src;
  Enqueue(host, qp.vl, qp.throttle);
  TryInject(host);
}

void Engine::Enqueue(std::uint32_t host, unsigned vl, std::uint32_t throttle) {
  throttles_[throttle].status = ThrottleStatus::Queued;
  PushBack(ReadyQueue(host, vl), throttles_, throttle);
  hosts_[host].ready_vls |= static_cast<std::uint16_t>(1u << vl);
}

void Engine::OnOffer(std::uint32_t queue_pair) {
  if (flows_[queue_pairs_[queue_pair].flow].stop > now_) MakeReady(queue_pair);
}

void Engine::OnThrottleEnd(std::uint32_t index) {
  ThrottleState& throttle = throttles_[index];
  throttle.status = ThrottleStatus::Idle;
  if (throttle.queue_pairs.head == kNoIndex) return;
  const QueuePairState& qp = queue_pairs_[throttle.queue_pairs.head];
  const std::uint32_t host = flows_[qp.flow].src;
  Enqueue(host, qp.vl, index);
  TryInject(host);
}

void Engine::OnInject(std::uint32_t host) {
  hosts_[host].wake_pending = false;
  TryInject(host);
}

void Engine::TryInject(std::uint32_t host_index) {
  HostState& host = hosts_[host_index];
  if (ports_[host.port].busy) return;
  if (host.control_vls != 0 && TryInjectControl(host_index)) return;
  if (host.ready_vls == 0) return;
  if (now_ < host.inject_free) {
    if (!host.wake_pending) wheel_.Push(host.inject_free, kInject, host_index, 0);
    host.wake_pending = true;
    return;
  }
  for (unsigned i = 0; i < num_vls_; ++i) {
    const unsigned vl = num_vls_ == 1 ? 0 : (host.next_vl + i) % num_vls_;
    if ((host.ready_vls >> vl & 1) == 0 || !DropStopped(host_index, vl)) continue;
    const QueuePairState& qp = queue_pairs_[throttles_[ReadyQueue(host_index, vl).head].queue_pairs.head];
    const unsigned blocks = CreditBlocks(std::min(qp.message_left, mtu_bytes_) + kHeaderBytes);
    if (!HasCredits(host.port, vl, blocks)) continue;
    InjectData(host_index, vl);
    host.next_vl = static_cast<std::uint8_t>(vl + 1 == num_vls_ ? 0 : vl + 1);
    return;
  }
}

bool Engine::DropStopped(std::uint32_t host, unsigned vl) {
  IndexQueue& ready = ReadyQueue(host, vl);
  while (ready.head != kNoIndex) {
    ThrottleState& throttle = throttles_[ready.head];
    while (throttle.queue_pairs.head != kNoIndex) {
      if (flows_[queue_pairs_[throttle.queue_pairs.head].flow].stop > now_) return true;
      PopFront(throttle.queue_pairs, queue_pairs_);
    }
    throttle.status = ThrottleStatus::Idle;
    PopFront(ready, throttles_);
  }
  hosts_[host].ready_vls &= static_cast<std::uint16_t>(~(1u << vl));
  if ((hosts_[host].control_vls >> vl & 1) == 0) Lane(hosts_[host].port, vl).wants_credits = false;
  if (hosts_[host].ready_vls == 0 && hosts_[host].control_vls == 0) StopWaiting(hosts_[host].port);
  return false;
}

void Engine::InjectData(std::uint32_t host_index, unsigned vl) {
  HostState& host = hosts_[host_index];
  IndexQueue& ready = ReadyQueue(host_index, vl);
  const std::uint32_t throttle_index = PopFront(ready, throttles_);
  if (ready.head == kNoIndex) host.ready_vls &= static_cast<std::uint16_t>(~(1u << vl));
  ThrottleState& throttle = throttles_[throttle_index];
  const std::uint32_t qp_index = PopFront(throttle.queue_pairs, queue_pairs_);
  QueuePairState& qp = queue_pairs_[qp_index];
  const Flow& flow = flows_[qp.flow];

  const std::uint32_t payload = std::min(qp.message_left, mtu_bytes_);
  const std::uint32_t packet = pool_.Allocate();
  Packet& k = pool_[packet];
  k.queue_pair = qp_index;
  k.destination = flow.dst;
  k.sequence = qp.sequence++;
  k.payload_bytes = static_cast<std::uint16_t>(payload);
  k.wire_bytes = static_cast<std::uint16_t>(payload + kHeaderBytes);
  k.blocks = CreditBlocks(k.wire_bytes);
  k.vl = static_cast<std::uint8_t>(vl);
  k.kind = PacketKind::Data;
  k.fecn = k.becn = false;
  qp.message_left = payload == qp.message_left ? flow.message_bytes : qp.message_left - payload;
  ++flow_counters_[qp.flow].sent_packets;
  const Time packet_time = TimeFor(k.wire_bytes, ports_[host.port].byte_time);
  Transmit(host.port, packet);
  host.inject_free = now_ + TimeFor(payload, host.inject_byte_time);

  if (qp.pacing > 0) {
    qp.due += TimeFor(payload, qp.pacing);
    if (qp.due > now_) {
      wheel_.Push(qp.due, kOffer, qp_index, 0);
    } else {
      PushBack(throttle.queue_pairs, queue_pairs_, qp_index);
    }
  } else {
    PushBack(throttle.queue_pairs, queue_pairs_, qp_index);
  }

  Time delay = 0;
  if (throttle.setting != kNoIndex) {
    const ReactionSetting& setting = settings_[throttle.setting];
    delay = InjectionRateDelay(setting, CurrentCcti(setting, throttle.reaction, now_), packet_time);
  }
  if (delay > 0) {
    throttle.status = ThrottleStatus::Delayed;
    wheel_.Push(now_ + packet_time + delay, kThrottleEnd, throttle_index, 0);
  } else if (throttle.queue_pairs.head != kNoIndex) {
    Enqueue(host_index, vl, throttle_index);
  } else {
    throttle.status = ThrottleStatus::Idle;
  }
}

bool Engine::TryInjectControl(std::uint32_t host_index) {
  HostState& host = hosts_[host_index];
  for (unsigned vl = 0; vl < num_vls_; ++vl) {
    if ((host.control_vls >> vl & 1) == 0) continue;
    PacketQueue& queue = ControlQueue(host_index, vl);
    if (!HasCredits(host.port, vl, pool_[queue.head].blocks)) continue;
    const std::uint32_t packet = queue.Pop(pool_);
    if (queue.empty()) host.control_vls &= static_cast<std::uint16_t>(~(1u << vl));
    Transmit(host.port, packet);
    return true;
  }
  return false;
}

void Engine::OnHostReceive(std::uint32_t host_index, std::uint32_t packet) {
  const Packet k = pool_[packet];  // a copy: the pool may move when a CNP is made
  HostState& host = hosts_[host_index];
  QueuePairState& qp = queue_pairs_[k.queue_pair];
  if (k.kind != PacketKind::Data) {
    // A FECN on an ACK or a CNP is ignored (IBA A10; thesis, Paper I, footnote 2). Neither crosses the bus.
    GiveCredit(host.port, k.vl, k.blocks, now_);
    if (k.becn) {
      ++flow_counters_[qp.flow].becn_received;
      ThrottleState& throttle = throttles_[qp.throttle];
      if (throttle.setting != kNoIndex) OnBecn(settings_[throttle.setting], model_.hca.ccti_timer, throttle.reaction, now_);
    }
    pool_.Free(packet);
    return;
  }
  if (k.fecn) {
    ++flow_counters_[qp.flow].fecn_received;
    if (model_.hca.becn_carrier == BecnCarrier::Ack) {
      qp.becn_pending = true;
    } else if (now_ >= qp.cnp_allowed) {
      qp.cnp_allowed = now_ + cnp_spacing_;
      SendControl(host_index, k.queue_pair, PacketKind::Cnp, true);
    }
  }
  if (host.receive_byte_time == 0) {
    OnDelivered(host_index, packet);
    return;
  }
  host.receive_free = std::max(host.receive_free, now_) + TimeFor(k.payload_bytes, host.receive_byte_time);
  wheel_.Push(host.receive_free, kDelivered, host_index, packet);
}

void Engine::OnDelivered(std::uint32_t host_index, std::uint32_t packet) {
  const Packet k = pool_[packet];  // a copy: the pool may move when an ACK is made
  QueuePairState& qp = queue_pairs_[k.queue_pair];
  if (k.sequence != qp.expected_sequence++) {
    throw std::logic_error("packet " + std::to_string(k.sequence) + " of queue pair " + std::to_string(k.queue_pair) +
                           " came where " + std::to_string(qp.expected_sequence - 1) + " was due");
  }
  FlowCounters& counters = flow_counters_[qp.flow];
  ++counters.received_packets;
  counters.received_bytes += k.payload_bytes;
  GiveCredit(hosts_[host_index].port, k.vl, k.blocks, now_);
  if (++qp.unacknowledged >= model_.hca.ack_every_packets) {
    SendControl(host_index, k.queue_pair, PacketKind::Ack, qp.becn_pending);
    qp.unacknowledged = 0;
    qp.becn_pending = false;
  }
  pool_.Free(packet);
}

void Engine::SendControl(std::uint32_t host, std::uint32_t queue_pair, PacketKind kind, bool becn) {
  const QueuePairState& qp = queue_pairs_[queue_pair];
  const std::uint32_t packet = pool_.Allocate();
  Packet& k = pool_[packet];
  k.queue_pair = queue_pair;
  k.destination = flows_[qp.flow].src;
  k.sequence = 0;
  k.payload_bytes = 0;
  k.wire_bytes = static_cast<std::uint16_t>(kind == PacketKind::Ack ? kAckBytes : kCnpBytes);
  k.blocks = CreditBlocks(k.wire_bytes);
  k.vl = qp.vl;
  k.kind = kind;
  k.fecn = false;
  k.becn = becn;
  wheel_.Push(now_ + becn_delay_, kControl, host, packet);
}

void Engine::OnControl(std::uint32_t host, std::uint32_t packet) {
  const unsigned vl = pool_[packet].vl;
  ControlQueue(host, vl).Push(pool_, packet);
  hosts_[host].control_vls |= static_cast<std::uint16_t>(1u << vl);
  TryInject(host);
}

}  // namespace ccsim
