// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agents/sma/m_key.hpp"

#include <gtest/gtest.h>

#include "emulator/management.hpp"
#include "testing.hpp"

namespace ccsim::emulator {
namespace sma_m_key_test {

using namespace testing;

constexpr std::uint64_t kKey = 0xC0FFEE;
constexpr Place kH1{2, 1}, kH2{3, 1};
constexpr std::int64_t kSecond = 1'000'000'000;

// H1 asks the agent of H2, whose key is kKey.
class SmaMKey : public ::testing::Test {
 protected:
  SmaMKey() {
    BringUp(subnet_, kH1);
    h2_.m_key = kKey;
  }
  void Protect(std::uint8_t level, std::uint16_t lease_s = 0) {
    h2_.m_key_protect = level;
    h2_.m_key_lease_s = lease_s;
  }
  Response Get(std::uint64_t key) { return manager_.Get(kToH2, kPortInfoId, 1, key); }
  Response Set(std::uint64_t key) {
    Data data = manager_.Get(kToH2, kPortInfoId, 1, kKey).data;
    data[32] &= 0xF0;
    data[33] = 0;
    return manager_.Set(kToH2, kPortInfoId, 1, data, key);
  }

  const Path kToH2{1, 2};
  const ccsim::testing::Bed bed_ = ccsim::testing::TwoSwitch();
  std::int64_t now_ = 0;
  Subnet subnet_{bed_.fabric, 1, [this] { return now_; }};
  Manager manager_{subnet_, kH1};
  SmaPort& h2_ = subnet_.sma_port(kH2);
};

TEST_F(SmaMKey, WithoutAKeyAnybodyMay) {
  h2_.m_key = 0;
  Protect(3);
  EXPECT_TRUE(Get(1).ok());
  EXPECT_TRUE(Set(1).ok());
}

TEST_F(SmaMKey, Level0LetsAnybodyReadEvenTheKey) {
  Protect(0);
  EXPECT_EQ(Get64(Get(1).data.data()), kKey);
  EXPECT_EQ(Set(1).fate, Fate::Lost);
  EXPECT_EQ(h2_.m_key_violations, 1);
  EXPECT_TRUE(Set(kKey).ok());
}

TEST_F(SmaMKey, Level1HidesTheKey) {
  Protect(1);
  EXPECT_TRUE(Get(1).ok());
  EXPECT_EQ(Get64(Get(1).data.data()), 0u);
  EXPECT_EQ(Get64(Get(kKey).data.data()), kKey);
  EXPECT_EQ(Set(1).fate, Fate::Lost);
}

TEST_F(SmaMKey, Levels2And3AnswerNobodyElse) {
  for (const std::uint8_t level : {2, 3}) {
    Protect(level);
    EXPECT_EQ(Get(1).fate, Fate::Lost);
    EXPECT_EQ(manager_.Get(kToH2, kNodeInfoId, 0, 1).fate, Fate::Lost);
    EXPECT_TRUE(Get(kKey).ok());
  }
  EXPECT_EQ(h2_.m_key_violations, 4);
}

TEST_F(SmaMKey, TheLeaseEndsProtectionUnlessTheOwnerComesBack) {
  Protect(2, 10);
  now_ = 5 * kSecond;
  EXPECT_EQ(Get(1).fate, Fate::Lost);  // from now on ten seconds
  now_ = 14 * kSecond;
  EXPECT_EQ(Get(1).fate, Fate::Lost);
  EXPECT_TRUE(Get(kKey).ok());
  now_ = 30 * kSecond;
  EXPECT_EQ(Get(1).fate, Fate::Lost);  // it was stopped, and starts anew
  now_ = 40 * kSecond;
  const Response info = Get(1);
  EXPECT_TRUE(info.ok());
  EXPECT_EQ(Get64(info.data.data()), kKey);
  EXPECT_EQ(info.data[34] >> 6, 0);
}

TEST_F(SmaMKey, WithoutALeasePeriodItNeverEnds) {
  Protect(2, 0);
  EXPECT_EQ(Get(1).fate, Fate::Lost);
  now_ = 1'000'000 * kSecond;
  EXPECT_EQ(Get(1).fate, Fate::Lost);
}

TEST_F(SmaMKey, TheCounterOfViolationsStaysAtItsEnd) {
  Protect(2);
  h2_.m_key_violations = 0xFFFE;
  for (int i = 0; i < 3; ++i) Get(1);
  EXPECT_EQ(h2_.m_key_violations, 0xFFFF);
}

TEST_F(SmaMKey, OfASwitchThatOfItsManagementPortCounts) {
  subnet_.sma_port({0, 0}).m_key = kKey;
  subnet_.sma_port({0, 0}).m_key_protect = 2;
  EXPECT_EQ(manager_.Get({1}, kPortInfoId, 36, 1).fate, Fate::Lost);
  EXPECT_TRUE(manager_.Get({1}, kPortInfoId, 36, kKey).ok());
  EXPECT_TRUE(manager_.Get({1, 36}, kNodeInfoId, 0, 1).ok());  // those that pass through are not its own
}

TEST_F(SmaMKey, AFaultCanRefuseTheRightOne) {
  Protect(2);
  Datagram datagram = DirectedSmp(kToH2, {kGet, kNodeInfoId, 0, {}, kKey});
  EXPECT_TRUE(AdmitsMKey(subnet_, kH2, 1, Mad(datagram.mad)));
  EXPECT_FALSE(AdmitsMKey(subnet_, kH2, 1, Mad(datagram.mad), true));
  EXPECT_EQ(h2_.m_key_violations, 1);
}

TEST_F(SmaMKey, AViolationIsReportedWithTheWayItCame) {
  Protect(2);
  Get(0x77);
  ASSERT_EQ(subnet_.outbox().size(), 1u);
  const Unsolicited& trap = subnet_.outbox()[0];
  EXPECT_EQ(trap.from, kH2);
  EXPECT_EQ(trap.datagram.dlid, h2_.sm_lid);
  const std::uint8_t* notice = trap.datagram.mad.data() + 64;
  EXPECT_EQ(notice[0], 0x82);  // generic, security
  EXPECT_EQ(Get16(notice + 4), 256);
  EXPECT_EQ(Get16(notice + 6), h2_.lid);
  EXPECT_EQ(Get16(notice + 12), kPermissiveLid);
  EXPECT_EQ(Get16(notice + 14), kPermissiveLid);
  EXPECT_EQ(notice[16], kGet);
  EXPECT_EQ(Get16(notice + 18), kPortInfoId);
  EXPECT_EQ(Get32(notice + 20), 1u);
  EXPECT_EQ(Get64(notice + 24), 0x77u);
  EXPECT_EQ(notice[33], 0x82);  // a directed route of two hops
  EXPECT_EQ(notice[34], 1);
  EXPECT_EQ(notice[35], 1);
}

}  // namespace sma_m_key_test
}  // namespace ccsim::emulator
