// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/grid.hpp"

#include <gtest/gtest.h>

#include "fabrics.hpp"

namespace ccsim {
namespace grid_test {

std::string Reason(const Fabric& fabric) {
  const std::string refusal = testing::Refusal([&] { FindGrid(SwitchGraph(fabric)); });
  const std::string begin = "the fabric is not a torus or mesh: ";
  EXPECT_EQ(refusal.substr(0, begin.size()), begin);
  return refusal.substr(std::min(refusal.size(), begin.size()));
}

// Two linked switches at the given places.
Fabric Two(const std::vector<std::uint16_t>& a, const std::vector<std::uint16_t>& b) {
  testing::Builder builder;
  const std::uint32_t s0 = builder.Switch(), s1 = builder.Switch();
  builder.Link(s0, s1);
  if (!a.empty()) builder.fabric.SetCoordinates(s0, a);
  if (!b.empty()) builder.fabric.SetCoordinates(s1, b);
  return std::move(builder.fabric);
}

TEST(Grid, FindsSizesAndWhatIsWrapped) {
  const Fabric torus = testing::Grid({3, 4}, true);
  const Grid grid = FindGrid(SwitchGraph(torus));
  ASSERT_EQ(grid.dimensions.size(), 2u);
  EXPECT_EQ(grid.dimensions[0].size, 3);
  EXPECT_EQ(grid.dimensions[1].size, 4);
  EXPECT_TRUE(grid.dimensions[0].wrapped && grid.dimensions[1].wrapped);
  const Fabric mesh = testing::Grid({3, 4}, false);
  const Grid open = FindGrid(SwitchGraph(mesh));
  EXPECT_FALSE(open.dimensions[0].wrapped || open.dimensions[1].wrapped);
}

TEST(Grid, KnowsTheLinksThatLeadHigherAndLowerAlsoRoundTheEnd) {
  const Fabric f = testing::Ring(4, 1);  // port 1 to the next, port 2 to the one before
  const Grid grid = FindGrid(SwitchGraph(f));
  for (std::uint32_t s = 0; s < 4; ++s) {
    EXPECT_EQ(grid.PortsTo(s, 0, true), (std::vector<std::uint8_t>{1}));
    EXPECT_EQ(grid.PortsTo(s, 0, false), (std::vector<std::uint8_t>{2}));
    EXPECT_EQ(grid.dimension_of[s][1], 0);
    EXPECT_EQ(grid.dimension_of[s][3], Grid::kNoDimension);  // to a host
  }
}

TEST(Grid, ARowOfTwoIsNeverWrapped) {
  testing::Builder b;
  for (std::uint16_t i = 0; i < 2; ++i) b.fabric.SetCoordinates(b.Switch(), {i});
  b.Link(0, 1);
  b.Link(0, 1);
  const Grid grid = FindGrid(SwitchGraph(b.fabric));
  EXPECT_FALSE(grid.dimensions[0].wrapped);
  EXPECT_EQ(grid.PortsTo(0, 0, true).size(), 2u);
}

TEST(Grid, RefusesCoordinatesThatAreMissingOrDoNotFit) {
  EXPECT_EQ(Reason(Two({0}, {})), "switch 'S1' has no coordinates");
  EXPECT_EQ(Reason(Two({0, 0}, {1})), "switch 'S1' has 1 coordinates, 'S0' has 2");
  EXPECT_EQ(Reason(Two({0, 1}, {0, 1})), "switches 'S0' and 'S1' are both at (0, 1)");
  EXPECT_EQ(Reason(Two({0, 0}, {1, 1})), "switches 'S0' at (0, 0) and 'S1' at (1, 1) are linked and no neighbours");
}

TEST(Grid, RefusesALinkThatSkipsASwitch) {
  testing::Builder b;
  for (std::uint16_t i = 0; i < 4; ++i) b.fabric.SetCoordinates(b.Switch(), {i});
  b.Link(0, 2);
  EXPECT_EQ(Reason(b.fabric), "switches 'S0' at (0) and 'S2' at (2) are linked and no neighbours");
}

}  // namespace grid_test
}  // namespace ccsim
