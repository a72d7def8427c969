// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/registry.hpp"

#include <gtest/gtest.h>

#include "fabrics.hpp"

namespace ccsim {
namespace registry_test {

using testing::Refusal;

TEST(RoutingRegistry, HoldsEveryRoutingThatRegisteredItself) {
  EXPECT_EQ(RoutingNames(), (std::vector<std::string>{"dmodk", "dor", "minhop", "tables", "updown"}));
}

TEST(RoutingRegistry, TellsTheKnownNamesForAnUnknownOne) {
  Fabric f = testing::Ring(3, 1);
  EXPECT_EQ(Refusal([&] { RouteBy(f, "lash"); }), "routing 'lash' is not known; there are dmodk, dor, minhop, tables, updown");
}

TEST(RoutingRegistry, RefusesARoutingsNameTwice) {
  EXPECT_THROW(RoutingRegistration("minhop", [](Fabric&, const RoutingOptions&) {}), std::logic_error);
}

TEST(RoutingRegistry, RefusesRootsThatAreNoSwitchesOrOfNoUse) {
  Fabric f = testing::Ring(3, 1);
  EXPECT_EQ(Refusal([&] { RouteBy(f, "minhop", {{0}}); }), "routing 'minhop' takes no roots; leave them out");
  EXPECT_EQ(Refusal([&] { RouteBy(f, "updown", {{3}}); }), "root 3 is not a switch of this fabric");
  EXPECT_EQ(Refusal([&] { RouteBy(f, "updown", {{99}}); }), "root 99 is not a switch of this fabric");
}

TEST(RoutingRegistry, LeavesNothingOfAnEarlierRoutingNorOfOneThatRefuses) {
  Fabric f = testing::Ring(5, 1);
  RouteBy(f, "dor");
  ASSERT_EQ(f.min_vls(), 2u);
  RouteBy(f, "minhop");
  EXPECT_EQ(f.min_vls(), 1u);
  EXPECT_FALSE(f.has_sl_to_vl());
  EXPECT_NE(Refusal([&] { RouteBy(f, "dmodk"); }), "");
  EXPECT_EQ(f.forward(0, 1), kNoRoute);
}

}  // namespace registry_test
}  // namespace ccsim
