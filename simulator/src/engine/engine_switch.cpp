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

// What a port does on most fabrics is compiled on its own: `kPlain` is plain_ (engine.hpp).
template <bool kPlain>
[[gnu::always_inline]] inline LaneState& Engine::LaneOf(std::uint32_t port, unsigned vl) {
  return kPlain ? lanes_[port] : Lane(port, vl);
}

Time Engine::Transmit(std::uint32_t port, std::uint32_t packet) {
  return plain_ ? TransmitAs<true>(port, packet) : TransmitAs<false>(port, packet);
}

template <bool kPlain>
[[gnu::always_inline]] inline Time Engine::TransmitAs(std::uint32_t port_index, std::uint32_t packet) {
  PortState& port = ports_[port_index];
  Packet& k = pool_[packet];
  if (port.waits) StopWaiting(port_index);
  LaneState& lane = LaneOf<kPlain>(port_index, k.vl);
  lane.credits -= static_cast<std::int32_t>(k.blocks());
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
    calendar_.PushInLane(port.arrive_lane, now_, delay, kArrive, output, packet);
  } else {
    calendar_.PushAfter(now_, delay, kArrive, output, packet);
  }
  return wire_time;
}

void Engine::OnArrive(std::uint32_t output, std::uint32_t packet) {
  plain_ ? OnArriveAs<true>(output, packet) : OnArriveAs<false>(output, packet);
}

template <bool kPlain>
[[gnu::always_inline]] inline void Engine::OnArriveAs(std::uint32_t output, std::uint32_t packet) {
  if (!kPlain && diverts_) {
    output = Divert(output, packet);
    if (output == kNoIndex) return;
  }
  EnterVoq<kPlain>(output, packet);
  if (!Lane(output, 0).busy) TrySendAs<kPlain>(output);
}

// Where a packet that comes to a switch goes on by the tables of now, whatever they were when it was sent; kNoIndex: it is lost.
std::uint32_t Engine::Divert(std::uint32_t sent_to, std::uint32_t packet) {
  const Packet& k = pool_[packet];
  const std::uint32_t first = ports_[sent_to].first_port;
  const PortState& input = ports_[first + k.input];
  const std::uint8_t out = forwarding_(input.sender, k.destination);
  const bool stranded = out == kNoOutput || input.impaired;
  if (!stranded && (!maps_sls_ || levels_.NextVl(input.sender, k.input, out, k.sl) != kNoVl)) return first + out;
  LoseArrival(first + k.input, packet);
  return kNoIndex;
}

template <bool kPlain>
[[gnu::always_inline]] inline void Engine::EnterVoq(std::uint32_t output, std::uint32_t packet) {
  const Packet& k = pool_[packet];
  const std::uint32_t input = k.input;
  unsigned vl = 0;
  if (!kPlain) {  // else the port is left alone: one line less to fetch
    PortState& port = ports_[output];
    vl = maps_sls_ ? levels_.NextVl(port.sender, input, output - port.first_port, k.sl) : k.vl;
    port.queued_vls |= static_cast<std::uint16_t>(1u << vl);
  }
  LaneState& lane = LaneOf<kPlain>(output, vl);
  PacketRing& voq = voqs_[lane.voq + input];
  (kPlain ? &lane.ready : ReadyMask(lane))[kPlain ? 0 : input / 64] |= std::uint64_t{1} << (input % 64);
  if (!kPlain) lane.queued_inputs = static_cast<std::uint8_t>(lane.queued_inputs + voq.empty());
  voq.Push(pool_, packet);
  lane.queued_bytes += k.wire_bytes;
  LaneState& first = kPlain ? lane : Lane(output, 0);
  first.max_queued_bytes = std::max(first.max_queued_bytes, kPlain ? lane.queued_bytes : QueuedBytes(output));
  if (kPlain) {
    if (lane.queued_bytes >= lane.detection.high_bytes && !lane.congested && MayCross(lane)) {
      lane.congested = true;
      LogEntered(output, k);
    }
  } else if (DetectAfterArrival(lane, lane.voq + input, k.wire_bytes)) {
    LogEntered(output, k);
  }
}

