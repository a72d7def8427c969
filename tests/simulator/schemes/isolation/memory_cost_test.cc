// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "schemes/isolation/memory_cost.hpp"

namespace ccsim {
namespace memory_cost_test {

IsolationParameters EcoCc(std::uint64_t hosts) {
  IsolationParameters parameters = IsolationDefaults("EcoCC");
  parameters.line_destinations = LineDestinations(hosts);
  return parameters;
}

// Paper VI, Table 5.
TEST(MemoryCost, IsThatOfTable5) {
  EXPECT_EQ(CellsPerLine(64, LineDestinations(64)), (MemoryCells{64, 35}));
  EXPECT_EQ(CellsPerLine(256, LineDestinations(256)), (MemoryCells{144, 35}));
  EXPECT_EQ(CellsPerLine(1024, LineDestinations(1024)), (MemoryCells{336, 35}));
}

// Paper VI, section 8: 9 lines in an input port of an 8-port switch.
TEST(MemoryCost, OfAnInputPortIsThatOfItsLines) {
  EXPECT_EQ(CellsPerInputPort(EcoCc(1024), 1024, 7), (MemoryCells{3024, 315}));
  EXPECT_EQ(CellsPerInputPort(IsolationDefaults("CCFIT"), 64, 7), (MemoryCells{2 * (16 + 6), 2 * 35}));
}

TEST(MemoryCost, RoundsAddressesUp) {
  EXPECT_EQ(CellsPerLine(65, 8).cam, 16U + 8 * 7);
  EXPECT_EQ(CellsPerLine(11'664, 32).cam, 16U + 32 * 14);
}

TEST(MemoryCost, RefusesWhatItCannotCount) {
  EXPECT_THROW(CellsPerLine(1, 8), std::invalid_argument);
  EXPECT_THROW(CellsPerLine(64, 0), std::invalid_argument);
  EXPECT_THROW(CellsPerLine(64, 33), std::invalid_argument);
}

}  // namespace memory_cost_test
}  // namespace ccsim
