// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <gtest/gtest.h>

#include <map>
#include <stdexcept>

#include "routing/registry.hpp"

namespace ccsim {
namespace minhop_test {

// Two leaves with `hosts` hosts each and `spines` spines, one link from each leaf to each spine.
Fabric LeafSpine(int hosts, int spines) {
  Fabric f(2048);
  const LinkRate rate = ParseLinkRate("4xEDR");
  std::vector<std::uint32_t> leaves{f.AddNode("l0", NodeKind::Switch, 1, 36), f.AddNode("l1", NodeKind::Switch, 2, 36)};
  for (int s = 0; s < spines; ++s) {
    const std::uint32_t spine = f.AddNode("s" + std::to_string(s), NodeKind::Switch, 10u + static_cast<unsigned>(s), 2);
    for (std::uint16_t l = 0; l < 2; ++l) {
      f.Connect(leaves[l], static_cast<std::uint16_t>(30 + s), spine, static_cast<std::uint16_t>(l + 1), rate, 0);
    }
  }
  for (std::uint16_t l = 0; l < 2; ++l) {
    for (int h = 0; h < hosts; ++h) {
      const std::uint32_t host = f.AddNode("h", NodeKind::Host, 100u + static_cast<unsigned>(l * hosts + h), 1);
      f.Connect(leaves[l], static_cast<std::uint16_t>(h + 1), host, 1, rate, 0);
    }
  }
  return f;
}

TEST(Minhop, RoutesEveryPairOnAShortestPath) {
  Fabric f = LeafSpine(6, 3);
  RouteBy(f, "minhop");
  for (std::uint32_t a = 0; a < 12; ++a) {
    for (std::uint32_t b = 0; b < 12; ++b) {
      if (a == b) continue;
      EXPECT_EQ(f.Route(a, b).size(), a / 6 == b / 6 ? 2u : 4u);
    }
  }
}

TEST(Minhop, SpreadsDestinationsEvenlyOverEqualPaths) {
  Fabric f = LeafSpine(6, 3);
  RouteBy(f, "minhop");
  std::map<unsigned, int> destinations;  // of leaf 0, by port, to leaf 1's hosts
  for (std::uint32_t b = 6; b < 12; ++b) ++destinations[f.forward(0, b)];
  EXPECT_EQ(destinations, (std::map<unsigned, int>{{30, 2}, {31, 2}, {32, 2}}));
}

TEST(Minhop, LeavesWhatCannotBeReachedWithoutARoute) {
  Fabric f = LeafSpine(1, 1);
  const std::uint32_t island = f.AddNode("island", NodeKind::Switch, 50, 4);
  const std::uint32_t host = f.AddNode("h", NodeKind::Host, 51, 1);
  f.Connect(island, 1, host, 1, ParseLinkRate("4xEDR"), 0);
  RouteBy(f, "minhop");
  EXPECT_THROW(f.Route(0, 2), std::runtime_error);
  EXPECT_THROW(f.Route(2, 0), std::runtime_error);
  EXPECT_EQ(f.Route(0, 1).size(), 4u);
}

}  // namespace minhop_test
}  // namespace ccsim