void Engine::OnSent(std::uint32_t output) { plain_ ? OnSentAs<true>(output) : OnSentAs<false>(output); }

template <bool kPlain>
[[gnu::always_inline]] inline void Engine::OnSentAs(std::uint32_t output) {
  PortState& port = ports_[output];
  LaneOf<kPlain>(output, 0).busy = false;
  const std::uint32_t input = port.first_port + port.sent_input;
  if (reads_busy_[input]-- >= model_.switches.read_ports) OfferReadPort(input, output);
  TrySendAs<kPlain>(output);
}

[[gnu::always_inline]] inline void Engine::GiveCreditNow(std::uint32_t from, unsigned vl, unsigned blocks, Time at) {
  LaneState& lane = Lane(from, vl);
  const LinkKind& link = link_kinds_[lane.link_kind];
  const Time time = at + link.propagation;
  if (lane.credits >= plenty_of_credits_ && lane.last_blocks != 0 && time - now_ <= link.two_packets) {
    // The lane cannot use up what it has before then, so it does not matter if it gets the credits of the last return as late as
    // these: one record serves for both.
    lane.last_time = std::max(lane.last_time, time);
    lane.last_blocks += blocks;
    return;
  }
  AddReturn(lane, time, blocks);
  if (lane.wants_credits) WakeForCredits(from, vl, time);
  if (shares_) WakeSharers(from, time);
}

void Engine::GiveCredit(std::uint32_t from, unsigned vl, unsigned blocks, Time at) { GiveCreditNow(from, vl, blocks, at); }

