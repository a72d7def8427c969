// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/updown_order.hpp"

#include <gtest/gtest.h>

#include "fabrics.hpp"

namespace ccsim {
namespace updown_order_test {

// A ring of four with its root at 0: ranks 0, 1, 2, 1.
TEST(UpDownOrder, UpIsToTheRoot) {
  const Fabric f = testing::Ring(4, 1);
  const SwitchGraph graph(f);
  const UpDownOrder order(graph, {0, 1, 2, 1});
  EXPECT_TRUE(order.IsUp(1, 0));
  EXPECT_TRUE(order.IsUp(2, 1));
  EXPECT_TRUE(order.IsUp(2, 3));
  EXPECT_FALSE(order.IsUp(0, 3));
}

TEST(UpDownOrder, BetweenEqualRanksUpIsToTheLowerGuid) {
  const Fabric f = testing::Ring(3, 1);  // GUIDs 1, 2, 3
  const SwitchGraph graph(f);
  const UpDownOrder order(graph, {0, 1, 1});
  EXPECT_TRUE(order.IsUp(2, 1));
  EXPECT_FALSE(order.IsUp(1, 2));
}

TEST(UpDownOrder, AShortestLegalRouteCanBeLongerThanTheShortest) {
  const Fabric f = testing::Ring(5, 1);  // ranks 0, 1, 2, 2, 1; the link 2-3 joins equals
  const SwitchGraph graph(f);
  UpDownOrder order(graph, {0, 1, 2, 2, 1});
  order.Aim(3);
  EXPECT_EQ(order.hops(2), 1u);
  EXPECT_EQ(order.hops(1), 2u);  // down to 2 and down to 3, which has the higher GUID
  order.Aim(2);
  EXPECT_EQ(order.hops(3), 1u);  // up
  EXPECT_EQ(order.hops(4), 3u);  // not down to 3 and up to 2, but over the root
  PortSet ports;
  order.Ports(4, ports);
  ASSERT_FALSE(ports.empty());
  EXPECT_EQ(*ports.begin(), 1);  // to 0
}

TEST(UpDownOrder, ASwitchWithoutARankIsNotRoutedThrough) {
  const Fabric f = testing::Ring(4, 1);
  const SwitchGraph graph(f);
  UpDownOrder order(graph, {0, kNone, 2, 1});
  order.Aim(2);
  EXPECT_EQ(order.hops(0), 2u);  // by 3
  EXPECT_EQ(order.hops(1), kNone);
  order.Aim(1);
  EXPECT_EQ(order.hops(0), kNone);
}

}  // namespace updown_order_test
}  // namespace ccsim
