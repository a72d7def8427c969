// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/route_loads.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>

#include "fabrics.hpp"
#include "rng.hpp"
#include "routing/registry.hpp"

namespace ccsim {
namespace route_loads_test {

using Loads = std::vector<std::uint64_t>;

std::vector<std::uint32_t> Endports(const Fabric& f) {
  std::vector<std::uint32_t> all(f.endports().size());
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

// The loads as Fabric::Route tells them, pair by pair.
Loads ByRoute(const Fabric& f, const std::vector<std::uint32_t>& sources, const std::vector<std::uint32_t>& destinations) {
  Loads loads(f.num_switches() * kLoadsOfSwitch, 0);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i] == destinations[i]) continue;
    try {
      for (const Hop& hop : f.Route(sources[i], destinations[i])) {
        if (f.nodes()[hop.node].kind == NodeKind::Switch) ++loads[f.switch_ordinal(hop.node) * kLoadsOfSwitch + hop.port];
      }
    } catch (const std::runtime_error&) {
    }
  }
  return loads;
}

Loads PairsByRoute(const Fabric& f) {
  std::vector<std::uint32_t> sources, destinations;
  for (const std::uint32_t a : Endports(f)) {
    for (const std::uint32_t b : Endports(f)) {
      if (f.nodes()[f.endports()[a].node].kind != NodeKind::Host || f.nodes()[f.endports()[b].node].kind != NodeKind::Host)
        continue;
      sources.push_back(a);
      destinations.push_back(b);
    }
  }
  return ByRoute(f, sources, destinations);
}

TEST(RouteLoads, CountPairsOfHostsOnly) {
  testing::Builder b;
  const std::uint32_t left = b.Switch(), right = b.Switch();
  for (int i = 0; i < 3; ++i) b.Host(left);
  b.Host(right);
  b.Host(right, NodeKind::Aggregation);
  b.Link(left, right);
  RouteBy(b.fabric, "minhop");
  const Loads loads = PairLoads(b.fabric);
  EXPECT_EQ(loads, PairsByRoute(b.fabric));
  EXPECT_EQ(loads[4], 3u);                   // three hosts on the left send to the one on the right
  EXPECT_EQ(loads[kLoadsOfSwitch + 3], 3u);  // and back
  EXPECT_EQ(loads[kLoadsOfSwitch + 2], 0u);  // the aggregation node
}

TEST(RouteLoads, AgreeWithRoutesUnderRandomTables) {
  Rng rng(11, 0);
  for (int round = 0; round < 100; ++round) {
    testing::Builder b;
    std::vector<std::uint32_t> switches;
    for (int i = 0; i < 5; ++i) switches.push_back(b.Switch(12));
    for (int i = 0; i < 8; ++i) b.Host(switches[rng.Below(5)], rng.Below(6) == 0 ? NodeKind::Router : NodeKind::Host);
    for (std::uint32_t i = 0; i < 5; ++i) b.Link(switches[i], switches[(i + 1) % 5]);
    Fabric& f = b.fabric;
    RouteBy(f, "minhop");
    for (int change = 0; change < 6; ++change) {  // circles, dead ends and other hosts
      const std::uint32_t s = switches[rng.Below(5)];
      const auto port = static_cast<std::uint8_t>(1 + rng.Below(8));
      if (f.nodes()[s].ports[port].connected()) f.SetForward(s, static_cast<std::uint32_t>(rng.Below(8)), port);
    }
    EXPECT_EQ(PairLoads(f), PairsByRoute(f));
    const std::vector<std::uint32_t> sources = Endports(f);
    std::vector<std::uint32_t> destinations;
    for (std::size_t i = 0; i < sources.size(); ++i) destinations.push_back(static_cast<std::uint32_t>(rng.Below(8)));
    EXPECT_EQ(FlowLoads(f, sources, destinations), ByRoute(f, sources, destinations));
  }
}

TEST(RouteLoads, AreNoneWithoutRoutes) {
  testing::Builder b;
  const std::uint32_t s = b.Switch();
  b.Host(s);
  b.Host(s);
  EXPECT_EQ(PairLoads(b.fabric), Loads(kLoadsOfSwitch, 0));
  EXPECT_EQ(PairLoads(Fabric{}), Loads{});
}

TEST(RouteLoads, RefuseListsThatDoNotFit) {
  testing::Builder b;
  b.Host(b.Switch());
  const std::vector<std::uint32_t> one{0}, two{0, 0}, beyond{1};
  EXPECT_THROW(FlowLoads(b.fabric, one, two), std::invalid_argument);
  EXPECT_THROW(FlowLoads(b.fabric, one, beyond), std::invalid_argument);
}

}  // namespace route_loads_test
}  // namespace ccsim