// One of the input's read ports, all of which were busy, is free: `output` has sent its packet.
void Engine::OfferReadPort(std::uint32_t input_port, std::uint32_t output) {
  const SwitchState& sw = switches_[ports_[output].sender];
  const unsigned input = input_port - sw.first_port;
  const unsigned sender = output - sw.first_port;
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

void Engine::TrySend(std::uint32_t output) { plain_ ? TrySendAs<true>(output) : TrySendAs<false>(output); }

template <bool kPlain>
[[gnu::always_inline]] inline void Engine::TrySendAs(std::uint32_t output) {
  PortState& port = ports_[output];
  const LaneState& first = LaneOf<kPlain>(output, 0);
  if (first.busy || (kPlain ? first.ready == 0 : port.queued_vls == 0)) return;
  if (kPlain || num_vls_ == 1) {
    TrySendLane<kPlain>(output, 0);
    return;
  }
  if (arbitrates_ && arbiters_[output]) {
    TrySendArbitrated(output);
    return;
  }
  for (unsigned i = 0; i < num_vls_; ++i) {
    const unsigned vl = (port.next_vl + i) % num_vls_;
    if ((port.queued_vls >> vl & 1) != 0 && TrySendLane<kPlain>(output, vl)) {
      port.next_vl = static_cast<std::uint8_t>((vl + 1) % num_vls_);
      return;
    }
  }
}

template <bool kPlain>
[[gnu::always_inline]] inline bool Engine::TrySendLane(std::uint32_t output, unsigned vl) {
  const int input = FindInput<kPlain>(output, vl);
  if (input < 0) return false;
  ForwardAs<kPlain>(output, vl, static_cast<unsigned>(input));
  return true;
}

int Engine::NextInput(std::uint32_t output, unsigned vl) { return FindInput<false>(output, vl); }

template <bool kPlain>
[[gnu::always_inline]] inline int Engine::FindInput(std::uint32_t output, unsigned vl) {
  LaneState& lane = LaneOf<kPlain>(output, vl);
  const std::uint64_t* ready = kPlain ? &lane.ready : ReadyMask(lane);
  if (kPlain) {
    const std::uint64_t bits = ready[0] & masks_[ports_[output].sender];
    if (bits == 0) {
      WaitForReads(output, lane);
      return -1;
    }
    const unsigned input = FirstAfter(bits, lane.last_input);
    if (lane.credits < plenty_of_credits_ && !HasCredits(output, vl, pool_[voqs_[lane.voq + input].Head(pool_)].blocks()))
      return -1;
    return static_cast<int>(input);
  }

  // The first input behind the last one served that has a packet and a free read port.
  const SwitchState& sw = switches_[ports_[output].sender];
  const std::uint64_t* readable = &masks_[sw.readable];
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

  if (!HasCredits(output, vl, pool_[voqs_[lane.voq + input].Head(pool_)].blocks())) return -1;
  return static_cast<int>(input);
}

// Every input with a packet for this lane is busy giving others: ask each to call when it is done.
void Engine::WaitForReads(std::uint32_t output, const LaneState& lane) {
  const SwitchState& sw = switches_[ports_[output].sender];
  const unsigned local = output - sw.first_port;
  for (unsigned w = 0; w < sw.mask_words; ++w) {
    for (std::uint64_t left = ReadyMask(lane)[w]; left != 0; left &= left - 1) {
      const unsigned input = w * 64 + static_cast<unsigned>(std::countr_zero(left));
      masks_[sw.waiters + std::size_t{input} * sw.mask_words + local / 64] |= std::uint64_t{1} << (local % 64);
    }
  }
}

void Engine::Forward(std::uint32_t output, unsigned vl, unsigned input) { ForwardAs<false>(output, vl, input); }

template <bool kPlain>
[[gnu::always_inline]] inline void Engine::ForwardAs(std::uint32_t output, unsigned vl, unsigned input) {
  LaneState& lane = LaneOf<kPlain>(output, vl);
  PortState& port = ports_[output];
  const std::uint32_t input_port = port.first_port + input;
  PacketRing& voq = voqs_[lane.voq + input];
  const std::uint32_t packet = voq.Pop(pool_);
  Packet& k = pool_[packet];
  const bool emptied = voq.empty();
  (kPlain ? &lane.ready : ReadyMask(lane))[kPlain ? 0 : input / 64] &= ~(std::uint64_t{emptied} << (input % 64));
  if (!kPlain) lane.queued_inputs = static_cast<std::uint8_t>(lane.queued_inputs - emptied);
  if (!kPlain) port.queued_vls &= static_cast<std::uint16_t>(~(unsigned{lane.queued_inputs == 0} << vl));
  lane.queued_bytes -= k.wire_bytes;
  lane.last_input = static_cast<std::uint8_t>(input);
  const bool reads_all = ++reads_busy_[input_port] == model_.switches.read_ports;
  masks_[kPlain ? port.sender : switches_[port.sender].readable + input / 64] &= ~(std::uint64_t{reads_all} << (input % 64));
  port.sent_input = static_cast<std::uint8_t>(input);

  if (lane.congested) {
    if (k.wire_bytes >= lane.detection.min_bytes && MayMark(lane, k.blocks())) {
      const bool mark = DrawMark(lane.detection.marking_rate, marking_rng_);  // no branch on it: nobody could foresee it
      k.fecn = (k.fecn | mark) != 0;
      port_counters_[output].fecn_marked += mark;
    }
    if (kPlain) lane.congested = lane.queued_bytes >= lane.detection.low_bytes;
  }
  LaneOf<kPlain>(output, 0).busy = true;
  if (!kPlain) DetectAfterDeparture(lane, lane.voq + input, k.wire_bytes);
  const Time held_until = starves_ ? HoldCredit(input_port, output, lane, lane.voq + input, k) : 0;
  const std::uint32_t from = k.from;  // the packet may be gone when it is on its way to a host
  const unsigned blocks = k.blocks();
  const unsigned came_on = k.vl;
  k.vl = static_cast<std::uint8_t>(vl);
  const bool full = k.wire_bytes == full_bytes_;
  const bool small = k.wire_bytes == kCnpBytes;
  const Time wire_time = TransmitAs<kPlain>(output, packet);
  if (full | small) [[likely]] {
    calendar_.PushInLane(port.sent_lane[small], now_, wire_time, kSent, output, 0);
  } else {
    calendar_.PushAfter(now_, wire_time, kSent, output, 0);
  }
  GiveCreditNow(from, came_on, blocks, std::max(now_ + wire_time, held_until));
}

}  // namespace ccsim
