// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <gtest/gtest.h>

#include "fabrics.hpp"
#include "routing/credit_loop.hpp"
#include "routing/registry.hpp"
#include "routing/switch_graph.hpp"

namespace ccsim {
namespace dor_test {

using testing::Refusal;
using testing::SwitchesOn;

const std::vector<std::vector<std::uint16_t>> kTori{{3}, {4}, {5}, {8}, {4, 5}, {3, 4, 3}, {6, 3}, {4, 4, 4, 4}};

// The same forwarding without path SLs and SL-to-VL tables.
Fabric OnOneVl(Fabric f) {
  std::vector<std::uint8_t> forwarding;
  for (std::uint32_t s = 0; s < f.num_switches(); ++s) {
    for (std::uint32_t e = 0; e < f.endports().size(); ++e) forwarding.push_back(f.forward(s, e));
  }
  RouteBy(f, "tables");
  for (std::uint32_t s = 0; s < f.num_switches(); ++s) {
    for (std::uint32_t e = 0; e < f.endports().size(); ++e) {
      f.SetForward(f.switches()[s], e, forwarding[s * f.endports().size() + e]);
    }
  }
  return f;
}

void ExpectShortest(const Fabric& f) {
  const SwitchGraph graph(f);
  for (std::uint32_t to = 0; to < f.num_switches(); ++to) {
    const std::vector<std::uint32_t> distance = graph.DistancesTo({&to, 1});
    for (std::uint32_t from = 0; from < f.num_switches(); ++from) {
      if (from != to) EXPECT_EQ(SwitchesOn(f, from, to).size(), distance[from] + 1) << from << " to " << to;
    }
  }
}

// Switch 4 x + y of a mesh at (x, y): first all of x, then y.
TEST(Dor, GoesOneDimensionAfterTheOther) {
  Fabric f = testing::Grid({3, 4}, false);
  RouteBy(f, "dor");
  EXPECT_EQ(SwitchesOn(f, 0, 11), (std::vector<std::uint32_t>{0, 4, 8, 9, 10, 11}));
  EXPECT_EQ(SwitchesOn(f, 11, 0), (std::vector<std::uint32_t>{11, 7, 3, 2, 1, 0}));
  EXPECT_EQ(f.min_vls(), 1u);
  EXPECT_TRUE(FindCreditLoop(f).empty());
}

TEST(Dor, GoesTheShortWayRound) {
  Fabric f = testing::Ring(5, 1);
  RouteBy(f, "dor");
  EXPECT_EQ(SwitchesOn(f, 0, 2), (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(SwitchesOn(f, 0, 3), (std::vector<std::uint32_t>{0, 4, 3}));
}

TEST(Dor, HalfWayRoundNeighboursTakeDifferentWays) {
  Fabric f = testing::Ring(4, 1);
  RouteBy(f, "dor");
  EXPECT_EQ(SwitchesOn(f, 0, 2), (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(SwitchesOn(f, 1, 3), (std::vector<std::uint32_t>{1, 0, 3}));
  EXPECT_EQ(SwitchesOn(f, 2, 0), (std::vector<std::uint32_t>{2, 3, 0}));
  EXPECT_EQ(SwitchesOn(f, 3, 1), (std::vector<std::uint32_t>{3, 2, 1}));
}

TEST(Dor, IsShortestOnToriMeshesAndHypercubes) {
  for (const auto& sizes : kTori) {
    for (const bool torus : {true, false}) {
      Fabric f = testing::Grid(sizes, torus);
      RouteBy(f, "dor");
      ExpectShortest(f);
    }
  }
  Fabric hypercube = testing::Grid({2, 2, 2, 2, 2}, false);
  RouteBy(hypercube, "dor");
  ExpectShortest(hypercube);
  EXPECT_TRUE(FindCreditLoop(hypercube).empty());
}

TEST(Dor, DatelinesBreakTheCreditLoopsOfRingsOfFourAndMore) {
  for (const auto& sizes : kTori) {
    Fabric f = testing::Grid(sizes, true);
    RouteBy(f, "dor");
    const bool long_ring = *std::max_element(sizes.begin(), sizes.end()) > 3;
    EXPECT_TRUE(FindCreditLoop(f).empty()) << sizes.size() << " dimensions, first " << sizes[0];
    EXPECT_EQ(f.min_vls(), long_ring ? 2u : 1u);
    // Without them there are loops, but where neighbours take different ways half-way round a ring of four.
    const bool above_four = *std::max_element(sizes.begin(), sizes.end()) > 4;
    if (above_four) EXPECT_FALSE(FindCreditLoop(OnOneVl(f)).empty()) << sizes.size() << " dimensions, first " << sizes[0];
    if (!long_ring) EXPECT_TRUE(FindCreditLoop(OnOneVl(f)).empty());
  }
}

TEST(Dor, ThePathSlHasABitForEachDatelineThatIsCrossed) {
  Fabric f = testing::Grid({5, 3, 5}, true);  // rings of three need none
  RouteBy(f, "dor");
  EXPECT_EQ(f.path_sl_bits(), 2u);
  const auto at = [](std::uint32_t x, std::uint32_t y, std::uint32_t z) { return (x * 3 + y) * 5 + z; };
  EXPECT_EQ(f.path_sl(at(0, 0, 0), at(2, 2, 2)), 0);
  EXPECT_EQ(f.path_sl(at(4, 0, 0), at(1, 0, 2)), 1);
  EXPECT_EQ(f.path_sl(at(0, 0, 1), at(2, 1, 4)), 2);
  EXPECT_EQ(f.path_sl(at(1, 0, 1), at(4, 1, 4)), 3);
}

TEST(Dor, TheVlIsTheBitOfTheDimensionThatIsTravelled) {
  Fabric f = testing::Grid({4, 4}, true);
  RouteBy(f, "dor");
  const SwitchGraph graph(f);
  for (const SwitchLink& link : graph.links(5)) {  // at (1, 1), neighbours 1, 9 in x and 4, 6 in y
    const bool in_x = link.to == 1 || link.to == 9;
    const SlToVl* vls = f.sl_to_vl(graph.node(5), graph.attached(5)[0].port, link.port);
    ASSERT_NE(vls, nullptr);
    EXPECT_EQ(*vls, in_x ? (SlToVl{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1})
                         : (SlToVl{0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1}));
  }
}

TEST(Dor, SpreadsDestinationsOverParallelLinks) {
  testing::Builder b;
  for (std::uint16_t i = 0; i < 2; ++i) b.fabric.SetCoordinates(b.Switch(), {i});
  for (int i = 0; i < 3; ++i) b.Link(0, 1);
  for (int i = 0; i < 6; ++i) b.Host(1);
  RouteBy(b.fabric, "dor");
  std::vector<int> destinations(4, 0);
  for (std::uint32_t e = 0; e < 6; ++e) ++destinations[b.fabric.forward(0, e)];
  EXPECT_EQ(destinations, (std::vector<int>{0, 2, 2, 2}));
}

TEST(Dor, RefusesAMissingLinkAndTooManyRings) {
  testing::Builder b;
  for (std::uint16_t i = 0; i < 4; ++i)
    b.fabric.SetCoordinates(b.Switch(), {static_cast<std::uint16_t>(i / 2), static_cast<std::uint16_t>(i % 2)});
  b.Link(0, 1);
  b.Link(0, 2);
  b.Link(2, 3);  // (0, 1) to (1, 1) is missing
  for (std::uint32_t s = 0; s < 4; ++s) b.Host(s);
  EXPECT_EQ(
      Refusal([&] { RouteBy(b.fabric, "dor"); }),
      "dimension order has no route from switch 'S3' at (1, 1) to 'S0' at (0, 0): there is no link to the previous switch of "
      "dimension 1");
  Fabric five = testing::Grid({4, 4, 4, 4, 4}, true);
  EXPECT_EQ(Refusal([&] { RouteBy(five, "dor"); }),
            "dimension order needs a bit of the SL for each of 5 rings of four or more switches; an SL has 4");
}

}  // namespace dor_test
}  // namespace ccsim
