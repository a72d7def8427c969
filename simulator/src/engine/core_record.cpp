// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core_record.cpp: the samples, the trace, and the checks that tests make.
#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "engine/core.hpp"

namespace ccsim {
namespace {

void Require(bool holds, const std::string& what) {
  if (!holds) throw std::logic_error(what);
}

}  // namespace

void EngineCore::EndRun() {
  record_.deadlock = FindDeadlock();
  for (std::uint32_t port = 0; port < ports_.size(); ++port) StopWaiting(port);
}

void EngineCore::OnSample() {
  for (std::size_t f = 0; f < flows_.size(); ++f) {
    record_.received_bytes.push_back(flow_counters_[f].received_bytes - sampled_bytes_[f]);
    sampled_bytes_[f] = flow_counters_[f].received_bytes;
  }
  for (std::size_t h = 0; h < hosts_.size(); ++h) {
    record_.host_received_bytes.push_back(hosts_[h].received_bytes - host_sampled_bytes_[h]);
    host_sampled_bytes_[h] = hosts_[h].received_bytes;
  }
  if (options_.trace_ccti) {
    const std::size_t row = record_.ccti.size();
    record_.ccti.resize(row + flows_.size(), 0);
    for (const QueuePairState& qp : queue_pairs_) {
      const ThrottleState& throttle = throttles_[qp.throttle];
      if (throttle.setting == kNoIndex) continue;
      std::uint16_t& largest = record_.ccti[row + qp.flow];
      largest = std::max(largest, CurrentCcti(settings_[throttle.setting], throttle.reaction, now_));
    }
    reactions_.ForEach([&](std::uint32_t flow, std::uint32_t endport, const ReactionRecord& r) {
      const std::uint32_t setting = SettingFor(flows_[flow], endport);
      if (r.queue_pair() != kNoIndex || setting == kNoIndex) return;
      std::uint16_t& largest = record_.ccti[row + flow];
      largest = std::max(largest, CurrentCcti(settings_[setting], r.reaction(), now_));
    });
  }
  if (options_.trace_ccti && rates_.any()) SampleRates();
  if (options_.trace_occupancy) {
    sampled_wait_.resize(ports_.size(), 0);
    for (std::uint32_t port = 0; port < ports_.size(); ++port) {
      record_.occupancy.push_back(QueuedBytes(port));
      const Time waited = port_counters_[port].xmit_wait + (ports_[port].waits ? now_ - wait_since_[port] : 0);
      record_.waited_ns.push_back(static_cast<float>(static_cast<double>(waited - sampled_wait_[port]) / kFsPerNs));
      sampled_wait_[port] = waited;
    }
  }
  SampleQueues();
  ++record_.num_samples;
  next_sample_ = options_.duration;
  if (options_.duration - now_ < options_.sample_interval) return;
  next_sample_ = now_ + options_.sample_interval;
  calendar_.PushAt(now_, next_sample_, kSample, 0, 0);
}

void EngineCore::SampleRates() {
  const std::size_t row = record_.rate_gbps.size();
  constexpr float kNoRate = std::numeric_limits<float>::quiet_NaN();
  record_.rate_gbps.resize(row + flows_.size(), kNoRate);
  record_.alpha.resize(row + flows_.size(), kNoRate);
  for (std::size_t f = 0; f < flows_.size(); ++f) {
    const DcqcnSetting& setting = rates_.setting(flows_[f].src);
    if (setting.line_gbps == 0) continue;
    record_.rate_gbps[row + f] = static_cast<float>(setting.top_gbps());
    record_.alpha[row + f] = 0;
  }
  rates_.ForEach([this](std::uint32_t queue_pair) { return queue_pairs_[queue_pair].flow; },
                 [&](std::uint32_t flow, DcqcnState state) {  // a copy: looking leaves a run as it is
                   const DcqcnSetting& setting = rates_.setting(flows_[flow].src);
                   if (setting.line_gbps == 0 || !state.has_alpha) return;
                   float& rate = record_.rate_gbps[row + flow];
                   float& alpha = record_.alpha[row + flow];
                   rate = std::min(rate, static_cast<float>(DcqcnRate(setting, state, now_)));
                   alpha = std::max(alpha, static_cast<float>(DcqcnAlpha(setting, state, now_)));
                 });
}

void EngineCore::Trace(TraceEvent event, Time time, std::uint32_t port, const Packet& packet) {
  const std::uint32_t local = packet.queue_pair - flows_[packet.flow].first_queue_pair;
  record_.packets.push_back(TraceRow{time, port, packet.flow, local, packet.destination, packet.sequence, packet.wire_bytes,
                                     event, packet.kind, packet.fecn, packet.becn});
}

// What a port receives is what the port at the other end has sent, but for what was lost on the wire, or on it when the run ended.
PortCounters EngineCore::port_counters(std::uint32_t port) const {
  PortCounters counters = port_counters_[port];
  counters.xmit_bytes = ports_[port].xmit_bytes;
  counters.xmit_packets = ports_[port].xmit_packets;
  counters.max_queued_bytes = Lane(port, 0).max_queued_bytes;
  const std::uint32_t peer = ports_[port].peer;
  counters.rcv_bytes = ports_[peer].xmit_bytes - port_counters_[peer].cut_bytes;
  counters.rcv_packets = ports_[peer].xmit_packets - port_counters_[peer].cut_packets;
  return counters;
}

std::int32_t EngineCore::CreditsOnTheirWay(const LaneState& lane) const {
  std::uint32_t blocks = lane.last_blocks;
  for (std::uint32_t i = lane.first_return; i != kNoIndex; i = credit_returns_[i].next) blocks += credit_returns_[i].blocks;
  return static_cast<std::int32_t>(blocks);
}

std::int32_t EngineCore::BlocksInFarBuffer(std::uint32_t port, unsigned vl) const {
  const std::uint32_t input = ports_[port].peer;
  if (ports_[input].host != kNoIndex) return 0;
  std::int32_t blocks = 0;
  ForEachQueued(
      input, [&](const Packet& k, std::uint32_t, unsigned) { blocks += k.vl == vl ? static_cast<std::int32_t>(k.blocks()) : 0; });
  return blocks;
}

void EngineCore::CheckInvariants() const {
  CheckAlarms();
  for (std::uint32_t port = 0; port < ports_.size(); ++port) {
    const std::string name = "port " + std::to_string(port);
    if (shares_) CheckSharing(port);
    for (unsigned vl = 0; vl < num_vls_; ++vl) {
      const LaneState& lane = Lane(port, vl);
      Require(lane.credits >= 0 || shares_, name + ": credits below 0");
      const bool by_queue = CountsRoomByQueue() && !ports_[port].to_host;
      Require(by_queue || lane.credits + CreditsOnTheirWay(lane) + BlocksInFarBuffer(port, vl) <= FarBufferBlocks(port),
              name + ": more credits and packets than the far end has room for");
      if (pool_.live() == 0) Require(lane.queued_bytes == 0, name + ": bytes queued without packets");
      if (ports_[port].host != kNoIndex) continue;
      CheckQueues(port, vl);
    }
  }
}

// Nobody sleeps who has something to do: hosts have an event for what they will send, or wait for credits; idle outputs that an input has
// a packet for wait for credits or for a read port. (An output whose packets all stand behind others has nothing to do.)
void EngineCore::CheckAlarms() const {
  const auto waits_for_credits = [this](std::uint32_t port) {
    bool waits = false;
    for (unsigned vl = 0; vl < num_vls_; ++vl) waits = waits || Lane(port, vl).wants_credits;
    return waits;
  };
  for (std::uint32_t h = 0; h < hosts_.size(); ++h) {
    const HostState& host = hosts_[h];
    if (ports_[host.port].impaired || waits_for_credits(host.port)) continue;
    const std::string name = "host " + std::to_string(h);
    Require(host.wake >= now_, name + ": an alarm is over");
    Require((host.ready_vls | host.control_vls) == 0 || host.wake != kNever, name + ": sleeps with packets to send");
    Require(host.control_vls == 0 || host.wake <= host.link_free, name + ": sleeps over ACKs or CNPs");
  }
  for (std::uint32_t port = 0; port < ports_.size(); ++port) {
    if (ports_[port].host != kNoIndex || ports_[port].impaired || Lane(port, 0).busy || waits_for_credits(port)) continue;
    const bool waits = !IsAnyReady(port) || WaitsForReads(port);
    Require(waits, "port " + std::to_string(port) + ": idle with packets that nothing makes it send");
  }
}

bool EngineCore::IsAnyReady(std::uint32_t port) const {
  for (unsigned vl = 0; vl < num_vls_; ++vl) {
    const std::uint64_t* mask = ReadyMask(Lane(port, vl));
    for (std::uint32_t w = 0; w < switches_[ports_[port].switch_ordinal].mask_words; ++w) {
      if (mask[w] != 0) return true;
    }
  }
  return false;
}

// What the VLs have taken of the far end's pool, and what is free of it, is the pool.
void EngineCore::CheckSharing(std::uint32_t port) const {
  const bool to_host = ports_[ports_[port].peer].host != kNoIndex;
  std::int32_t blocks = sharing_[port];
  for (unsigned vl = 0; vl < num_vls_; ++vl) blocks -= std::min(Lane(port, vl).credits, 0);
  const std::uint32_t pool = to_host ? 0 : model_.switches.input_buffer_bytes / 64 - num_vls_ * mtu_blocks_;
  if (sharing_[port] < 0 || blocks != static_cast<std::int32_t>(pool)) {
    throw std::logic_error("port " + std::to_string(port) + ": the shared buffer of " + std::to_string(pool) +
                           " blocks disagrees with what the VLs have taken of it");
  }
}

bool EngineCore::AllCreditsReturned() const {
  if (!HasAllRoom()) return false;
  for (std::uint32_t port = 0; port < ports_.size(); ++port) {
    for (unsigned vl = 0; vl < num_vls_; ++vl) {
      if (Lane(port, vl).credits + CreditsOnTheirWay(Lane(port, vl)) != FarBufferBlocks(port)) return false;
    }
  }
  return true;
}

}  // namespace ccsim
