// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/switch_graph.hpp"

#include <gtest/gtest.h>

#include "fabrics.hpp"

namespace ccsim {
namespace switch_graph_test {

TEST(SwitchGraph, HasEveryLinkAndAdapterWithItsPorts) {
  const Fabric f = testing::Ring(4, 2);
  const SwitchGraph graph(f);
  ASSERT_EQ(graph.size(), 4u);
  EXPECT_EQ(graph.num_links(), 8u);
  ASSERT_EQ(graph.links(3).size(), 2u);
  EXPECT_EQ(graph.links(3)[0].to, 0u);  // port 1, to the first switch's port 2
  EXPECT_EQ(graph.links(3)[0].port, 1u);
  EXPECT_EQ(graph.links(3)[0].to_port, 2u);
  EXPECT_EQ(graph.link(graph.first_link(3)).to, 0u);
  ASSERT_EQ(graph.attached(3).size(), 2u);
  EXPECT_EQ(graph.attached(3)[1].endport, 7u);
  EXPECT_EQ(graph.attached(3)[1].port, 4u);
  EXPECT_EQ(graph.num_hosts(3), 2u);
}

TEST(SwitchGraph, RoutesToTheFullestSwitchesFirst) {
  Fabric f(2048);
  const std::uint64_t guids[] = {0x0102, 0x0201, 0x0300};  // by their bytes from the last: 00 03, 01 02, 02 01
  for (const std::uint64_t guid : guids) f.AddNode("S", NodeKind::Switch, guid, 8);
  EXPECT_EQ(SwitchGraph(f).ByLoad(), (std::vector<std::uint32_t>{2, 1, 0}));
  f.Connect(f.AddNode("H", NodeKind::Host, 9, 1), 1, 0, 1, ParseLinkRate("4xDDR"), FromNs(25));
  EXPECT_EQ(SwitchGraph(f).ByLoad(), (std::vector<std::uint32_t>{0, 2, 1}));
}

TEST(SwitchGraph, DistancesAreToTheNearestRoot) {
  testing::Builder b;
  for (int i = 0; i < 6; ++i) b.Switch();
  for (std::uint32_t i = 0; i < 4; ++i) b.Link(i, i + 1);  // a line of five, and one apart
  const SwitchGraph graph(b.fabric);
  const std::vector<std::uint32_t> roots{0, 3};
  EXPECT_EQ(graph.DistancesTo(roots), (std::vector<std::uint32_t>{0, 1, 1, 0, 1, kNone}));
}

}  // namespace switch_graph_test
}  // namespace ccsim
