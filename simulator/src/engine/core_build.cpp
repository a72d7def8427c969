// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core_build.cpp: from a fabric, tables and flows to the flat arrays of a run.
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include "engine/burst.hpp"
#include "engine/check_flows.hpp"
#include "engine/check_service_levels.hpp"
#include "engine/core.hpp"
#include "engine/rng_streams.hpp"

namespace ccsim {
namespace {

void CheckOptions(const RunOptions& o, std::size_t num_flows, std::size_t num_endports) {
  if (o.duration <= 0)
    throw std::invalid_argument("duration_s is " + std::to_string(AsSeconds(o.duration)) + "; it must be above 0");
  if (o.sample_interval <= 0 || o.sample_interval > o.duration) {
    throw std::invalid_argument("sample_interval_s is " + std::to_string(AsSeconds(o.sample_interval)) +
                                "; it must be above 0 and at most the duration of " + std::to_string(AsSeconds(o.duration)) +
                                " s");
  }
  if (num_flows > PairTable<ReactionRecord>::kMaxFlows || num_endports >= PairTable<ReactionRecord>::kMaxEndports) {
    throw std::invalid_argument(std::to_string(num_flows) + " flows and " + std::to_string(num_endports) + " hosts; at most " +
                                std::to_string(PairTable<ReactionRecord>::kMaxFlows) + " and " +
                                std::to_string(PairTable<ReactionRecord>::kMaxEndports - 1) + " are told apart");
  }
  const Time samples = o.duration / o.sample_interval;
  if (static_cast<double>(samples) * static_cast<double>(num_flows + num_endports) > 2e8) {
    throw std::invalid_argument("a duration of " + std::to_string(AsSeconds(o.duration)) + " s with a sample_interval_s of " +
                                std::to_string(AsSeconds(o.sample_interval)) + " is " + std::to_string(samples) + " samples of " +
                                std::to_string(num_flows) + " flows and " + std::to_string(num_endports) +
                                " hosts; at most 200 million values are kept");
  }
}

}  // namespace

EngineCore::EngineCore(const Setup& setup)
    : model_(setup.model),
      options_(setup.options),
      shares_(model_.switches.buffer_sharing == BufferSharing::Shared),
      mtu_bytes_(setup.fabric.mtu_bytes()),
      mtu_blocks_(CreditBlocks(mtu_bytes_ + kHeaderBytes)),
      plenty_of_credits_(6 * mtu_blocks_),
      full_bytes_(static_cast<std::uint16_t>(mtu_bytes_ + kHeaderBytes)),
      routing_latency_(FromNs(model_.switches.routing_latency_ns)),
      becn_delay_(FromNs(model_.ca.becn_delay_ns)),
      cnp_spacing_(FromNs(model_.ca.cnp_spacing_ns)),
      num_vls_(ServiceLevels::NumVls(setup.fabric, model_.num_vls)),
      levels_(setup.fabric, num_vls_),
      maps_sls_(!levels_.trivial()),
      arbitrates_(setup.fabric.has_vl_arbitration() && num_vls_ > 1),
      calendar_(1, 1),
      marking_rng_(options_.seed, rng_streams::kMarks[0]),
      held_(setup.fabric) {
  const auto& [fabric, model, flows, tables, options] = setup;
  model.Validate(mtu_bytes_);
  CheckOptions(options, flows.size(), fabric.endports().size());
  if (model.ca.control_vl == ControlVl::Last && (maps_sls_ || arbitrates_)) {
    throw std::invalid_argument(
        "model.ca.control_vl is 'last'; it must be 'data' on a fabric with SL-to-VL or VL arbitration tables, or whose routing "
        "needs "
        "several SLs: these say where ACKs and CNPs travel");
  }
  if (shares_) model.CheckSharedBuffer(mtu_bytes_, num_vls_);
  CheckFlows(fabric, flows);
  CheckServiceLevels(fabric, levels_, num_vls_, flows);
  const std::vector<Node>& nodes = fabric.nodes();
  one_word_masks_ = std::all_of(nodes.begin(), nodes.end(), [](const Node& node) {
    const auto connected = std::count_if(node.ports.begin(), node.ports.end(), [](const Port& p) { return p.connected(); });
    return node.kind != NodeKind::Switch || connected <= 64;
  });
}

void EngineCore::Build(const Setup& setup) {
  const auto& [fabric, model, flows, tables, options] = setup;
  FindHostModels(fabric);
  BuildPorts(fabric);
  fetches_ = ports_.size() > 1024;
  fetches_deep_ = ports_.size() > 8192;
  diverts_ = levels_.discards();
  BuildHosts(fabric);
  BuildQueues();
  BuildForwarding(fabric);
  ReviseArbitration(fabric);
  BuildFlows(flows);

  if (FirstOfOtherDialect(fabric) != nullptr) rates_.Build(num_endports_, queue_pairs_.size());
  AssignThrottles(std::vector<bool>(num_endports_, true));
  if (tables != nullptr) Program(*tables);

  // The horizon covers a few of the longest packet times, as most events lie within one; IRDs beyond it wait in the heap.
  Time longest = 0;
  for (const PortState& port : ports_) longest = std::max(longest, TimeFor(mtu_bytes_ + kHeaderBytes, port.byte_time));
  calendar_ = Calendar(SlotWidth(), 8 * longest);
  BuildTracks();
  for (std::uint32_t i = 0; i < options_.programmings.size(); ++i) {
    const Programming& p = options_.programmings[i];
    if (p.time < 0)
      throw std::invalid_argument("tables are programmed at " + std::to_string(AsSeconds(p.time)) + " s, before the start");
    held_.Check(*p.tables);
    if (p.time <= options_.duration) calendar_.PushAt(0, p.time, kProgram, i, 0);
  }
  for (std::uint32_t f = 0; f < flows_.size(); ++f) {
    if (flows_[f].start <= options_.duration) calendar_.PushAt(0, flows_[f].start, kFlowStart, f, 0);
  }
  for (std::uint32_t g = 0; g < generators_.size(); ++g) {
    if (generators_[g].of->kind == Generator::Kind::Strict) CallGenerator(g, flows_[generators_[g].flows.front()].start);
  }
  for (std::uint32_t i = 0; i < options_.host_loads.size(); ++i) {
    const HostLoad& load = options_.host_loads[i];
    if (load.start <= options_.duration) calendar_.PushAt(0, load.start, kHostLoad, i, 1);
    if (load.stop <= options_.duration) calendar_.PushAt(0, load.stop, kHostLoad, i, 0);
  }
  next_sample_ = options_.sample_interval;
  calendar_.PushAt(0, next_sample_, kSample, 0, 0);
}

// Lanes for the delays of full packets; where links are of many kinds, the first ones' get them.
void EngineCore::BuildTracks() {
  for (PortState& port : ports_) {
    port.sent_track[0] = static_cast<std::uint8_t>(calendar_.TrackFor(TimeFor(full_bytes_, port.byte_time)));
    port.to_host = ports_[port.peer].host != kNoIndex;
    port.far_first_port = ports_[port.peer].first_port;
    port.far_node = port.to_host ? ports_[port.peer].host : ports_[port.peer].switch_ordinal;
    if (port.to_host) continue;
    const SwitchState& next = switches_[ports_[port.peer].switch_ordinal];
    port.steady = true;
    for (std::uint32_t i = 0; i < next.num_ports; ++i) {
      port.steady = port.steady && ports_[next.first_port + i].byte_time >= port.byte_time;
    }
    port.arrive_track = static_cast<std::uint8_t>(calendar_.TrackFor(port.arrive_delay));
  }
  for (PortState& port : ports_) {
    port.sent_track[1] = static_cast<std::uint8_t>(calendar_.TrackFor(TimeFor(kCnpBytes, port.byte_time)));
  }
}

// About one event a slot when every link is busy: one in some ten of a packet's events has a delay of its own.
Time EngineCore::SlotWidth() const {
  double events_per_fs = 0;
  for (const PortState& port : ports_)
    events_per_fs += 0.3 / static_cast<double>(TimeFor(mtu_bytes_ + kHeaderBytes, port.byte_time));
  return events_per_fs > 0 ? static_cast<Time>(1.0 / events_per_fs) : kFsPerNs;
}

void EngineCore::BuildPorts(const Fabric& fabric) {
  std::vector<std::vector<std::uint32_t>> dense;  // by node and port number
  for (std::uint32_t n = 0; n < fabric.nodes().size(); ++n) {
    const Node& node = fabric.nodes()[n];
    const auto first = static_cast<std::uint32_t>(port_names_.size());
    const bool is_switch = node.kind == NodeKind::Switch;
    dense.emplace_back(node.ports.size(), kNoIndex);
    for (std::uint16_t p = 1; p <= node.num_ports(); ++p) {
      if (!node.ports[p].connected()) continue;
      const auto index = static_cast<std::uint32_t>(port_names_.size());
      dense[n][p] = index;
      port_names_.push_back(Hop{n, p});
      PortState state{};
      state.byte_time = ByteTimeOf(node.ports[p].rate.data_gbps());
      state.arrive_delay = node.ports[p].propagation + routing_latency_;
      state.first_port = is_switch ? first : index;
      state.host = is_switch ? kNoIndex : fabric.endport_index(n, p);
      state.switch_ordinal = fabric.switch_ordinal(n);
      ports_.push_back(state);
    }
    if (!is_switch) continue;
    SwitchState sw{};
    sw.first_port = first;
    sw.num_ports = static_cast<std::uint32_t>(port_names_.size()) - first;
    sw.mask_words = std::max(1u, (sw.num_ports + 63) / 64);
    switches_.push_back(sw);
  }
  // Of all switches first the masks that every packet needs: with one word each, that of a switch is in the place of its ordinal.
  for (SwitchState& sw : switches_) {
    sw.readable = static_cast<std::uint32_t>(masks_.size());
    masks_.resize(masks_.size() + sw.mask_words, 0);
    for (std::uint32_t i = 0; i < sw.num_ports; ++i) masks_[sw.readable + i / 64] |= std::uint64_t{1} << (i % 64);
  }
  for (SwitchState& sw : switches_) {
    sw.waiters = static_cast<std::uint32_t>(masks_.size());
    masks_.resize(masks_.size() + std::size_t{sw.mask_words} * sw.num_ports, 0);
  }
  for (std::uint32_t i = 0; i < ports_.size(); ++i) {
    const Port& port = fabric.nodes()[port_names_[i].node].ports[port_names_[i].port];
    ports_[i].peer = dense[port.peer_node][port.peer_port];
  }
  if (shares_) {
    const auto pool = static_cast<std::int32_t>(model_.switches.input_buffer_bytes / 64 - num_vls_ * mtu_blocks_);
    for (const PortState& port : ports_) sharing_.push_back(ports_[port.peer].host != kNoIndex ? 0 : pool);
  }
  lanes_.resize(ports_.size() * num_vls_);
  wakes_.assign(lanes_.size(), kNever);
  wait_since_.assign(ports_.size(), 0);
  port_counters_.resize(ports_.size());
  for (std::uint32_t i = 0; i < ports_.size(); ++i) {
    for (unsigned vl = 0; vl < num_vls_; ++vl) Lane(i, vl) = MakeLane(i);
  }
  NumberCrosspoints();
}

void EngineCore::NumberCrosspoints() {
  num_crosspoints_ = 0;
  for (std::uint32_t port = 0; port < ports_.size(); ++port) {
    if (ports_[port].host != kNoIndex) continue;
    for (unsigned vl = 0; vl < num_vls_; ++vl) {
      Lane(port, vl).first_crosspoint = num_crosspoints_;
      num_crosspoints_ += switches_[ports_[port].switch_ordinal].num_ports;
    }
  }
}

void EngineCore::CountReady() {
  for (LaneState& lane : lanes_) {
    lane.queued_inputs = static_cast<std::uint8_t>(std::popcount(lane.ready));
    ports_[PortOf(lane)].queued_vls = lane.ready != 0;
  }
}

std::uint16_t EngineCore::LinkKindOf(const PortState& port) {
  const LinkKind kind{Propagation(port), 2 * TimeFor(full_bytes_, port.byte_time)};
  const auto known = std::find(link_kinds_.begin(), link_kinds_.end(), kind);
  const auto index = static_cast<std::size_t>(known - link_kinds_.begin());
  if (known == link_kinds_.end()) link_kinds_.push_back(kind);
  if (index > UINT16_MAX) {
    throw std::invalid_argument("links of more than " + std::to_string(index) +
                                " kinds (rate and propagation delay); at most 65536 are told apart");
  }
  return static_cast<std::uint16_t>(index);
}

// An empty lane that has all its credits.
LaneState EngineCore::MakeLane(std::uint32_t port) {
  LaneState lane{};
  lane.credits = FarBufferBlocks(port);
  lane.first_return = kNoIndex;
  lane.link_kind = LinkKindOf(ports_[ports_[port].peer]);
  if (ports_[port].host != kNoIndex || one_word_masks_) return lane;
  lane.ready = static_cast<std::uint32_t>(masks_.size());
  masks_.resize(masks_.size() + switches_[ports_[port].switch_ordinal].mask_words, 0);
  return lane;
}

void EngineCore::BuildHosts(const Fabric& fabric) {
  num_endports_ = static_cast<std::uint32_t>(fabric.endports().size());
  hosts_.resize(num_endports_);
  host_ports_.resize(num_endports_);
  for (std::uint32_t i = 0; i < ports_.size(); ++i) {
    if (ports_[i].host == kNoIndex) continue;
    const Node& node = fabric.nodes()[port_names_[i].node];
    HostState& host = hosts_[ports_[i].host];
    host = HostState{};
    host.port = i & Event::kMaxTarget;
    host.wake = kNever;
    host_ports_[ports_[i].host] = i;
    host.inject_byte_time = node.inject_gbps ? ByteTimeOf(*node.inject_gbps) : 0;
    host.receive_byte_time = node.receive_gbps ? ByteTimeOf(*node.receive_gbps) : 0;
  }
  ready_.assign(std::size_t{num_endports_} * num_vls_, IndexQueue{});
  control_.assign(std::size_t{num_endports_} * num_vls_, PacketQueue{});
  host_sampled_bytes_.assign(num_endports_, 0);
}

void EngineCore::BuildForwarding(const Fabric& fabric) {
  std::vector<std::uint8_t> row(num_endports_);
  forwarding_ = LftBlocks(static_cast<std::uint32_t>(switches_.size()), num_endports_, [&](std::uint32_t s) {
    std::vector<std::uint8_t> local(kMaxPorts + 1, kNoOutput);
    for (std::uint32_t i = 0; i < switches_[s].num_ports; ++i) {
      local[port_names_[switches_[s].first_port + i].port] = static_cast<std::uint8_t>(i);
    }
    for (std::uint32_t e = 0; e < num_endports_; ++e) {
      const std::uint8_t port = fabric.forward(s, e);
      row[e] = port != kNoRoute ? local[port] : kNoOutput;
    }
    return std::span<const std::uint8_t>(row);
  });
}

void EngineCore::BuildFlows(std::span<const Flow> flows) {
  flow_counters_.resize(flows.size());
  sampled_bytes_.assign(flows.size(), 0);
  std::map<const Destinations*, std::vector<std::uint32_t>> places;  // by endport, of each set of destinations
  for (std::uint32_t f = 0; f < flows.size(); ++f) {
    const Flow& flow = flows[f];
    FlowState state{.stop = flow.stop,
                    .reacts_until = 0,
                    .destinations = flow.destinations.get(),
                    .rng = Rng(options_.seed, rng_streams::kFlows[f]),
                    .src = flow.src,
                    .message_bytes = flow.message_bytes,
                    .self = kNoIndex,
                    .setting = kNoIndex,
                    .contexts = 0,
                    .first_queue_pair = static_cast<std::uint32_t>(queue_pairs_.size()),
                    .num_queue_pairs = flow.queue_pairs,
                    .sl = flow.sl,
                    .vl = levels_.FirstVl(flow.src, levels_.Sl(flow.sl, flow.src, flow.destinations ? flow.src : flow.dst)),
                    .random_bursts = flow.random_bursts,
                    .closed = flow.closed,
                    .permits = !flow.grants.empty(),
                    .unbroken = flow.on == 0 && flow.messages == nullptr,
                    .start = flow.start,
                    .begun = kNever,
                    .messages = flow.messages.get(),
                    .next_message = 0,
                    .cursor = kNoIndex,
                    .on = flow.on,
                    .off = flow.off,
                    .burst_begin = flow.start,
                    .burst_end = flow.start,
                    .move_event = kNever,
                    .grants = flow.grants,
                    .think = flow.think,
                    .window = flow.window,
                    .needs = flow.needs,
                    .arrived = 0};
    if (flow.on > 0) state.burst_end += BurstLength(flow.on, flow.random_bursts, state.rng);
    if (flow.destinations) {
      std::vector<std::uint32_t>& place = places[flow.destinations.get()];
      if (place.empty()) {
        place.assign(num_endports_, kNoIndex);
        destinations_.push_back(flow.destinations);
        const auto& endports = flow.destinations->endports;
        for (std::uint32_t i = 0; i < endports.size(); ++i) place[endports[i]] = i;
      }
      state.self = state.cursor = place[flow.src];
    }
    if (flow.messages) messages_.push_back(flow.messages);
    flows_.push_back(std::move(state));
    for (std::uint32_t i = 0; i < flow.queue_pairs; ++i) {
      QueuePairState qp{};
      qp.flow = f;
      qp.throttle = kNoIndex;
      qp.next = kNoIndex;
      qp.destination = flow.destinations ? kNoIndex : flow.dst;
      qp.pending = flow.closed ? flow.window : kEndless;
      qp.draws = flow.destinations != nullptr;
      qp.whole = qp.draws || flow.generator;
      qp.vl = flows_[f].vl;
      const bool generated = flow.generator && flow.generator->kind == Generator::Kind::Strict;
      if (generated) {
        qp.pending = 0;  // the generator gives it messages
      } else if (flow.rate_gbps > 0 && !flow.messages) {
        // The queue pairs take turns: together they offer a packet at the flow's own spacing.
        qp.pacing = ByteTimeOf(flow.rate_gbps / flow.queue_pairs);
        qp.due = flow.start + TimeFor(i * std::min(flow.message_bytes, mtu_bytes_), ByteTimeOf(flow.rate_gbps));
      }
      if (qp.whole && qp.pacing > 0) {
        // Somewhere within its first message's time, or the hosts of a pattern would all begin their messages together. It is the
        // flow's own, whatever the seed: only what a workload calls random is.
        const Time spacing = TimeForMessage(flow.message_bytes, qp.pacing);
        Rng phase(0, rng_streams::kFlowPhases[f]);
        qp.due += static_cast<Time>(phase.Below(static_cast<std::uint64_t>(std::max<Time>(spacing, 1))));
      }
      if (qp.draws && qp.pacing == 0 && !generated) {
        // All it can get is what its host can send, some messages ahead. Without this bound it would draw for ever when every
        // destination is held back.
        const HostState& host = hosts_[flow.src];
        qp.pacing = std::max(ports_[host.port].byte_time, host.inject_byte_time);
        qp.due = flow.start - 64 * TimeForMessage(flow.message_bytes, qp.pacing);
      }
      queue_pairs_.push_back(qp);
    }
  }
  BuildGenerators(flows);
  BuildTurns(flows);
}

}  // namespace ccsim
