// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// prefetch.hpp: memory that events to come will touch, fetched while events before them are at work. On a large fabric most of it
// lies in no cache. What an event needs is found step by step, as one record says where the next one lies: hence the stages. What a
// stage looks at is a guess: records of events that are over, or of what has changed since, are read as they are, so indices may be
// old but never beyond what they index. Guessing costs as well: a fabric that fits into a core's own cache has the first stages only,
// one that fits into the cache that cores share has those where hardly anything has to be guessed (docs/research/performance.md).
//
// Inlined by force: GCC 12 takes a function that does nothing but fetch for one that does nothing, and drops the call.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "engine/engine_class.hpp"

namespace ccsim {

template <typename P>
inline __attribute__((always_inline)) void EngineOf<P>::FetchForArrive(unsigned track) const {
  if (const Event& e = calendar_.Ahead(track, 8); e.type == kArrive) {
    __builtin_prefetch(&pool_[e.argument]);
    __builtin_prefetch(&Lane(e.target, 0));
  }
  if (!fetches_) return;
  if (const Event& e = calendar_.Ahead(track, 5); e.type == kArrive) {
    const Packet& k = pool_[e.argument];
    if constexpr (!P::Queueing::kSharesQueues) queueing_.Prefetch(Lane(e.target, 0), k.input);
    // For if it goes on at once: its output, and who gets its credits.
    __builtin_prefetch(&ports_[e.target]);
    __builtin_prefetch(&Lane(k.from, 0));
  }
  if constexpr (requires { queueing_.FetchForArrival(*this, 0u, Packet{}); }) {
    if (const Event& e = calendar_.Ahead(track, 3); e.type == kArrive) {
      queueing_.FetchForArrival(*this, e.target, pool_[e.argument]);
    }
  }
  if constexpr (requires { queueing_.FetchBehindArrival(Packet{}); }) {
    if (const Event& e = calendar_.Ahead(track, 1); e.type == kArrive) queueing_.FetchBehindArrival(pool_[e.argument]);
  }
  if (!fetches_deep_) return;
  if (const Event& e = calendar_.Ahead(track, 2); e.type == kArrive) {
    const Packet& k = pool_[e.argument];
    const LaneState& at = Lane(e.target, 0);
    if constexpr (!P::Queueing::kSharesQueues) __builtin_prefetch(&pool_[queueing_.Last(at, k.input)]);
    if (!at.busy) {
      forwarding_.Prefetch(ports_[e.target].far_node, k.destination);
      FetchAtFarEnd(e.target, k);
    }
  }
}

template <typename P>
inline __attribute__((always_inline)) void EngineOf<P>::FetchForSent(unsigned track) const {
  if (fetches_deep_) return FetchForSentDeep(track);
  // So near that what is fetched is still in the first level of the cache when the next stage looks at it.
  if (const Event& e = calendar_.Ahead(track, 5); e.type == kSent) {
    __builtin_prefetch(&ports_[e.target]);
    __builtin_prefetch(&Lane(e.target, 0));
  }
  if (!fetches_) return;
  if (const Event& e = calendar_.Ahead(track, 3); e.type == kSent) {
    queueing_.PrefetchLikely(*this, Lane(e.target, 0));
  }
  if constexpr (requires { queueing_.FetchForSent(*this, 0u); }) {
    if (const Event& e = calendar_.Ahead(track, 2); e.type == kSent) queueing_.FetchForSent(*this, e.target);
  }
  if (const Event& e = calendar_.Ahead(track, 1); e.type == kSent) {
    __builtin_prefetch(&pool_[queueing_.LikelyPacket(*this, e.target)]);
  }
}

template <typename P>
inline __attribute__((always_inline)) void EngineOf<P>::FetchForSentDeep(unsigned track) const {
  if (const Event& e = calendar_.Ahead(track, 20); e.type == kSent) {
    __builtin_prefetch(&ports_[e.target]);
    __builtin_prefetch(&Lane(e.target, 0));
  }
  if (const Event& e = calendar_.Ahead(track, 15); e.type == kSent) {
    queueing_.PrefetchLikely(*this, Lane(e.target, 0));
  }
  if (const Event& e = calendar_.Ahead(track, 10); e.type == kSent) {
    __builtin_prefetch(&pool_[queueing_.LikelyPacket(*this, e.target)]);
    if (Lane(e.target, 0).congested) __builtin_prefetch(&port_counters_[e.target].fecn_marked);
  }
  if (const Event& e = calendar_.Ahead(track, 6); e.type == kSent) {
    const Packet& k = pool_[queueing_.LikelyPacket(*this, e.target)];
    forwarding_.Prefetch(ports_[e.target].far_node, k.destination);
    __builtin_prefetch(&Lane(k.from, 0));
  }
  if (const Event& e = calendar_.Ahead(track, 3); e.type == kSent) {
    FetchAtFarEnd(e.target, pool_[queueing_.LikelyPacket(*this, e.target)]);
    const PortState& port = ports_[e.target];
    const SwitchState& sw = switches_[port.switch_ordinal];
    __builtin_prefetch(&masks_[sw.waiters + std::size_t{port.sent_input} * sw.mask_words]);
  }
}

// What a packet that leaves by `output` will touch behind the link: a switch's part can wait for its own event.
template <typename P>
inline __attribute__((always_inline)) void EngineOf<P>::FetchAtFarEnd(std::uint32_t output, const Packet& k) const {
  const PortState& port = ports_[output];
  if (!port.to_host) return;
  __builtin_prefetch(&hosts_[port.far_node]);
  if (!k.drawn) __builtin_prefetch(&queue_pairs_[k.queue_pair]);
  __builtin_prefetch(&flow_counters_[k.flow]);
  if (!k.fecn && !Lane(output, 0).congested) return;
  if (k.drawn) receivers_.Prefetch(k.flow, k.destination);
  __builtin_prefetch(&flows_[k.flow]);
  __builtin_prefetch(&port_counters_[port.peer].fecn_received);
}

template <typename P>
inline __attribute__((always_inline)) void EngineOf<P>::FetchForHostWake(unsigned track) const {
  if (const Event& e = calendar_.Ahead(track, 6); e.type == kHostWake) {
    __builtin_prefetch(&hosts_[e.target]);
    __builtin_prefetch(&ready_[std::size_t{e.target} * num_vls_]);
  }
  if (const Event& e = calendar_.Ahead(track, 5); e.type == kHostWake) {
    const HostState& host = hosts_[e.target];
    __builtin_prefetch(&ports_[host.port]);
    __builtin_prefetch(&Lane(host.port, 0));
    const std::uint32_t throttle = ready_[std::size_t{e.target} * num_vls_].head;
    if (throttle != kNoIndex) __builtin_prefetch(&throttles_[throttle]);
  }
  if (const std::uint32_t qp = LikelyQueuePair(calendar_.Ahead(track, 4)); qp != kNoIndex) __builtin_prefetch(&queue_pairs_[qp]);
  if (const std::uint32_t qp = LikelyQueuePair(calendar_.Ahead(track, 3)); qp != kNoIndex) {
    __builtin_prefetch(&flows_[queue_pairs_[qp].flow]);
    __builtin_prefetch(&flow_counters_[queue_pairs_[qp].flow]);
  }
  if (!fetches_) return;
  if (const std::uint32_t qp = LikelyQueuePair(calendar_.Ahead(track, 1)); qp != kNoIndex) {
    const QueuePairState& sender = queue_pairs_[qp];
    if (!sender.draws || now_ >= flows_[sender.flow].reacts_until) return;
    if (sender.message_left > 0) {
      reactions_.Prefetch(sender.flow, sender.destination);
    } else {
      FetchNextReaction(sender.flow);
    }
  }
}

// That a host sends for when it wakes up; kNoIndex: none.
template <typename P>
inline __attribute__((always_inline)) std::uint32_t EngineOf<P>::LikelyQueuePair(const Event& e) const {
  if (e.type != kHostWake) return kNoIndex;
  const std::uint32_t throttle = ready_[std::size_t{e.target} * num_vls_].head;
  return throttle == kNoIndex ? kNoIndex : throttles_[throttle].queue_pairs.head;
}

template <typename P>
inline __attribute__((always_inline)) void EngineOf<P>::FetchForBecn(unsigned track) const {
  if (!fetches_) return;
  if (const Event& e = calendar_.Ahead(track, 4); e.type == kBecn) {
    __builtin_prefetch(&pool_[e.argument]);
    __builtin_prefetch(&hosts_[e.target]);
  }
  if (const Event& e = calendar_.Ahead(track, 2); e.type == kBecn) {
    const Packet& k = pool_[e.argument];
    __builtin_prefetch(&port_counters_[hosts_[e.target].port].becn_received);
    __builtin_prefetch(&flow_counters_[k.flow].becn_received);
    __builtin_prefetch(&flows_[k.flow]);
    if (k.drawn) reactions_.Prefetch(k.flow, k.answering_endport());
  }
}

// The wheel's next event is a dozen events away.
template <typename P>
inline __attribute__((always_inline)) void EngineOf<P>::FetchForWheel() const {
  const Event& e = calendar_.NextOfWheel();
  if (!fetches_ || (e.type != kHostWake && e.type != kControl)) return;
  const std::uint32_t port = host_ports_[e.target];
  __builtin_prefetch(&hosts_[e.target]);
  __builtin_prefetch(&ports_[port]);
  __builtin_prefetch(&Lane(port, 0));
  if (e.type == kHostWake) {
    __builtin_prefetch(&ready_[std::size_t{e.target} * num_vls_]);
  } else {
    __builtin_prefetch(&control_[std::size_t{e.target} * num_vls_]);
    __builtin_prefetch(&pool_[e.argument]);
  }
}

}  // namespace ccsim
