// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core_host.cpp: a channel adapter's port, on its way out: the part that is not done for each packet (engine_host.hpp has the rest).
#include <algorithm>

#include "engine/core.hpp"
#include "engine/index_queue.hpp"

namespace ccsim {

void EngineCore::MakeReady(std::uint32_t queue_pair) {
  if (JoinThrottle(queue_pair)) TryInject(flows_[queue_pairs_[queue_pair].flow].src);
}

void EngineCore::MakeReadySoon(std::uint32_t queue_pair) {
  const std::uint32_t host = flows_[queue_pairs_[queue_pair].flow].src;
  if (JoinThrottle(queue_pair)) WakeAt(host, std::max(now_, NextInjection(hosts_[host])));
}

bool EngineCore::JoinThrottle(std::uint32_t queue_pair) {
  QueuePairState& qp = queue_pairs_[queue_pair];
  ThrottleState& throttle = throttles_[qp.throttle];
  qp.queued = true;
  PushBack(throttle.queue_pairs, queue_pairs_, queue_pair);
  if (throttle.status != ThrottleStatus::Idle) return false;
  Enqueue(flows_[qp.flow].src, qp.vl, qp.throttle);
  return true;
}

void EngineCore::HoldBackDrawn(std::uint32_t queue_pair, Time packet_time, Time delay) {
  const std::uint32_t held = HandOver(queue_pair);
  HoldBack(queue_pairs_[held].throttle, packet_time, delay);
  if (queue_pairs_[held].message_left > 0) MakeReady(held);
}

unsigned EngineCore::HeadVl(std::uint32_t host, unsigned queue) const {
  const QueuePairState& qp = queue_pairs_[throttles_[ready_[std::size_t{host} * num_vls_ + queue].head].queue_pairs.head];
  const FlowState& flow = flows_[qp.flow];
  return levels_.FirstVl(flow.src, levels_.Sl(flow.sl, flow.src, qp.destination));
}

}  // namespace ccsim
