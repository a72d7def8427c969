// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ccpolicy/keys.h"
#include "ccpolicy/nvidia.h"
#include "ccpolicy/wire.h"
#include "support.hpp"

namespace {

using ccpolicy_test::Document;
using ccpolicy_test::Profile;
using ccpolicy_test::Read;
using ccpolicy_test::Refusal;
using ccpolicy_test::Tables;
using ccpolicy_test::TestFabric;
using ccpolicy_test::WarningsOf;
using ccpolicy_test::Write;

const std::string kSwitch =
    "  switch:\n    aqs_time: 4\n    aqs_weight: 3\n    thresholds:\n"
    "    - {vls: [0, 1], unit: bytes, profile1_min: 20000, profile1_max: 80000, profile1_percent: 20}\n"
    "    - {vls: [2], unit: percent, profile2_min: 10, profile2_max: 50, profile2_percent: 100}\n";
const std::string kDcqcn = "  adapter:\n    type: dcqcn\n    rp: {rpg_ai_rate: 7, rpg_max_rate_gbps: 400}\n";
const std::string kPpcc = "  adapter:\n    type: ppcc\n    ppcc: [{algo_id: 1, major: 2, minor: 3, parameters: {0: 400}}]\n";

std::string Nvidia(const std::string& parts, const std::string& more = "") {
  return "ibcc_profile: 2\nname: test\nnvidia:\n" + parts + more;
}

class NvidiaProfile : public testing::Test {
 protected:
  NvidiaProfile() {
    leaf_ = fabric_.Add("leaf-1", CCP_NODE_SWITCH, 3);
    spine_ = fabric_.Add("spine-1", CCP_NODE_SWITCH, 2);
    host_ = fabric_.Add("node1 mlx5_0", CCP_NODE_HOST, 1);
    gpu_ = fabric_.Add("gpu1 mlx5_0", CCP_NODE_HOST, 2);
    fabric_.Connect(leaf_, 1, host_, 1);
    fabric_.Connect(leaf_, 2, gpu_, 1);
    fabric_.Connect(leaf_, 3, spine_, 1);
  }

  Tables Resolve(const std::string& text) {
    const Profile profile = Read(text);
    ccp_error error{};
    Tables tables = fabric_.Resolve(*profile, &error);
    EXPECT_NE(tables, nullptr) << error.message;
    return tables;
  }
  std::string ResolveRefusal(const std::string& text) {
    const Profile profile = Read(text);
    ccp_error error{};
    return fabric_.Resolve(*profile, &error) ? "(accepted)" : error.message;
  }
  const ccp_nvidia_switch_tables& Leaf(const Tables& tables) { return *tables->switches[0].nvidia; }
  const ccp_nvidia_switch_tables& Spine(const Tables& tables) { return *tables->switches[1].nvidia; }
  const ccp_nvidia_ca_tables& Host(const Tables& tables) { return *tables->cas[0].nvidia; }
  const ccp_nvidia_ca_tables& Gpu(const Tables& tables) { return *tables->cas[1].nvidia; }

