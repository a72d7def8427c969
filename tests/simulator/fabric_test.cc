// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>

#include "testing.hpp"

namespace ccsim {
namespace {

std::string Refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(Fabric, NumbersEndportsInTheOrderOfTheirLinks) {
  const testing::Bed bed = testing::TwoSwitch();
  ASSERT_EQ(bed.fabric.endports().size(), 7u);
  for (int i = 1; i <= 7; ++i) EXPECT_EQ(bed.h(i), static_cast<unsigned>(i - 1));
  EXPECT_EQ(bed.fabric.endport_index(0, 1), kNone);  // a switch's port is no endport
}

TEST(Fabric, RoutesFollowTheForwardingTables) {
  const testing::Bed bed = testing::TwoSwitch();
  const auto near = bed.fabric.Route(bed.h(6), bed.h(5));
  ASSERT_EQ(near.size(), 2u);
  EXPECT_EQ(near[1].port, 5);
  const auto far = bed.fabric.Route(bed.h(1), bed.h(4));
  ASSERT_EQ(far.size(), 3u);
  EXPECT_EQ(far[1].port, 36);
  EXPECT_EQ(far[2].port, 4);
}

TEST(Fabric, SaysWhereARouteEndsOrLoops) {
  testing::Bed bed = testing::TwoSwitch();
  const std::uint32_t s1 = 0, s2 = 1;
  bed.fabric.SetForward(s2, bed.h(4), kNoRoute);
  EXPECT_EQ(Refusal([&] { bed.fabric.Route(bed.h(1), bed.h(4)); }), "no route from 'H1' to 'H4': it ends at 'S2'");
  bed.fabric.SetForward(s2, bed.h(4), 36);
  EXPECT_EQ(bed.fabric.forward(bed.fabric.switch_ordinal(s1), bed.h(4)), 36);
  EXPECT_NE(Refusal([&] { bed.fabric.Route(bed.h(1), bed.h(4)); }).find("loops"), std::string::npos);
}

TEST(Fabric, RefusesWhatCannotBe) {
  Fabric f(2048);
  const std::uint32_t a = f.AddNode("a", NodeKind::Switch, 1, 4);
  const std::uint32_t b = f.AddNode("b", NodeKind::Host, 2, 1);
  f.Connect(a, 1, b, 1, ParseLinkRate("4xDDR"), 0);
  const LinkRate rate = ParseLinkRate("4xDDR");
  EXPECT_NE(Refusal([&] { f.Connect(a, 1, b, 1, rate, 0); }).find("port 1 of 'a' is used twice"), std::string::npos);
  EXPECT_NE(Refusal([&] { f.Connect(a, 2, a, 3, rate, 0); }).find("connected to each other"), std::string::npos);
  EXPECT_NE(Refusal([&] { f.Connect(a, 5, b, 1, rate, 0); }).find("port 5 of 'a' does not exist"), std::string::npos);
  EXPECT_NE(Refusal([&] { f.AddNode("c", NodeKind::Switch, 3, 255); }).find("255"), std::string::npos);
  EXPECT_NE(Refusal([&] { Fabric g(1500); }).find("1500"), std::string::npos);
  EXPECT_NE(Refusal([&] { f.SetHostLimits(a, 1.0, 1.0); }).find("not a host"), std::string::npos);
  EXPECT_NE(Refusal([&] { f.SetHostLimits(b, 0.0, 1.0); }).find("must be 0.001 to 1000000"), std::string::npos);
  EXPECT_NE(Refusal([&] { f.SetForward(a, 0, 2); }).find("port 2 of 'a' has no link"), std::string::npos);
}

}  // namespace
}  // namespace ccsim
