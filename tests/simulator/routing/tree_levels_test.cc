// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/tree_levels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
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

using Peers = std::vector<Numbers>;  // by switch, to which later ones it is linked

Peers RingOf(std::uint32_t size) {
  Peers peers;
  for (std::uint32_t s = 0; s < size; ++s) peers.push_back({(s + 1) % size});
  return peers;
}

Peers MeshOf(std::uint32_t size) {
  Peers peers(size);
  for (std::uint32_t s = 0; s < size; ++s) {
    for (std::uint32_t t = s + 1; t < size; ++t) peers[s].push_back(t);
  }
  return peers;
}

Peers TorusOf(std::uint32_t rows, std::uint32_t columns) {
  Peers peers;
  for (std::uint32_t s = 0; s < rows * columns; ++s) {
    const std::uint32_t row = s / columns, column = s % columns;
    peers.push_back({row * columns + (column + 1) % columns, (row + 1) % rows * columns + column});
  }
  return peers;
}

// Groups that are full meshes, and one link between each two of them.
Peers DragonflyOf(std::uint32_t groups, std::uint32_t group_size) {
  Peers peers(groups * group_size);
  for (std::uint32_t g = 0; g < groups; ++g) {
    for (std::uint32_t s = 0; s < group_size; ++s) {
      for (std::uint32_t t = s + 1; t < group_size; ++t) peers[g * group_size + s].push_back(g * group_size + t);
    }
    for (std::uint32_t other = g + 1; other < groups; ++other)
      peers[g * group_size + other % group_size].push_back(other * group_size + g % group_size);
  }
  return peers;
}

// Rings, tori, dragonflies and full meshes whose hosts are unevenly spread are no trees, whichever of these hosts are left out of account.
TEST(TreeLevels, ShapesWithUnevenHostsAreNoTrees) {
  for (std::uint64_t seed = 1; seed <= ibcc_test::RandomCases(200); ++seed) {
    Rng rng(seed, 3);
    const auto size = static_cast<std::uint32_t>(5 + rng.Below(6));
    for (const Peers& peers : {RingOf(size), MeshOf(size), TorusOf(size, 4), DragonflyOf(size, 4)}) {
      testing::Builder b;
      for (std::size_t s = 0; s < peers.size(); ++s) b.Switch();
      for (std::uint32_t s = 0; s < peers.size(); ++s) {
        for (const std::uint32_t t : peers[s]) b.Link(s, t);
        for (std::uint64_t h = 1 + rng.Below(6); h > 0; --h) b.Host(s);
      }
      const TreeLevels found = Levels(b);
      ASSERT_FALSE(found.in_tree[0]) << "seed " << seed << ", " << peers.size() << " switches, size " << size;
    }
  }
}

// Adds a two-level tree; returns its first leaf and its first spine.
std::pair<std::uint32_t, std::uint32_t> AddLeafSpine(testing::Builder& b, unsigned leaves, unsigned spines, unsigned hosts) {
  Numbers all;
  for (unsigned i = 0; i < leaves + spines; ++i) all.push_back(b.Switch());
  for (unsigned leaf = 0; leaf < leaves; ++leaf) {
    for (unsigned h = 0; h < hosts; ++h) b.Host(all[leaf]);
    for (unsigned spine = 0; spine < spines; ++spine) b.Link(all[leaf], all[leaves + spine]);
  }
  return {all[0], all[leaves]};
}

// An old cluster and a new one, whose spines are joined by two cables; the new spines have storage.
TEST(TreeLevels, TwoTreesWithJoinedSpinesAreOne) {
  testing::Builder b;
  const std::uint32_t old_spine = AddLeafSpine(b, 4, 2, 9).second;
  const std::uint32_t new_spine = AddLeafSpine(b, 6, 3, 10).second;
  for (const std::uint32_t i : {0u, 1u}) b.Link(old_spine + i, new_spine + i);
  for (const std::uint32_t i : {0u, 0u, 1u, 2u}) b.Host(new_spine + i);
  const TreeLevels found = Levels(b);
  EXPECT_EQ(found.level, (Numbers{1, 1, 1, 1, 2, 2, 1, 1, 1, 1, 1, 1, 2, 2, 2}));
  EXPECT_EQ(found.tops, (Numbers{4, 5, 12, 13, 14}));
  EXPECT_TRUE(found.full_tops.empty());
  EXPECT_TRUE(found.in_tree[0]);
}

// Joined at two leaves, no route climbs once and descends once.
TEST(TreeLevels, TwoTreesWithJoinedLeavesAreNone) {
  testing::Builder b;
  const std::uint32_t one = AddLeafSpine(b, 4, 2, 9).first, other = AddLeafSpine(b, 6, 3, 10).first;
  b.Link(one, other);
  EXPECT_FALSE(Levels(b).in_tree[0]);
}

// Pods of different sizes, hosts with two ports on two core switches, and a leaf for the management that is connected to the core.
TEST(TreeLevels, BearALeafAtTheCoreAndUnevenPods) {
  for (std::uint64_t seed = 1; seed <= ibcc_test::RandomCases(200); ++seed) {
    Rng rng(seed, 4);
    testing::Builder b;
    const auto below = [&](std::uint64_t bound) { return static_cast<std::uint32_t>(rng.Below(bound)); };
    const std::uint32_t cores = 2 + 2 * below(2), pods = 3 + below(3);
    Numbers expected;
    for (std::uint32_t i = 0; i < cores; ++i) {
      b.Switch();
      expected.push_back(3);
    }
    const auto cable = [&](std::uint32_t lower, std::uint32_t upper, std::uint32_t parallel) {
      for (std::uint32_t i = 0; i < parallel; ++i) b.Link(lower, upper);
    };
    for (std::uint32_t pod = 0; pod < pods; ++pod) {
      const std::uint32_t middle = b.Switch();
      expected.push_back(2);
      b.Switch();
      expected.push_back(2);
      for (std::uint32_t core = 0; core < cores; ++core) cable(middle + core % 2, core, 2);
      for (std::uint32_t leaves = 2 + below(4); leaves > 0; --leaves) {
        const std::uint32_t leaf = b.Switch();
        expected.push_back(1);
        cable(leaf, middle, 2);
        cable(leaf, middle + 1, 2);
        for (std::uint32_t hosts = 4 + below(9); hosts > 0; --hosts) b.Host(leaf);
      }
    }
    for (std::uint32_t storage = below(4); storage > 0; --storage) b.Host(below(cores));
    const std::uint32_t management = b.Switch();
    for (const std::uint32_t core : {0u, 1u}) cable(management, core, 1);
    for (int host = 0; host < 5; ++host) b.Host(management);
    const TreeLevels found = Levels(b);
    ASSERT_TRUE(found.in_tree[0]) << "seed " << seed;
    for (std::uint32_t s = 0; s < expected.size(); ++s) {
      ASSERT_EQ(found.level[s], expected[s]) << "seed " << seed << ", switch " << s;
    }
    for (std::uint32_t s = 0; s < cores; ++s) {
      ASSERT_TRUE(std::count(found.tops.begin(), found.tops.end(), s)) << "seed " << seed << ", switch " << s;
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
