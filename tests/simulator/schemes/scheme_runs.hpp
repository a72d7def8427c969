// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// scheme_runs.hpp: runs of a scheme to test it with: random ones, and what is seen of a run in the end.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/engine.hpp"
#include "engine/random_runs.hpp"
#include "engine/running.hpp"
#include "routing/fabrics.hpp"
#include "schemes/registry.hpp"

namespace ccsim::testing {

// The time of a run that ends once no packet is left, however slow the switches are. Time without traffic costs nothing.
inline constexpr double kLongS = 60;

struct SchemeRun {
  Bed bed;
  Model model{};
  std::vector<Flow> flows{};
  std::shared_ptr<const ccp_tables> tables{};  // or nullptr
  RunOptions options{};
};

inline std::unique_ptr<Engine> MakeEngine(const SchemeRun& run) {
  run.model.Validate(run.bed.fabric.mtu_bytes());
  return std::make_unique<Engine>(run.bed.fabric, run.model, run.flows, run.tables.get(), run.options);
}

inline std::shared_ptr<const ccp_tables> Shared(Tables tables) { return {tables.release(), ccp_tables_destroy}; }

// A tree, or switches with links in circles, whose routes have no credit loops.
inline Bed RandomLoopFreeBed(Rng& rng) {
  if (rng.Below(2) == 0) return RandomTree(rng);
  for (;;) {
    Bed bed{rng.Below(2) == 0 ? Ring(static_cast<unsigned>(3 + rng.Below(3)), 2) : RandomFabric(rng), {}};
    for (std::uint32_t e = 0; e < bed.fabric.endports().size(); ++e) bed.hosts.push_back(e);
    if (bed.hosts.size() < 2) continue;
    RouteBy(bed.fabric, "updown");
    return bed;
  }
}

// A value of the parameter: often one of both ends of its range.
inline double RandomValue(Rng& rng, const SchemeParameter& p) {
  const double most = p.most < UINT32_MAX ? p.most : 1000 * std::max(1.0, p.preset);  // where there is no limit
  switch (rng.Below(5)) {
    case 0: return p.least;
    case 1: return most;
    case 2: return p.preset;
    default: break;
  }
  // Small values more often than large ones: most ranges reach far beyond what matters.
  const double value = std::min(most, p.least + std::pow(most - p.least, static_cast<double>(rng.Below(1001)) / 1000));
  return p.whole ? std::floor(value) : value;
}

inline SchemeChoice RandomChoice(Rng& rng, const std::string& name) {
  SchemeChoice choice{.name = name};
  if (rng.Below(3) == 0) return choice;
  for (const SchemeParameter& parameter : FindScheme(name).parameters)
    choice.values[parameter.name] = RandomValue(rng, parameter);
  return choice;
}

// Two flows that answer each other's messages.
inline void AddClosedLoop(Rng& rng, const Bed& bed, std::vector<Flow>& flows) {
  const std::uint32_t sizes[] = {1, 2048, 9000};
  const auto first = static_cast<std::uint32_t>(flows.size());
  const std::size_t from = rng.Below(bed.hosts.size());
  Flow there = MakeFlow(bed.hosts[from], bed.hosts[(from + 1 + rng.Below(bed.hosts.size() - 1)) % bed.hosts.size()]);
  there.stop = FromSeconds(1e-4);
  there.closed = true;
  there.message_bytes = OneOf(rng, sizes);
  there.think = FromNs(static_cast<double>(rng.Below(2000)));
  Flow back = there;
  std::swap(back.src, back.dst);
  there.window = static_cast<std::uint32_t>(1 + rng.Below(4));
  there.grants = {first + 1};
  back.grants = {first};
  flows.insert(flows.end(), {there, back});
}

// A flow of so many messages and no stop: all of them must be sent in the end.
inline void AddTrace(Rng& rng, const Bed& bed, std::vector<Flow>& flows) {
  const std::uint32_t sizes[] = {1, 2048, 20000};
  const std::size_t from = rng.Below(bed.hosts.size());
  Flow flow = MakeFlow(bed.hosts[from], bed.hosts[(from + 1 + rng.Below(bed.hosts.size() - 1)) % bed.hosts.size()]);
  std::vector<TracedMessage> messages(1 + rng.Below(20));
  for (TracedMessage& message : messages) message = {FromNs(static_cast<double>(rng.Below(100'000))), OneOf(rng, sizes)};
  std::ranges::sort(messages, {}, &TracedMessage::time);
  flow.messages = std::make_shared<const std::vector<TracedMessage>>(std::move(messages));
  flows.push_back(flow);
}

inline std::uint64_t PacketsOfTrace(const Flow& flow, std::uint32_t mtu_bytes) {
  std::uint64_t packets = 0;
  for (const TracedMessage& message : *flow.messages) packets += (message.bytes + mtu_bytes - 1) / mtu_bytes;
  return packets;
}

// Most flows go to one host.
inline void AddHotSpot(Rng& rng, const Bed& bed, std::vector<Flow>& flows) {
  const std::uint32_t hot = bed.hosts[rng.Below(bed.hosts.size())];
  for (const std::uint32_t host : bed.hosts) {
    if (host == hot) continue;
    Flow flow = MakeFlow(host, hot);
    flow.stop = FromSeconds(rng.Below(2) == 0 ? 3e-5 : 1e-4);
    flow.message_bytes = 4096;
    flows.push_back(flow);
  }
}

// A run of one VL; in some, tables and service levels that a scheme may refuse.
inline SchemeRun RandomSchemeRun(Rng& rng, const std::string& scheme) {
  SchemeRun run{RandomLoopFreeBed(rng)};
  run.model = RandomModel(rng);
  run.model.num_vls = 1;
  run.model.ca.control_vl = ControlVl::Data;
  run.model.switches.read_ports = static_cast<std::uint32_t>(1 + rng.Below(4));
  const std::uint32_t packet_bytes = (run.bed.fabric.mtu_bytes() + kHeaderBytes + 63) / 64 * 64;
  if (rng.Below(4) == 0) run.model.switches.input_buffer_bytes = packet_bytes;
  if (rng.Below(4) == 0) run.model.ca.input_buffer_bytes = packet_bytes;
  run.model.scheme = RandomChoice(rng, scheme);
  run.flows = RandomFlows(rng, run.bed);
  AddManyDestinations(rng, run.bed, run.flows);
  for (Flow& flow : run.flows) {
    // Without a rate, it draws as much as its link carries: of messages of one byte, billions a second while all destinations are held.
    if (flow.destinations && flow.rate_gbps == 0) flow.message_bytes = std::max(flow.message_bytes, 512u);
  }
  if (rng.Below(3) == 0) AddHotSpot(rng, run.bed, run.flows);
  for (std::uint64_t i = rng.Below(3); i > 0; --i) AddClosedLoop(rng, run.bed, run.flows);
  for (std::uint64_t i = rng.Below(3); i > 0; --i) AddTrace(rng, run.bed, run.flows);
  if (FindScheme(scheme).needs_congestion_control || rng.Below(4) != 0) run.tables = Shared(RandomTables(rng, run.bed.fabric));
  run.options = Options(kLongS, kLongS / 5);
  run.options.seed = rng.Next();
  if (rng.Below(4) == 0) run.options.trace_packets = 1 << 16;
  run.options.trace_occupancy = rng.Below(4) == 0;
  for (std::uint64_t i = rng.Below(3); run.tables && i > 0; --i) {
    run.options.programmings.push_back(
        {FromNs(static_cast<double>(rng.Below(150'000))), Shared(RandomTables(rng, run.bed.fabric))});
  }
  return run;
}

// All counters and series of a run.
inline std::vector<std::uint64_t> Seen(const Engine& engine) {
  const RunRecord& record = engine.record();
  std::vector<std::uint64_t> seen(record.received_bytes);
  seen.insert(seen.end(), record.host_received_bytes.begin(), record.host_received_bytes.end());
  seen.push_back(record.packet_hops);
  for (const FlowCounters& c : engine.flow_counters()) {
    seen.insert(seen.end(), {c.sent_packets, c.received_packets, c.received_bytes, c.fecn_received, c.becn_received,
                             c.received_messages, c.lost_packets, c.round_trips, static_cast<std::uint64_t>(c.round_trip_sum),
                             static_cast<std::uint64_t>(c.round_trip_max)});
  }
  for (const PortCounters& c : engine.port_counters()) {
    seen.insert(seen.end(),
                {c.xmit_bytes, c.xmit_packets, c.rcv_bytes, c.rcv_packets, c.fecn_marked, static_cast<std::uint64_t>(c.xmit_wait),
                 c.credits_held, c.discards, c.fecn_received, c.becn_received, c.relay_errors, std::uint64_t{c.max_queued_bytes},
                 std::uint64_t{c.cut_bytes}, std::uint64_t{c.cut_packets}});
  }
  return seen;
}

// "" or what is wrong with a refusal, which is to be one sentence.
inline std::string FaultOfSentence(const std::string& sentence) {
  const bool one = !sentence.empty() && sentence.find('\n') == std::string::npos && sentence.find(". ") == std::string::npos &&
                   sentence.back() != '.';
  return one ? "" : "a refusal is to be one sentence without a full stop: '" + sentence + "'";
}

// "" or packets of a queue pair that came to their destination in another order than they were sent, of those traced.
inline std::string FaultOfOrder(const Engine& engine, const Fabric& fabric) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> last;
  for (const TraceRow& row : engine.record().packets) {
    if (row.event != TraceEvent::Received || row.kind != PacketKind::Data) continue;
    if (engine.port_names()[row.port].node != fabric.endports()[row.destination].node) continue;
    const auto [at, is_new] = last.try_emplace({row.flow, row.queue_pair, row.destination}, row.sequence);
    if (!is_new && row.sequence <= at->second) {
      return "packet " + std::to_string(row.sequence) + " of flow " + std::to_string(row.flow) + " came behind " +
             std::to_string(at->second);
    }
    at->second = row.sequence;
  }
  return "";
}

}  // namespace ccsim::testing
