// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "fabrics.hpp"
#include "routing/credit_loop.hpp"
#include "routing/registry.hpp"

namespace ccsim {
namespace dmodk_test {

using testing::SwitchesOn;

// Routes on a 2-ary 3-tree: leaf 0, then middle switch j mod 2 of the pod, then its top switch (j / 2) mod 2.
TEST(Dmodk, TakesTheDigitsOfTheDestination) {
  Fabric f = testing::KAry3Tree(2);
  RouteBy(f, "dmodk");
  EXPECT_EQ(SwitchesOn(f, 0, 4), (std::vector<std::uint32_t>{0, 4, 8, 6, 2}));
  EXPECT_EQ(SwitchesOn(f, 0, 5), (std::vector<std::uint32_t>{0, 5, 10, 7, 2}));
  EXPECT_EQ(SwitchesOn(f, 0, 6), (std::vector<std::uint32_t>{0, 4, 9, 6, 3}));
  EXPECT_EQ(SwitchesOn(f, 0, 7), (std::vector<std::uint32_t>{0, 5, 11, 7, 3}));
  EXPECT_EQ(SwitchesOn(f, 0, 3), (std::vector<std::uint32_t>{0, 5, 1}));
  EXPECT_EQ(SwitchesOn(f, 0, 1), (std::vector<std::uint32_t>{0}));
}

// Two leaves of four hosts and two parents with two links to each; ports 1 and 2 lead to the first.
TEST(Dmodk, TakesParallelLinksInTurnBothWays) {
  testing::Builder b;
  const std::uint32_t leaves[] = {b.Switch(), b.Switch()}, tops[] = {b.Switch(), b.Switch()};
  for (const std::uint32_t leaf : leaves) {
    for (const std::uint32_t top : {tops[0], tops[0], tops[1], tops[1]}) b.Link(leaf, top);
  }
  for (const std::uint32_t leaf : leaves) {
    for (int h = 0; h < 4; ++h) b.Host(leaf);
  }
  RouteBy(b.fabric, "dmodk");
  const int up[] = {1, 3, 2, 4}, down[] = {3, 3, 4, 4};
  for (std::uint32_t j = 4; j < 8; ++j) {
    EXPECT_EQ(b.fabric.forward(0, j), up[j - 4]);
    EXPECT_EQ(b.fabric.forward(2 + j % 2, j), down[j - 4]);
  }
}

TEST(Dmodk, ShiftsAreFreeOfContention) {
  for (const unsigned k : {2u, 3u, 4u}) {
    Fabric f = testing::KAry3Tree(k);
    RouteBy(f, "dmodk");
    const std::uint32_t n = k * k * k;
    for (std::uint32_t shift = 1; shift < n; ++shift) {
      std::set<std::pair<std::uint32_t, std::uint16_t>> used;
      for (std::uint32_t src = 0; src < n; ++src) {
        for (const Hop& hop : f.Route(src, (src + shift) % n)) {
          ASSERT_TRUE(used.emplace(hop.node, hop.port).second) << "k " << k << ", shift " << shift << ", source " << src;
        }
      }
    }
  }
}

TEST(Dmodk, EachUpLinkCarriesEquallyManyDestinations) {
  const unsigned k = 4;
  Fabric f = testing::KAry3Tree(k);
  RouteBy(f, "dmodk");
  std::map<std::pair<std::uint32_t, unsigned>, unsigned> destinations;
  for (std::uint32_t s = 0; s < 2 * k * k; ++s) {
    for (std::uint32_t e = 0; e < k * k * k; ++e) {
      const std::uint8_t port = f.forward(s, e);
      const std::uint32_t to = f.switch_ordinal(f.nodes()[f.switches()[s]].ports[port].peer_node);
      if (to != kNone && to > s && to / (k * k) > s / (k * k)) ++destinations[{s, port}];
    }
  }
  ASSERT_EQ(destinations.size(), 2u * k * k * k);
  for (const auto& [link, count] : destinations) {
    const bool of_leaf = link.first < k * k;
    EXPECT_EQ(count, of_leaf ? (k * k * k - k) / k : (k * k * k - k * k) / k);
  }
}

TEST(Dmodk, HasNoCreditLoops) {
  Fabric f = testing::KAry3Tree(3);
  RouteBy(f, "dmodk");
  EXPECT_TRUE(FindCreditLoop(f).empty());
}

// A leaf less and a host less than would fit; and an aggregation node at the top, which is no part of the hosts' order.
TEST(Dmodk, ServesTreesWithEmptyPlacesAndAdaptersHighUp) {
  testing::Builder b;
  std::uint32_t leaves[3], tops[2];
  for (std::uint32_t& leaf : leaves) leaf = b.Switch();
  for (std::uint32_t& top : tops) top = b.Switch();
  for (const std::uint32_t leaf : leaves) {
    for (const std::uint32_t top : tops) b.Link(leaf, top);
  }
  const std::uint32_t aggregation = b.Host(tops[1], NodeKind::Aggregation);
  for (const int hosts : {2, 1, 2}) {
    for (int h = 0; h < hosts; ++h) b.Host(leaves[hosts == 1 ? 1 : b.fabric.endports().size() < 3 ? 0 : 2]);
  }
  RouteBy(b.fabric, "dmodk");
  for (std::uint32_t src = 0; src < 6; ++src) {
    for (std::uint32_t dst = 0; dst < 6; ++dst) {
      if (src != dst) EXPECT_EQ(b.fabric.Route(src, dst).size(), SwitchesOn(b.fabric, src, dst).size() + 1);
    }
  }
  EXPECT_EQ(b.fabric.forward(0, aggregation), 2);
  EXPECT_EQ(SwitchesOn(b.fabric, 1, 4), (std::vector<std::uint32_t>{0, 4, 2}));  // the fourth host: 3 mod 2
}

// The storage's place at the top is no part of the hosts' order, so that nothing moves for them.
TEST(Dmodk, HostsAtTheTopMoveNoOther) {
  testing::Builder whole, with_storage;
  for (testing::Builder* const b : {&whole, &with_storage}) {
    for (int i = 0; i < 6; ++i) b->Switch();
    for (std::uint32_t leaf = 0; leaf < 4; ++leaf) {
      for (const std::uint32_t top : {4u, 5u}) b->Link(leaf, top);
      for (int h = 0; h < 6; ++h) b->Host(leaf);
    }
  }
  const std::uint32_t storage = with_storage.Host(5);
  RouteBy(whole.fabric, "dmodk");
  RouteBy(with_storage.fabric, "dmodk");
  for (std::uint32_t s = 0; s < 6; ++s) {
    for (std::uint32_t e = 0; e < storage; ++e) EXPECT_EQ(whole.fabric.forward(s, e), with_storage.fabric.forward(s, e));
  }
  EXPECT_EQ(SwitchesOn(with_storage.fabric, 0, storage), (std::vector<std::uint32_t>{0, 5}));
}

// Cables are missing: all hosts reach each other on shortest routes, without credit loops, and each destination has one spine.
TEST(Dmodk, ServesDamagedTrees) {
  testing::Builder b;
  for (int i = 0; i < 9; ++i) b.Switch();  // leaves 0 to 5, spines 6 to 8
  for (std::uint32_t leaf = 0; leaf < 6; ++leaf) {
    for (const std::uint32_t spine : {6u, 7u, 8u}) {
      b.Link(leaf, spine);
      if (leaf != 2 || spine != 7) b.Link(leaf, spine);
    }
    for (int h = 0; h < 10; ++h) b.Host(leaf);
  }
  RouteBy(b.fabric, "dmodk");
  std::map<std::pair<std::uint32_t, unsigned>, unsigned> down;  // destinations by switch and port
  for (std::uint32_t e = 0; e < 60; ++e) {
    std::set<std::uint32_t> tops;
    for (std::uint32_t from = 0; from < 60; ++from) {
      if (from / 10 == e / 10) continue;
      const std::vector<std::uint32_t> way = SwitchesOn(b.fabric, from, e);
      ASSERT_EQ(way.size(), 3u);
      tops.insert(way[1]);
    }
    ASSERT_EQ(tops.size(), 1u) << "destination " << e;
    ++down[{*tops.begin(), b.fabric.forward(*tops.begin(), e)}];
  }
  ASSERT_EQ(down.size(), 35u);
  for (const auto& [port, destinations] : down) EXPECT_LE(destinations, 4u);
  EXPECT_TRUE(FindCreditLoop(b.fabric).empty());
}

TEST(Dmodk, RefusesWhatIsNoTree) {
  Fabric ring = testing::Ring(6, 1);
  EXPECT_NE(testing::Refusal([&] { RouteBy(ring, "dmodk"); }).find("the fabric is not a fat tree"), std::string::npos);
}

}  // namespace dmodk_test
}  // namespace ccsim