  TestFabric fabric_;
  std::uint32_t leaf_, spine_, host_, gpu_;
};

TEST_F(NvidiaProfile, EachDeviceGetsTheAttributesOfItsKind) {
  const Tables tables = Resolve(Nvidia(kSwitch + kDcqcn));
  EXPECT_TRUE(tables->has_nvidia);
  EXPECT_TRUE(Leaf(tables).general.en);
  EXPECT_EQ(Leaf(tables).general.aqs_time, 4);
  EXPECT_EQ(Leaf(tables).general.aqs_weight, 3);
  for (unsigned port = 1; port <= 3; ++port) {
    const ccp_nvidia_switch_port& p = Leaf(tables).ports[port];
    ASSERT_EQ(p.num_profiles, 2u);
    EXPECT_EQ(p.profiles[0].vl_mask, 0b11);
    EXPECT_EQ(p.profiles[0].mode, CCP_THRESHOLD_FIXED);
    EXPECT_EQ(p.profiles[0].granularity, 0);
    EXPECT_EQ(p.profiles[0].profiles[0].min, 20000u);
    EXPECT_EQ(p.profiles[0].profiles[0].max, 80000u);
    EXPECT_EQ(p.profiles[0].profiles[0].percent, 20);
    EXPECT_EQ(p.profiles[1].mode, CCP_THRESHOLD_PERCENTAGE);
    EXPECT_EQ(p.profiles[1].profiles[1].max, 50u);
    EXPECT_EQ(p.sl_mapping.sl_profile[15], 1);
  }
  EXPECT_EQ(Leaf(tables).ports[0].num_profiles, 0u);
  EXPECT_EQ(Leaf(tables).ports[1].profiles, Spine(tables).ports[2].profiles) << "shared";
  EXPECT_EQ(tables->num_cas, 2u);
  EXPECT_EQ(Host(tables).type, CCP_NVIDIA_DCQCN);
  EXPECT_TRUE(Host(tables).general.en_notify);
  EXPECT_TRUE(Host(tables).general.en_react);
  EXPECT_EQ(Host(tables).rp.rpg_ai_rate, 7);
  EXPECT_EQ(Host(tables).rp.rpg_max_rate, 400000u);
  EXPECT_EQ(Host(tables).rp.rpg_hai_rate, 50) << "its default";
  EXPECT_EQ(Host(tables).np.min_time_between_cnps, 4);
}

TEST_F(NvidiaProfile, KilobytesAreBytesOfAnotherGranularity) {
  const Tables tables =
      Resolve(Nvidia("  switch: {aqs_time: 0, aqs_weight: 0, thresholds: [{unit: kilobytes, profile3_max: 9}]}\n"));
  const ccp_congestion_port_profile_settings& p = Leaf(tables).ports[1].profiles[0];
  EXPECT_EQ(p.mode, CCP_THRESHOLD_FIXED);
  EXPECT_EQ(p.granularity, 1);
  EXPECT_EQ(p.vl_mask, CCP_NVIDIA_ALL_VLS);
  EXPECT_EQ(p.profiles[2].max, 9u);
}

TEST_F(NvidiaProfile, WithoutThePartsOfAnnexA10TheirTablesClear) {
  const Tables tables = Resolve(Nvidia(kSwitch));
  EXPECT_TRUE(tables->enable);
  EXPECT_EQ(tables->switches[0].setting.threshold, 0);
  EXPECT_EQ(tables->switches[0].setting.control_map, CCP_CONTROL_MAP_ALL);
  EXPECT_EQ(tables->cas[0].setting.control_map, CCP_ALL_SLS);
  EXPECT_EQ(tables->cas[0].cct.ccti_limit, 0);
  EXPECT_EQ(tables->cas[0].cct.entries[0].multiplier, 0);
  EXPECT_EQ(tables->cas[0].nvidia, nullptr) << "the profile has no nvidia.adapter";
}

TEST_F(NvidiaProfile, StandsBesideAnnexA10) {
  std::string text = Document("nvidia:\n" + kSwitch + kDcqcn);
  text.replace(text.find("ibcc_profile: 1"), 15, "ibcc_profile: 2");
  const Tables tables = Resolve(text);
  EXPECT_EQ(tables->switches[0].setting.threshold, 15);
  EXPECT_EQ(tables->cas[0].setting.sls[0].ccti_timer, 150);
  EXPECT_TRUE(Leaf(tables).general.en);
  const Tables old = Resolve(Document());
  EXPECT_FALSE(old->has_nvidia);
  EXPECT_EQ(old->switches[0].nvidia, nullptr);
  EXPECT_EQ(old->cas[0].nvidia, nullptr);
}

TEST_F(NvidiaProfile, OffClearsBoth) {
  const Tables tables = Resolve(Nvidia(kSwitch + kPpcc, "enable: false\n"));
  EXPECT_FALSE(Leaf(tables).general.en);
  EXPECT_EQ(Leaf(tables).ports[1].num_profiles, 0u);
  EXPECT_FALSE(Host(tables).general.en_notify);
  EXPECT_FALSE(Host(tables).general.en_react);
  EXPECT_EQ(Host(tables).type, CCP_NVIDIA_PPCC);
  EXPECT_EQ(Host(tables).num_slots, 0u);
}

TEST_F(NvidiaProfile, OverridesChangeKeyByKeyAndLaterOnesWin) {
  const Tables tables = Resolve(Nvidia(kSwitch + kDcqcn,
                                       "overrides:\n"
                                       "- match: {role: leaf, ports: [1]}\n"
                                       "  nvidia: {switch: {sl_profile: 2, thresholds: [{unit: bytes, profile1_max: 5}]}}\n"
                                       "- match: {role: leaf}\n"
                                       "  nvidia: {switch: {aqs_time: 9, sl_profile: 3}}\n"
                                       "- match: {node: \"gpu*\"}\n"
                                       "  nvidia: {adapter: {react: false, rp: {rpg_gd: 10}, np: {cnp_sl: 5}}}\n"));
  EXPECT_EQ(Leaf(tables).general.aqs_time, 9);
  EXPECT_EQ(Leaf(tables).general.aqs_weight, 3);
  EXPECT_EQ(Spine(tables).general.aqs_time, 4);
  EXPECT_EQ(Leaf(tables).ports[1].num_profiles, 1u);
  EXPECT_EQ(Leaf(tables).ports[1].profiles[0].profiles[0].max, 5u);
  EXPECT_EQ(Leaf(tables).ports[1].sl_mapping.sl_profile[0], 3) << "a later override of the switch wins over the port's";
  EXPECT_EQ(Leaf(tables).ports[2].num_profiles, 2u);
  EXPECT_EQ(Leaf(tables).ports[2].sl_mapping.sl_profile[0], 3);
  EXPECT_TRUE(Host(tables).general.en_react);
  EXPECT_FALSE(Gpu(tables).general.en_react);
  EXPECT_TRUE(Gpu(tables).general.en_notify);
  EXPECT_EQ(Gpu(tables).rp.rpg_gd, 10);
  EXPECT_EQ(Gpu(tables).rp.rpg_ai_rate, 7);
  EXPECT_EQ(Gpu(tables).np.cnp_sl, 5);
  EXPECT_TRUE(WarningsOf(*tables).empty());
}

TEST_F(NvidiaProfile, AGroupCanRunAnAlgorithmWhereOthersRunDcqcn) {
  const Tables tables =
      Resolve(Nvidia(kDcqcn,
                     "overrides:\n- match: {node: \"gpu*\"}\n  nvidia:\n    adapter:\n      type: ppcc\n      ppcc:\n"
                     "      - {algorithm: RTT, sls: [0, 1], parameters: {BW: 400, 7: 1}}\n"
                     "      - {algo_id: 3, major: 1, minor: 0, sls: [2]}\n"));
  EXPECT_EQ(Host(tables).type, CCP_NVIDIA_DCQCN);
  EXPECT_EQ(Host(tables).num_slots, 0u);
  EXPECT_EQ(Gpu(tables).type, CCP_NVIDIA_PPCC);
  ASSERT_EQ(Gpu(tables).num_slots, 2u);
  EXPECT_STREQ(Gpu(tables).slots[0].algorithm, "RTT");
  EXPECT_EQ(Gpu(tables).slots[0].sls, 0b11);
  ASSERT_EQ(Gpu(tables).slots[0].parameters.count, 2u);
  EXPECT_STREQ(Gpu(tables).slots[0].parameters.list[0].name, "BW");
  EXPECT_EQ(Gpu(tables).slots[0].parameters.list[1].index, 7);
  EXPECT_EQ(Gpu(tables).slots[1].id.algo_id, 3);
}

TEST_F(NvidiaProfile, AnOverrideThatTurnsToDcqcnHasTheDefaultsOfRp) {
  const Tables tables =
      Resolve(Nvidia(kPpcc, "overrides:\n- match: {node: \"gpu*\"}\n  nvidia: {adapter: {type: dcqcn, rp: {rpg_gd: 10}}}\n"));
  EXPECT_EQ(Host(tables).num_slots, 1u);
  EXPECT_EQ(Gpu(tables).type, CCP_NVIDIA_DCQCN);
  EXPECT_EQ(Gpu(tables).rp.rpg_gd, 10);
  EXPECT_EQ(Gpu(tables).rp.dce_tcp_g, 1019);
  EXPECT_EQ(Gpu(tables).num_slots, 0u);
}

TEST_F(NvidiaProfile, ADeviceWhoseValuesContradictEachOtherIsNamed) {
  const std::string gpu = "overrides:\n- match: {node: \"gpu*\"}\n  nvidia: ";
  EXPECT_EQ(ResolveRefusal(Nvidia(kDcqcn, gpu + "{adapter: {type: ppcc}}\n")),
            "adapter 'gpu1 mlx5_0' has the type ppcc and no ppcc, the list of its algorithms");
  EXPECT_EQ(ResolveRefusal(Nvidia(kDcqcn, gpu + "{adapter: {rp: {rpg_min_rate: 400001}}}\n")),
            "adapter 'gpu1 mlx5_0' has rpg_min_rate 400001 and rpg_max_rate 400000, and the least must not be above the most");
  EXPECT_EQ(ResolveRefusal(Nvidia("  switch: {enable: false, aqs_time: 0, aqs_weight: 0}\n",
                                  "overrides:\n- match: {role: leaf}\n  nvidia: {switch: {enable: true}}\n")),
            "switch 'leaf-1' has no thresholds, which may be left out only with 'enable: false'");
}

TEST_F(NvidiaProfile, AnOverrideWithoutEffectIsAWarning) {
  const Tables tables =
      Resolve(Nvidia(kSwitch + kDcqcn,
                     "overrides:\n- match: {node: nobody}\n  nvidia: {switch: {aqs_time: 1}, adapter: {react: false}}\n"
                     "- match: {role: leaf, ports: [3, 9]}\n  nvidia: {switch: {sl_profile: 2}}\n"));
  EXPECT_EQ(
      WarningsOf(*tables),
      (std::vector<std::string>{
          "overrides[0] (node 'nobody') matches no switch, so its switch settings have no effect",
          "overrides[0] (node 'nobody') matches no connected port of a channel adapter, so its adapter settings have no effect",
          "overrides[1] (role leaf, ports 3, 9) lists port 9, which no device that it matches has"}));
}

TEST_F(NvidiaProfile, TheTablesOfADevicePack) {
  const Tables tables = Resolve(Nvidia(kSwitch + kDcqcn));
  std::vector<std::uint8_t> payload(CCP_ATTRIBUTE_BYTES);
  ccp_error error{};
  const auto packs = [&](ccp_attribute_id id, const void* host) { return ccp_pack_set(id, host, payload.data(), &error) == 0; };
  EXPECT_TRUE(packs(CCP_CONGESTION_SWITCH_GENERAL_SETTINGS, &Leaf(tables).general)) << error.message;
  EXPECT_TRUE(packs(CCP_CONGESTION_PORT_PROFILE_SETTINGS, &Leaf(tables).ports[1].profiles[1])) << error.message;
  EXPECT_EQ(payload[0], 0x80);
  EXPECT_TRUE(packs(CCP_CONGESTION_SL_MAPPING_SETTINGS, &Leaf(tables).ports[1].sl_mapping)) << error.message;
  EXPECT_EQ(payload[0], 0x55);
  EXPECT_TRUE(packs(CCP_CONGESTION_HCA_GENERAL_SETTINGS, &Host(tables).general)) << error.message;
  EXPECT_TRUE(packs(CCP_CONGESTION_HCA_RP_PARAMETERS, &Host(tables).rp)) << error.message;
  EXPECT_TRUE(packs(CCP_CONGESTION_HCA_NP_PARAMETERS, &Host(tables).np)) << error.message;
}

// The raw key is what the writer writes, in a document of version 2.
TEST_F(NvidiaProfile, GbpsAreWrittenAsTheRawValue) {
  const Profile profile = Read(Nvidia(kDcqcn));
  const std::string text = Write(*profile);
  EXPECT_EQ(text.find("ibcc_profile: 2\n"), 0u);
  EXPECT_NE(text.find("rpg_max_rate: 400000\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("gbps"), std::string::npos) << text;
  EXPECT_EQ(Write(*Read(Document())).find("ibcc_profile: 1\n"), 0u) << "documents without the section stay as they were";
}

// A name may be long, and paths are cut rather than written beyond their end.
TEST_F(NvidiaProfile, APathOfManyPartsStaysASentence) {
  std::string many = "overrides:\n";
  for (int i = 0; i < 1000; ++i) many += "- {match: {role: host}, nvidia: {adapter: {react: false}}}\n";
  many +=
      "- match: {role: host}\n  nvidia: {adapter: {ppcc: [{algorithm: A, parameters: {" + std::string(31, 'p') + ": -1}}]}}\n";
  EXPECT_NE(Refusal(Nvidia(kDcqcn, many))
                .find("overrides[1000].nvidia.adapter.ppcc[0].parameters." + std::string(31, 'p') + " is -1, and must be"),
            std::string::npos);
}

}  // namespace
