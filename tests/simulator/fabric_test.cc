// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric.hpp"

#include <gtest/gtest.h>

#include <exception>
#include <functional>
#include <stdexcept>

#include "testing.hpp"

namespace ccsim {
namespace fabric_test {

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

TEST(Fabric, PortsOfAdaptersHaveGuidsAndThoseOfSwitchesHaveNot) {
  testing::Bed bed = testing::TwoSwitch();
  const std::uint32_t host = bed.fabric.endports()[0].node;
  EXPECT_EQ(bed.fabric.nodes()[host].ports[1].guid, 0u);
  bed.fabric.SetPortGuid(host, 1, 0x1234);
  EXPECT_EQ(bed.fabric.nodes()[host].ports[1].guid, 0x1234u);
  EXPECT_NE(Refusal([&] { bed.fabric.SetPortGuid(0, 1, 5); }).find("is a switch"), std::string::npos);
  EXPECT_NE(Refusal([&] { bed.fabric.SetPortGuid(host, 2, 5); }), "");
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
  EXPECT_NE(Refusal([&] { f.SetDialect(2, CcDialect::Both); }).find("node index 2 does not exist; the fabric has 2"),
            std::string::npos);
  EXPECT_NE(Refusal([&] { f.SetForward(a, 0, 2); }).find("port 2 of 'a' has no link"), std::string::npos);
}

TEST(Fabric, AnSlToVlTableGoesBeforeTheDefaultAndRoutingClearsBoth) {
  testing::Bed bed = testing::TwoSwitch();
  Fabric& f = bed.fabric;
  EXPECT_FALSE(f.has_sl_to_vl());
  EXPECT_EQ(f.sl_to_vl(0, 1, 36), nullptr);
  EXPECT_EQ(f.sl_to_vl_vls(), 1u);
  SlToVl ones, mixed{};
  ones.fill(1);
  mixed[5] = 7;
  f.SetDefaultSlToVl(ones);
  f.SetSlToVl(0, 0, 36, mixed);
  EXPECT_EQ(*f.sl_to_vl(0, 0, 36), mixed);
  EXPECT_EQ(*f.sl_to_vl(0, 1, 36), ones);
  EXPECT_EQ(f.sl_to_vl_vls(), 8u);
  mixed[5] = 15;
  EXPECT_NE(Refusal([&] { f.SetDefaultSlToVl(mixed); }).find("VL 15 is not a data VL"), std::string::npos);
  EXPECT_NE(Refusal([&] { f.SetSlToVl(0, 37, 1, ones); }).find("no ports 37 and 1"), std::string::npos);
  f.ClearForwarding();
  EXPECT_FALSE(f.has_sl_to_vl());
}

TEST(Fabric, APortsVlArbitrationGoesBeforeTheDefault) {
  testing::Bed bed = testing::TwoSwitch();
  Fabric& f = bed.fabric;
  EXPECT_EQ(f.vl_arbitration(0, 36), nullptr);
  const VlArbitrationTables all{.high = {}, .low = {{0, 4}, {1, 4}}}, own{.high = {{1, 9}}, .low = {{0, 1}}, .high_limit = 3};
  f.SetDefaultVlArbitration(all);
  f.SetVlArbitration(0, 36, own);
  EXPECT_EQ(*f.vl_arbitration(0, 36), own);
  EXPECT_EQ(*f.vl_arbitration(1, 36), all);
  EXPECT_NE(Refusal([&] { f.SetVlArbitration(0, 0, own); }).find("no port 0"), std::string::npos);
  EXPECT_NE(Refusal([&] { f.SetDefaultVlArbitration({.high = {}, .low = {{15, 1}}}); }).find("VL 15"), std::string::npos);
  EXPECT_NE(Refusal([&] { f.SetDefaultVlArbitration({.high = {}, .low = {{0, 0}}}); }).find("never send"), std::string::npos);
  const std::vector<VlArbitrationEntry> many(65, VlArbitrationEntry{0, 1});
  EXPECT_NE(Refusal([&] { f.SetDefaultVlArbitration({.high = many, .low = {}}); }).find("65 entries"), std::string::npos);
}

}  // namespace fabric_test
}  // namespace ccsim
