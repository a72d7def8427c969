// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// That these are OpenSM's tables, tests/emulator/test_engine_loads.py shows.
#include "routing/opensm_ftree.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "fabrics.hpp"
#include "routing/credit_loop.hpp"
#include "routing/registry.hpp"
#include "routing/route_loads.hpp"

namespace ccsim {
namespace opensm_ftree_test {

using testing::SwitchesOn;

void Route(Fabric& fabric) {
  const SwitchGraph graph(fabric);
  fabric.ClearForwarding();
  RouteAsOpensmFtree(fabric, graph, graph.Levels());
}

std::vector<std::uint64_t> SortedLoads(const Fabric& fabric) {
  std::vector<std::uint64_t> loads = PairLoads(fabric);
  std::sort(loads.begin(), loads.end());
  return loads;
}

TEST(OpensmFtree, LoadsWholeTreesAsDModK) {
  Fabric by_ftree = testing::KAry3Tree(3), by_dmodk = testing::KAry3Tree(3);
  Route(by_ftree);
  RouteBy(by_dmodk, "dmodk");
  EXPECT_EQ(SortedLoads(by_ftree), SortedLoads(by_dmodk));
  EXPECT_TRUE(FindCreditLoop(by_ftree).empty());
}

// Two leaves and two spines; the link of leaf 1 to spine 2 is missing.
TEST(OpensmFtree, GoesRoundWhatIsMissing) {
  testing::Builder b;
  for (int i = 0; i < 4; ++i) b.Switch();
  b.Link(0, 2);
  b.Link(0, 3);
  b.Link(1, 3);
  for (const std::uint32_t leaf : {0u, 0u, 1u, 1u}) b.Host(leaf);
  Route(b.fabric);
  for (std::uint32_t src = 0; src < 4; ++src) {
    for (std::uint32_t dst = 0; dst < 4; ++dst) {
      if (src / 2 != dst / 2) EXPECT_EQ(SwitchesOn(b.fabric, src, dst), (std::vector<std::uint32_t>{src / 2, 3, dst / 2}));
    }
  }
}

// Storage on both spines: its routes to each other go down and up again.
TEST(OpensmFtree, IoNodesReachEachOtherByReverseHops) {
  testing::Builder b;
  for (int i = 0; i < 6; ++i) b.Switch();
  for (std::uint32_t leaf = 0; leaf < 4; ++leaf) {
    for (const std::uint32_t spine : {4u, 5u}) {
      if (leaf != 3 || spine != 5) b.Link(leaf, spine);
    }
    for (int h = 0; h < 6; ++h) b.Host(leaf);
  }
  const std::uint32_t first = b.Host(4), second = b.Host(5);
  Route(b.fabric);
  const std::vector<std::uint32_t> way = SwitchesOn(b.fabric, first, second);
  ASSERT_EQ(way.size(), 3u);
  EXPECT_EQ((std::vector<std::uint32_t>{way.front(), way.back()}), (std::vector<std::uint32_t>{4, 5}));
  EXPECT_EQ(SwitchesOn(b.fabric, 18, second).size(), 4u);  // from the leaf that lacks the link
}

TEST(OpensmFtree, RefusesHostsAtTwoDistancesFromTheTop) {
  // Leaf 5 has lost its links up and hangs on another leaf's.
  testing::Builder b;
  for (int i = 0; i < 8; ++i) b.Switch();
  for (std::uint32_t leaf = 0; leaf < 5; ++leaf) {
    for (const std::uint32_t spine : {6u, 7u}) {
      for (int i = 0; i < 3; ++i) b.Link(leaf, spine);
    }
    for (int h = 0; h < 12; ++h) b.Host(leaf);
  }
  b.Link(5, 0);
  b.Host(5);
  const SwitchGraph graph(b.fabric);
  TreeLevels levels = graph.Levels();
  levels.level[5] = 1;
  const std::string refusal = testing::Refusal([&] { RouteAsOpensmFtree(b.fabric, graph, levels); });
  EXPECT_NE(refusal.find("OpenSM's ftree refuses the tree: hosts are on switch"), std::string::npos) << refusal;
}

}  // namespace opensm_ftree_test
}  // namespace ccsim
