// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// voq_queues.hpp: the policy `Queueing` of a switch with virtual output queues: each input has a queue for each output and VL.
//
// Data        a ring of packets for each crosspoint: output, VL and input
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>

#include "engine/core.hpp"

namespace ccsim {

class VoqQueues {
 public:
  static constexpr bool kSharesQueues = false;  // packets to several outputs do not stand in one queue
  static constexpr bool kCountsRoom = false;    // by queue: lanes count it, as credits

  template <typename E>
  void Prepare(E&) {}
  template <typename E>
  void Build(E& e) {
    rings_.resize(e.num_crosspoints_);
  }
  template <typename E>
  void Widen(E& e, unsigned before, unsigned vls) {
    rings_ = e.WidenCrosspoints(rings_, before, vls);
  }

  // A packet that has come by `input` stands in the buffer, and leaves by the lane of `output`.
  template <typename E>
  [[gnu::always_inline]] void Push(E& e, LaneState& lane, std::uint32_t output, unsigned vl, unsigned input,
                                   std::uint32_t packet) {
    PacketRing& ring = rings_[lane.first_crosspoint + input];
    e.SetReady(lane, output, vl, input, ring.empty());
    ring.Push(e.pool_, packet);
  }

  // The packet that leaves next from `input` by the lane. REQUIRES: the input is ready.
  template <typename E>
  [[gnu::always_inline]] std::uint32_t Head(const E& e, const LaneState& lane, std::uint32_t, unsigned input) const {
    return rings_[lane.first_crosspoint + input].Head(e.pool_);
  }
  // Takes it out.
  template <typename E>
  [[gnu::always_inline]] std::uint32_t Pop(E& e, LaneState& lane, std::uint32_t output, unsigned vl, unsigned input) {
    PacketRing& ring = rings_[lane.first_crosspoint + input];
    const std::uint32_t packet = ring.Pop(e.pool_);
    e.ClearReady(lane, output, vl, input, ring.empty());
    return packet;
  }
  // True if the packet, the next of its input, may be sent now; if not, the lane's output will be tried again when it may.
  template <typename E>
  [[gnu::always_inline]] bool MaySend(E& e, LaneState& lane, std::uint32_t output, unsigned vl, unsigned input) {
    if (E::kPlain && lane.credits >= e.plenty_of_credits_) return true;
    return e.HasCredits(output, vl, e.pool_[Head(e, lane, output, input)].blocks());
  }
  // The room that a packet leaves in a buffer at the time `at`, where `from` has sent it to.
  template <typename E>
  [[gnu::always_inline]] void GiveBack(E& e, std::uint32_t from, const Packet& k, unsigned vl, Time at) {
    e.GiveCreditNow(from, vl, k.blocks(), at);
  }
  // The room that a packet takes at the far end of the output that it leaves by.
  template <typename E>
  [[gnu::always_inline]] void Take(E&, std::uint32_t, LaneState& lane, const Packet& k) {
    lane.credits -= static_cast<std::int32_t>(k.blocks());
  }
  template <typename E>
  void OnMessage(E&, std::uint32_t, std::uint32_t) {}
  template <typename E>
  void OnLinkDown(E&, std::uint32_t) {}
  template <typename E>
  void OnLinkRestored(E&, std::uint32_t) {}
  bool HasAllRoom() const { return true; }
  template <typename E>
  void Sample(E&) {}

  template <typename E>
  void Lose(E& e, std::uint32_t output, unsigned vl) {
    LaneState& lane = e.Lane(output, vl);
    for (unsigned input = 0; lane.queued_inputs > 0; ++input) {
      while (!rings_[lane.first_crosspoint + input].empty()) {
        const std::uint32_t packet = Pop(e, lane, output, vl, input);
        const std::uint16_t wire_bytes = e.pool_[packet].wire_bytes;
        lane.queued_bytes -= wire_bytes;
        e.detection_.AfterDeparture(e, lane, lane.first_crosspoint + input, wire_bytes);
        e.LoseUnqueued(output, packet);
      }
    }
  }

  template <typename E, typename Visit>
  void ForEach(const E& e, std::uint32_t input, const Visit& visit) const {
    const PortState& port = e.ports_[input];
    for (std::uint32_t output = port.first_port; output < port.first_port + NumInputs(e, input); ++output) {
      for (unsigned vl = 0; vl < e.num_vls_; ++vl) {
        const PacketRing& ring = rings_[e.Lane(output, vl).first_crosspoint + (input - port.first_port)];
        ring.ForEach(e.pool_, [&](const Packet& k) { visit(k, output, vl); });
      }
    }
  }

  template <typename E>
  void Check(const E& e, std::uint32_t output, unsigned vl) const {
    const LaneState& lane = e.Lane(output, vl);
    for (unsigned input = 0; input < NumInputs(e, output); ++input) {
      if (e.IsReady(lane, input) == rings_[lane.first_crosspoint + input].empty())
        throw std::logic_error("port " + std::to_string(output) + ": the mask of inputs disagrees with the VOQs");
    }
  }

  // Guesses the packet that leaves by an output next: the head of the likely queue, or some packet if it is empty.
  template <typename E>
  [[gnu::always_inline]] std::uint32_t LikelyPacket(const E& e, std::uint32_t output) const {
    const LaneState& lane = e.Lane(output, 0);
    const std::uint32_t head = rings_[lane.first_crosspoint + e.LikelyInput(lane)].last;  // most hold one
    return head & (0u - (head != kNoPacket));
  }
  template <typename E>
  [[gnu::always_inline]] void PrefetchLikely(const E& e, const LaneState& lane) const {
    __builtin_prefetch(&rings_[lane.first_crosspoint + e.LikelyInput(lane)]);
  }
  // The packet may be an old one, that came to a larger switch: then this lies beyond the queues.
  [[gnu::always_inline]] void Prefetch(const LaneState& lane, unsigned input) const {
    __builtin_prefetch(rings_.data() + lane.first_crosspoint + input);
  }
  // The last packet of that queue, or some packet.
  [[gnu::always_inline]] std::uint32_t Last(const LaneState& lane, unsigned input) const {
    const std::uint32_t last = rings_[std::min<std::size_t>(lane.first_crosspoint + input, rings_.size() - 1)].last;
    return last & (0u - (last != kNoPacket));
  }

 private:
  template <typename E>
  static std::uint32_t NumInputs(const E& e, std::uint32_t port) {
    return e.switches_[e.ports_[port].switch_ordinal].num_ports;
  }

  BigVector<PacketRing> rings_;
};

}  // namespace ccsim
