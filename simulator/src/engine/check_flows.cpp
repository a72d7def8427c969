// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/check_flows.hpp"

#include <cmath>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "engine/state.hpp"
#include "routing/reachability.hpp"

namespace ccsim {
namespace {

void CheckEndport(const Fabric& fabric, std::uint32_t endport, std::size_t index) {
  if (endport < fabric.endports().size()) return;
  RefuseFlow(index, "endport " + std::to_string(endport) + " does not exist; the fabric has " +
                        std::to_string(fabric.endports().size()));
}

void CheckTimes(const Flow& flow, std::size_t index) {
  if (flow.start < 0) RefuseFlow(index, "it starts at " + std::to_string(AsSeconds(flow.start)) + " s; the run starts at 0");
  if (flow.stop <= flow.start)
    RefuseFlow(index, "it stops at " + std::to_string(AsSeconds(flow.stop)) + " s, not after its start");
  if (flow.think < 0) RefuseFlow(index, "its think time is below 0");
  if (flow.on < 0 || flow.off < 0 || (flow.on > 0) != (flow.off > 0)) {
    RefuseFlow(index, "its bursts of " + std::to_string(AsSeconds(flow.on)) + " s and pauses of " +
                          std::to_string(AsSeconds(flow.off)) + " s must both be above 0");
  }
}

void CheckTraffic(const Flow& flow, std::size_t index, std::size_t num_flows) {
  if (flow.message_bytes < 1) RefuseFlow(index, "message_bytes is 0; it must be at least 1");
  if (flow.queue_pairs < 1 || flow.queue_pairs > 65536) {
    RefuseFlow(index, "it has " + std::to_string(flow.queue_pairs) + " queue pairs; 1 to 65536 are possible");
  }
  if (flow.queue_pairs > 1 && (flow.destinations || flow.messages || flow.closed || flow.on > 0)) {
    RefuseFlow(index, "it has " + std::to_string(flow.queue_pairs) +
                          " queue pairs; bursts, closed loops, traces and flows with many destinations have 1");
  }
  if (flow.sl > 15) RefuseFlow(index, "SL " + std::to_string(flow.sl) + " does not exist; there are 0 to 15");
  if (!(flow.rate_gbps >= 0 && std::isfinite(flow.rate_gbps))) {
    RefuseFlow(index, "its rate is " + std::to_string(flow.rate_gbps) + " Gb/s; it must be above 0, or 0 for all it can get");
  }
  if (flow.rate_gbps > 0 && flow.rate_gbps / flow.queue_pairs < kLeastGbps) {
    RefuseFlow(index, "its rate of " + std::to_string(flow.rate_gbps) + " Gb/s over " + std::to_string(flow.queue_pairs) +
                          " queue pairs is less than the least that is simulated, 0.001 Gb/s each");
  }
  if (flow.needs < 1) RefuseFlow(index, "it needs 0 deliveries for a message; it must need at least 1");
  for (const std::uint32_t granted : flow.grants) {
    if (granted >= num_flows) {
      RefuseFlow(index, "it grants to flow " + std::to_string(granted + 1) + "; there are " + std::to_string(num_flows));
    }
  }
  if (flow.generator && (flow.rate_gbps == 0 || flow.queue_pairs > 1 || flow.messages || flow.closed || flow.on > 0)) {
    RefuseFlow(index, "it has a generator; such flows have a rate and one queue pair, and no bursts, closed loop or trace");
  }
  if (flow.generator && flow.generator->queue_messages < 1) {
    RefuseFlow(index, "its generator's queues hold 0 messages; they must hold at least 1");
  }
  if (!flow.messages) return;
  Time last = 0;
  for (const TracedMessage& message : *flow.messages) {
    if (message.bytes < 1) RefuseFlow(index, "a message of its trace has 0 bytes; each has at least 1");
    if (message.time < last) RefuseFlow(index, "the times of its trace go back; they must ascend");
    last = message.time;
  }
}

void CheckDestinations(const Fabric& fabric, const Flow& flow, std::size_t index) {
  if (!flow.destinations) {
    CheckEndport(fabric, flow.dst, index);
    if (flow.src != flow.dst) return;
    RefuseFlow(index, "source and destination are both '" + fabric.nodes()[fabric.endports()[flow.src].node].name +
                          "'; they must differ");
  }
  if (flow.messages) RefuseFlow(index, "a trace has one destination, not many");
  if (flow.destinations->order == Destinations::Order::Moving && flow.destinations->period <= 0) {
    RefuseFlow(index, "its destinations move every 0 s; the period must be above 0");
  }
  for (const std::uint32_t endport : flow.destinations->endports) {
    if (endport != flow.src) return;
  }
  RefuseFlow(index, "it has no destination but its own source");
}

void RequireRoute(const Fabric& fabric, std::uint32_t src, std::uint32_t dst, std::size_t index) {
  try {
    fabric.Route(src, dst);
  } catch (const std::runtime_error& error) {
    RefuseFlow(index, error.what());
  }
}

// The switch that an endport hangs on, or the endport itself, counted behind the switches, if it is linked back to back.
std::uint32_t LeafOf(const Fabric& fabric, std::uint32_t endport) {
  const Endport& e = fabric.endports()[endport];
  const std::uint32_t leaf = fabric.switch_ordinal(fabric.nodes()[e.node].ports[e.port].peer_node);
  return leaf == kNone ? fabric.num_switches() + endport : leaf;
}

// The flows that draw from one set of destinations.
struct Drawing {
  std::vector<std::size_t> flows;
  std::vector<std::uint32_t> endports;  // sources and destinations, each once
};

void CheckGenerators(std::span<const Flow> flows) {
  std::map<const Generator*, std::size_t> first;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    if (!flows[i].generator) continue;
    const Flow& other = flows[first.try_emplace(flows[i].generator.get(), i).first->second];
    const bool alike =
        flows[i].src == other.src && flows[i].sl == other.sl && flows[i].start == other.start && flows[i].stop == other.stop;
    if (alike) continue;
    RefuseFlow(
        i,
        "it shares a generator with a flow of another source, SL, start or stop; the flows of a generator have these in common");
  }
}

// Routes between all sources and all destinations, both ways. Hosts of one leaf share their routes, so two of each leaf stand for
// all of them (one could not be tried with itself).
void CheckRoutes(const Fabric& fabric, std::span<const Flow> flows, const Destinations& destinations, const Drawing& drawing) {
  std::map<std::uint32_t, unsigned> taken;  // by leaf
  std::vector<std::uint32_t> sources;
  for (const std::uint32_t endport : drawing.endports) {
    if (taken[LeafOf(fabric, endport)]++ < 2) sources.push_back(endport);
  }
  std::set<std::uint32_t> unreachable;
  for (const auto& [src, dst] : Unreachable(fabric, sources)) unreachable.insert(dst);
  if (unreachable.empty()) return;
  for (const std::size_t i : drawing.flows) {
    for (const std::uint32_t dst : destinations.endports) {
      if (dst == flows[i].src) continue;
      if (unreachable.contains(dst)) RequireRoute(fabric, flows[i].src, dst, i);
      if (unreachable.contains(flows[i].src)) RequireRoute(fabric, dst, flows[i].src, i);
    }
  }
}

}  // namespace

void CheckFlows(const Fabric& fabric, std::span<const Flow> flows) {
  std::map<const Destinations*, Drawing> drawings;
  CheckGenerators(flows);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const Flow& flow = flows[i];
    CheckEndport(fabric, flow.src, i);
    CheckTimes(flow, i);
    CheckTraffic(flow, i, flows.size());
    if (const Destinations* many = flow.destinations.get(); many != nullptr) {
      const auto [place, is_new] = drawings.try_emplace(many);
      place->second.flows.push_back(i);
      if (is_new) {
        for (const std::uint32_t endport : many->endports) CheckEndport(fabric, endport, i);
      }
    }
    CheckDestinations(fabric, flow, i);
    if (flow.destinations) continue;
    RequireRoute(fabric, flow.src, flow.dst, i);
    RequireRoute(fabric, flow.dst, flow.src, i);
  }
  for (auto& [destinations, drawing] : drawings) {
    std::set<std::uint32_t> endports(destinations->endports.begin(), destinations->endports.end());
    for (const std::size_t i : drawing.flows) endports.insert(flows[i].src);
    drawing.endports.assign(endports.begin(), endports.end());
    CheckRoutes(fabric, flows, *destinations, drawing);
  }
}

}  // namespace ccsim
