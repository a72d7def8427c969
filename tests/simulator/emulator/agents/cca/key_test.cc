// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agents/cca/key.hpp"

#include "emulator/agents/asking.hpp"

namespace ccsim::emulator {
namespace cca_key_test {

using testing::Ask;
using testing::Asked;
using testing::Packed;
using testing::Read;
using testing::SmallSubnet;

constexpr std::uint16_t kKeyInfo = CCP_CONGESTION_KEY_INFO, kTimestamp = CCP_TIMESTAMP;
constexpr std::uint64_t kKey = 0x1122334455667788;
constexpr std::int64_t kSecond = 1'000'000'000;

ccp_congestion_key_info Info(std::uint64_t key, std::uint8_t protect = 0, std::uint16_t lease_s = 0,
                             std::uint16_t violations = 0) {
  return {.cc_key = key, .cc_key_protect_bit = protect, .cc_key_lease_period = lease_s, .cc_key_violations = violations};
}

class CcKey : public ::testing::Test {
 protected:
  Asked SetKey(const ccp_congestion_key_info& info, std::uint64_t with = 0) {
    return Ask(s_.subnet, SmallSubnet::kAtHost1,
               {.method = kSet, .attribute = kKeyInfo, .data = Packed(CCP_CONGESTION_KEY_INFO, info), .key = with});
  }
  ccp_congestion_key_info GetKey(std::uint64_t with) {
    const Asked asked = Ask(s_.subnet, SmallSubnet::kAtHost1, {.attribute = kKeyInfo, .key = with});
    EXPECT_TRUE(asked.answered);
    EXPECT_EQ(asked.status, kOk);
    return Read<ccp_congestion_key_info>(CCP_CONGESTION_KEY_INFO, asked);
  }
  bool LetsIn(std::uint64_t with, Place at = SmallSubnet::kAtHost1) {
    return Ask(s_.subnet, at, {.attribute = kTimestamp, .key = with}).answered;
  }
  CcaKey& held() { return s_.subnet.device(SmallSubnet::kHost).cca.ports[1].key; }

