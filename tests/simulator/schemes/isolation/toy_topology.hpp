// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// toy_topology.hpp: small networks of switches with routes that cannot deadlock.
#pragma once

#include <utility>
#include <vector>

#include "rng.hpp"

namespace ccsim::testing {

struct ToyTopology {
  unsigned switches = 0;
  std::vector<std::pair<unsigned, unsigned>> trunks;  // pairs of switches
  std::vector<unsigned> host_switch;                  // by host
  // By switch, then destination switch: the neighbour switch towards it.
  std::vector<std::vector<unsigned>> next;
};

inline ToyTopology ToyTree(Rng& rng, unsigned switches, bool line) {
  ToyTopology t{.switches = switches, .trunks = {}, .host_switch = {}, .next = {}};
  std::vector<unsigned> parent(switches, 0);
  for (unsigned s = 1; s < switches; ++s) {
    parent[s] = line ? s - 1 : static_cast<unsigned>(rng.Below(s));
    t.trunks.push_back({parent[s], s});
  }
  const auto below = [&](unsigned s, unsigned top) {
    while (s != top && s != 0) s = parent[s];
    return s == top;
  };
  t.next.assign(switches, std::vector<unsigned>(switches, 0));
  for (unsigned s = 0; s < switches; ++s) {
    for (unsigned to = 0; to < switches; ++to) {
      unsigned hop = s != 0 ? parent[s] : 0;
      for (unsigned c = 1; c < switches; ++c) {
        if (parent[c] == s && below(to, c)) hop = c;
      }
      t.next[s][to] = hop;
    }
  }
  return t;
}

// No route crosses switch 0, so that no cycle of channels waits for itself.
inline ToyTopology ToyRing(unsigned switches) {
  ToyTopology t{.switches = switches, .trunks = {}, .host_switch = {}, .next = {}};
  for (unsigned s = 0; s < switches; ++s) t.trunks.push_back({s, (s + 1) % switches});
  t.next.assign(switches, std::vector<unsigned>(switches, 0));
  for (unsigned s = 0; s < switches; ++s) {
    for (unsigned to = 0; to < switches; ++to) {
      if (s == to) continue;
      const bool up = s == 0 ? to > switches / 2 : to == 0 ? s <= switches / 2 : to < s;
      t.next[s][to] = up ? (s + switches - 1) % switches : (s + 1) % switches;
    }
  }
  return t;
}

// Leaves 0 and 1, which have the hosts, below spines 2 and 3; the destination's switch chooses the spine.
inline ToyTopology ToyFatTree() {
  ToyTopology t{.switches = 4, .trunks = {{0, 2}, {0, 3}, {1, 2}, {1, 3}}, .host_switch = {}, .next = {}};
  t.next = {{0, 3, 2, 3}, {2, 1, 2, 3}, {0, 1, 2, 0}, {0, 1, 1, 3}};
  return t;
}

}  // namespace ccsim::testing
