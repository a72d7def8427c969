// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/fat_tree.hpp"

#include <gtest/gtest.h>

#include "fabrics.hpp"

namespace ccsim {
namespace fat_tree_test {

FatTree Found(const Fabric& fabric) {
  const SwitchGraph graph(fabric);
  return FindFatTree(graph, graph.Levels());
}

std::string Reason(const Fabric& fabric) {
  const std::string refusal = testing::Refusal([&] { Found(fabric); });
  const std::string begin = "the fabric is not a fat tree: ";
  EXPECT_EQ(refusal.substr(0, begin.size()), begin);
  return refusal.substr(std::min(refusal.size(), begin.size()));
}

TEST(FatTree, FindsLevelsParentsAndTheOrderOfTheHosts) {
  const Fabric f = testing::KAry3Tree(2);
  const FatTree tree = Found(f);
  EXPECT_EQ(tree.num_levels, 3u);
  EXPECT_EQ(tree.level, (std::vector<std::uint32_t>{1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3}));
  EXPECT_EQ(tree.parents, (std::vector<std::uint32_t>{0, 2, 2, 0}));
  ASSERT_EQ(tree.hosts.size(), 8u);
  for (std::uint32_t j = 0; j < 8; ++j) EXPECT_EQ(tree.hosts[j].attached.endport, j);
  EXPECT_EQ(tree.child[4], (std::vector<std::uint16_t>{0, 1, FatTree::kNoChild, FatTree::kNoChild}));
}

// Pods whose leaves are listed in turns: the hosts of a pod still stand together.
TEST(FatTree, OrdersHostsByPods) {
  testing::Builder b;
  for (int i = 0; i < 4; ++i) b.Switch();  // leaves 0 and 2 of one pod, 1 and 3 of the other
  for (std::uint32_t leaf = 0; leaf < 4; ++leaf) b.Host(leaf);
  const std::uint32_t even = b.Switch(), odd = b.Switch(), top = b.Switch();
  for (const std::uint32_t leaf : {0u, 2u}) b.Link(leaf, even);
  for (const std::uint32_t leaf : {1u, 3u}) b.Link(leaf, odd);
  b.Link(even, top);
  b.Link(odd, top);
  std::vector<std::uint32_t> order;
  for (const TreeHost& host : Found(b.fabric).hosts) order.push_back(host.attached.endport);
  EXPECT_EQ(order, (std::vector<std::uint32_t>{0, 2, 1, 3}));
}

TEST(FatTree, OneSwitchIsATree) {
  testing::Builder b;
  const std::uint32_t s = b.Switch();
  for (int i = 0; i < 3; ++i) b.Host(s);
  EXPECT_EQ(Found(b.fabric).hosts.size(), 3u);
}

TEST(FatTree, RefusesLinksWithinALevel) {
  EXPECT_EQ(Reason(testing::Ring(4, 1)), "switches 'S0' and 'S1' are linked and equally far from the hosts");
}

TEST(FatTree, RefusesUnequalNumbersOfParents) {
  testing::Builder b;
  const std::uint32_t l0 = b.Switch(), l1 = b.Switch(), t0 = b.Switch(), t1 = b.Switch();
  b.Host(l0);
  b.Host(l1);
  b.Link(l0, t0);
  b.Link(l0, t1);
  b.Link(l1, t0);
  EXPECT_EQ(Reason(b.fabric), "switch 'S1' has 1 switches above it, 'S0' on the same level has 2");
}

TEST(FatTree, RefusesUnequalNumbersOfParallelLinks) {
  testing::Builder b;
  const std::uint32_t l0 = b.Switch(), l1 = b.Switch(), top = b.Switch();
  b.Host(l0);
  b.Host(l1);
  b.Link(l0, top);
  b.Link(l1, top);
  b.Link(l1, top);
  EXPECT_EQ(Reason(b.fabric), "switch 'S1' has 2 links to 'S2'; other switches of its level have 1");
}

TEST(FatTree, RefusesTwoWaysDown) {
  testing::Builder b;
  const std::uint32_t leaf = b.Switch(), m0 = b.Switch(), m1 = b.Switch(), top = b.Switch();
  b.Host(leaf);
  for (const std::uint32_t middle : {m0, m1}) {
    b.Link(leaf, middle);
    b.Link(middle, top);
  }
  EXPECT_EQ(Reason(b.fabric), "two ways lead down from switch 'S3' to 'S0', through 'S1' and 'S2'");
}

TEST(FatTree, RefusesATopThatDoesNotReachEveryLeaf) {
  testing::Builder b;
  for (int i = 0; i < 2; ++i) {
    const std::uint32_t leaf = b.Switch();
    b.Host(leaf);
    b.Link(leaf, b.Switch());
  }
  EXPECT_EQ(Reason(b.fabric), "switch 'S3' is not below 'S2', a switch of the top level");
}

TEST(FatTree, RefusesSwitchesFarFromAllHosts) {
  testing::Builder b;
  b.Link(b.Switch(), b.Switch());
  EXPECT_NE(Reason(b.fabric).find("no host can be reached from switch"), std::string::npos);
}

}  // namespace fat_tree_test
}  // namespace ccsim
