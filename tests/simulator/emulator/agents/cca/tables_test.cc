// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agents/cca/tables.hpp"

#include "congestion/held_tables.hpp"
#include "emulator/agents/asking.hpp"

namespace ccsim::emulator {
namespace cca_tables_test {

using testing::Ask;
using testing::Packed;
using testing::SmallSubnet;

// What HeldTables, and so the engine, has after the MADs: that is what the tables are for.
class SubnetTables : public ::testing::Test {
 protected:
  SubnetTables() : held_(s_.fabric) {}

  template <typename Host>
  void Set(Place at, ccp_attribute_id id, const Host& host, std::uint32_t modifier = 0) {
    const auto asked =
        Ask(s_.subnet, at,
            {.method = kSet, .attribute = static_cast<std::uint16_t>(id), .modifier = modifier, .data = Packed(id, host)});
    ASSERT_EQ(asked.status, kOk);
  }
  // Sets all tables there are, so that each place has something of its own.
  void SetAll() {
    ccp_switch_setting sw{};
    sw.control_map = 0x1F;
    sw.threshold = 15;
    sw.marking_rate = 3;
    sw.packet_size = 8;
    sw.cs_threshold = 7;
    sw.cs_return_delay = {2, 9};
    ccp_port_mask_set(sw.victim_mask, 1);
    ccp_port_mask_set(sw.credit_mask, 36);
    Set(SmallSubnet::kAtSwitch, CCP_SWITCH_CONGESTION_SETTING, sw);
    ccp_switch_port_block ports{};
    ports.ports[1] = {.valid = true, .control_type = 0, .threshold = 4, .packet_size = 5, .marking_rate = 6};
    Set(SmallSubnet::kAtSwitch, CCP_SWITCH_PORT_CONGESTION_SETTING, ports, 1);  // port 33
    ports.ports[1] = {.valid = true, .control_type = 1, .threshold = 11, .packet_size = 0, .marking_rate = 0x4007};
    Set(SmallSubnet::kAtSwitch, CCP_SWITCH_PORT_CONGESTION_SETTING, ports, 1);
    for (const Place at : {SmallSubnet::kAtHost1, SmallSubnet::kAtHost2}) {
      ccp_ca_setting ca{};
      ca.port_control = 1;
      ca.control_map = 0x0005;
      ca.sls[2] = {.ccti_timer = at.port, .ccti_increase = 2, .trigger_threshold = 3, .ccti_min = 4};
      Set(at, CCP_CA_CONGESTION_SETTING, ca);
      ccp_cct_block block{};
      block.ccti_limit = 70;
      block.entries[6] = {1, static_cast<std::uint16_t>(100 + at.port)};
      Set(at, CCP_CONGESTION_CONTROL_TABLE, block, 0);
      Set(at, CCP_CONGESTION_CONTROL_TABLE, block, 1);
    }
  }
  void Give() {
    const SubnetCcTables tables(s_.subnet);
    held_.Check(tables.tables());
    held_.Set(tables.tables());
  }
  std::uint32_t Endport(unsigned port) const {
    return s_.fabric.endport_index(SmallSubnet::kHost, static_cast<std::uint16_t>(port));
  }

