// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// engine_lanes.cpp: what several VLs, or credits that are held back, add to a port; and what devices log.
//
// Behaviour   VL arbitration by tables; VLs that share the far end's buffer; credit starvation. None of it is looked at on a port
//             that has none
// Data        arbiters_, sharing_, starvation_, the logs
#include <algorithm>
#include <array>

#include "engine/engine.hpp"

namespace ccsim {

// --- VL arbitration ---------------------------------------------------------------------------------------------------------------

bool Engine::TrySendArbitrated(std::uint32_t output) {
  std::optional<VlArbiter>& arbiter = arbiters_[output];
  if (!arbiter) return false;
  unsigned sendable = 0;
  std::array<int, kMaxVls> input_of;
  for (unsigned vl = 0; vl < num_vls_; ++vl) {
    if ((ports_[output].queued_vls >> vl & 1) == 0) continue;
    input_of[vl] = NextInput(output, vl);
    if (input_of[vl] >= 0) sendable |= 1u << vl;
  }
  const int vl = arbiter->Pick(sendable);
  if (vl == VlArbiter::kNone) return false;
  const auto input = static_cast<unsigned>(input_of[static_cast<unsigned>(vl)]);
  const PacketRing& voq = voqs_[Lane(output, static_cast<unsigned>(vl)).voq + input];
  arbiter->Sent(sendable, pool_[voq.Head(pool_)].blocks());
  Forward(output, static_cast<unsigned>(vl), input);
  return true;
}

// REQUIRES: the host's link is free. Of one VL, ACKs and CNPs go first.
bool Engine::TryInjectArbitrated(std::uint32_t host_index) {
  HostState& host = hosts_[host_index];
  unsigned sendable = 0;
  constexpr unsigned kFromControl = kMaxVls;
  std::array<unsigned, kMaxVls> queue_of;  // the ready queue whose head travels on the VL, or kFromControl
  std::array<unsigned, kMaxVls> blocks_of;
  const auto offer = [&](unsigned vl, unsigned queue, unsigned blocks) {
    if ((sendable >> vl & 1) != 0 || !HasCredits(host.port, vl, blocks)) return;
    sendable |= 1u << vl;
    queue_of[vl] = queue;
    blocks_of[vl] = blocks;
  };
  for (unsigned vl = 0; vl < num_vls_; ++vl) {
    if ((host.control_vls >> vl & 1) != 0) offer(vl, kFromControl, pool_[ControlQueue(host_index, vl).head].blocks());
  }
  const bool bus_free = now_ >= host.inject_free;
  if (!bus_free && host.ready_vls != 0) WakeAt(host_index, host.inject_free);
  for (unsigned i = 0; bus_free && i < num_vls_; ++i) {
    const unsigned queue = (host.next_vl + i) % num_vls_;
    if ((host.ready_vls >> queue & 1) == 0 || !ServeHead(host_index, queue)) continue;
    const unsigned vl = maps_sls_ ? HeadVl(host_index, queue) : queue;
    if (vl == kNoVl) {
      InjectData(host_index, queue);  // to be discarded
      return true;
    }
    offer(vl, queue, HeadBlocks(host_index, queue));
  }
  std::optional<VlArbiter>& arbiter = arbiters_[host.port];
  if (!arbiter) return false;
  const int picked = arbiter->Pick(sendable);
  if (picked == VlArbiter::kNone) return false;
  const auto vl = static_cast<unsigned>(picked);
  arbiter->Sent(sendable, blocks_of[vl]);
  if (queue_of[vl] == kFromControl) {
    InjectControl(host_index, vl);
  } else {
    host.next_vl = (queue_of[vl] + 1) % num_vls_ & 0xF;
    InjectData(host_index, queue_of[vl]);
  }
  return true;
}

// --- Shared buffers ---------------------------------------------------------------------------------------------------------------
//
// Of the far end's buffer, each VL has room for a packet of the MTU to itself, and `sharing_` counts the blocks of the rest that are
// free. A lane's `credits` are what is left of its own room; below 0, what it has taken of the pool.

std::int32_t Engine::AvailableShared(const LaneState& lane) const { return std::max(lane.credits, 0) + sharing_[PortOf(lane)]; }

// After `blocks` were taken off the lane's credits.
void Engine::Borrow(std::uint32_t port, const LaneState& lane, std::int32_t blocks) {
  sharing_[port] += std::min(lane.credits, 0) - std::min(lane.credits + blocks, 0);
}

void Engine::TakeSharedCredits(LaneState& lane, Time now) {
  const std::int32_t before = std::min(lane.credits, 0);
  TakeCredits(lane, now);
  sharing_[PortOf(lane)] += std::min(lane.credits, 0) - before;
}

bool Engine::HasSharedCredits(std::uint32_t port_index, unsigned vl, std::int32_t blocks) {
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
void Engine::WakeSharers(std::uint32_t port, Time time) {
  for (unsigned vl = 0; vl < num_vls_; ++vl) {
    if (Lane(port, vl).wants_credits) WakeForCredits(port, vl, time);
  }
}

// --- Credit starvation ------------------------------------------------------------------------------------------------------------

// Until when the credits of a packet are held back that leaves an input's buffer now by a lane of `output`; 0: they are not.
Time Engine::HoldCredit(std::uint32_t input, std::uint32_t output, const LaneState& lane, std::uint32_t voq, const Packet& k) {
  const Starvation& starvation = starvation_[input];
  if (FillLevel(lane, voq) < starvation.level_bytes) return 0;
  // As for marking, a port VL that has no credits is not the root of the congestion, unless its bit in Victim_Mask says so.
  if (!lane.detection.victim_mask && Available(lane) < static_cast<std::int32_t>(k.blocks()) + mtu_blocks_) return 0;
  const Time at = now_ + TimeFor(k.wire_bytes, ports_[output].byte_time);
  Time& last = credit_held_until_[std::size_t{input} * num_vls_ + k.vl];
  last = HeldCredit(starvation, at, last, TimeFor(k.wire_bytes, ports_[input].byte_time));
  if (last > at) ++port_counters_[input].credits_held;
  return last;
}

// --- Logs -------------------------------------------------------------------------------------------------------------------------

void Engine::LogEntered(std::uint32_t output, const Packet& k) {
  if (switch_logs_.empty()) switch_logs_.resize(switches_.size());
  const std::uint32_t source = k.kind == PacketKind::Data ? flows_[k.flow].src : k.sequence;
  switch_logs_[ports_[output].sender].Entered(source, k.destination, k.sl, now_);
}

void Engine::LogReached(const ReactionSetting& setting, const Packet& k) {
  if (ca_logs_.empty()) ca_logs_.resize(num_endports_);
  const std::uint32_t endport = flows_[k.flow].src;
  const std::uint32_t queue_pair =
      held_.WholeSls(endport) ? CaLogEntry::kWholeSl : k.queue_pair - flows_[k.flow].first_queue_pair;
  ca_logs_[endport].Reached(k.flow, queue_pair, k.sequence, setting.sl, now_);
}

SwitchCongestionLog Engine::SwitchLog(std::uint32_t ordinal) const {
  SwitchCongestionLog log = switch_logs_.empty() ? SwitchCongestionLog{} : switch_logs_[ordinal];
  const SwitchState& sw = switches_[ordinal];
  for (std::uint32_t port = sw.first_port; port < sw.first_port + sw.num_ports; ++port) {
    const std::uint64_t read = marks_read_.empty() ? 0 : marks_read_[port];
    log.marked[port_names_[port].port] = port_counters_[port].fecn_marked > read;
  }
  return log;
}

CaCongestionLog Engine::CaLog(std::uint32_t endport) const { return ca_logs_.empty() ? CaCongestionLog{} : ca_logs_[endport]; }

void Engine::ClearSwitchLog(std::uint32_t ordinal) {
  if (!switch_logs_.empty()) switch_logs_[ordinal].WasRead();
  marks_read_.resize(ports_.size(), 0);
  const SwitchState& sw = switches_[ordinal];
  for (std::uint32_t port = sw.first_port; port < sw.first_port + sw.num_ports; ++port) {
    marks_read_[port] = port_counters_[port].fecn_marked;
  }
}

void Engine::ClearCaLog(std::uint32_t endport) {
  if (!ca_logs_.empty()) ca_logs_[endport].WasRead();
}

}  // namespace ccsim
