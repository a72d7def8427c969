// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core_lanes.cpp: what several VLs, or credits that are held back, add to a port; and what devices log.
//
// Behaviour   VL arbitration by tables; VLs that share the far end's buffer; credit starvation. None of it is looked at on a port
//             that has none
// Data        arbiters_, sharing_, starvation_, the logs
#include <algorithm>
#include <array>

#include "engine/core.hpp"

namespace ccsim {

// --- Shared buffers ---------------------------------------------------------------------------------------------------------------
//
// Each VL has room for a packet of the MTU in the far end's buffer to itself, and `sharing_` counts the blocks of the rest that are
// free. A lane's `credits` are what is left of its own room; below 0, what it has taken of the pool.

std::int32_t EngineCore::AvailableShared(const LaneState& lane) const {
  return std::max(lane.credits, 0) + sharing_[PortOf(lane)];
}

// After `blocks` were taken off the lane's credits.
void EngineCore::Borrow(std::uint32_t port, const LaneState& lane, std::int32_t blocks) {
  sharing_[port] += std::min(lane.credits, 0) - std::min(lane.credits + blocks, 0);
}

void EngineCore::TakeSharedCredits(LaneState& lane, Time now) {
  const std::int32_t before = std::min(lane.credits, 0);
  TakeCredits(lane, now);
  sharing_[PortOf(lane)] += std::min(lane.credits, 0) - before;
}

bool EngineCore::HasSharedCredits(std::uint32_t port_index, unsigned vl, std::int32_t blocks) {
  LaneState& lane = Lane(port_index, vl);
  TakeSharedCredits(lane, now_);
  if (AvailableShared(lane) >= blocks) return true;
  for (unsigned other = 0; other < num_vls_; ++other) TakeSharedCredits(Lane(port_index, other), now_);
  if (AvailableShared(lane) >= blocks) return true;
  BeginWaiting(port_index);
  lane.wants_credits = true;
  Time next = kNever;
  for (unsigned other = 0; other < num_vls_; ++other) next = std::min(next, NextReturn(Lane(port_index, other)));
  WakeForCredits(port_index, vl, next);
  return false;
}

// Credits that come back on one VL may be what another waits for.
void EngineCore::WakeSharers(std::uint32_t port, Time time) {
  for (unsigned vl = 0; vl < num_vls_; ++vl) {
    if (Lane(port, vl).wants_credits) WakeForCredits(port, vl, time);
  }
}

// --- Logs -------------------------------------------------------------------------------------------------------------------------

void EngineCore::LogEntered(std::uint32_t output, const Packet& k) {
  if (switch_logs_.empty()) switch_logs_.resize(switches_.size());
  const std::uint32_t source = k.kind == PacketKind::Data ? flows_[k.flow].src : k.answering_endport();
  switch_logs_[ports_[output].switch_ordinal].Entered(source, k.destination, k.sl, now_);
}

void EngineCore::LogReached(const ReactionSetting& setting, const Packet& k) {
  if (ca_logs_.empty()) ca_logs_.resize(num_endports_);
  const std::uint32_t endport = flows_[k.flow].src;
  const std::uint32_t queue_pair =
      held_.WholeSls(endport) ? CaLogEntry::kWholeSl : k.queue_pair - flows_[k.flow].first_queue_pair;
  ca_logs_[endport].Reached(k.flow, queue_pair, k.answering_endport(), setting.sl, now_);
}

SwitchCongestionLog EngineCore::SwitchLog(std::uint32_t ordinal) const {
  SwitchCongestionLog log = switch_logs_.empty() ? SwitchCongestionLog{} : switch_logs_[ordinal];
  const SwitchState& sw = switches_[ordinal];
  for (std::uint32_t port = sw.first_port; port < sw.first_port + sw.num_ports; ++port) {
    const std::uint64_t read = marks_read_.empty() ? 0 : marks_read_[port];
    log.marked[port_names_[port].port] = port_counters_[port].fecn_marked > read;
  }
  return log;
}

CaCongestionLog EngineCore::CaLog(std::uint32_t endport) const {
  return ca_logs_.empty() ? CaCongestionLog{} : ca_logs_[endport];
}

void EngineCore::ClearSwitchLog(std::uint32_t ordinal) {
  if (!switch_logs_.empty()) switch_logs_[ordinal].WasRead();
  marks_read_.resize(ports_.size(), 0);
  const SwitchState& sw = switches_[ordinal];
  for (std::uint32_t port = sw.first_port; port < sw.first_port + sw.num_ports; ++port) {
    marks_read_[port] = port_counters_[port].fecn_marked;
  }
}

void EngineCore::ClearCaLog(std::uint32_t endport) {
  if (!ca_logs_.empty()) ca_logs_[endport].WasRead();
}

}  // namespace ccsim
