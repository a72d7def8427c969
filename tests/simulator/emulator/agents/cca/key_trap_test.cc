// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agents/cca/key_trap.hpp"

#include "emulator/agents/asking.hpp"
#include "libibmad.hpp"

namespace ccsim::emulator {
namespace cca_key_trap_test {

using ibcc::testing::LibIbmad;
using testing::Ask;
using testing::Packed;
using testing::SmallSubnet;

constexpr std::uint16_t kAsker = 99, kManager = 12;

class KeyViolationTrap : public ::testing::Test {
 protected:
  void SetTarget(Place at, std::uint16_t lid, std::uint32_t qp) {
    ccp_class_port_info info{};
    info.trap_lid = lid;
    info.trap_qp = qp;
    Ask(s_.subnet, at, {.method = kSet, .attribute = CCP_CLASS_PORT_INFO, .data = Packed(CCP_CLASS_PORT_INFO, info)});
    const ccp_congestion_key_info key{
        .cc_key = 0xABCD, .cc_key_protect_bit = 1, .cc_key_lease_period = 0, .cc_key_violations = 0};
    Ask(s_.subnet, at, {.method = kSet, .attribute = CCP_CONGESTION_KEY_INFO, .data = Packed(CCP_CONGESTION_KEY_INFO, key)});
    s_.subnet.outbox().clear();
  }
  void Offend(Place at) {
    EXPECT_FALSE(
        Ask(s_.subnet, at, {.method = kSet, .attribute = CCP_CONGESTION_CONTROL_TABLE, .modifier = 3, .key = 0x55}).answered);
  }
  SmallSubnet s_;
};

TEST_F(KeyViolationTrap, TellsTheTargetWhoAskedForWhat) {
  SetTarget(SmallSubnet::kAtSwitch, kManager, 7);
  s_.subnet.device(SmallSubnet::kHost).sma.ports[1].lid = kAsker;
  Offend(SmallSubnet::kAtSwitch);
  ASSERT_EQ(s_.subnet.outbox().size(), 1u);
  const Unsolicited& trap = s_.subnet.outbox().front();
  EXPECT_EQ(trap.from, SmallSubnet::kAtSwitch);
  EXPECT_EQ(trap.datagram.slid, 1);
  EXPECT_EQ(trap.datagram.dlid, kManager);
  EXPECT_EQ(trap.datagram.dqp, 7u);
  const std::uint8_t* mad = trap.datagram.mad.data();
  EXPECT_EQ(std::vector<std::uint8_t>(mad, mad + 6), (std::vector<std::uint8_t>{1, 0x21, 2, kTrap, 0, 0}));
  EXPECT_EQ(Get16(mad + 16), 0x0002);
  EXPECT_EQ(Get64(mad + 24), 0u);  // the key is no one else's business
  const std::uint8_t* notice = mad + 64;
  EXPECT_EQ(notice[0], 0x82);
  EXPECT_EQ(Get16(notice + 4), 0);
  EXPECT_EQ(Get16(notice + 6), 1);
  const std::uint8_t* details = notice + 10;
  EXPECT_EQ(Get16(details), kAsker);
  EXPECT_EQ(details[2], kSet);
  EXPECT_EQ(Get16(details + 4), CCP_CONGESTION_CONTROL_TABLE);
  EXPECT_EQ(Get32(details + 8), 3u);
  EXPECT_EQ(Get32(details + 12), 1u << 8);  // QP 1
  EXPECT_EQ(Get64(details + 16), 0x55u);
  EXPECT_EQ(Get64(details + 24), 0xFE80'0000'0000'0000u);
  EXPECT_EQ(Get64(details + 32), s_.subnet.device(SmallSubnet::kHost).sma.ports[1].guid);
}

TEST_F(KeyViolationTrap, IsANoticeToLibibmad) {
  const LibIbmad libibmad;
  if (!libibmad.installed()) GTEST_SKIP() << "libibmad is not installed (Debian: libibmad5)";
  SetTarget(SmallSubnet::kAtHost1, kManager, 1);
  Offend(SmallSubnet::kAtHost1);
  const std::uint8_t* notice = s_.subnet.outbox().front().datagram.mad.data() + 64;
  EXPECT_EQ(libibmad.Get(notice, libibmad.Field("NoticeIsGeneric")), 1u);
  EXPECT_EQ(libibmad.Get(notice, libibmad.Field("NoticeType")), 2u);          // security
  EXPECT_EQ(libibmad.Get(notice, libibmad.Field("NoticeProducerType")), 1u);  // channel adapter
  EXPECT_EQ(libibmad.Get(notice, libibmad.Field("NoticeTrapNumber")), 0u);
  EXPECT_EQ(libibmad.Get(notice, libibmad.Field("NoticeIssuerLID")), 11u);
  EXPECT_EQ(libibmad.Get(notice, libibmad.Field("NoticeDataLID")), kAsker);
}

TEST_F(KeyViolationTrap, NeedsATargetAndALid) {
  SetTarget(SmallSubnet::kAtHost1, 0, 0);
  Offend(SmallSubnet::kAtHost1);
  EXPECT_TRUE(s_.subnet.outbox().empty());
  SetTarget(SmallSubnet::kAtHost2, kManager, 1);
  s_.subnet.device(SmallSubnet::kHost).sma.ports[2].lid = 0;
  Offend(SmallSubnet::kAtHost2);
  EXPECT_TRUE(s_.subnet.outbox().empty());
}

}  // namespace cca_key_trap_test
}  // namespace ccsim::emulator
