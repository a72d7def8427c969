// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// crosspoint_lists.hpp: for switches in which several queues of an input may have a packet for the same output, or one queue packets
// for several: which queues ask for which crosspoint. A base of Queueing policies.
//
// A queue is known by an index that the policy gives it. It is listed at the crosspoint of the packet at its head while that packet may
// leave by it; queues of one crosspoint take turns. A policy lists and unlists queues in whatever event, and what it has listed is
// offered to the arbiter when the event's own packet has been seen to (Flush).
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "engine/core.hpp"
#include "engine/either.hpp"
#include "engine/index_queue.hpp"

namespace ccsim {

class CrosspointLists {
 public:
  static constexpr bool kSharesQueues = true;
  static constexpr bool kCountsRoom = false;  // by queue: lanes count it, as credits

  template <typename E>
  void Flush(E& e) {
    while (!asking_.empty()) {
      const auto [input_port, output] = asking_.back();
      asking_.pop_back();
      e.arbiter_.Request(e, input_port, output);
    }
  }
  template <typename E>
  void AfterPush(E& e) {
    Flush(e);
  }
  template <typename E>
  void AfterPop(E& e) {
    Flush(e);
  }
  template <typename E>
  void Prepare(E& e) {
    e.RequireOneVl();
  }
  template <typename E>
  void OnLinkDown(E&, std::uint32_t) {}
  template <typename E>
  void OnLinkRestored(E&, std::uint32_t) {}
  bool HasAllRoom() const { return true; }
  template <typename E>
  void Sample(E&) {}
  template <typename E>
  void Widen(E& e, unsigned, unsigned vls) {
    e.RefuseVls(vls);
  }

  // The policy of queues that share an input's buffer and its credits; a policy that counts room otherwise has functions of its own.
  template <typename E>
  [[gnu::always_inline]] std::uint32_t Head(const E& e, const LaneState& lane, std::uint32_t, unsigned input) const {
    return queues_[First(lane, input)].ring.Head(e.pool_);
  }
  template <typename E>
  [[gnu::always_inline]] bool MaySend(E& e, LaneState& lane, std::uint32_t output, unsigned vl, unsigned input) {
    return e.HasCredits(output, vl, e.pool_[Head(e, lane, output, input)].blocks());
  }
  template <typename E>
  [[gnu::always_inline]] void Take(E&, std::uint32_t, LaneState& lane, const Packet& k) {
    lane.credits -= static_cast<std::int32_t>(k.blocks());
  }
  template <typename E>
  [[gnu::always_inline]] void GiveBack(E& e, std::uint32_t from, const Packet& k, unsigned vl, Time at) {
    e.GiveCreditNow(from, vl, k.blocks(), at);
  }
  template <typename E>
  void OnMessage(E&, std::uint32_t, std::uint32_t) {}  // nobody sends any

  // These two fetch ahead for packets that are to leave, as VoqQueues does.
  template <typename E>
  [[gnu::always_inline]] void PrefetchLikely(const E& e, const LaneState& lane) const {
    __builtin_prefetch(&lists_[lane.first_crosspoint + e.LikelyInput(lane)]);
  }
  template <typename E>
  [[gnu::always_inline]] std::uint32_t LikelyPacket(const E& e, std::uint32_t output) const {
    const LaneState& lane = e.Lane(output, 0);
    const std::uint32_t queue = lists_[lane.first_crosspoint + e.LikelyInput(lane)].head;
    const std::uint32_t last = queue == kNoIndex ? kNoPacket : queues_[queue].ring.last;
    return last & (0u - (last != kNoPacket));
  }

 protected:
  struct Queue {
    PacketRing ring;
    std::uint32_t next = kNoIndex;       // of a list
    std::uint32_t listed_at = kNoIndex;  // crosspoint
  };

  template <typename E>
  void BuildLists(E& e, std::size_t num_queues) {
    queues_.resize(num_queues);
    lists_.resize(e.num_crosspoints_);
  }

  // These two are for policies that fetch more than that. The input may be an old one, that came to a larger switch: then this lies
  // beyond the lists.
  [[gnu::always_inline]] void FetchList(const LaneState& lane, unsigned input) const {
    __builtin_prefetch(lists_.data() + lane.first_crosspoint + input);
  }
  // The queue that PrefetchLikely has fetched the list of, or some queue.
  template <typename E>
  [[gnu::always_inline]] std::uint32_t FetchLikelyQueue(const E& e, std::uint32_t output) const {
    const LaneState& lane = e.Lane(output, 0);
    const std::uint32_t first = lists_[lane.first_crosspoint + e.LikelyInput(lane)].head;
    const std::uint32_t queue = first == kNoIndex ? 0 : first;
    __builtin_prefetch(queues_.data() + queue);
    return queue;
  }

  // The queue whose turn it is at a crosspoint that is ready.
  std::uint32_t First(const LaneState& lane, unsigned input) const { return lists_[lane.first_crosspoint + input].head; }

