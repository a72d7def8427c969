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

namespace ccsim {
namespace {

[[noreturn]] void Refuse(std::size_t flow, const std::string& sentence) {
  throw std::invalid_argument("flow " + std::to_string(flow + 1) + ": " + sentence);
}

void CheckEndport(const Fabric& fabric, std::uint32_t endport, std::size_t index) {
  if (endport < fabric.endports().size()) return;
  Refuse(index,
         "endport " + std::to_string(endport) + " does not exist; the fabric has " + std::to_string(fabric.endports().size()));
}

void CheckTimes(const Flow& flow, std::size_t index) {
  if (flow.start < 0) Refuse(index, "it starts at " + std::to_string(AsSeconds(flow.start)) + " s; the run starts at 0");
  if (flow.stop <= flow.start) Refuse(index, "it stops at " + std::to_string(AsSeconds(flow.stop)) + " s, not after its start");
  if (flow.think < 0) Refuse(index, "its think time is below 0");
  if (flow.on < 0 || flow.off < 0 || (flow.on > 0) != (flow.off > 0)) {
    Refuse(index, "its bursts of " + std::to_string(AsSeconds(flow.on)) + " s and pauses of " +
                      std::to_string(AsSeconds(flow.off)) + " s must both be above 0");
  }
}

void CheckTraffic(const Flow& flow, std::size_t index, std::size_t num_flows) {
  if (flow.message_bytes < 1) Refuse(index, "message_bytes is 0; it must be at least 1");
  if (flow.queue_pairs < 1 || flow.queue_pairs > 65536) {
    Refuse(index, "it has " + std::to_string(flow.queue_pairs) + " queue pairs; 1 to 65536 are possible");
  }
  if (flow.queue_pairs > 1 && (flow.destinations || flow.messages || flow.closed || flow.on > 0)) {
    Refuse(index, "it has " + std::to_string(flow.queue_pairs) +
                      " queue pairs; bursts, closed loops, traces and flows with many destinations have 1");
  }
  if (flow.sl > 15) Refuse(index, "SL " + std::to_string(flow.sl) + " does not exist; there are 0 to 15");
  if (!(flow.rate_gbps >= 0 && std::isfinite(flow.rate_gbps))) {
    Refuse(index, "its rate is " + std::to_string(flow.rate_gbps) + " Gb/s; it must be above 0, or 0 for all it can get");
  }
  if (flow.rate_gbps > 0 && flow.rate_gbps / flow.queue_pairs < kLeastGbps) {
    Refuse(index, "its rate of " + std::to_string(flow.rate_gbps) + " Gb/s over " + std::to_string(flow.queue_pairs) +
                      " queue pairs is less than the least that is simulated, 0.001 Gb/s each");
  }
  for (const std::uint32_t granted : flow.grants) {
    if (granted >= num_flows) {
      Refuse(index, "it grants to flow " + std::to_string(granted + 1) + "; there are " + std::to_string(num_flows));
    }
  }
  if (!flow.messages) return;
  Time last = 0;
  for (const TracedMessage& message : *flow.messages) {
    if (message.bytes < 1) Refuse(index, "a message of its trace has 0 bytes; each has at least 1");
    if (message.time < last) Refuse(index, "the times of its trace go back; they must ascend");
    last = message.time;
  }
}

void CheckDestinations(const Fabric& fabric, const Flow& flow, std::size_t index) {
  if (!flow.destinations) {
    CheckEndport(fabric, flow.dst, index);
    if (flow.src != flow.dst) return;
    Refuse(index,
           "source and destination are both '" + fabric.nodes()[fabric.endports()[flow.src].node].name + "'; they must differ");
  }
  if (flow.messages) Refuse(index, "a trace has one destination, not many");
  if (flow.destinations->order == Destinations::Order::Moving && flow.destinations->period <= 0) {
    Refuse(index, "its destinations move every 0 s; the period must be above 0");
  }
  for (const std::uint32_t endport : flow.destinations->endports) {
    if (endport != flow.src) return;
  }
  Refuse(index, "it has no destination but its own source");
}

// Whether routes end where they should, remembering what is known: routes to one destination meet.
class RouteCheck {
 public:
  explicit RouteCheck(const Fabric& fabric)
      : fabric_(fabric), known_(fabric.endports().size(), std::vector<bool>(fabric.num_switches(), false)) {}

