// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "congestion/starvation.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ccsim {
namespace starvation_test {

class StarvationTest : public ::testing::Test {
 protected:
  StarvationTest() : ports(5) {
    model.input_buffer_bytes = 16000;
    tables.num_ports = 4;
    tables.ports = ports.data();
    tables.setting.control_map = 0x1F;
    tables.setting.cs_threshold = 12;
    tables.setting.cs_return_delay = {1, 6};
    ccp_port_mask_set(tables.setting.credit_mask, 2);
  }
  SwitchModel model;
  std::vector<ccp_switch_port_setting> ports;
  ccp_switch_tables tables{};
};

TEST_F(StarvationTest, PortsOfTheMaskOnly) {
  EXPECT_FALSE(MakeStarvation(model, tables, 1).applies());
  const Starvation s = MakeStarvation(model, tables, 2);
  EXPECT_TRUE(s.applies());
  EXPECT_EQ(s.level_bytes, 4000u);
  EXPECT_EQ(s.return_delay.shift, 1);
  EXPECT_EQ(s.return_delay.multiplier, 6);
  tables.setting.cs_threshold = 0;
  EXPECT_FALSE(MakeStarvation(model, tables, 2).applies());
}

TEST_F(StarvationTest, APortsOwnSettingIsOfControlType1) {
  ports[2] = {true, 1, 15, 0, (2u << 14) | 9};
  const Starvation s = MakeStarvation(model, tables, 2);
  EXPECT_EQ(s.level_bytes, 1000u);
  EXPECT_EQ(s.return_delay.shift, 2);
  EXPECT_EQ(s.return_delay.multiplier, 9);
  ports[2].control_type = 0;
  EXPECT_EQ(MakeStarvation(model, tables, 2).level_bytes, 4000u);
  ports[2] = {true, 1, 0, 0, 0};
  EXPECT_FALSE(MakeStarvation(model, tables, 2).applies());
}

// Where both types are held, each is where it belongs.
TEST_F(StarvationTest, APortsOwnSettingMayStandBesideItsOtherOne) {
  ports[2] = {true, 0, 3, 0, 0};
  std::vector<ccp_switch_port_setting> starvation(ports.size());
  tables.starvation_ports = starvation.data();
  EXPECT_EQ(MakeStarvation(model, tables, 2).level_bytes, 4000u);
  starvation[2] = {true, 1, 15, 0, (2u << 14) | 9};
  EXPECT_EQ(MakeStarvation(model, tables, 2).level_bytes, 1000u);
}

// A packet of 1,000 ns with 1:6 holds the next one's credits back for 1,000 + 500 * 6 = 4,000 ns.
TEST_F(StarvationTest, CreditsGoAPacketTimeAndTheDelayAfterTheOnesBefore) {
  const Starvation s = MakeStarvation(model, tables, 2);
  EXPECT_EQ(HeldCredit(s, 5000, 0, 1000), 5000);
  EXPECT_EQ(HeldCredit(s, 6000, 5000, 1000), 9000);
  EXPECT_EQ(HeldCredit(s, 7000, 9000, 1000), 13000);
}

}  // namespace starvation_test
}  // namespace ccsim
