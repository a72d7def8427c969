// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/tree_levels.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "fabrics.hpp"
#include "quick.hpp"
#include "routing/switch_graph.hpp"

namespace ccsim {
namespace tree_levels_test {

using Numbers = std::vector<std::uint32_t>;

// Leaves with hosts, then spines, each linked to each.
testing::Builder LeafSpine(unsigned leaves, unsigned spines, unsigned hosts) {
  testing::Builder b;
  for (unsigned i = 0; i < leaves + spines; ++i) b.Switch();
  for (unsigned leaf = 0; leaf < leaves; ++leaf) {
    for (unsigned h = 0; h < hosts; ++h) b.Host(leaf);
    for (unsigned spine = 0; spine < spines; ++spine) b.Link(leaf, leaves + spine);
  }
  return b;
}

TreeLevels Levels(const testing::Builder& b) { return SwitchGraph(b.fabric).Levels(); }

TEST(TreeLevels, OfAWholeTreeCountFromTheLeaves) {
  const Fabric f = testing::KAry3Tree(2);
  const TreeLevels found = SwitchGraph(f).Levels();
  EXPECT_EQ(found.level, (Numbers{1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3}));
  EXPECT_EQ(found.tops, (Numbers{8, 9, 10, 11}));
  EXPECT_TRUE(found.in_tree[0]);
}

TEST(TreeLevels, HostsOnASpineDoNotMakeItALeaf) {
  testing::Builder b = LeafSpine(4, 2, 8);
  b.Host(4);
  EXPECT_EQ(Levels(b).level, (Numbers{1, 1, 1, 1, 2, 2}));
  EXPECT_EQ(Levels(b).tops, (Numbers{4, 5}));
}

// A fifth of the hosts, which is more than what a top may have elsewhere by OpenSM's test.
TEST(TreeLevels, NorDoesMuchStorageOnAllSpines) {
  testing::Builder b = LeafSpine(4, 2, 8);
  for (int h = 0; h < 4; ++h) {
    b.Host(4);
    b.Host(5);
  }
  EXPECT_EQ(Levels(b).level, (Numbers{1, 1, 1, 1, 2, 2}));
  EXPECT_EQ(Levels(b).tops, (Numbers{4, 5}));
}

// The storage of a small site: a spine has as many hosts as the smaller leaves, and not all leaves have as many.
TEST(TreeLevels, NorDoesASpineWithAsManyHostsAsALeaf) {
  testing::Builder b = LeafSpine(4, 2, 0);
  for (const auto& [leaf, hosts] : {std::pair{0u, 6}, {1u, 4}, {2u, 3}, {3u, 2}, {4u, 3}, {5u, 1}}) {
    for (int h = 0; h < hosts; ++h) b.Host(leaf);
  }
  EXPECT_EQ(Levels(b).level, (Numbers{1, 1, 1, 1, 2, 2}));
  EXPECT_EQ(Levels(b).tops, (Numbers{4, 5}));
}

// Up to a quarter of the hosts stand on spines at random; leaves have as many links as a spine of theirs or fewer.
TEST(TreeLevels, BearStorageAnywhereAboveSmallLeaves) {
  for (std::uint64_t seed = 1; seed <= ibcc_test::RandomCases(200); ++seed) {
    Rng rng(seed, 2);
    const auto leaves = static_cast<std::uint32_t>(3 + rng.Below(6)), spines = static_cast<std::uint32_t>(2 + rng.Below(2));
    testing::Builder b = LeafSpine(leaves, spines, 0);
    std::uint64_t below = 0;
    for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) {
      const std::uint64_t hosts = spines + rng.Below(5);
      for (std::uint64_t h = 0; h < hosts; ++h) b.Host(leaf);
      below += hosts;
    }
    std::vector<std::uint64_t> on(spines, 0);
    for (std::uint64_t above = rng.Below(below / 3 + 1); above > 0; --above) {
      const std::uint64_t spine = rng.Below(spines);
      if (on[spine] + 1 < leaves) {
        b.Host(leaves + static_cast<std::uint32_t>(spine));
        ++on[spine];
      }
    }
    const TreeLevels found = Levels(b);
    for (std::uint32_t s = 0; s < leaves + spines; ++s)
      ASSERT_EQ(found.level[s], s < leaves ? 1u : 2u) << "seed " << seed << ", switch " << s;
    ASSERT_EQ(found.tops.size(), spines) << "seed " << seed;
  }
}

// Rings, grids and full meshes whose hosts are unevenly spread are no trees, whichever of these hosts are left out of account.
TEST(TreeLevels, ShapesWithUnevenHostsAreNoTrees) {
  for (std::uint64_t seed = 1; seed <= ibcc_test::RandomCases(200); ++seed) {
    Rng rng(seed, 3);
    const auto size = static_cast<std::uint32_t>(5 + rng.Below(6));
    for (const bool mesh : {false, true}) {
      testing::Builder b;
      for (std::uint32_t s = 0; s < size; ++s) b.Switch();
      for (std::uint32_t s = 0; s < size; ++s) {
        if (!mesh) b.Link(s, (s + 1) % size);
        for (std::uint32_t t = s + 1; mesh && t < size; ++t) b.Link(s, t);
        for (std::uint64_t h = 1 + rng.Below(6); h > 0; --h) b.Host(s);
      }
      const TreeLevels found = Levels(b);
      for (std::uint32_t s = 0; s < size; ++s) {
        ASSERT_FALSE(found.in_tree[s]) << "seed " << seed << (mesh ? ", a mesh" : ", a ring") << " of " << size;
      }
    }
  }
}

TEST(TreeLevels, ALineCardWithoutCablesIsOnTheLevelOfTheOthers) {
  testing::Builder b;
  for (int i = 0; i < 10; ++i) b.Switch();  // leaves 0 to 3, cards 4 to 6, spines 7 and 8; 9 stands apart
  for (const std::uint32_t leaf : {0u, 1u, 2u, 3u}) {
    for (int h = 0; h < 3; ++h) b.Host(leaf);
    b.Link(leaf, leaf / 2 + 4);
  }
  for (const std::uint32_t card : {4u, 5u, 6u}) {
    for (const std::uint32_t spine : {7u, 8u}) b.Link(card, spine);
  }
  EXPECT_EQ(Levels(b).level, (Numbers{1, 1, 1, 1, 2, 2, 2, 3, 3, kNone}));
}

TEST(TreeLevels, IslandsAreTreesOfTheirOwn) {
  testing::Builder b = LeafSpine(3, 2, 4);
  const std::uint32_t first = b.Switch();
  for (int i = 0; i < 5; ++i) b.Switch();
  for (std::uint32_t leaf = first; leaf < first + 3; ++leaf) {
    for (int h = 0; h < 4; ++h) b.Host(leaf);
    for (std::uint32_t spine = first + 3; spine < first + 6; ++spine) b.Link(leaf, spine);
  }
  const TreeLevels found = Levels(b);
  EXPECT_EQ(found.level, (Numbers{1, 1, 1, 2, 2, 1, 1, 1, 2, 2, 2}));
  EXPECT_EQ(found.part[10], 5u);
  EXPECT_EQ(found.tops, (Numbers{3, 4, 8, 9, 10}));
}

TEST(TreeLevels, ElsewhereTheyCountFromTheNearestHosts) {
  const Fabric ring = testing::Ring(6, 1);
  const TreeLevels found = SwitchGraph(ring).Levels();
  EXPECT_EQ(found.level, Numbers(6, 1));
  EXPECT_FALSE(found.in_tree[0]);
}

// Of a three-level tree a tenth of the cables are pulled and a few servers stand on switches above the leaves.
TEST(TreeLevels, BearCablesThatAreMissingAndServersAbove) {
  for (std::uint64_t seed = 1; seed <= ibcc_test::RandomCases(100); ++seed) {
    Rng rng(seed, 1);
    testing::Builder b;
    const unsigned k = 4;
    for (unsigned i = 0; i < 3 * k * k; ++i) b.Switch();
    const auto link = [&](std::uint32_t lower, std::uint32_t upper, bool always) {
      if (always || rng.Below(20) > 0) b.Link(lower, upper);
    };
    for (unsigned pod = 0; pod < k; ++pod) {
      for (unsigned i = 0; i < k; ++i) {
        for (unsigned j = 0; j < k; ++j) link(pod * k + i, k * k + pod * k + j, j < 2);
        for (unsigned j = 0; j < k; ++j) link(k * k + pod * k + i, 2 * k * k + i * k + j, j < 2);
        for (unsigned h = 0; h < k; ++h) b.Host(pod * k + i);
      }
    }
    for (std::uint64_t servers = rng.Below(3); servers > 0; --servers)
      b.Host(k * k + static_cast<std::uint32_t>(rng.Below(2 * k * k)));
    const TreeLevels found = Levels(b);
    for (std::uint32_t s = 0; s < 3 * k * k; ++s)
      ASSERT_EQ(found.level[s], 1 + s / (k * k)) << "seed " << seed << ", switch " << s;
  }
}

}  // namespace tree_levels_test
}  // namespace ccsim
