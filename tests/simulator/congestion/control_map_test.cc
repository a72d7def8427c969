// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "congestion/control_map.hpp"

#include <gtest/gtest.h>

namespace ccsim {
namespace control_map_test {

ccp_switch_setting Setting(std::uint32_t control_map, std::uint8_t value) {
  ccp_switch_setting s{};
  s.control_map = control_map;
  std::memset(s.victim_mask, value, sizeof s.victim_mask);
  std::memset(s.credit_mask, value, sizeof s.credit_mask);
  s.threshold = s.packet_size = s.cs_threshold = value;
  s.cs_return_delay = {1, value};
  s.marking_rate = value;
  return s;
}

TEST(ControlMap, ASwitchTakesTheFieldsThatAreNamed) {
  for (std::uint32_t map = 0; map < 32; ++map) {
    ccp_switch_setting held = Setting(0x1F, 3);
    ApplySet(held, Setting(map, 9));
    const auto taken = [map](std::uint32_t bit) { return (map & bit) != 0 ? 9 : 3; };
    EXPECT_EQ(held.victim_mask[31], taken(0x01)) << map;
    EXPECT_EQ(held.credit_mask[31], taken(0x02)) << map;
    EXPECT_EQ(held.threshold, taken(0x04)) << map;
    EXPECT_EQ(held.packet_size, taken(0x04)) << map;
    EXPECT_EQ(held.cs_threshold, taken(0x08)) << map;
    EXPECT_EQ(held.cs_return_delay.multiplier, taken(0x08)) << map;
    EXPECT_EQ(held.marking_rate, taken(0x10)) << map;
  }
}

TEST(ControlMap, AnAdapterTakesTheSlsThatAreNamedAndAlwaysPortControl) {
  ccp_ca_setting held{};
  ccp_ca_setting set{};
  set.control_map = 0x8001;
  for (auto& sl : set.sls) sl.ccti_timer = 150;
  set.port_control = 1;
  ApplySet(held, set);
  EXPECT_EQ(held.sls[0].ccti_timer, 150);
  EXPECT_EQ(held.sls[1].ccti_timer, 0);
  EXPECT_EQ(held.sls[15].ccti_timer, 150);
  EXPECT_EQ(held.control_map, 0x8001);
  EXPECT_EQ(held.port_control, 1);
  set.control_map = 0x0002;
  set.sls[0].ccti_timer = 7;
  set.port_control = 0;
  ApplySet(held, set);
  EXPECT_EQ(held.sls[0].ccti_timer, 150);
  EXPECT_EQ(held.sls[1].ccti_timer, 150);
  EXPECT_EQ(held.control_map, 0x8003);
  EXPECT_EQ(held.port_control, 0);
}

}  // namespace control_map_test
}  // namespace ccsim
