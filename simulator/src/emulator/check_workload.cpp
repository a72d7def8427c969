// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/check_workload.hpp"

#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "emulator/subnet_fabric.hpp"
#include "routing/credit_loop.hpp"

namespace ccsim::emulator {
namespace {

std::vector<std::uint32_t> DestinationsOf(const Flow& flow) {
  return flow.destinations ? flow.destinations->endports : std::vector<std::uint32_t>{flow.dst};
}

class Reachability {
 public:
  Reachability(const Subnet& subnet, const Fabric& fabric) : subnet_(subnet), fabric_(fabric) {}

  void RequireEndport(std::uint32_t endport, std::size_t flow) const {
    if (endport >= fabric_.endports().size()) {
      RefuseFlow(flow, "endport " + std::to_string(endport) + " does not exist; the fabric has " +
                           std::to_string(fabric_.endports().size()));
    }
    const Endport& at = fabric_.endports()[endport];
    if (LidOf(subnet_, endport) == 0) RefuseFlow(flow, Name(endport) + " has no LID; a subnet manager must assign one first");
    if (!Carries(subnet_, at.node, at.port)) {
      RefuseFlow(flow, Name(endport) + " has a link that is not active; a subnet manager must activate it first");
    }
  }

  void RequireRoute(std::uint32_t src, std::uint32_t dst, std::size_t flow) const {
    try {
      fabric_.Route(src, dst);
    } catch (const std::runtime_error& error) {
      RefuseFlow(flow, "the forwarding tables do not lead from " + Name(src) + " to " + Name(dst) + ": " + error.what());
    }
  }

 private:
  std::string Name(std::uint32_t endport) const {
    const Endport& at = fabric_.endports()[endport];
    const std::uint16_t lid = LidOf(subnet_, endport);
    return "host '" + fabric_.nodes()[at.node].name + "' (" + (lid == 0 ? "" : "LID " + std::to_string(lid) + ", ") + "port " +
           std::to_string(at.port) + ")";
  }

  const Subnet& subnet_;
  const Fabric& fabric_;
};

}  // namespace

std::uint16_t UsedSls(std::span<const Flow> flows) {
  std::uint16_t used = 0;
  for (const Flow& flow : flows) used |= static_cast<std::uint16_t>(1u << (flow.sl & 15));
  return used;
}

void CheckReachable(const Subnet& subnet, const Fabric& fabric, std::span<const Flow> flows) {
  const Reachability reachability(subnet, fabric);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const Flow& flow = flows[i];
    reachability.RequireEndport(flow.src, i);
    for (const std::uint32_t dst : DestinationsOf(flow)) reachability.RequireEndport(dst, i);
    if (flow.destinations || flow.src == flow.dst) continue;
    reachability.RequireRoute(flow.src, flow.dst, i);
    reachability.RequireRoute(flow.dst, flow.src, i);
  }
}

void CheckCreditLoops(const Fabric& fabric, std::span<const Flow> flows) {
  // Flows that draw from the same hosts on the same SL are checked together.
  std::map<std::pair<const Destinations*, std::uint8_t>, Demand> drawing;
  std::vector<Demand> demands;
  for (const Flow& flow : flows) {
    if (!flow.destinations) {
      demands.push_back({{flow.src}, {flow.dst}, flow.sl});
      demands.push_back({{flow.dst}, {flow.src}, flow.sl});
      continue;
    }
    Demand& demand = drawing[{flow.destinations.get(), flow.sl}];
    demand.sl = flow.sl;
    demand.sources.push_back(flow.src);
    demand.destinations = flow.destinations->endports;
  }
  for (auto& [key, demand] : drawing) {
    demands.push_back(demand);
    std::swap(demand.sources, demand.destinations);
    demands.push_back(std::move(demand));
  }
  const std::vector<Channel> loop = FindCreditLoop(fabric, demands);
  if (loop.empty()) return;
  std::string cycle;
  for (const Channel& c : loop) {
    cycle += fabric.nodes()[c.node].name + " port " + std::to_string(c.port) + " VL " + std::to_string(c.vl) + " -> ";
  }
  throw std::invalid_argument(
      "the routes of this workload have a credit loop under the tables of the devices and can deadlock: " + cycle +
      fabric.nodes()[loop.front().node].name + "; choose another routing engine, or allow credit loops");
}

}  // namespace ccsim::emulator
