// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <cstring>

#include "emulator/agents/asking.hpp"

namespace ccsim::emulator {
namespace cca_class_port_info_test {

using testing::Ask;
using testing::Packed;
using testing::Read;
using testing::SmallSubnet;

constexpr std::uint16_t kId = CCP_CLASS_PORT_INFO;

TEST(CcaClassPortInfo, SaysWhatTheClassIs) {
  SmallSubnet s;
  for (const Place at : {SmallSubnet::kAtSwitch, SmallSubnet::kAtHost1, SmallSubnet::kAtRouter}) {
    const auto info = Read<ccp_class_port_info>(CCP_CLASS_PORT_INFO, Ask(s.subnet, at, {.attribute = kId}));
    EXPECT_EQ(info.base_version, 1);
    EXPECT_EQ(info.class_version, 2);
    EXPECT_EQ(info.capability_mask, CCP_CLASS_CAP_TRAPS);  // and no congestion control of a switch's port 0
    EXPECT_EQ(info.redirect_qp, 0u);
    EXPECT_EQ(info.trap_lid, 0);
  }
}

TEST(CcaClassPortInfo, TakesTheTrapTargetOnly) {
  SmallSubnet s;
  ccp_class_port_info sent{};
  std::memset(&sent, 0x01, sizeof(sent));
  sent.trap_lid = 12;
  sent.trap_fl = 0xABCDE;
  sent.capability_mask2 = sent.redirect_fl = 3;
  sent.redirect_qp = sent.trap_qp = 5;
  const auto set =
      Ask(s.subnet, SmallSubnet::kAtHost1, {.method = kSet, .attribute = kId, .data = Packed(CCP_CLASS_PORT_INFO, sent)});
  ASSERT_EQ(set.status, kOk);
  const auto held = Read<ccp_class_port_info>(CCP_CLASS_PORT_INFO, Ask(s.subnet, SmallSubnet::kAtHost1, {.attribute = kId}));
  EXPECT_EQ(set.bytes(), Packed(CCP_CLASS_PORT_INFO, held));
  EXPECT_EQ(held.class_version, 2);
  EXPECT_EQ(held.capability_mask, CCP_CLASS_CAP_TRAPS);
  EXPECT_EQ(held.redirect_lid, 0);
  EXPECT_EQ(held.redirect_qp, 0u);
  EXPECT_EQ(std::memcmp(held.trap_gid, sent.trap_gid, 16), 0);
  EXPECT_EQ(held.trap_tc, sent.trap_tc);
  EXPECT_EQ(held.trap_sl, sent.trap_sl);
  EXPECT_EQ(held.trap_fl, sent.trap_fl);
  EXPECT_EQ(held.trap_lid, sent.trap_lid);
  EXPECT_EQ(held.trap_pkey, sent.trap_pkey);
  EXPECT_EQ(held.trap_hl, sent.trap_hl);
  EXPECT_EQ(held.trap_qp, sent.trap_qp);
  EXPECT_EQ(held.trap_qkey, sent.trap_qkey);
}

TEST(CcaClassPortInfo, RefusesATargetWithoutAQueuePair) {
  SmallSubnet s;
  ccp_class_port_info sent{};
  sent.trap_lid = 12;
  const auto set =
      Ask(s.subnet, SmallSubnet::kAtHost1, {.method = kSet, .attribute = kId, .data = Packed(CCP_CLASS_PORT_INFO, sent)});
  EXPECT_EQ(set.status, kInvalidField);
  EXPECT_EQ(s.subnet.device(SmallSubnet::kHost).cca.ports[1].trap_target.trap_lid, 0);
  EXPECT_EQ(Ask(s.subnet, SmallSubnet::kAtHost1, {.attribute = kId, .modifier = 1}).status, kInvalidField);
}

}  // namespace cca_class_port_info_test
}  // namespace ccsim::emulator
