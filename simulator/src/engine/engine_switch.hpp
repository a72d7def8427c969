// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// engine_switch.hpp: the switch, and the wire that hosts share with it.
//
// Ports       input buffers of `input_buffer_bytes` for each VL, with the queues of the policy Queueing in them; outputs with credits
//             of the far end
// Events      kArrive (a packet stands in its queue), kSent (an output's tail has left), kReadFree (an input has given its packet
//             before that), kCredit (credits that an output has waited for), kMessage (from the node at the other end of a link)
// Behaviour   an idle output serves its VLs in turn, and of a VL the input that the policy Arbiter picks; a lane waits for the credits
//             of the packet whose turn it is, so that small packets cannot starve large ones; an input gives at most `read_ports`
//             packets at once
// Data        PortState, LaneState, SwitchState and bit masks over a switch's local ports
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "engine/engine_class.hpp"

namespace ccsim {

template <typename P>
[[gnu::always_inline]] inline Time EngineOf<P>::Transmit(std::uint32_t port_index, std::uint32_t packet) {
  PortState& port = ports_[port_index];
  Packet& k = pool_[packet];
  if (port.waits) StopWaiting(port_index);
  LaneState& lane = LaneAt(port_index, k.vl);
  queueing_.Take(*this, port_index, lane, k);
  lane.wants_credits = false;
  k.from = port_index;
  const Time wire_time = TimeFor(k.wire_bytes, port.byte_time);
  const Time tail_there = now_ + wire_time + Propagation(port);
  port.xmit_bytes += k.wire_bytes;
  ++port.xmit_packets;
  record_.packet_hops += k.kind == PacketKind::Data;
  if (tail_there > options_.duration) {
    PortCounters& counters = port_counters_[port_index];
    counters.cut_bytes += k.wire_bytes;
    ++counters.cut_packets;
    record_.packet_hops -= k.kind == PacketKind::Data;
  }
  if (!kPlain && options_.trace_packets > 0 && record_.packets.size() + 2 <= options_.trace_packets) {
    Trace(TraceEvent::Leaves, now_, port_index, k);
    Trace(TraceEvent::Received, tail_there, port.peer, k);
  }
  if (port.to_host) {
    Receive(port.far_node, packet, tail_there);
    return wire_time;
  }
  if (!kPlain && shares_) Borrow(port_index, lane, static_cast<std::int32_t>(k.blocks()));
  // Where it goes on from there is looked up already, since the routing latency is over before anybody could tell.
  // Where tables change in a run, OnArrive looks again; a packet without a way on is lost then, at any output's event.
  const std::uint8_t out = forwarding_(port.far_node, k.destination);
  const bool stranded = !kPlain && out == kNoOutput;
  const std::uint32_t output = port.far_first_port + (stranded ? 0 : out);
  k.input = static_cast<std::uint8_t>(port.peer - port.far_first_port);
  Time delay = port.arrive_delay;
  if (!port.steady) {
    const Time onward = stranded ? wire_time : TimeFor(k.wire_bytes, ports_[output].byte_time);
    delay += wire_time > onward ? wire_time - onward : 0;  // a faster link must not run dry
  }
  if (port.steady) {
    calendar_.PushOnTrack(port.arrive_track, now_, delay, kArrive, output, packet);
  } else {
    calendar_.PushAfter(now_, delay, kArrive, output, packet);
  }
  return wire_time;
}

template <typename P>
[[gnu::noinline]] void EngineOf<P>::OnArrive(std::uint32_t output, std::uint32_t packet) {
  if (!kPlain && diverts_) {
    output = Divert(output, packet);
    if (output == kNoIndex) return;
  }
  Enter(output, packet);
  if (!Lane(output, 0).busy) TrySendAt(output);
  if constexpr (P::Queueing::kSharesQueues) queueing_.AfterPush(*this);
}

// Where a packet that comes to a switch goes on by the tables of now, whatever they were when it was sent; kNoIndex: it is lost.
template <typename P>
std::uint32_t EngineOf<P>::Divert(std::uint32_t sent_to, std::uint32_t packet) {
  const Packet& k = pool_[packet];
  const std::uint32_t first = ports_[sent_to].first_port;
  const PortState& input = ports_[first + k.input];
  const std::uint8_t out = forwarding_(input.switch_ordinal, k.destination);
  const bool stranded = out == kNoOutput || input.impaired;
  if (!stranded && (!maps_sls_ || levels_.NextVl(input.switch_ordinal, k.input, out, k.sl) != kNoVl)) return first + out;
  LoseArrival(first + k.input, packet);
  return kNoIndex;
}

template <typename P>
[[gnu::always_inline]] inline void EngineOf<P>::Enter(std::uint32_t output, std::uint32_t packet) {
  const Packet& k = pool_[packet];
  const std::uint32_t input = k.input;
  unsigned vl = 0;
  if constexpr (!kPlain) {  // else the port is left alone: one line less to fetch
    const PortState& port = ports_[output];
    vl = maps_sls_ ? levels_.NextVl(port.switch_ordinal, input, output - port.first_port, k.sl) : k.vl;
  }
  LaneState& lane = LaneAt(output, vl);
  queueing_.Push(*this, lane, output, vl, input, packet);
  lane.queued_bytes += k.wire_bytes;
  LaneState& first = kPlain ? lane : Lane(output, 0);
  first.max_queued_bytes = std::max(first.max_queued_bytes, kPlain ? lane.queued_bytes : QueuedBytes(output));
  if (detection_.AfterArrival(*this, lane, lane.first_crosspoint + input, k.wire_bytes)) LogEntered(output, k);
}

template <typename P>
[[gnu::noinline]] void EngineOf<P>::OnSent(std::uint32_t output) {
  PortState& port = ports_[output];
  LaneAt(output, 0).busy = false;
  if (!arbiter_.releases_early()) arbiter_.Release(*this, port.first_port + port.sent_input, output);
  TrySendAt(output);
}

template <typename P>
void EngineOf<P>::OnReadFree(std::uint32_t output, unsigned input) {
  arbiter_.Release(*this, ports_[output].first_port + input, output);
  TrySendAt(output);  // where the link is faster than the crossbar, the output may wait for this very input
}

template <typename P>
void EngineOf<P>::OnCredit(std::uint32_t port, unsigned vl) {
  LaneState& lane = Lane(port, vl);
  Time& wake = wakes_[std::size_t{port} * num_vls_ + vl];
  if (wake == now_) wake = kNever;
  if (!lane.wants_credits) return;
  lane.wants_credits = false;
  if (ports_[port].host != kNoIndex) {
    TryInject(ports_[port].host);
  } else {
    TrySend(port);
  }
}

template <typename P>
void EngineOf<P>::OnMessage(std::uint32_t port, std::uint32_t argument) {
  queueing_.OnMessage(*this, port, argument);  // even if the link has gone down since: what that means is the scheme's business
}

template <typename P>
[[gnu::always_inline]] inline void EngineOf<P>::TrySendAt(std::uint32_t output) {
  PortState& port = ports_[output];
  const LaneState& first = LaneAt(output, 0);
  if (first.busy || (kPlain ? first.ready == 0 : port.queued_vls == 0)) return;
  if (kPlain || num_vls_ == 1) {
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

template <typename P>
[[gnu::always_inline]] inline int EngineOf<P>::NextInput(std::uint32_t output, unsigned vl) {
  LaneState& lane = LaneAt(output, vl);
  for (;;) {
    const int input = arbiter_.Pick(*this, output, lane);
    if (input < 0 || queueing_.MaySend(*this, lane, output, vl, static_cast<unsigned>(input))) return input;
    // Where several queues may ask for one crosspoint, the input may have taken back what it had for this output.
    if (!P::Queueing::kSharesQueues || IsReady(lane, static_cast<unsigned>(input)) ||
        (kPlain ? lane.ready == 0 : lane.queued_inputs == 0))
      return -1;
  }
}

template <typename P>
[[gnu::always_inline]] inline bool EngineOf<P>::TrySendLane(std::uint32_t output, unsigned vl) {
  const int input = NextInput(output, vl);
  if (input < 0) return false;
  Forward(output, vl, static_cast<unsigned>(input));
  return true;
}

template <typename P>
void EngineOf<P>::TrySendArbitrated(std::uint32_t output) {
  std::optional<VlArbiter>& arbiter = arbiters_[output];
  if (!arbiter) return;
  unsigned sendable = 0;
  std::array<int, kMaxVls> input_of;
  for (unsigned vl = 0; vl < num_vls_; ++vl) {
    if ((ports_[output].queued_vls >> vl & 1) == 0) continue;
    input_of[vl] = NextInput(output, vl);
    if (input_of[vl] >= 0) sendable |= 1u << vl;
  }
  const int picked = arbiter->Pick(sendable);
  if (picked == VlArbiter::kNone) return;
  const auto vl = static_cast<unsigned>(picked);
  const auto input = static_cast<unsigned>(input_of[vl]);
  arbiter->Sent(sendable, pool_[queueing_.Head(*this, Lane(output, vl), output, input)].blocks());
  Forward(output, vl, input);
}

template <typename P>
[[gnu::always_inline]] inline void EngineOf<P>::Forward(std::uint32_t output, unsigned vl, unsigned input) {
  LaneState& lane = LaneAt(output, vl);
  PortState& port = ports_[output];
  const std::uint32_t input_port = port.first_port + input;
  const std::uint32_t packet = queueing_.Pop(*this, lane, output, vl, input);
  Packet& k = pool_[packet];
  lane.queued_bytes -= k.wire_bytes;
  arbiter_.Take(*this, output, port, lane, input);
  if (lane.congested && detection_.MayMark(*this, lane, k)) {
    const bool mark = DrawMark(lane.detection.marking_rate, marking_rng_);  // no branch on it: nobody could foresee it
    k.fecn = (k.fecn | mark) != 0;
    port_counters_[output].fecn_marked += mark;
  }
  LaneAt(output, 0).busy = true;
  detection_.AfterDeparture(*this, lane, lane.first_crosspoint + input, k.wire_bytes);
  const Time held_until = starves_ ? HoldCredit(input_port, output, lane, lane.first_crosspoint + input, k) : 0;
  const Packet left = k;  // the packet may be gone when it is on its way to a host
  k.vl = static_cast<std::uint8_t>(vl);
  const bool full = k.wire_bytes == full_bytes_;
  const bool small = k.wire_bytes == kCnpBytes;
  const Time wire_time = Transmit(output, packet);
  if (full | small) [[likely]] {
    calendar_.PushOnTrack(port.sent_track[small], now_, wire_time, kSent, output, 0);
  } else {
    calendar_.PushAfter(now_, wire_time, kSent, output, 0);
  }
  arbiter_.Reads(*this, output, input, left.wire_bytes, wire_time);
  queueing_.GiveBack(*this, left.from, left, left.vl, std::max(now_ + wire_time, held_until));
  if constexpr (P::Queueing::kSharesQueues) queueing_.AfterPop(*this);
}

// Until when the credits of a packet are held back that leaves an input's buffer now by a lane of `output`, because of credit
// starvation; 0: they are not.
template <typename P>
Time EngineOf<P>::HoldCredit(std::uint32_t input, std::uint32_t output, const LaneState& lane, std::uint32_t crosspoint,
                             const Packet& k) {
  const Starvation& starvation = starvation_[input];
  if (detection_.FillLevel(*this, lane, crosspoint) < starvation.level_bytes) return 0;
  // As for marking, a port VL that has no credits is not the root of the congestion, unless its bit in Victim_Mask says so.
  if (!lane.detection.victim_mask && Available(lane) < static_cast<std::int32_t>(k.blocks()) + mtu_blocks_) return 0;
  const Time at = now_ + TimeFor(k.wire_bytes, ports_[output].byte_time);
  Time& last = credit_held_until_[std::size_t{input} * num_vls_ + k.vl];
  last = HeldCredit(starvation, at, last, TimeFor(k.wire_bytes, ports_[input].byte_time));
  if (last > at) ++port_counters_[input].credits_held;
  return last;
}

}  // namespace ccsim
