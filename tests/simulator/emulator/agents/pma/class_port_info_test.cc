// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agents/asking.hpp"

namespace ccsim::emulator {
namespace pma_class_port_info_test {

using testing::Ask;
using testing::Read;
using testing::SmallSubnet;

TEST(PmaClassPortInfo, OffersWhatTheAgentHas) {
  SmallSubnet s;
  const auto ask = [&](Place at) {
    return Read<ccp_class_port_info>(CCP_CLASS_PORT_INFO, Ask(s.subnet, at, {.mgmt_class = kPerformance, .attribute = 0x0001}));
  };
  const ccp_class_port_info of_switch = ask(SmallSubnet::kAtSwitch), of_host = ask(SmallSubnet::kAtHost1);
  EXPECT_EQ(of_switch.base_version, 1);
  EXPECT_EQ(of_switch.class_version, 1);
  EXPECT_EQ(of_switch.capability_mask, 0x1300);  // AllPortSelect, extended width, PortXmitWait
  EXPECT_EQ(of_host.capability_mask, 0x1200);
  EXPECT_EQ(of_host.capability_mask2, 0u);
}

// perfquery asks with its port in PortSelect's place, which is BaseVersion's low byte.
TEST(PmaClassPortInfo, HasNoRestOfTheQuestion) {
  SmallSubnet s;
  const auto clean = Ask(s.subnet, SmallSubnet::kAtHost1, {.mgmt_class = kPerformance, .attribute = 0x0001});
  const auto asked = Ask(s.subnet, SmallSubnet::kAtHost1,
                         {.mgmt_class = kPerformance, .attribute = 0x0001, .data = std::vector<std::uint8_t>(192, 0xFF)});
  EXPECT_EQ(asked.bytes(), clean.bytes());
}

}  // namespace pma_class_port_info_test
}  // namespace ccsim::emulator
