// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agents/sma/link.hpp"

#include <gtest/gtest.h>

namespace ccsim::emulator {
namespace sma_link_test {

SmaPort At(std::string_view rate) {
  SmaPort port;
  SetRate(port, ParseLinkRate(rate));
  return port;
}

TEST(SmaLink, TrainsToTheBestThatBothHave) {
  SmaPort a = At("4xHDR"), b = At("12xEDR");
  ASSERT_TRUE(NegotiateLink(a, b));
  EXPECT_EQ(a.width_active, kWidth1x);
  EXPECT_EQ(b.width_active, kWidth1x);
  EXPECT_EQ(a.speed_active, SpeedBit(LinkSpeed::EDR));
  SmaPort c = At("2xHDR"), d = At("2xHDR");
  ASSERT_TRUE(NegotiateLink(c, d));
  EXPECT_EQ(c.width_active, kWidth2x);
}

TEST(SmaLink, Fdr10IsBetweenPortsThatHaveItOnly) {
  SmaPort a = At("4xFDR10"), b = At("4xFDR10"), faster = At("4xFDR");
  ASSERT_TRUE(NegotiateLink(a, b));
  EXPECT_TRUE(HasFdr10(a.speed_active));
  ASSERT_TRUE(NegotiateLink(a, faster));
  EXPECT_EQ(faster.speed_active, SpeedBit(LinkSpeed::QDR));
}

TEST(SmaLink, NeitherDisabledPortsNorTwoSleepersTrain) {
  SmaPort a = At("4xEDR"), b = At("4xEDR");
  a.physical_state = PhysicalState::Disabled;
  EXPECT_FALSE(NegotiateLink(a, b));
  a.physical_state = PhysicalState::Sleep;
  EXPECT_TRUE(NegotiateLink(a, b));
  b.physical_state = PhysicalState::Sleep;
  EXPECT_FALSE(NegotiateLink(a, b));
}

}  // namespace sma_link_test
}  // namespace ccsim::emulator