  // The packet at the queue's head may leave by `output`, from its input. `tried_anyway`: the output that the event is about, which
  // is tried when its packet has been seen to. REQUIRES: the queue is not listed.
  template <typename E>
  [[gnu::always_inline]] void List(E& e, std::uint32_t queue, std::uint32_t output, unsigned input, std::uint32_t tried_anyway,
                                   bool first = false) {
    LaneState& lane = e.LaneAt(output, 0);
    IndexQueue& list = lists_[lane.first_crosspoint + input];
    e.SetReady(lane, output, 0, input, list.head == kNoIndex);
    queues_[queue].listed_at = lane.first_crosspoint + input;
    if (first && list.head != kNoIndex) {
      queues_[queue].next = list.head;
      list.head = queue;
    } else {
      PushBack(list, queues_, queue);
    }
    if (output != tried_anyway) asking_.emplace_back(e.ports_[output].first_port + input, output);
  }
  // Takes a listed queue out, wherever it stands: lists are short.
  template <typename E>
  [[gnu::always_inline]] void Unlist(E& e, std::uint32_t queue, std::uint32_t output, unsigned input) {
    LaneState& lane = e.LaneAt(output, 0);
    IndexQueue& list = lists_[lane.first_crosspoint + input];
    if (list.head == queue && list.tail == queue) [[likely]] {
      list.head = kNoIndex;
      queues_[queue].listed_at = kNoIndex;
      e.ClearReady(lane, output, 0, input, true);
      return;
    }
    std::uint32_t before = kNoIndex;
    for (std::uint32_t q = list.head; q != queue; q = queues_[q].next) before = q;
    if (before == kNoIndex) {
      list.head = queues_[queue].next;
    } else {
      queues_[before].next = queues_[queue].next;
    }
    if (list.tail == queue) list.tail = before;
    queues_[queue].listed_at = kNoIndex;
    e.ClearReady(lane, output, 0, input, list.head == kNoIndex);
  }

  // These two are for queues that hold packets for one output alone, where the event is about that output. Such a queue is mostly the only
  // one of its crosspoint, and whether it holds one packet or more cannot be foreseen: then there is no branch on it.
  //
  // A packet has entered the queue, which may be listed already.
  template <typename E>
  [[gnu::always_inline]] void EnsureListed(E& e, std::uint32_t queue, std::uint32_t output, unsigned input) {
    LaneState& lane = e.LaneAt(output, 0);
    IndexQueue& list = lists_[lane.first_crosspoint + input];
    const bool was_empty = list.head == kNoIndex;
    if (was_empty | ((list.head == queue) & (list.tail == queue))) [[likely]] {
      e.SetReady(lane, output, 0, input, was_empty);
      list.head = list.tail = queue;
      queues_[queue].next = kNoIndex;
      queues_[queue].listed_at = lane.first_crosspoint + input;
    } else if (queues_[queue].listed_at == kNoIndex) {
      List(e, queue, output, input, output);
    }
  }
  // A packet has left the queue, which is the first of the list.
  template <typename E>
  [[gnu::always_inline]] void KeepListed(E& e, std::uint32_t queue, std::uint32_t output, unsigned input) {
    LaneState& lane = e.LaneAt(output, 0);
    IndexQueue& list = lists_[lane.first_crosspoint + input];
    const bool is_empty = queues_[queue].ring.empty();
    if (list.tail == queue) [[likely]] {
      list.head = Either(is_empty, kNoIndex, queue);
      queues_[queue].listed_at = Either(is_empty, kNoIndex, lane.first_crosspoint + input);
      e.ClearReady(lane, output, 0, input, is_empty);
    } else {
      Unlist(e, queue, output, input);
      if (!is_empty) List(e, queue, output, input, output);
    }
  }

  // Takes the packets for an output out of a queue that is not listed, and loses them. `lost(packet)` is told of each.
  template <typename E, typename Lost>
  void LoseFrom(E& e, std::uint32_t queue, std::uint32_t output, Lost lost) {
    LaneState& lane = e.Lane(output, 0);
    const std::uint32_t local = output - e.ports_[output].first_port;
    PacketRing kept;
    while (!queues_[queue].ring.empty()) {
      const std::uint32_t packet = queues_[queue].ring.Pop(e.pool_);
      const Packet& k = e.pool_[packet];
      if (k.output != local) {
        kept.Push(e.pool_, packet);
        continue;
      }
      lane.queued_bytes -= k.wire_bytes;
      e.detection_.AfterDeparture(e, lane, lane.first_crosspoint + k.input, k.wire_bytes);
      lost(k);
      e.LoseUnqueued(output, packet);
    }
    queues_[queue].ring = kept;
  }

  // visit(packet, output, vl) for each packet of a queue, with the output of the first.
  template <typename E, typename Visit>
  void ForEachIn(const E& e, std::uint32_t queue, std::uint32_t first_port, const Visit& visit) const {
    const PacketRing& ring = queues_[queue].ring;
    if (ring.empty()) return;
    const std::uint32_t output = first_port + e.pool_[ring.Head(e.pool_)].output;
    ring.ForEach(e.pool_, [&](const Packet& k) { visit(k, output, 0u); });
  }

  // Throws std::logic_error if a queue that holds packets asks for another crosspoint than that of the first.
  template <typename E>
  void CheckListed(const E& e, std::uint32_t queue, std::uint32_t first_port) const {
    const Queue& q = queues_[queue];
    if (q.listed_at == kNoIndex) return;
    const bool right = !q.ring.empty() && [&] {
      const Packet& k = e.pool_[q.ring.Head(e.pool_)];
      return q.listed_at == e.Lane(first_port + k.output, 0).first_crosspoint + k.input;
    }();
    if (!right) throw std::logic_error("queue " + std::to_string(queue) + " asks for what its first packet does not");
  }

  BigVector<Queue> queues_;

 private:
  BigVector<IndexQueue> lists_;                                  // by crosspoint
  std::vector<std::pair<std::uint32_t, std::uint32_t>> asking_;  // input port and output
};

}  // namespace ccsim
