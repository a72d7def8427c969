// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// engine_switch.cpp: the switch, and the wire that hosts share with it.
//
// Ports       input buffers of `input_buffer_bytes` for each VL, a VOQ in them for each output; outputs with credits of the far end
// Events      kArrive (a packet stands in its VOQ), kSent (an output's tail has left), kCredit (credits that it has waited for)
// Behaviour   an idle output serves its VLs in turn, and of a VL the inputs in turn; a lane waits for the credits of
//             the packet whose turn it is, so that small packets cannot starve large ones; an input gives at most `read_ports` packets at once
// Data        PortState, LaneState, SwitchState and bit masks over a switch's local ports
#include <bit>

#include "engine/engine.hpp"

namespace ccsim {

Time Engine::Transmit(std::uint32_t port_index, std::uint32_t packet) {
  PortState& port = ports_[port_index];
  Packet& k = pool_[packet];
  if (port.wait_since != kNever) StopWaiting(port_index);
  LaneState& lane = Lane(port_index, k.vl);
  lane.credits -= k.blocks;
  lane.wants_credits = false;
  const Time wire_time = k.wire_bytes == full_bytes_ ? port.full_wire_time : TimeFor(k.wire_bytes, port.byte_time);
  const Time tail_there = now_ + wire_time + port.propagation;
  PortCounters& counters = port_counters_[port_index];
  counters.xmit_bytes += k.wire_bytes;
  ++counters.xmit_packets;
  if (tail_there > options_.duration) {
    counters.cut_bytes += k.wire_bytes;
    ++counters.cut_packets;
  } else if (k.kind == PacketKind::Data) {
    ++record_.packet_hops;
  }
  if (options_.trace_packets > 0 && record_.packets.size() + 2 <= options_.trace_packets) {
    Trace(TraceEvent::Leaves, now_, port_index, k);
    Trace(TraceEvent::Received, tail_there, port.peer, k);
  }
  if (port.to_host) {
    Receive(ports_[port.peer].host, packet, tail_there);
    return wire_time;
  }
  if (shares_) Borrow(port_index, lane, k.blocks);
  if (port.steady) {
    calendar_.PushInLane(port.arrive_lane, now_, port.propagation + routing_latency_, kArrive, port.peer, packet);
  } else {
    const PortState& peer = ports_[port.peer];
    const std::uint8_t out = forwarding_[std::size_t{peer.sender} * num_endports_ + k.destination];
    const Time onward = out == kNoOutput ? wire_time : TimeFor(k.wire_bytes, ports_[peer.first_port + out].byte_time);
    const Time head_start = wire_time > onward ? wire_time - onward : 0;  // a faster link must not run dry
    calendar_.PushAfter(now_, port.propagation + routing_latency_ + head_start, kArrive, port.peer, packet);
  }
  return wire_time;
}

void Engine::OnArrive(std::uint32_t input, std::uint32_t packet) {
  const Packet& k = pool_[packet];
  const std::uint32_t first = ports_[input].first_port;
  const std::uint8_t out = forwarding_[std::size_t{ports_[input].sender} * num_endports_ + k.destination];
  if (out == kNoOutput || ports_[input].impaired) [[unlikely]]
    return LoseArrival(input, packet);
  const std::uint32_t output = first + out;
  const std::uint32_t local_input = input - first;
  const unsigned vl = maps_sls_ ? levels_.NextVl(ports_[input].sender, local_input, out, k.sl) : k.vl;
  if (maps_sls_ && vl == kNoVl) [[unlikely]]
    return LoseArrival(input, packet);
  LaneState& lane = Lane(output, vl);
  PacketQueue& voq = voqs_[lane.voq + local_input];
  masks_[lane.ready + local_input / 64] |= std::uint64_t{1} << (local_input % 64);
  lane.queued_inputs = static_cast<std::uint16_t>(lane.queued_inputs + voq.empty());
  ports_[output].queued_vls |= static_cast<std::uint16_t>(1u << vl);
  voq.Push(pool_, packet);
  lane.queued_bytes += k.wire_bytes;
  PortCounters& counters = port_counters_[output];
  counters.max_queued_bytes = std::max(counters.max_queued_bytes, num_vls_ == 1 ? lane.queued_bytes : QueuedBytes(output));
  if (DetectAfterArrival(lane, lane.voq + local_input, k.wire_bytes)) LogEntered(output, k);
  if (ports_[output].to_host) {
    __builtin_prefetch(&flows_[k.flow]);
    __builtin_prefetch(&flow_counters_[k.flow]);
    __builtin_prefetch(&hosts_[k.destination]);
  }
  if (!ports_[output].busy) TrySend(output);
}

void Engine::OnSent(std::uint32_t port_index) {
  PortState& port = ports_[port_index];
  port.busy = false;
  const SwitchState& sw = switches_[port.sender];
  ReleaseReadPort(sw, port.sent_input, port_index - sw.first_port);
  TrySend(port_index);
}

void Engine::GiveCredit(std::uint32_t input, unsigned vl, unsigned blocks, Time at) {
  const PortState& port = ports_[input];
  const Time time = at + port.propagation;
  LaneState& lane = Lane(port.peer, vl);
  if (lane.credits >= plenty_of_credits_ && lane.first_return != kNoIndex && time - now_ <= 2 * port.full_wire_time) {
    // The lane cannot use up what it has before then, so it does not matter if it gets the credits of the last return as late as
    // these: one record serves for both.
    CreditReturn& last = credit_returns_[lane.last_return];
    last.time = std::max(last.time, time);
    last.blocks += blocks;
    return;
  }
  std::uint32_t index = free_credit_return_;
  if (index == kNoIndex) {
    index = static_cast<std::uint32_t>(credit_returns_.size());
    credit_returns_.emplace_back();
  } else {
    free_credit_return_ = credit_returns_[index].next;
  }
  if (lane.first_return == kNoIndex) {
    credit_returns_[index] = CreditReturn{time, kNoIndex, blocks};
    lane.first_return = lane.last_return = index;
  } else if (time >= credit_returns_[lane.last_return].time) {
    credit_returns_[index] = CreditReturn{time, kNoIndex, blocks};
    credit_returns_[lane.last_return].next = index;
    lane.last_return = index;
  } else {
    // Outputs of different rates let go of the buffer in another order than they took packets from it.
    std::uint32_t* link = &lane.first_return;
    while (credit_returns_[*link].time <= time) link = &credit_returns_[*link].next;
    credit_returns_[index] = CreditReturn{time, *link, blocks};
    *link = index;
  }
  if (lane.wants_credits && time < lane.wake) {
    lane.wake = time;
    calendar_.PushAt(now_, time, kCredit, port.peer, vl);
  }
  if (shares_) WakeSharers(port.peer, time);
}

void Engine::TakeCredits(LaneState& lane) {
  while (lane.first_return != kNoIndex && credit_returns_[lane.first_return].time <= now_) {
    const std::uint32_t index = lane.first_return;
    CreditReturn& back = credit_returns_[index];
    lane.credits += static_cast<std::int32_t>(back.blocks);
    lane.first_return = back.next;
    back.next = free_credit_return_;
    free_credit_return_ = index;
  }
}

bool Engine::HasCredits(std::uint32_t port_index, unsigned vl, unsigned blocks) {
  LaneState& lane = Lane(port_index, vl);
  if (lane.credits >= plenty_of_credits_) return true;
  if (shares_) return HasSharedCredits(port_index, vl, static_cast<std::int32_t>(blocks));
  TakeCredits(lane);
  if (lane.credits >= static_cast<std::int32_t>(blocks)) return true;
  PortState& port = ports_[port_index];
  if (port.wait_since == kNever) port.wait_since = now_;
  lane.wants_credits = true;
  if (lane.first_return != kNoIndex && credit_returns_[lane.first_return].time < lane.wake) {
    lane.wake = credit_returns_[lane.first_return].time;
    calendar_.PushAt(now_, lane.wake, kCredit, port_index, vl);
  }
  return false;
}

void Engine::OnCredit(std::uint32_t port, unsigned vl) {
  LaneState& lane = Lane(port, vl);
  if (lane.wake == now_) lane.wake = kNever;
  if (!lane.wants_credits) return;
  lane.wants_credits = false;
  if (ports_[port].host != kNoIndex) {
    TryInject(ports_[port].host);
  } else {
    TrySend(port);
  }
}

void Engine::ReleaseReadPort(const SwitchState& sw, unsigned input, unsigned sender) {
  std::uint8_t& busy = reads_busy_[sw.first_port + input];
  if (busy-- < model_.switches.read_ports) return;
  masks_[sw.readable + input / 64] |= std::uint64_t{1} << (input % 64);
  // Those that wait for this input go in turn, from the one behind the sender, so that none of them starves. The sender itself comes
  // last; it is tried next in any case.
  std::uint64_t* waiters = &masks_[sw.waiters + std::size_t{input} * sw.mask_words];
  const std::uint64_t behind = sender % 64 == 63 ? 0 : ~std::uint64_t{0} << (sender % 64 + 1);
  for (std::uint32_t i = 0; i <= sw.mask_words; ++i) {
    const std::uint32_t word = (sender / 64 + i) % sw.mask_words;
    const std::uint64_t part = i == 0 ? behind : i == sw.mask_words ? ~behind : ~std::uint64_t{0};
    while ((waiters[word] & part) != 0) {
      const auto bit = static_cast<unsigned>(std::countr_zero(waiters[word] & part));
      waiters[word] &= ~(std::uint64_t{1} << bit);
      if (word * 64 + bit == sender) continue;
      TrySend(sw.first_port + word * 64 + bit);
      if (reads_busy_[sw.first_port + input] >= model_.switches.read_ports) return;
    }
  }
}

void Engine::TrySend(std::uint32_t output) {
  PortState& port = ports_[output];
  if (port.busy || port.queued_vls == 0) return;
  if (num_vls_ == 1) {
    TrySendLane(output, 0);
    return;
  }
  if (arbitrates_ && arbiters_[output]) {
    TrySendArbitrated(output);
    return;
  }
  for (unsigned i = 0; i < num_vls_; ++i) {
    const unsigned vl = (port.next_vl + i) % num_vls_;
    if ((port.queued_vls >> vl & 1) != 0 && TrySendLane(output, vl)) {
      port.next_vl = static_cast<std::uint8_t>((vl + 1) % num_vls_);
      return;
    }
  }
}

bool Engine::TrySendLane(std::uint32_t output, unsigned vl) {
  const int input = FindInput(output, vl);
  if (input < 0) return false;
  Forward(output, vl, static_cast<unsigned>(input));
  return true;
}

int Engine::NextInput(std::uint32_t output, unsigned vl) { return FindInput(output, vl); }

[[gnu::always_inline]] inline int Engine::FindInput(std::uint32_t output, unsigned vl) {
  LaneState& lane = Lane(output, vl);
  const SwitchState& sw = switches_[ports_[output].sender];
  const std::uint64_t* ready = &masks_[lane.ready];
  const std::uint64_t* readable = &masks_[sw.readable];

  // The first input behind the last one served that has a packet and a free read port.
  const unsigned start = lane.last_input + 1u;
  const std::uint64_t behind = start % 64 == 0 ? 0 : ~std::uint64_t{0} << (start % 64);
  const unsigned first = lane.last_input / 64;
  unsigned word = first;
  std::uint64_t bits = ready[word] & readable[word] & behind;
  for (unsigned i = 1; bits == 0; ++i) {
    if (i > sw.mask_words) {
      WaitForReads(output, lane);
      return -1;
    }
    word = word + 1 == sw.mask_words ? 0 : word + 1;
    bits = ready[word] & readable[word];  // the first word comes again in the end, whole
  }
  const unsigned input = word * 64 + static_cast<unsigned>(std::countr_zero(bits));

  if (!HasCredits(output, vl, pool_[voqs_[lane.voq + input].head].blocks)) return -1;
  return static_cast<int>(input);
}

// Every input with a packet for this lane is busy giving others: ask each to call when it is done.
void Engine::WaitForReads(std::uint32_t output, const LaneState& lane) {
  const SwitchState& sw = switches_[ports_[output].sender];
  const unsigned local = output - sw.first_port;
  for (unsigned w = 0; w < sw.mask_words; ++w) {
    for (std::uint64_t left = masks_[lane.ready + w]; left != 0; left &= left - 1) {
      const unsigned input = w * 64 + static_cast<unsigned>(std::countr_zero(left));
      masks_[sw.waiters + std::size_t{input} * sw.mask_words + local / 64] |= std::uint64_t{1} << (local % 64);
    }
  }
}

void Engine::Forward(std::uint32_t output, unsigned vl, unsigned input) {
  LaneState& lane = Lane(output, vl);
  PortState& port = ports_[output];
  const SwitchState& sw = switches_[port.sender];
  PacketQueue& voq = voqs_[lane.voq + input];
  const std::uint32_t packet = voq.Pop(pool_);
  Packet& k = pool_[packet];
  // GiveCredit will want it in the end.
  const LaneState& upstream = Lane(ports_[sw.first_port + input].peer, k.vl);
  if (upstream.first_return != kNoIndex) __builtin_prefetch(&credit_returns_[upstream.last_return]);
  const bool emptied = voq.empty();
  masks_[lane.ready + input / 64] &= ~(std::uint64_t{emptied} << (input % 64));
  lane.queued_inputs = static_cast<std::uint16_t>(lane.queued_inputs - emptied);
  port.queued_vls &= static_cast<std::uint16_t>(~(unsigned{lane.queued_inputs == 0} << vl));
  lane.queued_bytes -= k.wire_bytes;
  lane.last_input = static_cast<std::uint8_t>(input);
  if (++reads_busy_[sw.first_port + input] == model_.switches.read_ports) {
    masks_[sw.readable + input / 64] &= ~(std::uint64_t{1} << (input % 64));
  }
  port.sent_input = static_cast<std::uint8_t>(input);

  if (lane.congested && k.wire_bytes >= lane.detection.min_bytes && MayMark(lane, k.blocks) &&
      DrawMark(lane.detection.marking_rate, marking_rng_)) {
    k.fecn = true;
    ++port_counters_[output].fecn_marked;
  }
  port.busy = true;
  DetectAfterDeparture(lane, lane.voq + input, k.wire_bytes);
  const Time held_until = starves_ ? HoldCredit(sw.first_port + input, output, lane, lane.voq + input, k) : 0;
  const unsigned blocks = k.blocks;  // the packet may be gone when it is on its way to a host
  const unsigned came_on = k.vl;
  k.vl = static_cast<std::uint8_t>(vl);
  const Time wire_time = Transmit(output, packet);
  if (wire_time == port.full_wire_time) {
    calendar_.PushInLane(port.sent_lane, now_, wire_time, kSent, output, 0);
  } else {
    calendar_.PushAfter(now_, wire_time, kSent, output, 0);
  }
  GiveCredit(sw.first_port + input, came_on, blocks, std::max(now_ + wire_time, held_until));
}

bool Engine::MayCross(LaneState& lane) {
  if (shares_) {
    TakeSharedCredits(lane);
  } else {
    TakeCredits(lane);
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
