// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/service_levels.hpp"

#include <gtest/gtest.h>

#include "testing.hpp"

namespace ccsim {
namespace service_levels_test {

TEST(ServiceLevels, WithoutTablesAnSlIsItsVlModuloTheirNumber) {
  const testing::Bed bed = testing::TwoSwitch();
  const ServiceLevels levels(bed.fabric, 3);
  EXPECT_TRUE(levels.trivial());
  EXPECT_EQ(levels.max_flow_sl(), 15u);
  EXPECT_EQ(levels.Sl(7, bed.h(1), bed.h(4)), 7);
  EXPECT_EQ(levels.FirstVl(bed.h(1), 7), 1);
  EXPECT_EQ(levels.NextVl(0, 0, 3, 7), 1);
}

// S1 has the local ports 0 to 2 to hosts and 3, number 36, to S2.
TEST(ServiceLevels, TablesAreFoundByLocalPorts) {
  testing::Bed bed = testing::TwoSwitch();
  SlToVl all{}, own{};
  all.fill(1);
  own.fill(4);
  bed.fabric.SetDefaultSlToVl(all);
  bed.fabric.SetSlToVl(0, 2, 36, own);
  bed.fabric.SetSlToVl(2, 0, 1, own);  // what H1 sends
  EXPECT_EQ(ServiceLevels::NumVls(bed.fabric, 2), 5u);
  const ServiceLevels levels(bed.fabric, 5);
  EXPECT_FALSE(levels.trivial());
  EXPECT_EQ(levels.NextVl(0, 1, 3, 9), 4);
  EXPECT_EQ(levels.NextVl(0, 0, 3, 9), 1);
  EXPECT_EQ(levels.NextVl(1, 1, 3, 9), 1);
  EXPECT_EQ(levels.FirstVl(bed.h(1), 0), 4);
  EXPECT_EQ(levels.FirstVl(bed.h(2), 0), 1);
}

TEST(ServiceLevels, ThePathSlTakesTheLowBits) {
  testing::Bed bed = testing::TwoSwitch();
  bed.fabric.SetPathSls(2, {0, 1, 2, 3});  // from S1 to S2: 1; back: 2
  bed.fabric.SetMinVls(2);
  EXPECT_EQ(ServiceLevels::NumVls(bed.fabric, 1), 2u);
  const ServiceLevels levels(bed.fabric, 2);
  EXPECT_FALSE(levels.trivial());
  EXPECT_EQ(levels.max_flow_sl(), 3u);
  EXPECT_EQ(levels.Sl(3, bed.h(1), bed.h(2)), 12);
  EXPECT_EQ(levels.Sl(3, bed.h(1), bed.h(4)), 13);
  EXPECT_EQ(levels.Sl(0, bed.h(4), bed.h(1)), 2);
  EXPECT_EQ(levels.Sl(0, bed.h(4), bed.h(5)), 3);
}

}  // namespace service_levels_test
}  // namespace ccsim
