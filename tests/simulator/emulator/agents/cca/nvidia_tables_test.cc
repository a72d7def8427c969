// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ccpolicy/nvidia.h"
#include "congestion/held_tables.hpp"
#include "emulator/agents/cca/nvidia.hpp"
#include "emulator/agents/cca/tables.hpp"

namespace ccsim::emulator {
namespace cca_nvidia_tables_test {

using testing::NvidiaSubnet;
using testing::SmallSubnet;
using testing::Thresholds;

constexpr Place kSwitch = SmallSubnet::kAtSwitch, kHost1 = SmallSubnet::kAtHost1, kHost2 = SmallSubnet::kAtHost2;

void SetSlot(NvidiaSubnet& s, Place at, std::uint32_t slot, std::uint16_t sls) {
  ccp_congestion_hca_algo_config_support config{};
  config.algo_en = true;
  config.sl_bitmask = sls;
  ASSERT_EQ(s.Set(at, CCP_CONGESTION_HCA_ALGO_CONFIG_SUPPORT, config, slot).status, kOk);
}

TEST(NvidiaTables, VlsOfOneElementHoldTheSameThresholds) {
  NvidiaSubnet s(CcDialect::NvidiaDcqcn);
  s.Set(kSwitch, CCP_CONGESTION_SWITCH_GENERAL_SETTINGS,
        ccp_congestion_switch_general_settings{
            .en = true, .aqs_weight = 2, .aqs_time = 3, .cap_total_buffer_size = 0, .cap_cc_profile_step_size = 0});
  s.Set(kSwitch, CCP_CONGESTION_PORT_PROFILE_SETTINGS, Thresholds(0b0110, 1, 2, 3), 36);
  s.Set(kSwitch, CCP_CONGESTION_PORT_PROFILE_SETTINGS, Thresholds(0b1001, 4, 5, 6), 36);
  s.Set(kSwitch, CCP_CONGESTION_PORT_PROFILE_SETTINGS, Thresholds(0b0100, 4, 5, 6), 36);
  const SubnetCcTables made(s.subnet);
  ASSERT_EQ(made.tables().num_switches, 1u);
  EXPECT_TRUE(made.tables().has_nvidia);
  const ccp_nvidia_switch_tables* tables = made.tables().switches[0].nvidia;
  ASSERT_NE(tables, nullptr);
  EXPECT_TRUE(tables->general.en);
  EXPECT_EQ(tables->general.aqs_time, 3);
  EXPECT_EQ(tables->ports[1].num_profiles, 0u);
  ASSERT_EQ(tables->ports[36].num_profiles, 2u);
  EXPECT_EQ(tables->ports[36].profiles[0].vl_mask, 0b1101);
  EXPECT_EQ(tables->ports[36].profiles[0].profiles[0].max, 5u);
  EXPECT_EQ(tables->ports[36].profiles[1].vl_mask, 0b0010);
  EXPECT_EQ(tables->ports[36].sl_mapping.sl_profile[15], 1);
  HeldTables held(s.fabric);
  held.Check(made.tables());
  held.Set(made.tables());
}

TEST(NvidiaTables, AnAdapterRunsDcqcnOrAlgorithms) {
  NvidiaSubnet s(CcDialect::Both);
  s.Set(kHost1, CCP_CONGESTION_HCA_GENERAL_SETTINGS,
        ccp_congestion_hca_general_settings{.en_notify = true, .en_react = true, .en_cc_per_plane = false});
  SetSlot(s, kHost2, 0, 0x8001);
  const SubnetCcTables made(s.subnet);
  ASSERT_EQ(made.tables().num_cas, 2u);
  const ccp_nvidia_ca_tables& one = *made.tables().cas[0].nvidia;
  EXPECT_EQ(one.type, CCP_NVIDIA_DCQCN);
  EXPECT_TRUE(one.general.en_react);
  EXPECT_EQ(one.rp.rpg_time_reset, 300u);
  EXPECT_EQ(one.num_slots, 0u);
  const ccp_nvidia_ca_tables& other = *made.tables().cas[1].nvidia;
  EXPECT_EQ(other.type, CCP_NVIDIA_PPCC);
  ASSERT_EQ(other.num_slots, 1u);
  EXPECT_EQ(other.slots[0].sls, 0x8001);
  EXPECT_EQ(other.slots[0].id.algo_id, 1);
  EXPECT_EQ(other.slots[0].parameters.count, 6u);
  EXPECT_EQ(other.slots[0].parameters.list[5].index, 5);
  EXPECT_EQ(other.slots[0].parameters.list[5].value, 1200u);
}

TEST(NvidiaTables, AnnexA10sDevicesHaveNone) {
  NvidiaSubnet s(CcDialect::A10);
  s.Set(kSwitch, CCP_SWITCH_CONGESTION_SETTING, ccp_switch_setting{});
  s.Set(kHost1, CCP_CA_CONGESTION_SETTING, ccp_ca_setting{});
  const SubnetCcTables made(s.subnet);
  EXPECT_FALSE(made.tables().has_nvidia);
  EXPECT_EQ(made.tables().switches[0].nvidia, nullptr);
  EXPECT_EQ(made.tables().cas[0].nvidia, nullptr);
}

TEST(NvidiaTables, FaultsAndPowerCyclesClearThem) {
  NvidiaSubnet s(CcDialect::NvidiaPpcc);
  SetSlot(s, kHost1, 0, 1);
  s.Set(kSwitch, CCP_CONGESTION_PORT_PROFILE_SETTINGS, Thresholds(1, 1, 2, 3), 1);
  const auto held = [&s] {
    const SubnetCcTables made(s.subnet);
    return std::pair{made.tables().switches[0].nvidia->ports[1].num_profiles, made.tables().cas[0].nvidia->num_slots};
  };
  EXPECT_EQ(held(), (std::pair{1u, 1u}));
  for (const std::uint32_t node : {SmallSubnet::kSwitch, SmallSubnet::kHost}) s.subnet.device(node).cca.tables_ignored = true;
  EXPECT_EQ(held(), (std::pair{0u, 0u}));
  for (const std::uint32_t node : {SmallSubnet::kSwitch, SmallSubnet::kHost}) s.subnet.device(node).cca.tables_ignored = false;
  EXPECT_EQ(held(), (std::pair{1u, 1u}));
  for (const std::uint32_t node : {SmallSubnet::kSwitch, SmallSubnet::kHost}) s.subnet.Reboot(node);
  EXPECT_EQ(held(), (std::pair{0u, 0u}));
}

}  // namespace cca_nvidia_tables_test
}  // namespace ccsim::emulator
