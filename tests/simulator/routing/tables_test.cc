// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <gtest/gtest.h>

#include "fabrics.hpp"
#include "routing/registry.hpp"

namespace ccsim {
namespace tables_test {

TEST(Tables, RoutesNothingByItself) {
  Fabric f = testing::Ring(3, 1);
  RouteBy(f, "minhop");
  RouteBy(f, "tables");
  for (std::uint32_t s = 0; s < 3; ++s) {
    for (std::uint32_t e = 0; e < 3; ++e) EXPECT_EQ(f.forward(s, e), kNoRoute);
  }
}

}  // namespace tables_test
}  // namespace ccsim
