// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "congestion/reaction.hpp"

#include <gtest/gtest.h>

namespace ccsim {
namespace reaction_test {

constexpr Time kTick = 150 * kCctiTimerUnit;  // 153.6 us

class Reaction : public ::testing::Test {
 protected:
  Reaction() {
    for (unsigned i = 0; i < 8; ++i) table[i] = {static_cast<std::uint8_t>(i % 4), static_cast<std::uint16_t>(10 * i)};
    setting = {.period = kTick, .phase = 0, .increase = 1, .min = 0, .limit = 7, .table = table};
  }
  ccp_cct_entry table[8];
  ReactionSetting setting;
  ReactionState state;
};

TEST_F(Reaction, ABecnRaisesTheCctiByCctiIncreaseUpToCctiLimit) {
  setting.increase = 3;
  for (const int expected : {3, 6, 7, 7}) {
    OnBecn(setting, CctiTimer::PortSl, state, 10);
    EXPECT_EQ(CurrentCcti(setting, state, 10), expected);
  }
}

TEST_F(Reaction, EachTickOfThePortsTimerLowersItByOneDownToCctiMin) {
  setting.increase = 5;
  setting.min = 2;
  const Time becn = kTick / 2;
  OnBecn(setting, CctiTimer::PortSl, state, becn);
  EXPECT_EQ(CurrentCcti(setting, state, becn), 7);
  EXPECT_EQ(CurrentCcti(setting, state, kTick - 1), 7);
  EXPECT_EQ(CurrentCcti(setting, state, kTick), 6);  // the timer runs free: half a period after the BECN
  EXPECT_EQ(CurrentCcti(setting, state, 5 * kTick), 2);
  EXPECT_EQ(CurrentCcti(setting, state, 1000 * kTick), 2);
}

TEST_F(Reaction, ThePhaseSaysWhereInItsPeriodTheTimerStood) {
  setting.phase = kTick / 4;
  OnBecn(setting, CctiTimer::PortSl, state, 0);
  EXPECT_EQ(CurrentCcti(setting, state, kTick * 3 / 4 - 1), 1);
  EXPECT_EQ(CurrentCcti(setting, state, kTick * 3 / 4), 0);
}

TEST_F(Reaction, AFlowsOwnTimerStartsAnewWithEachBecn) {
  OnBecn(setting, CctiTimer::Flow, state, kTick / 2);
  OnBecn(setting, CctiTimer::Flow, state, kTick);
  EXPECT_EQ(CurrentCcti(setting, state, 2 * kTick - 1), 2);
  EXPECT_EQ(CurrentCcti(setting, state, 2 * kTick), 1);
}

TEST_F(Reaction, TicksBetweenBecnsAreCounted) {
  setting.increase = 4;
  OnBecn(setting, CctiTimer::PortSl, state, 0);
  OnBecn(setting, CctiTimer::PortSl, state, 3 * kTick + 1);  // 4 - 3 + 4
  EXPECT_EQ(CurrentCcti(setting, state, 3 * kTick + 1), 5);
  EXPECT_EQ(CurrentCcti(setting, state, 4 * kTick), 4);
}

TEST_F(Reaction, ATimerOf0LetsTheCctiFallAtOnce) {
  setting.period = 0;
  OnBecn(setting, CctiTimer::PortSl, state, 5);
  EXPECT_EQ(CurrentCcti(setting, state, 5), 0);
}

TEST_F(Reaction, NewSettingsKeepTheCctiWithinTheirBounds) {
  OnProgrammed(setting, CctiTimer::PortSl, state, 5, kTick + kTick / 2);
  EXPECT_EQ(CurrentCcti(setting, state, 2 * kTick - 1), 5);
  EXPECT_EQ(CurrentCcti(setting, state, 2 * kTick), 4);  // the port's timer goes on
  OnProgrammed(setting, CctiTimer::PortSl, state, 100, 0);
  EXPECT_EQ(CurrentCcti(setting, state, 0), 7);
  setting.min = 3;
  OnProgrammed(setting, CctiTimer::Flow, state, 0, 0);
  EXPECT_EQ(CurrentCcti(setting, state, 0), 3);
}

TEST_F(Reaction, TheDelayIsThePacketTimeShiftedTimesTheMultiplier) {
  EXPECT_EQ(InjectionRateDelay(setting, 0, 1000), 0);
  EXPECT_EQ(InjectionRateDelay(setting, 3, 1000), (1000 >> 3) * 30);
  EXPECT_EQ(InjectionRateDelay(setting, 5, 500), (500 >> 1) * 50);  // relative to the packet's length
}

}  // namespace reaction_test
}  // namespace ccsim