  SmallSubnet s_;
};

TEST_F(CcKey, WithoutAKeyAllAreLetIn) {
  EXPECT_TRUE(LetsIn(0));
  EXPECT_TRUE(LetsIn(42));
  EXPECT_EQ(GetKey(42).cc_key_violations, 0);
}

TEST_F(CcKey, IsOfOneAgent) {
  const Asked set = SetKey(Info(kKey, 1, 60, 1));
  EXPECT_EQ(set.status, kOk);
  EXPECT_EQ(Read<ccp_congestion_key_info>(CCP_CONGESTION_KEY_INFO, set).cc_key, kKey);
  EXPECT_TRUE(LetsIn(kKey));
  EXPECT_FALSE(LetsIn(0));
  EXPECT_TRUE(LetsIn(0, SmallSubnet::kAtHost2));
  EXPECT_TRUE(LetsIn(0, SmallSubnet::kAtSwitch));
}

TEST_F(CcKey, AWrongKeyIsCountedAndChangesNothing) {
  SetKey(Info(kKey));
  EXPECT_FALSE(SetKey(Info(7), kKey + 1).answered);
  EXPECT_FALSE(LetsIn(0));
  EXPECT_EQ(GetKey(kKey).cc_key, kKey);
  EXPECT_EQ(GetKey(kKey).cc_key_violations, 2);
  held().violations = 0xFFFF;
  EXPECT_FALSE(LetsIn(0));
  EXPECT_EQ(GetKey(kKey).cc_key_violations, 0xFFFF);
  // A Set of 0 clears the count, any other value leaves it.
  SetKey(Info(kKey, 0, 0, 5), kKey);
  EXPECT_EQ(GetKey(kKey).cc_key_violations, 0xFFFF);
  SetKey(Info(kKey), kKey);
  EXPECT_EQ(GetKey(kKey).cc_key_violations, 0);
}

TEST_F(CcKey, AKeyIsReplacedByWhoKnowsIt) {
  SetKey(Info(kKey));
  EXPECT_TRUE(SetKey(Info(5), kKey).answered);
  EXPECT_FALSE(LetsIn(kKey));
  EXPECT_TRUE(LetsIn(5));
  EXPECT_TRUE(SetKey(Info(0), 5).answered);
  EXPECT_TRUE(LetsIn(1234));
}

TEST_F(CcKey, TheProtectBitHidesTheKeyFromWhoDoesNotKnowIt) {
  SetKey(Info(kKey, 1));
  EXPECT_EQ(GetKey(kKey).cc_key, kKey);
  EXPECT_EQ(GetKey(0).cc_key, 0u);
  EXPECT_EQ(GetKey(0).cc_key_protect_bit, 1);
  EXPECT_EQ(GetKey(0).cc_key_violations, 0);  // asking is no violation
  SetKey(Info(kKey), kKey);
  EXPECT_EQ(GetKey(0).cc_key, kKey);
  EXPECT_FALSE(LetsIn(0));  // the bit is about the key only
}

TEST_F(CcKey, TheLeaseRunsFromAViolationAndEndsTheProtection) {
  SetKey(Info(kKey, 1, 3));
  s_.now_ns = 100 * kSecond;
  EXPECT_EQ(GetKey(0).cc_key, 0u);  // no violation yet: nothing runs
  EXPECT_FALSE(LetsIn(0));
  s_.now_ns += 2 * kSecond;
  EXPECT_FALSE(LetsIn(0));  // a second one does not start it anew
  s_.now_ns += kSecond - 1;
  EXPECT_EQ(GetKey(0).cc_key, 0u);
  s_.now_ns += 1;
  EXPECT_EQ(GetKey(0).cc_key, kKey);
  EXPECT_EQ(GetKey(0).cc_key_protect_bit, 0);
  EXPECT_EQ(GetKey(0).cc_key_lease_period, 3);
  EXPECT_FALSE(LetsIn(0));
  EXPECT_TRUE(LetsIn(kKey));
}

TEST_F(CcKey, TheRightKeyStopsTheLease) {
  SetKey(Info(kKey, 1, 3));
  EXPECT_FALSE(LetsIn(0));
  s_.now_ns += 2 * kSecond;
  EXPECT_TRUE(LetsIn(kKey));
  s_.now_ns += 10 * kSecond;
  EXPECT_EQ(GetKey(0).cc_key_protect_bit, 1);
  // And a violation starts it again, for its whole length.
  EXPECT_FALSE(LetsIn(0));
  s_.now_ns += 3 * kSecond;
  EXPECT_EQ(GetKey(0).cc_key_protect_bit, 0);
}

TEST_F(CcKey, ALeaseOfZeroLastsForEver) {
  SetKey(Info(kKey, 1));
  EXPECT_FALSE(LetsIn(0));
  s_.now_ns += 70'000 * kSecond;
  EXPECT_EQ(GetKey(0).cc_key_protect_bit, 1);
}

TEST_F(CcKey, PowerOffForgetsIt) {
  SetKey(Info(kKey, 1));
  s_.subnet.Reboot(SmallSubnet::kHost);
  EXPECT_TRUE(LetsIn(0));
}

TEST_F(CcKey, KeyInfoHasNoModifier) {
  EXPECT_EQ(Ask(s_.subnet, SmallSubnet::kAtHost1, {.attribute = kKeyInfo, .modifier = 1}).status, kInvalidField);
}

// The fault of that name: whatever key comes, it is wrong.
TEST_F(CcKey, AFaultRefusesAnyKey) {
  FaultSpec spec;
  spec.kind = "refuse-key";
  spec.mgmt_class = kCongestionControl;
  s_.subnet.faults().Add(s_.subnet, spec);
  EXPECT_FALSE(LetsIn(0));
  EXPECT_FALSE(Ask(s_.subnet, SmallSubnet::kAtHost1, {.attribute = kKeyInfo}).answered);
  EXPECT_EQ(held().violations, 2);
}

}  // namespace cca_key_test
}  // namespace ccsim::emulator
