// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// engine_fetch.hpp: memory that events to come will touch, fetched while events before them are at work. On a large fabric most of it
// lies in no cache. What an event needs is found step by step, as one record says where the next one lies: hence the stages.
//
// Inlined by force: GCC 12 takes a function that does nothing but fetch for one that does nothing, and drops the call.
#pragma once

#include <bit>

#include "engine/engine.hpp"

namespace ccsim {

inline __attribute__((always_inline)) void Engine::FetchFar(const Event& e) const {
  switch (e.type) {
    case kArrive:
      __builtin_prefetch(&pool_[e.argument]);
      __builtin_prefetch(&ports_[e.target]);
      return;
    case kSent:
      __builtin_prefetch(&ports_[e.target]);
      __builtin_prefetch(&Lane(e.target, 0));
      __builtin_prefetch(&port_counters_[e.target]);
      return;
    case kHostWake:
      __builtin_prefetch(&hosts_[e.target]);
      __builtin_prefetch(&ready_[std::size_t{e.target} * num_vls_]);
      return;
    default: return;
  }
}

inline __attribute__((always_inline)) void Engine::FetchMid(const Event& e) const {
  if (e.type != kArrive) return;
  __builtin_prefetch(&forwarding_[std::size_t{ports_[e.target].sender} * num_endports_ + pool_[e.argument].destination]);
}

inline __attribute__((always_inline)) void Engine::FetchNear(const Event& e) const {
  if (e.type == kArrive) {
    const Packet& k = pool_[e.argument];
    const PortState& port = ports_[e.target];
    const std::uint8_t out = forwarding_[std::size_t{port.sender} * num_endports_ + k.destination];
    if (out == kNoOutput) return;
    const std::uint32_t output = port.first_port + out;
    __builtin_prefetch(&Lane(output, k.vl));
    __builtin_prefetch(&ports_[output]);
    __builtin_prefetch(&port_counters_[output]);
    __builtin_prefetch(&voqs_[port.first_voq + (out * num_vls_ + k.vl) * port.voq_stride]);
  } else if (e.type == kSent) {
    const PortState& port = ports_[e.target];
    const std::uint32_t input = LikelyInput(Lane(e.target, 0));
    __builtin_prefetch(&voqs_[Lane(e.target, 0).voq + input]);
    __builtin_prefetch(&ports_[port.first_port + input]);
    __builtin_prefetch(&ports_[port.peer]);
  } else if (e.type == kHostWake) {
    const HostState& host = hosts_[e.target];
    __builtin_prefetch(&ports_[host.port]);
    __builtin_prefetch(&Lane(host.port, 0));
    __builtin_prefetch(&port_counters_[host.port]);
    const std::uint32_t throttle = ready_[std::size_t{e.target} * num_vls_].head;
    if (throttle != kNoIndex) __builtin_prefetch(&throttles_[throttle]);
  }
}

inline __attribute__((always_inline)) void Engine::FetchNext(const Event& e) const {
  if (e.type == kSent) {
    const std::uint32_t input = LikelyInput(Lane(e.target, 0));
    const std::uint32_t head = voqs_[Lane(e.target, 0).voq + input].head;
    if (head != kNoPacket) __builtin_prefetch(&pool_[head]);
    __builtin_prefetch(&Lane(ports_[ports_[e.target].first_port + input].peer, 0));
  } else if (e.type == kHostWake) {
    const std::uint32_t throttle = ready_[std::size_t{e.target} * num_vls_].head;
    const std::uint32_t qp = throttle == kNoIndex ? kNoIndex : throttles_[throttle].queue_pairs.head;
    if (qp == kNoIndex) return;
    __builtin_prefetch(&queue_pairs_[qp]);
    __builtin_prefetch(&queue_pairs_[qp].due);
    __builtin_prefetch(&flows_[queue_pairs_[qp].flow]);
  }
}

// The input that the round robin will come to if nothing changes and every read port is free; of the first 64.
inline __attribute__((always_inline)) std::uint32_t Engine::LikelyInput(const LaneState& lane) const {
  const std::uint64_t ready = masks_[lane.ready];
  const std::uint64_t behind = ready & (~std::uint64_t{1} << (lane.last_input % 64));
  return static_cast<std::uint32_t>(std::countr_zero(behind != 0 ? behind : ready)) % 64;
}

}  // namespace ccsim
