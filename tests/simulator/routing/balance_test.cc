// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/balance.hpp"

#include <gtest/gtest.h>

#include "fabrics.hpp"

namespace ccsim {
namespace balance_test {

TEST(Balance, TakesThePortWithTheFewestDestinationsThenTheLowest) {
  testing::Builder b;
  const std::uint32_t near = b.Switch(), far = b.Switch();
  for (int i = 0; i < 3; ++i) b.Link(near, far);  // ports 1 to 3
  for (int i = 0; i < 5; ++i) b.Host(far);
  const SwitchGraph graph(b.fabric);
  Balance balance(b.fabric, graph);
  PortSet ports;
  ports.push_back(2);
  balance.Forward(0, graph.attached(1).first(1), ports);  // port 2 has one now
  ports.clear();
  for (const std::uint8_t port : {1, 2, 3}) ports.push_back(port);
  balance.Forward(0, graph.attached(1).subspan(1), ports);
  const std::vector<int> expected{2, 1, 3, 1, 2};
  for (std::uint32_t e = 0; e < 5; ++e) EXPECT_EQ(b.fabric.forward(0, e), expected[e]);
}

TEST(Balance, DeliversByTheHostsOwnPorts) {
  Fabric f = testing::Ring(3, 2);
  const SwitchGraph graph(f);
  Balance(f, graph).Deliver(1, graph.attached(1));
  EXPECT_EQ(f.forward(1, 2), 3);
  EXPECT_EQ(f.forward(1, 3), 4);
}

}  // namespace balance_test
}  // namespace ccsim
