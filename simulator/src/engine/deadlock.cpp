// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// deadlock.cpp: finds the buffers that will never move again.
//
// A lane (port and VL) is stuck if it has packets, credits for none of them, those on their way back included, and behind the link a
// buffer that holds nothing but packets for lanes that are stuck too. The largest set of lanes of which that is true is found by striking
// out; whoever is in it waits for somebody in it, so there is a cycle. What is found can never move: no false alarms.
#include <algorithm>
#include <optional>

#include "engine/core.hpp"

namespace ccsim {
namespace {

class StuckLanes {
 public:
  StuckLanes(std::size_t num_ports, unsigned num_vls) : num_vls_(num_vls), stuck_(num_ports * num_vls, 0) {}
  char& operator()(std::uint32_t port, unsigned vl) { return stuck_[std::size_t{port} * num_vls_ + vl]; }
  std::size_t size() const { return stuck_.size(); }
  std::uint32_t port(std::size_t i) const { return static_cast<std::uint32_t>(i / num_vls_); }
  unsigned vl(std::size_t i) const { return static_cast<unsigned>(i % num_vls_); }

 private:
  unsigned num_vls_;
  std::vector<char> stuck_;
};

}  // namespace

// Whether nothing of the lane can go on, as far as its own credits tell, and nothing is between it and the far buffer's queues.
bool EngineCore::WantsCreditsForGood(std::uint32_t port, unsigned vl) const {
  const LaneState& lane = Lane(port, vl);
  if (lane.queued_bytes == 0 || ports_[ports_[port].peer].host != kNoIndex) return false;
  const std::int32_t least = LeastBlocksAtHeads(port, vl);
  if (least > FarBufferBlocks(port)) return false;  // what it has waits behind packets for other lanes: theirs is the question
  // Between a lane and the buffer behind its link there is something as long as these do not add up.
  const auto settled = [&](const LaneState& l, unsigned of_vl) {
    return l.credits + CreditsOnTheirWay(l) + BlocksInFarBuffer(port, of_vl) == FarBufferBlocks(port);
  };
  if (!shares_) return lane.credits + CreditsOnTheirWay(lane) < least && settled(lane, vl);
  // Of a shared pool, what comes back to any VL may be what this one gets.
  std::int32_t available = AvailableShared(lane);
  for (unsigned other = 0; other < num_vls_; ++other) {
    if (!settled(Lane(port, other), other)) return false;
    available += CreditsOnTheirWay(Lane(port, other));
  }
  return available < least;
}

std::optional<Deadlock> EngineCore::FindDeadlock() const {
  StuckLanes stuck(ports_.size(), num_vls_);
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < stuck.size(); ++i) {
    const std::uint32_t port = stuck.port(i);
    if (ports_[port].host != kNoIndex || !WantsCreditsForGood(port, stuck.vl(i))) continue;
    stuck(port, stuck.vl(i)) = 1;
    left.push_back(i);
  }
  // The lanes that the packets in the buffer behind a lane's link are for; if VLs share it, any packet there takes room.
  const auto waits_for = [&](std::size_t i) {
    std::vector<std::size_t> lanes;
    const std::uint32_t input = ports_[stuck.port(i)].peer;
    ForEachQueued(input, [&](const Packet& k, std::uint32_t output, unsigned vl) {
      const std::size_t lane = std::size_t{output} * num_vls_ + vl;
      if ((shares_ || k.vl == stuck.vl(i)) && std::find(lanes.begin(), lanes.end(), lane) == lanes.end()) lanes.push_back(lane);
    });
    std::sort(lanes.begin(), lanes.end());
    return lanes;
  };
  const auto may_move = [&](std::size_t i) {
    for (const std::size_t next : waits_for(i)) {
      if (!stuck(stuck.port(next), stuck.vl(next))) return true;
    }
    return false;
  };
  for (bool changed = true; changed;) {
    changed = std::erase_if(left, [&](std::size_t i) {
                const bool moves = may_move(i);
                if (moves) stuck(stuck.port(i), stuck.vl(i)) = 0;
                return moves;
              }) > 0;
  }
  if (left.empty()) return std::nullopt;

  std::vector<std::size_t> path{left[0]};
  for (;;) {
    const std::size_t next = waits_for(path.back())[0];
    const auto seen = std::find(path.begin(), path.end(), next);
    if (seen == path.end()) {
      path.push_back(next);
      continue;
    }
    path.erase(path.begin(), seen);
    break;
  }
  std::rotate(path.begin(), std::min_element(path.begin(), path.end()), path.end());
  Deadlock deadlock;
  for (const std::size_t i : path) {
    const Hop& name = port_names_[stuck.port(i)];
    deadlock.cycle.push_back({name.node, name.port, static_cast<std::uint8_t>(stuck.vl(i))});
    deadlock.since = std::max(deadlock.since, ports_[stuck.port(i)].waits ? wait_since_[stuck.port(i)] : now_);
  }
  return deadlock;
}

}  // namespace ccsim
