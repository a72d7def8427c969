// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string_view>

#include "fabrics.hpp"
#include "quick.hpp"
#include "routing/credit_loop.hpp"
#include "routing/registry.hpp"
#include "routing/switch_graph.hpp"

namespace ccsim {
namespace updown_test {

using testing::Refusal;
using testing::SwitchesOn;

TEST(Updown, OnATreeAllTopSwitchesAreRootsAndRoutesAreShortest) {
  Fabric f = testing::KAry3Tree(3);
  Fabric g = testing::KAry3Tree(3);
  RouteBy(f, "updown");
  RouteBy(g, "minhop");
  for (std::uint32_t a = 0; a < 27; ++a) {
    for (std::uint32_t b = 0; b < 27; ++b) {
      if (a != b) EXPECT_EQ(f.Route(a, b).size(), g.Route(a, b).size());
    }
  }
  std::map<unsigned, int> destinations;  // outside leaf 0, by its ports up
  for (std::uint32_t b = 3; b < 27; ++b) ++destinations[f.forward(0, b)];
  ASSERT_EQ(destinations.size(), 3u);
  for (const auto& [port, count] : destinations) EXPECT_EQ(count, 8);
}

// A tree of two levels: leaves 0 to `leaves` - 1, each with a host, then spines.
testing::Builder LeafSpine(unsigned leaves, unsigned spines) {
  testing::Builder b;
  for (unsigned i = 0; i < leaves + spines; ++i) b.Switch();
  for (unsigned leaf = 0; leaf < leaves; ++leaf) {
    b.Host(leaf);
    for (unsigned spine = 0; spine < spines; ++spine) b.Link(leaf, leaves + spine);
  }
  return b;
}

// The ways up that switch 0 uses.
std::size_t WaysUp(const Fabric& f) {
  std::set<std::uint32_t> used;
  for (std::uint32_t dst = 1; dst < f.endports().size(); ++dst) used.insert(f.forward(0, dst));
  return used.size();
}

TEST(Updown, LeavesOfAWideTreeAreNoRoots) {
  testing::Builder b = LeafSpine(24, 4);  // each leaf has 4 % of the hosts, and all others at one distance
  RouteBy(b.fabric, "updown");
  EXPECT_EQ(WaysUp(b.fabric), 4u);
}

TEST(Updown, AnAggregationNodeAtTheTopTakesNoRootAway) {
  testing::Builder b = LeafSpine(24, 4);
  const std::uint32_t spine = b.Switch(23);
  for (std::uint32_t leaf = 1; leaf < 24; ++leaf) b.Link(leaf, spine);
  b.Host(24, NodeKind::Aggregation);  // from the fifth spine only a leaf leads there, which none may turn up from
  RouteBy(b.fabric, "updown");
  EXPECT_EQ(WaysUp(b.fabric), 4u);
}

// From one spine to another the only way is down and up, and all packets turn at one leaf.
TEST(Updown, HostsOnSeveralSpinesReachEachOther) {
  testing::Builder b = LeafSpine(24, 4);
  const std::uint32_t first = b.Host(24), last = b.Host(27);
  RouteBy(b.fabric, "updown");
  EXPECT_EQ(WaysUp(b.fabric), 4u);
  EXPECT_EQ(SwitchesOn(b.fabric, first, last).size(), 3u);
  EXPECT_EQ(SwitchesOn(b.fabric, last, first).size(), 3u);
  EXPECT_TRUE(FindCreditLoop(b.fabric).empty());
}

TEST(Updown, HostsOnSeveralTopsOfThreeLevelsReachEachOther) {
  testing::Builder b;
  const unsigned k = 3;
  for (unsigned i = 0; i < 3 * k * k; ++i) b.Switch();
  for (unsigned pod = 0; pod < k; ++pod) {
    for (unsigned i = 0; i < k; ++i) {
      for (unsigned j = 0; j < k; ++j) b.Link(pod * k + i, k * k + pod * k + j);
      for (unsigned j = 0; j < k; ++j) b.Link(k * k + pod * k + i, 2 * k * k + i * k + j);
      for (unsigned h = 0; h < 5; ++h) b.Host(pod * k + i);
    }
  }
  for (const std::uint32_t top : {18u, 22u, 26u}) b.Host(top);
  for (const char* const routing : {"updown", "dmodk"}) {
    RouteBy(b.fabric, routing);
    for (std::uint32_t src = 0; src < b.fabric.endports().size(); ++src) {
      for (std::uint32_t dst = 0; dst < b.fabric.endports().size(); ++dst) {
        if (src != dst && src < 45 && dst < 45) ASSERT_LE(SwitchesOn(b.fabric, src, dst).size(), 5u) << routing;
        if (src != dst) ASSERT_NO_THROW(b.fabric.Route(src, dst)) << routing;
      }
    }
    // OpenSM's ftree, which dmodk is here, goes down and up again between hosts at the top.
    EXPECT_EQ(FindCreditLoop(b.fabric).empty(), routing == std::string_view("updown")) << routing;
  }
}

TEST(Updown, ARingIsCutOppositeItsRoot) {
  Fabric f = testing::Ring(6, 1);
  RouteBy(f, "updown", {{0}});
  // 2 and 4 are equally far below the root; between them the way is by 3, down and up: not allowed.
  EXPECT_EQ(SwitchesOn(f, 2, 4), (std::vector<std::uint32_t>{2, 1, 0, 5, 4}));
  EXPECT_EQ(SwitchesOn(f, 1, 3), (std::vector<std::uint32_t>{1, 2, 3}));
  EXPECT_TRUE(FindCreditLoop(f).empty());
}

TEST(Updown, AGivenRootMovesTheCut) {
  Fabric f = testing::Ring(6, 1);
  RouteBy(f, "updown", {{3}});
  EXPECT_EQ(SwitchesOn(f, 2, 4), (std::vector<std::uint32_t>{2, 3, 4}));
  EXPECT_EQ(SwitchesOn(f, 1, 5), (std::vector<std::uint32_t>{1, 2, 3, 4, 5}));
}

TEST(Updown, RefusesRootsThatDoNotServe) {
  Fabric two_roots = testing::Ring(6, 1);
  EXPECT_EQ(
      Refusal([&] { RouteBy(two_roots, "updown", {{1, 4}}); }),
      "with these roots there is no up*/down* route from switch 'S4' to 'S0'; give fewer roots, or such as every switch can "
      "climb to");
  testing::Builder apart;
  for (int i = 0; i < 2; ++i) apart.Host(apart.Switch());
  EXPECT_EQ(Refusal([&] { RouteBy(apart.fabric, "updown", {{0}}); }),
            "no root can be reached from switch 'S2'; each part of the fabric needs one");
  RouteBy(apart.fabric, "updown");  // finds one for each
}

// Roots are found, so every pair that can be reached is; and with the ranks of the found root, which random fabrics hardly ever have
// several of, no route turns. What shows that no turn is left, whatever the roots were: there is no credit loop.
TEST(Updown, OnRandomFabricsReachesAllWithoutCreditLoops) {
  for (std::uint64_t seed = 1; seed <= ibcc_test::RandomCases(300); ++seed) {
    Rng rng(seed, 1);
    Fabric f = testing::RandomFabric(rng);
    RouteBy(f, "updown");
    for (std::uint32_t a = 0; a < f.endports().size(); ++a) {
      for (std::uint32_t b = 0; b < f.endports().size(); ++b) {
        if (a != b) ASSERT_NO_THROW(f.Route(a, b)) << "seed " << seed;
      }
    }
    EXPECT_TRUE(FindCreditLoop(f).empty()) << "seed " << seed;
  }
}

TEST(Updown, OnRandomFabricsNeverTurnsUpAgain) {
  for (std::uint64_t seed = 1; seed <= ibcc_test::RandomCases(300); ++seed) {
    Rng rng(seed, 1);
    Fabric f = testing::RandomFabric(rng);
    const auto root = static_cast<std::uint32_t>(rng.Below(f.num_switches()));
    RouteBy(f, "updown", {{f.switches()[root]}});
    const SwitchGraph graph(f);
    const std::vector<std::uint32_t> rank = graph.DistancesTo({&root, 1});
    const auto is_up = [&](std::uint32_t from, std::uint32_t to) {  // GUIDs ascend with ordinals here
      return std::pair(rank[to], to) < std::pair(rank[from], from);
    };
    for (std::uint32_t a = 0; a < f.endports().size(); ++a) {
      for (std::uint32_t b = 0; b < f.endports().size(); ++b) {
        if (a == b) continue;
        const std::vector<std::uint32_t> path = SwitchesOn(f, a, b);
        bool went_down = false;
        for (std::size_t i = 1; i < path.size(); ++i) {
          const bool up = is_up(path[i - 1], path[i]);
          ASSERT_FALSE(up && went_down) << "seed " << seed << ", from " << a << " to " << b;
          went_down |= !up;
        }
      }
    }
  }
}

}  // namespace updown_test
}  // namespace ccsim