  void Require(std::uint32_t src, std::uint32_t dst, std::size_t index) {
    const Endport& from = fabric_.endports()[src];
    const Endport& to = fabric_.endports()[dst];
    const Port* link = &fabric_.nodes()[from.node].ports[from.port];
    std::vector<bool>& known = known_[dst];
    walked_.clear();
    while (link->peer_node != to.node || link->peer_port != to.port) {
      const std::uint32_t ordinal = fabric_.switch_ordinal(link->peer_node);
      if (ordinal != kNone && known[ordinal]) break;
      const std::uint8_t out = ordinal == kNone ? kNoRoute : fabric_.forward(ordinal, dst);
      if (out == kNoRoute || walked_.size() > fabric_.num_switches()) {
        try {
          fabric_.Route(src, dst);  // throws: it has the words
        } catch (const std::runtime_error& error) {
          Refuse(index, error.what());
        }
      }
      walked_.push_back(ordinal);
      link = &fabric_.nodes()[link->peer_node].ports[out];
    }
    for (const std::uint32_t ordinal : walked_) known[ordinal] = true;
  }

 private:
  const Fabric& fabric_;
  std::vector<std::vector<bool>> known_;  // by destination, then switch
  std::vector<std::uint32_t> walked_;
};

// The switch that an endport hangs on, or the endport itself, counted behind the switches, if it is linked back to back.
std::uint32_t LeafOf(const Fabric& fabric, std::uint32_t endport) {
  const Endport& e = fabric.endports()[endport];
  const std::uint32_t leaf = fabric.switch_ordinal(fabric.nodes()[e.node].ports[e.port].peer_node);
  return leaf == kNone ? fabric.num_switches() + endport : leaf;
}

}  // namespace

void CheckFlows(const Fabric& fabric, std::span<const Flow> flows) {
  RouteCheck routes(fabric);
  // Hosts of one leaf share their routes, so of a set of destinations one source a leaf is tried; and back, one destination a leaf.
  std::map<std::pair<const Destinations*, std::uint32_t>, std::uint32_t> tried;  // to the first such source
  std::set<const Destinations*> checked;
  std::set<std::pair<const Destinations*, std::uint32_t>> tried_back;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const Flow& flow = flows[i];
    CheckEndport(fabric, flow.src, i);
    CheckTimes(flow, i);
    CheckTraffic(flow, i, flows.size());
    const Destinations* many = flow.destinations.get();
    if (many != nullptr && checked.insert(many).second) {
      for (const std::uint32_t endport : many->endports) CheckEndport(fabric, endport, i);
    }
    CheckDestinations(fabric, flow, i);
    if (many == nullptr) {
      routes.Require(flow.src, flow.dst, i);
      routes.Require(flow.dst, flow.src, i);
      continue;
    }
    const auto [first, is_new] = tried.try_emplace({many, LeafOf(fabric, flow.src)}, flow.src);
    for (const std::uint32_t endport : is_new ? many->endports : std::vector{first->second}) {
      if (endport != flow.src) routes.Require(flow.src, endport, i);
    }
    if (!tried_back.emplace(many, flow.src).second) continue;
    std::set<std::uint32_t> leaves;
    for (const std::uint32_t endport : many->endports) {
      if (endport != flow.src && leaves.insert(LeafOf(fabric, endport)).second) routes.Require(endport, flow.src, i);
    }
  }
}

}  // namespace ccsim
