// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// engine_run.cpp: the loop, the samples, the trace, and the checks that tests make.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "engine/engine.hpp"
#include "engine/engine_fetch.hpp"

namespace ccsim {
namespace {

void Require(bool holds, const std::string& what) {
  if (!holds) throw std::logic_error(what);
}

}  // namespace

bool Engine::Run(const std::function<bool(Time)>& keep_going, const Questions& when) {
  Event event{};
  for (;;) {
    const Time until = when.time < options_.duration - now_ ? now_ + when.time : options_.duration;
    bool reached = false;
    for (std::uint64_t i = 0; i < when.events; ++i) {
      const unsigned lane = calendar_.Pop(until, event);
      if (lane == Calendar::kNothing) {
        now_ = until;
        reached = true;
        break;
      }
      now_ = event.time;
      ++record_.events;
      Dispatch(event, lane);
    }
    if (reached && until == options_.duration) {
      record_.deadlock = FindDeadlock();
      for (std::uint32_t port = 0; port < ports_.size(); ++port) StopWaiting(port);
      return true;
    }
    if (!keep_going(now_)) return false;
  }
}

inline void Engine::Dispatch(const Event& event, unsigned lane) {
  switch (static_cast<EventType>(event.type)) {
    case kArrive: FetchForArrive(lane); return OnArrive(event.target, event.argument);
    case kSent: FetchForSent(lane); return OnSent(event.target);
    case kCredit: return OnCredit(event.target, event.argument);
    case kHostWake: lane == 0 ? FetchForWheel() : FetchForHostWake(lane); return OnHostWake(event.target);
    case kDelivered: return OnDelivered(event.target, event.argument);
    case kBecn: FetchForBecn(lane); return OnBecn(event.argument);
    case kThrottleEnd: return OnThrottleEnd(event.target);
    case kOffer: return OnOffer(event.target);
    case kGenerate: return OnGenerate(event.target);
    case kPermit: return OnPermit(event.target);
    case kControl: FetchForWheel(); return OnControl(event.target, event.argument);
    case kFlowStart: return OnFlowStart(event.target);
    case kProgram: return Program(*options_.programmings[event.target].tables);
    case kLinkUp: return OnLinkUp(event.target);
    case kSample: return OnSample();
  }
}

void Engine::OnSample() {
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
  if (options_.trace_occupancy) {
    for (std::uint32_t port = 0; port < ports_.size(); ++port) record_.occupancy.push_back(QueuedBytes(port));
  }
  ++record_.num_samples;
  next_sample_ = options_.duration;
  if (options_.duration - now_ < options_.sample_interval) return;
  next_sample_ = now_ + options_.sample_interval;
  calendar_.PushAt(now_, next_sample_, kSample, 0, 0);
}

void Engine::Trace(TraceEvent event, Time time, std::uint32_t port, const Packet& packet) {
  const std::uint32_t local = packet.queue_pair - flows_[packet.flow].first_queue_pair;
  record_.packets.push_back(TraceRow{time, port, packet.flow, local, packet.destination, packet.sequence, packet.wire_bytes,
                                     event, packet.kind, packet.fecn, packet.becn});
}

// What a port receives is what the port at the other end has sent, but for what was lost on the wire, or on it when the run ended.
PortCounters Engine::port_counters(std::uint32_t port) const {
  PortCounters counters = port_counters_[port];
  counters.xmit_bytes = ports_[port].xmit_bytes;
  counters.xmit_packets = ports_[port].xmit_packets;
  counters.max_queued_bytes = Lane(port, 0).max_queued_bytes;
  const std::uint32_t peer = ports_[port].peer;
  counters.rcv_bytes = ports_[peer].xmit_bytes - port_counters_[peer].cut_bytes;
  counters.rcv_packets = ports_[peer].xmit_packets - port_counters_[peer].cut_packets;
  return counters;
}

std::vector<PortCounters> Engine::port_counters() const {
  std::vector<PortCounters> counters;
  counters.reserve(ports_.size());
  for (std::uint32_t port = 0; port < ports_.size(); ++port) counters.push_back(port_counters(port));
  return counters;
}

std::int32_t Engine::CreditsOnTheirWay(const LaneState& lane) const {
  std::uint32_t blocks = lane.last_blocks;
  for (std::uint32_t i = lane.first_return; i != kNoIndex; i = credit_returns_[i].next) blocks += credit_returns_[i].blocks;
  return static_cast<std::int32_t>(blocks);
}

std::int32_t Engine::BlocksInFarVoqs(std::uint32_t port, unsigned vl) const {
  const std::uint32_t input = ports_[port].peer;
  if (ports_[input].host != kNoIndex) return 0;
  const SwitchState& sw = switches_[ports_[input].sender];
  std::int32_t blocks = 0;
  for (std::uint32_t output = 0; output < sw.num_ports; ++output) {
    for (unsigned leaving = 0; leaving < num_vls_; ++leaving) {
      const PacketRing& voq = voqs_[Lane(sw.first_port + output, leaving).voq + (input - sw.first_port)];
      voq.ForEach(pool_, [&](const Packet& k) { blocks += k.vl == vl ? static_cast<std::int32_t>(k.blocks()) : 0; });
    }
  }
  return blocks;
}

void Engine::CheckInvariants() const {
  CheckAlarms();
  for (std::uint32_t port = 0; port < ports_.size(); ++port) {
    const std::string name = "port " + std::to_string(port);
    Require(reads_busy_[port] <= model_.switches.read_ports, name + ": more packets leave its buffer than it has read ports");
    if (shares_) CheckSharing(port);
    for (unsigned vl = 0; vl < num_vls_; ++vl) {
      const LaneState& lane = Lane(port, vl);
      Require(lane.credits >= 0 || shares_, name + ": credits below 0");
      Require(lane.credits + CreditsOnTheirWay(lane) + BlocksInFarVoqs(port, vl) <= FarBufferBlocks(port),
              name + ": more credits and packets than the far end has room for");
      if (pool_.live() == 0) Require(lane.queued_bytes == 0, name + ": bytes queued without packets");
      if (ports_[port].host != kNoIndex) continue;
      const SwitchState& sw = switches_[ports_[port].sender];
      std::uint32_t bytes = 0;
      std::uint16_t inputs = 0;
      for (std::uint32_t input = 0; input < sw.num_ports; ++input) {
        const PacketRing& voq = voqs_[lane.voq + input];
        const bool ready = (ReadyMask(lane)[input / 64] >> (input % 64) & 1) != 0;
        Require(ready != voq.empty(), name + ": the mask of inputs disagrees with the VOQs");
        inputs = static_cast<std::uint16_t>(inputs + ready);
        voq.ForEach(pool_, [&](const Packet& k) { bytes += k.wire_bytes; });
      }
      Require(bytes == lane.queued_bytes, name + ": the count of queued bytes disagrees with the VOQs");
      Require(plain_ || inputs == lane.queued_inputs, name + ": the count of inputs disagrees with the mask");
      Require(plain_ || (inputs > 0) == ((ports_[port].queued_vls >> vl & 1) != 0),
              name + ": the mask of VLs disagrees with the VOQs");
    }
  }
}

// Nobody sleeps who has something to do: hosts have an event for what they will send, or wait for credits; idle outputs with packets wait
// for credits or for a read port.
void Engine::CheckAlarms() const {
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
    const SwitchState& sw = switches_[ports_[port].sender];
    const unsigned local = port - sw.first_port;
    bool waits = QueuedBytes(port) == 0;
    for (std::uint32_t input = 0; input < sw.num_ports; ++input) {
      waits = waits || (masks_[sw.waiters + std::size_t{input} * sw.mask_words + local / 64] >> (local % 64) & 1) != 0;
    }
    Require(waits, "port " + std::to_string(port) + ": idle with packets that nothing makes it send");
  }
}

// What the VLs have taken of the far end's pool, and what is free of it, is the pool.
void Engine::CheckSharing(std::uint32_t port) const {
  const bool to_host = ports_[ports_[port].peer].host != kNoIndex;
  std::int32_t blocks = sharing_[port];
  for (unsigned vl = 0; vl < num_vls_; ++vl) blocks -= std::min(Lane(port, vl).credits, 0);
  const std::uint32_t pool = to_host ? 0 : model_.switches.input_buffer_bytes / 64 - num_vls_ * mtu_blocks_;
  if (sharing_[port] < 0 || blocks != static_cast<std::int32_t>(pool)) {
    throw std::logic_error("port " + std::to_string(port) + ": the shared buffer of " + std::to_string(pool) +
                           " blocks disagrees with what the VLs have taken of it");
  }
}

bool Engine::AllCreditsReturned() const {
  for (std::uint32_t port = 0; port < ports_.size(); ++port) {
    for (unsigned vl = 0; vl < num_vls_; ++vl) {
      if (Lane(port, vl).credits + CreditsOnTheirWay(Lane(port, vl)) != FarBufferBlocks(port)) return false;
    }
  }
  return true;
}

}  // namespace ccsim
