// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/traps.hpp"

#include <gtest/gtest.h>

#include "../testing.hpp"
#include "management.hpp"

namespace ccsim::emulator {
namespace traps_test {

using namespace testing;

constexpr Place kH1{2, 1};  // where the manager is
constexpr std::int64_t kPeriod_ns = std::int64_t{4096} << 18;

class TrapsTest : public ::testing::Test {
 protected:
  TrapsTest() { BringUp(subnet_, kH1); }
  std::size_t Sent() {
    const std::size_t sent = subnet_.outbox().size();
    subnet_.outbox().clear();
    return sent;
  }
  void Tick(std::int64_t at_ns) {
    now_ = at_ns;
    subnet_.Tick();
  }

  const ccsim::testing::Bed bed_ = ccsim::testing::TwoSwitch();
  std::int64_t now_ = 0;
  Subnet subnet_{bed_.fabric, 1, [this] { return now_; }};
};

TEST_F(TrapsTest, ALinkThatFailsIsReportedByTheSwitchesThatSeeIt) {
  subnet_.SetLink(0, 36, false);
  ASSERT_EQ(subnet_.outbox().size(), 2u);
  Unsolicited trap = subnet_.outbox().front();
  EXPECT_EQ(trap.from, (Place{0, 0}));
  const Mad mad(trap.datagram.mad);
  EXPECT_EQ(mad.mgmt_class(), kSmpLid);
  EXPECT_EQ(mad.method(), kTrap);
  EXPECT_EQ(mad.attribute(), 0x0002);
  const std::uint8_t* notice = trap.datagram.mad.data() + 64;
  EXPECT_EQ(notice[0], 0x81);  // generic, urgent
  EXPECT_EQ(notice[3], 2);     // by a switch
  EXPECT_EQ(Get16(notice + 4), 128);
  EXPECT_EQ(Get16(notice + 6), 1);
  EXPECT_EQ(Get16(notice + 10), 1);
  const Delivery delivery = subnet_.Send(trap.from, trap.datagram);
  EXPECT_EQ(delivery.fate, Fate::ForClient);
  EXPECT_EQ(delivery.at, kH1);
  // The other switch is cut off: its trap is lost, and it keeps trying.
  EXPECT_EQ(subnet_.Send(subnet_.outbox()[1].from, subnet_.outbox()[1].datagram).fate, Fate::Lost);
}

TEST_F(TrapsTest, AHostsOwnLinkIsNewsToItsSwitch) {
  subnet_.SetPresent(5, false);
  ASSERT_EQ(subnet_.outbox().size(), 1u);
  EXPECT_EQ(subnet_.outbox()[0].from, (Place{1, 0}));
}

TEST_F(TrapsTest, AreRepeatedABoundedNumberOfTimes) {
  subnet_.SetLink(0, 1, false);  // the manager itself is cut off
  EXPECT_EQ(Sent(), 1u);
  EXPECT_EQ(subnet_.NextDeadline_ns(), kPeriod_ns);
  Tick(kPeriod_ns - 1);
  EXPECT_EQ(Sent(), 0u);
  for (int i = 1; i <= 4; ++i) {
    Tick(i * kPeriod_ns);
    EXPECT_EQ(Sent(), 1u) << i;
  }
  Tick(5 * kPeriod_ns);
  EXPECT_EQ(Sent(), 0u);
  EXPECT_EQ(subnet_.NextDeadline_ns(), INT64_MAX);
}

TEST_F(TrapsTest, AreRepressed) {
  subnet_.SetLink(0, 7, false);
  subnet_.SetLink(1, 5, false);
  ASSERT_EQ(subnet_.outbox().size(), 1u);
  Datagram repress = subnet_.outbox()[0].datagram;
  Sent();
  repress.mad[3] = kTrapRepress;
  std::swap(repress.slid, repress.dlid);
  Datagram other = repress;
  Mad(other.mad).set_transaction_id(4711);
  EXPECT_EQ(subnet_.Send(kH1, other).fate, Fate::Consumed);
  Tick(kPeriod_ns);
  EXPECT_EQ(Sent(), 1u);
  EXPECT_EQ(subnet_.Send(kH1, repress).fate, Fate::Consumed);
  Tick(2 * kPeriod_ns);
  EXPECT_EQ(Sent(), 0u);
  EXPECT_EQ(subnet_.NextDeadline_ns(), INT64_MAX);
}

TEST_F(TrapsTest, OfOneKindComeNoFasterThanTheSubnetTimeout) {
  subnet_.SetLink(1, 5, false);
  EXPECT_EQ(Sent(), 1u);
  now_ = 1000;
  subnet_.SetLink(1, 5, true);  // must not get lost, but waits
  EXPECT_EQ(Sent(), 0u);
  Tick(kPeriod_ns);
  EXPECT_EQ(Sent(), 1u);
}

TEST_F(TrapsTest, ChangesOfCapabilitiesAndOfEnabledSpeedsAreReported) {
  subnet_.SetIsSm({5, 1}, true);
  ASSERT_EQ(subnet_.outbox().size(), 1u);
  const std::uint8_t* notice = subnet_.outbox()[0].datagram.mad.data() + 64;
  EXPECT_EQ(notice[0], 0x84);  // generic, informational
  EXPECT_EQ(notice[3], 1);
  EXPECT_EQ(Get16(notice + 4), 144);
  EXPECT_EQ(Get16(notice + 12), subnet_.sma_port({5, 1}).lid);
  EXPECT_EQ(notice[15], 0);
  EXPECT_EQ(Get32(notice + 16) & 2u, 2u);
  Sent();
  subnet_.SetIsSm({5, 1}, true);
  EXPECT_EQ(Sent(), 0u);

  Manager manager(subnet_, kH1);
  Data data = manager.PortInfo({}, 1);
  data[29] = 1;
  manager.Set({}, kPortInfoId, 1, data);
  ASSERT_EQ(subnet_.outbox().size(), 1u);
  EXPECT_EQ(subnet_.outbox()[0].datagram.mad[64 + 15], 1);
  EXPECT_EQ(Get16(subnet_.outbox()[0].datagram.mad.data() + 64 + 20), kWidthEnabledChange);
}

TEST_F(TrapsTest, NobodyIsToldWhereThereIsNoManager) {
  subnet_.sma_port({1, 0}).sm_lid = 0;
  subnet_.SetLink(1, 5, false);
  EXPECT_EQ(Sent(), 0u);
  EXPECT_TRUE(subnet_.device(1).sma.port_state_change);
}

TEST_F(TrapsTest, ANodeThatRestartsHasForgottenItsOwn) {
  subnet_.SetLink(1, 5, false);
  Sent();
  subnet_.Reboot(1);
  Sent();
  Tick(10 * kPeriod_ns);
  for (const Unsolicited& trap : subnet_.outbox()) EXPECT_NE(trap.from.node, 1u);
}

}  // namespace traps_test
}  // namespace ccsim::emulator