  SmallSubnet s_;
  HeldTables held_;
};

TEST_F(SubnetTables, HaveNothingOfDevicesThatWereNeverSet) {
  const SubnetCcTables none(s_.subnet);
  EXPECT_EQ(none.tables().num_switches, 0u);
  EXPECT_EQ(none.tables().num_cas, 0u);
  Set(SmallSubnet::kAtSwitch, CCP_SWITCH_CONGESTION_SETTING, ccp_switch_setting{});
  const SubnetCcTables one(s_.subnet);
  EXPECT_EQ(one.tables().num_switches, 1u);
  EXPECT_EQ(one.tables().num_cas, 0u);
}

TEST_F(SubnetTables, HaveWhatTheMadsSet) {
  SetAll();
  Give();
  const ccp_switch_tables sw = held_.OfSwitch(0);
  EXPECT_EQ(sw.setting.threshold, 15);
  EXPECT_EQ(sw.setting.marking_rate, 3);
  EXPECT_EQ(sw.setting.packet_size, 8);
  EXPECT_EQ(sw.setting.cs_threshold, 7);
  EXPECT_EQ(sw.setting.cs_return_delay.multiplier, 9);
  EXPECT_TRUE(ccp_port_mask_test(sw.setting.victim_mask, 1));
  EXPECT_TRUE(ccp_port_mask_test(sw.setting.credit_mask, 36));
  EXPECT_TRUE(sw.ports[33].valid);
  EXPECT_EQ(sw.ports[33].marking_rate, 6);
  EXPECT_FALSE(sw.ports[32].valid);
  EXPECT_TRUE(sw.starvation_ports[33].valid);
  EXPECT_EQ(sw.starvation_ports[33].threshold, 11);
  for (const unsigned port : {1u, 2u}) {
    const std::uint32_t e = Endport(port);
    EXPECT_TRUE(held_.WholeSls(e));
    for (unsigned sl = 0; sl < 16; ++sl) EXPECT_EQ(held_.Controls(e, sl), sl == 0 || sl == 2) << sl;
    EXPECT_EQ(held_.OfSl(e, 2).ccti_timer, port);
    EXPECT_EQ(held_.OfSl(e, 2).ccti_min, 4);
    ASSERT_EQ(held_.CctOf(e).size(), 71u);
    EXPECT_EQ(held_.CctOf(e)[6].multiplier, 100 + port);
    EXPECT_EQ(held_.CctOf(e)[70].shift, 1);
    EXPECT_EQ(held_.CctOf(e)[69].multiplier, 0);
  }
}

TEST_F(SubnetTables, AnAdapterWithoutATableOfDelaysIsNotControlled) {
  ccp_ca_setting ca{};
  ca.control_map = 0xFFFF;
  Set(SmallSubnet::kAtHost1, CCP_CA_CONGESTION_SETTING, ca);
  Give();
  EXPECT_FALSE(held_.Controls(Endport(1), 0));
  // A table whose other blocks have not come yet has no delays there.
  ccp_cct_block block{};
  block.ccti_limit = 127;
  block.entries[0] = {0, 5};
  Set(SmallSubnet::kAtHost1, CCP_CONGESTION_CONTROL_TABLE, block);
  Give();
  EXPECT_TRUE(held_.Controls(Endport(1), 0));
  ASSERT_EQ(held_.CctOf(Endport(1)).size(), 128u);
  EXPECT_EQ(held_.CctOf(Endport(1))[0].multiplier, 5);
  EXPECT_EQ(held_.CctOf(Endport(1))[127].multiplier, 0);
}

TEST_F(SubnetTables, ADeviceThatLostPowerIsOneWithoutCongestionControl) {
  SetAll();
  Give();
  s_.subnet.Reboot(SmallSubnet::kSwitch);
  s_.subnet.Reboot(SmallSubnet::kHost);
  Give();
  const ccp_switch_tables sw = held_.OfSwitch(0);
  EXPECT_EQ(sw.setting.threshold, 0);
  EXPECT_EQ(sw.setting.cs_threshold, 0);
  EXPECT_EQ(sw.setting.marking_rate, 0);
  EXPECT_FALSE(ccp_port_mask_test(sw.setting.victim_mask, 1));
  EXPECT_FALSE(sw.ports[33].valid);
  EXPECT_FALSE(sw.starvation_ports[33].valid);
  EXPECT_FALSE(held_.WholeSls(Endport(1)));
  EXPECT_EQ(held_.OfSl(Endport(1), 2).ccti_increase, 0);
  EXPECT_EQ(held_.CctOf(Endport(1)).size(), 1u);
  // And can be set again.
  SetAll();
  Give();
  EXPECT_EQ(held_.OfSwitch(0).setting.threshold, 15);
  EXPECT_EQ(held_.CctOf(Endport(2)).size(), 71u);
}

TEST_F(SubnetTables, ADeviceThatIgnoresItsTablesReadsThemBackAndDoesNotFollow) {
  SetAll();
  Give();
  FaultSpec spec;
  spec.kind = "ignore-tables";
  const std::uint64_t fault = s_.subnet.faults().Add(s_.subnet, spec);
  Give();
  EXPECT_EQ(held_.OfSwitch(0).setting.threshold, 0);
  EXPECT_FALSE(held_.OfSwitch(0).ports[33].valid);
  EXPECT_EQ(held_.OfSl(Endport(1), 2).ccti_increase, 0);
  EXPECT_EQ(Ask(s_.subnet, SmallSubnet::kAtSwitch, {.attribute = CCP_SWITCH_CONGESTION_SETTING}).data()[68], 0xF0);
  s_.subnet.faults().Clear(s_.subnet, fault);
  Give();
  EXPECT_EQ(held_.OfSwitch(0).setting.threshold, 15);
  EXPECT_EQ(held_.OfSl(Endport(1), 2).ccti_increase, 2);
}

}  // namespace cca_tables_test
}  // namespace ccsim::emulator
