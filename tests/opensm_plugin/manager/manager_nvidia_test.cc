// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// NVIDIA's attributes: who is asked and when, what is tested before the first write, and what is never sent.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>
#include <string>

#include "ccpolicy/reader.h"
#include "ccpolicy/tables.h"
#include "manager_support.hpp"
#include "rpc/support.hpp"

namespace ibcc_test {
namespace {

constexpr const char* kSwitch =
    "  switch:\n    aqs_time: 4\n    aqs_weight: 3\n    thresholds:\n"
    "    - {vls: all, unit: percent, profile1_min: 10, profile1_max: 40, profile1_percent: 20}\n";
constexpr const char* kDcqcn = "  adapter: {type: dcqcn, rp: {rpg_ai_rate: 7}, np: {min_time_between_cnps: 9}}\n";
constexpr const char* kPpcc =
    "  adapter: {type: ppcc, ppcc: [{algo_id: 2, major: 1, minor: 0, sls: [0, 3], parameters: {1: 777}}]}\n";

std::string Nvidia(const std::string& sections) { return "ibcc_profile: 2\nname: n\nnvidia:\n" + sections; }

// Two leaves (nodes 4 and 5) with two hosts each (0 to 3) and a spine (6). Host 0 and leaf 0 have annex A10's attributes alone, host 1
// has both kinds, the others NVIDIA's alone; all tell their firmware.
class ManagerNvidia : public ManagerBed {
 protected:
  ManagerNvidia() : ManagerBed(2, 2) {
    options_.nvidia_write = 1;
    options_.retries = 2;
    for (auto& node : fabric_.nodes()) {
      node.vendor = 0x2C9;
      node.agent.nvidia.is_switch = node.is_switch;
      node.agent.nvidia.is_there = true;
      node.agent.nvidia.ver1 = true;
      node.agent.has_a10 = false;
    }
    for (const unsigned a10 : {0U, 4U}) {
      fabric_.nodes()[a10].agent.nvidia.is_there = false;
      fabric_.nodes()[a10].agent.has_a10 = true;
    }
    fabric_.host(1).agent.has_a10 = true;
  }

  const ibcc_device& Device(unsigned node) {
    const auto& one = fabric_.nodes()[node];
    return *ibcc_devices_find(ibcc_manager_devices(manager_), one.guid, one.is_switch ? 0 : 1);
  }
  std::string State(unsigned node) { return ibcc_state_names[ibcc_manager_device_state(manager_, &Device(node))]; }
  std::string Withheld(unsigned node) { return Device(node).nvidia.withheld; }
  std::string Dialect(unsigned node) { return ibcc_dialect_names[ibcc_device_dialect(&Device(node))]; }
  Data& Held(unsigned node, std::uint16_t attribute, std::uint32_t modifier = 0) {
    FakeAgent& agent = fabric_.nodes()[node].agent;
    return agent.nvidia.At(agent.held, {attribute, modifier});
  }
  bool IsMarking(unsigned node) { return (Held(node, CCP_CONGESTION_SWITCH_GENERAL_SETTINGS)[0] & 1) != 0; }
  ccp_congestion_threshold_profile Profile1(unsigned node, unsigned port, unsigned vl) {
    return Unpacked<ccp_congestion_port_profile_settings>(CCP_CONGESTION_PORT_PROFILE_SETTINGS,
                                                          Held(node, CCP_CONGESTION_PORT_PROFILE_SETTINGS, vl << 16 | port))
        .profiles[0];
  }
  bool Reacts(unsigned node) { return (Held(node, CCP_CONGESTION_HCA_GENERAL_SETTINGS)[0] & 0x40) != 0; }
  unsigned AiRate(unsigned node) {
    return Unpacked<ccp_congestion_hca_rp_parameters>(CCP_CONGESTION_HCA_RP_PARAMETERS,
                                                      Held(node, CCP_CONGESTION_HCA_RP_PARAMETERS))
        .rpg_ai_rate;
  }
  bool IsEnabled(unsigned node, unsigned sl, unsigned slot) {
    return (Held(node, CCP_CONGESTION_HCA_ALGO_CONFIG, sl << 16 | slot)[0] & 0x80) != 0;
  }
  std::uint32_t Parameter(unsigned node, unsigned slot, unsigned index) {
    return Unpacked<ccp_congestion_hca_algo_config_params>(CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS,
                                                           Held(node, CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS, slot))
        .parameters[index];
  }
  void SetLength(unsigned node, unsigned slot, unsigned bytes) {
    Data& held = Held(node, CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS, slot);
    auto params = Unpacked<ccp_congestion_hca_algo_config_params>(CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS, held);
    params.encap_len = static_cast<std::uint8_t>(bytes);
    held = Packed(CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS, params);
  }
  auto SetsOf(const std::string& one) { return std::count(fabric_.log_of_sets.begin(), fabric_.log_of_sets.end(), one); }
  std::uint64_t Sets() {
    std::uint64_t sets = 0;
    for (const auto& node : fabric_.nodes()) sets += node.agent.sets;
    return sets;
  }
  unsigned Asked() {
    unsigned asked = 0;
    for (const auto& node : fabric_.nodes()) asked += node.agent.nvidia.asked;
    return asked;
  }
  void Start(const std::string& text) {
    WriteProfile(text);
    Open();
    Sweep();
  }
  void Sweep() {
    fabric_.Sweep(manager_);
    ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  }
  void Restart() {
    Close();
    Open();
    Sweep();
  }
  void Apply(const std::string& text) {
    ccp_error error{};
    ASSERT_EQ(ibcc_profiles_replace_base(profiles_, text.data(), text.size(), 0, &error), IBCC_PROFILES_OK) << error.message;
    ASSERT_NE(ibcc_manager_converge(manager_, "apply"), 0U);
    ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  }
  void Try(const std::string& text) {
    ccp_error error{};
    ASSERT_EQ(ibcc_profiles_begin_experiment(profiles_, text.data(), text.size(), 60, nullptr, 0, fabric_.now_ns, &error),
              IBCC_PROFILES_OK)
        << error.message;
    ibcc_manager_converge(manager_, "apply");
    ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  }
  void EndTrial() {
    ccp_error error{};
    ASSERT_EQ(ibcc_profiles_end_experiment(profiles_, &error), IBCC_PROFILES_OK);
    ibcc_manager_converge(manager_, "restore");
    ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  }
  void Verify() {
    ASSERT_NE(ibcc_manager_verify(manager_), 0U);
    ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  }
};

TEST_F(ManagerNvidia, IsNotAskedForAProfileWithoutIt) {
  Start(ProfileOf(1));
  EXPECT_EQ(Asked(), 0U);
  EXPECT_EQ(State(0), "applied");
  EXPECT_EQ(State(2), "unsupported");
  EXPECT_EQ(Dialect(0), "unknown") << "nobody has asked";
}

TEST_F(ManagerNvidia, BringsAMixedFabricToTheProfile) {
  Start(ProfileOf(1, "nvidia:\n" + std::string(kSwitch) + kDcqcn).replace(14, 1, "2"));
  for (unsigned node = 0; node < 7; ++node) EXPECT_EQ(State(node), "applied") << node << ": " << Withheld(node);
  EXPECT_EQ(Dialect(0), "a10");
  EXPECT_EQ(Dialect(1), "both");
  EXPECT_EQ(Dialect(2), "nvidia");
  EXPECT_EQ(fabric_.host(0).agent.held.at({CCP_CA_CONGESTION_SETTING, 0})[5], 150) << "annex A10's, as it has no other";
  EXPECT_EQ(fabric_.host(1).agent.held.at({CCP_CA_CONGESTION_SETTING, 0})[5], 0) << "cleared, as it obeys NVIDIA's";
  EXPECT_EQ(AiRate(1), 7U);
  EXPECT_EQ(AiRate(2), 7U);
  EXPECT_TRUE(Reacts(3));
  EXPECT_TRUE(IsMarking(5));
  for (unsigned port = 1; port <= 36; ++port)
    for (unsigned vl = 0; vl < 4; ++vl) EXPECT_EQ(Profile1(6, port, vl).max, 40U) << port << ", VL " << vl;
  // Adapters before switches, and what switches on comes last.
  const auto& sets = fabric_.log_of_sets;
  const auto first = std::find_if(sets.begin(), sets.end(), [](const std::string& one) { return one[0] == 's'; });
  EXPECT_TRUE(std::none_of(first, sets.end(), [](const std::string& one) { return one[0] == 'h'; }));
  EXPECT_EQ(sets.back(), "s6 65288");
}

// An update of firmware may add annex A10's attributes to a device that had NVIDIA's alone.
TEST_F(ManagerNvidia, AsksADeviceThatHasItAloneForAnnexA10sAgain) {
  fabric_.host(1).agent.has_a10 = false;
  Start(ProfileOf(1, "nvidia:\n" + std::string(kSwitch) + kDcqcn).replace(14, 1, "2"));
  ASSERT_EQ(Dialect(1), "nvidia");
  fabric_.host(1).agent.has_a10 = true;
  Apply(ProfileOf(1));
  EXPECT_EQ(Dialect(1), "both");
  EXPECT_EQ(State(1), "applied");
  EXPECT_EQ(fabric_.host(1).agent.held.at({CCP_CA_CONGESTION_SETTING, 0})[5], 150);
}

TEST_F(ManagerNvidia, SendsNothingWhenNothingHasChanged) {
  Start(Nvidia(std::string(kSwitch) + kPpcc));
  const std::uint64_t before = fabric_.mads;
  Sweep();
  EXPECT_EQ(fabric_.mads, before);
  const std::uint64_t sets = Sets();
  Verify();
  EXPECT_EQ(Sets(), sets);
  Restart();
  EXPECT_EQ(Sets(), sets) << "what devices hold was read";
  EXPECT_EQ(State(6), "applied");
}

TEST_F(ManagerNvidia, AModelIsAskedAndTestedOnceForEver) {
  for (auto& node : fabric_.nodes()) node.same_model = true;
  Start(Nvidia(kDcqcn));
  const unsigned asked = Asked();
  EXPECT_GE(asked, 1U);
  Restart();
  EXPECT_EQ(Asked(), asked);
  EXPECT_EQ(State(2), "applied");
  EXPECT_TRUE(Device(2).nvidia.remembered);
  fabric_.host(2).firmware = 9;  // other firmware is another model
  fabric_.host(2).same_model = false;
  fabric_.Sweep(manager_, {fabric_.host(2).guid});
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(Asked(), asked + 1);
}

TEST_F(ManagerNvidia, WithoutTheOptionItOnlyReads) {
  options_.nvidia_write = 0;
  Start(ProfileOf(1, "nvidia:\n" + std::string(kSwitch) + kDcqcn).replace(14, 1, "2"));
  Verify();
  EXPECT_EQ(State(2), "withheld");
  EXPECT_EQ(Withheld(6), "the plugin has no option --nvidia-write");
  EXPECT_EQ(State(0), "applied");
  EXPECT_EQ(fabric_.host(1).agent.held.at({CCP_CA_CONGESTION_SETTING, 0})[5], 150) << "annex A10's part is sent";
  EXPECT_EQ(fabric_.host(2).agent.sets, 0U);
  EXPECT_EQ(AiRate(2), 5U);
  ASSERT_NE(Device(2).items[0].held, nullptr) << "it is read";
  EXPECT_NE(Device(2).items[0].held, Device(2).items[0].wanted);
}

TEST_F(ManagerNvidia, ProbesAreTriedTwiceAndAreNoFailures) {
  for (auto& node : fabric_.nodes()) node.agent.nvidia.quirk = Quirk::Silent;
  options_.max_errors = 0;
  Start(ProfileOf(1, "nvidia:\n" + std::string(kDcqcn)).replace(14, 1, "2"));
  EXPECT_EQ(Dialect(0), "a10");
  EXPECT_EQ(State(0), "applied");
  EXPECT_EQ(State(2), "unsupported");
  EXPECT_EQ(Device(0).timeouts, 0U);
  EXPECT_STREQ(ibcc_manager_role_text(manager_), "master");
  EXPECT_EQ(ibcc_manager_mads(manager_).retried, 4U) << "one more try for each adapter";
}

TEST_F(ManagerNvidia, AnotherReadingOfTheVlIsFound) {
  for (auto& node : fabric_.nodes()) node.agent.nvidia.by_modifier = true;
  Start(
      Nvidia("  switch:\n    aqs_time: 4\n    aqs_weight: 3\n    thresholds:\n"
             "    - {vls: [0], unit: percent, profile1_max: 40}\n    - {vls: [2], unit: percent, profile1_max: 30}\n"));
  EXPECT_EQ(State(5), "applied") << Withheld(5);
  EXPECT_TRUE(Device(5).nvidia.facts.by_modifier);
  EXPECT_EQ(Profile1(5, 9, 0).max, 40U);
  EXPECT_EQ(Profile1(5, 9, 1).max, 0U);
  EXPECT_EQ(Profile1(5, 9, 2).max, 30U);
  Held(5, CCP_CONGESTION_PORT_PROFILE_SETTINGS, 1U << 16 | 9)[27] = 5;  // profile 3 of VL 1
  Verify();
  EXPECT_EQ(Device(5).drifts, 1U);
  EXPECT_EQ(Held(5, CCP_CONGESTION_PORT_PROFILE_SETTINGS, 1U << 16 | 9)[27], 0);
}

struct Fooled {
  const char* name;
  Quirk quirk;
  const char* of_switch;
  const char* of_adapter;
};

class ManagerNvidiaFooled : public ManagerNvidia, public ::testing::WithParamInterface<Fooled> {};

TEST_P(ManagerNvidiaFooled, IsReadAndNeverWritten) {
  for (auto& node : fabric_.nodes()) node.agent.nvidia.quirk = GetParam().quirk;
  Start(Nvidia(std::string(kSwitch) + kDcqcn));
  const auto expected = [](const char* fault) { return std::string("its answers cannot be trusted: ") + fault; };
  EXPECT_EQ(Withheld(6), expected(GetParam().of_switch));
  if (*GetParam().of_adapter != '\0') EXPECT_EQ(Withheld(2), expected(GetParam().of_adapter));
  EXPECT_EQ(State(6), "withheld");
  EXPECT_EQ(fabric_.nodes()[6].agent.sets, 0U);
  EXPECT_EQ(fabric_.host(2).agent.sets == 0, *GetParam().of_adapter != '\0');
  EXPECT_NE(log_.text.find(std::string("and all of its model are only read: ") + GetParam().of_switch), std::string::npos)
      << log_.text;
  // An update of the firmware, which OpenSM's sweep sees, ends that; and so does a verification.
  for (auto& node : fabric_.nodes()) node.agent.nvidia.quirk = Quirk::None;
  Verify();
  EXPECT_EQ(State(6), "applied") << Withheld(6);
}

INSTANTIATE_TEST_SUITE_P(
    Firmwares, ManagerNvidiaFooled,
    ::testing::Values(Fooled{"Zeros", Quirk::Zeros, "CongestionSwitchGeneralSettings: a value is out of range",
                             "CongestionSwitchGeneralSettings: a Get of what it cannot have is answered"},
                      Fooled{"Echo", Quirk::Echo, "CongestionSwitchGeneralSettings: a value is out of range",
                             "CongestionSwitchGeneralSettings: a Get of what it cannot have is answered"},
                      Fooled{"Noise", Quirk::Noise, "EnhancedCongestionInfo: reserved bits are not zero",
                             "EnhancedCongestionInfo: reserved bits are not zero"},
                      Fooled{"FirstPort", Quirk::FirstPort,
                             "CongestionSLMappingSettings: a Get of what it cannot have is answered", ""},
                      Fooled{"Reserved", Quirk::Reserved, "CongestionSwitchGeneralSettings: reserved bits are not zero",
                             "CongestionHCAGeneralSettings: reserved bits are not zero"}),
    [](const auto& one) { return one.param.name; });

TEST_F(ManagerNvidia, WhatADeviceCannotTakeIsNotSent) {
  fabric_.host(1).agent.nvidia.ver0 = false;
  fabric_.nodes()[5].agent.nvidia.capabilities = 0;
  fabric_.nodes()[6].agent.nvidia.buffer = 100'000;
  Start(
      Nvidia("  switch:\n    aqs_time: 4\n    aqs_weight: 3\n    thresholds:\n"
             "    - {vls: all, unit: kilobytes, profile1_min: 10, profile1_max: 400, profile1_percent: 20}\n" +
             std::string(kDcqcn)));
  EXPECT_EQ(Withheld(1), "it has no DCQCN (version 0)");
  EXPECT_EQ(Withheld(5), "thresholds are in kilobytes, and it takes bytes and percent");
  EXPECT_EQ(Withheld(6), "profile1_max is 400000 bytes, and its buffer has 100000");
  EXPECT_EQ(Withheld(0), "it has no attributes of NVIDIA's, and the profile has no others");
  EXPECT_EQ(fabric_.nodes()[6].agent.sets, 0U);
  EXPECT_EQ(State(2), "applied");
  Apply(Nvidia("  adapter: {type: ppcc, ppcc: [{algo_id: 3, major: 1, minor: 0}]}\n"));
  EXPECT_EQ(Withheld(2), "its firmware has no algorithm 3 of version 1.0");
}

TEST_F(ManagerNvidia, PpccTakesSlotsAndParametersAndLeavesTheOthers) {
  Start(Nvidia(kPpcc));
  EXPECT_EQ(State(2), "applied") << Withheld(2);
  for (unsigned sl = 0; sl < 16; ++sl) {
    EXPECT_EQ(IsEnabled(2, sl, 1), sl == 0 || sl == 3) << sl;
    EXPECT_FALSE(IsEnabled(2, sl, 0));
  }
  const auto params = Unpacked<ccp_congestion_hca_algo_config_params>(CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS,
                                                                      Held(2, CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS, 1));
  EXPECT_EQ(params.parameters[1], 777U);
  EXPECT_EQ(params.parameters[0], 100U) << "as the device had it";
  Held(2, CCP_CONGESTION_HCA_ALGO_CONFIG, 3U << 16 | 1)[0] = 0;  // the second of its SLs
  Verify();
  EXPECT_EQ(Device(2).drifts, 1U);
  EXPECT_TRUE(IsEnabled(2, 3, 1));
  Apply(Nvidia(kDcqcn));
  EXPECT_FALSE(IsEnabled(2, 3, 1)) << "DCQCN takes its place";
  Apply(Nvidia("  adapter: {type: ppcc, ppcc: [{algo_id: 1, major: 1, minor: 0, parameters: {40: 1}}]}\n"));
  EXPECT_EQ(State(2), "refused") << "a parameter that the algorithm lacks";
  EXPECT_EQ(Held(2, CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS, 0)[16 + 3], 100);
}

// A Set has all parameters of a slot: without those that the device has, it would zero what the profile does not give.
TEST_F(ManagerNvidia, ParametersThatCannotBeReadAreNotSet) {
  fabric_.host(2).agent.unreadable = {{CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS, 1}};
  Start(Nvidia(kPpcc));
  Verify();
  EXPECT_EQ(State(2), "refused");
  EXPECT_EQ(State(3), "applied");
  EXPECT_EQ(SetsOf("h2 65317"), 0);
  EXPECT_EQ(Parameter(2, 1, 0), 100U);
  fabric_.host(2).agent.unreadable.clear();
  Verify();
  EXPECT_EQ(State(2), "applied");
  EXPECT_EQ(SetsOf("h2 65317"), 1);
  EXPECT_EQ(Parameter(2, 1, 0), 100U);
  EXPECT_EQ(Parameter(2, 1, 1), 777U);
  for (unsigned i = 0; i < Device(2).num_items; ++i) EXPECT_EQ(Device(2).items[i].refusal, 0);
}

// Nor are there, where the device says so, those that are wanted, or as many as it says.
TEST_F(ManagerNvidia, ParametersThatDoNotFitTheirLengthAreNotSet) {
  SetLength(1, 1, 4);                                 // of one parameter
  SetLength(2, 1, CCP_PPCC_ENCAPSULATION_BYTES + 4);  // more than there is room for
  SetLength(3, 1, 4 * 6 + 1);
  Start(Nvidia(kPpcc));
  Verify();
  for (const unsigned node : {1U, 2U, 3U}) {
    SCOPED_TRACE(node);
    const std::string set = "h" + std::to_string(node) + " 65317";
    EXPECT_EQ(State(node), "refused");
    EXPECT_EQ(SetsOf(set), 0);
    SetLength(node, 1, 4 * 6);
    Verify();
    EXPECT_EQ(State(node), "applied");
    EXPECT_EQ(SetsOf(set), 1);
    EXPECT_EQ(Parameter(node, 1, 5), 105U);
  }
}

TEST_F(ManagerNvidia, APlanLeavesADeviceAloneThatIsBeingTested) {
  const std::string text = Nvidia(kDcqcn);
  WriteProfile(text);
  Open();
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return Device(2).nvidia.first != nullptr; }));
  ccp_error error{};
  ibcc_plan plan{};
  ccp_profile* profile = ccp_profile_read(text.data(), text.size(), &error);
  ASSERT_EQ(ibcc_manager_plan(manager_, profile, &plan, &error), 0) << error.message;
  ccp_tables_destroy(plan.tables);
  ccp_profile_destroy(profile);
  EXPECT_NE(Device(2).nvidia.first, nullptr);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(State(2), "applied") << Withheld(2);
}

// The file is read for the answer, and the profile in force keeps the names that it came with.
TEST_F(ManagerNvidia, ACheckAndAPlanKeepTheNamesOfTheProfileInForce) {
  const auto write_names = [&](const char* parameters) {
    std::ofstream(folder_ + "/names.json") << R"({"ibcc_ppcc_algorithms": 1, "algorithms": [)"
                                           << R"({"name": "RTT", "algo_id": 2, "major": 1, "minor": 0, "parameters": [)"
                                           << parameters << "]}]}";
  };
  const auto text = [&](const std::string& parameter) {
    return Nvidia("  adapter: {type: ppcc, ppcc: [{algorithm: RTT, sls: [0], parameters: {" + parameter + "}}]}\n");
  };
  options_.ppcc_algorithms = strdup((folder_ + "/names.json").c_str());
  write_names(R"("A", "B")");
  Start(text("B: 7"));
  EXPECT_EQ(Parameter(2, 1, 1), 7U);
  write_names(R"("B", "A", "C")");
  ccp_error error{};
  ibcc_plan plan{};
  const std::string another = text("C: 8");
  ccp_profile* profile = ccp_profile_read(another.data(), another.size(), &error);
  EXPECT_EQ(ibcc_manager_check(manager_, profile, &error), 0) << error.message;
  ASSERT_EQ(ibcc_manager_plan(manager_, profile, &plan, &error), 0) << error.message;
  EXPECT_EQ(plan.cas, 3U) << "with the names of now";
  ccp_tables_destroy(plan.tables);
  ccp_profile_destroy(profile);
  ASSERT_NE(ibcc_manager_probe_nvidia(manager_), 0U);  // what is wanted of devices is looked up anew
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(Parameter(2, 1, 0), 100U);
  EXPECT_EQ(Parameter(2, 1, 1), 7U);
  Apply(text("B: 9"));
  EXPECT_EQ(Parameter(2, 1, 0), 9U);
  EXPECT_EQ(Parameter(2, 1, 1), 101U);
}

// One device of a model has passed all tests when another fails one that only it needs.
TEST_F(ManagerNvidia, ADeviceThatFailsTakesTheTrustFromItsModel) {
  for (const unsigned host : {2U, 3U}) fabric_.host(host).same_model = true;
  fabric_.host(2).agent.nvidia.ver1 = false;
  SetLength(3, 0, 3);
  WriteProfile(Nvidia(kDcqcn));
  Open();
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return Device(2).nvidia.state == IBCC_NVIDIA_TESTED; }));
  ASSERT_EQ(Device(3).nvidia.state, IBCC_NVIDIA_TESTING);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  for (const unsigned host : {2U, 3U}) {
    EXPECT_EQ(State(host), "withheld");
    EXPECT_EQ(Withheld(host), "its answers cannot be trusted: CongestionHCAAlgoConfigParams: a value is out of range");
    EXPECT_EQ(fabric_.host(host).agent.sets, 0U);
  }
  EXPECT_EQ(State(1), "applied") << "of another model";
}

// A profile without the section would not clear a device that is not on the disk.
TEST_F(ManagerNvidia, ADeviceIsNotSetBeforeItsNoteIsOnTheDisk) {
  const std::string file = folder_ + "/state/nvidia.json";
  WriteProfile(Nvidia(std::string(kSwitch) + kPpcc));
  Open();
  std::filesystem::create_directory(file);  // so that no file can take its name
  Sweep();
  fabric_.Run(manager_, [] { return false; }, 60);
  Apply(Nvidia(std::string(kSwitch) + kDcqcn));
  for (const unsigned node : {2U, 5U}) EXPECT_EQ(fabric_.nodes()[node].agent.sets, 0U) << "nor in a later pass";
  EXPECT_NE(log_.text.find("what is known of NVIDIA's attributes cannot be kept: "), std::string::npos) << log_.text;
  std::filesystem::remove(file);
  fabric_.Run(manager_, [] { return false; }, 300);
  EXPECT_EQ(State(2), "applied");
  EXPECT_TRUE(IsMarking(5));
  // Nor are parameters before what they were is.
  std::filesystem::remove(file);
  std::filesystem::create_directory(file);
  ASSERT_EQ(Parameter(2, 0, 2), 102U);
  Apply(Nvidia("  adapter: {type: ppcc, ppcc: [{algo_id: 1, major: 1, minor: 0, parameters: {2: 5}}]}\n"));
  fabric_.Run(manager_, [] { return false; }, 60);
  EXPECT_EQ(Parameter(2, 0, 2), 102U);
  std::filesystem::remove(file);
  fabric_.Run(manager_, [] { return false; }, 300);
  EXPECT_EQ(Parameter(2, 0, 2), 5U);
  Restart();
  Apply(Nvidia(kDcqcn));
  EXPECT_EQ(Parameter(2, 0, 2), 102U);
}

// A file that is written anew for each of 5,832 hosts would hold up the pass.
TEST_F(ManagerNvidia, ParametersOfAllDevicesAreNotedTogether) {
  std::set<std::string> noted;
  options_.max_outstanding = 1;
  fabric_.is_sweeping = [&] {
    const Json file(json_load_file((folder_ + "/state/nvidia.json").c_str(), 0, nullptr));
    const json_t* parameters = json_object_get(file.get(), "parameters");
    if (json_array_size(parameters) != 0) noted.insert(Show(parameters));
    return false;
  };
  Start(Nvidia(kPpcc));
  EXPECT_EQ(State(3), "applied");
  EXPECT_EQ(noted.size(), 1U);
}

TEST_F(ManagerNvidia, WithoutTheFileOfNotesItOnlyReads) {
  Start(ProfileOf(1));
  Close();
  std::filesystem::remove(folder_ + "/state/nvidia.json");
  std::filesystem::create_directory(folder_ + "/state/nvidia.json");
  Start(Nvidia(kDcqcn));
  EXPECT_EQ(Withheld(2), "nvidia.json in the state folder cannot be opened, so that nothing can be noted; the log says why");
  EXPECT_EQ(fabric_.host(2).agent.sets, 0U);
}

TEST_F(ManagerNvidia, ASweepThatBeginsWhileTheNoteIsWrittenIsWaitedFor) {
  bool is_over = false;
  WriteProfile(Nvidia(kDcqcn));
  Open();
  fabric_.is_sweeping = [&] { return !is_over && std::filesystem::exists(folder_ + "/state/nvidia.json"); };
  fabric_.Sweep(manager_);
  fabric_.Run(manager_, [] { return false; }, 30);
  EXPECT_TRUE(fabric_.is_sweeping());
  for (const unsigned host : {2U, 3U}) EXPECT_EQ(fabric_.host(host).agent.sets, 0U);
  is_over = true;
  Sweep();
  EXPECT_EQ(State(2), "applied");
}

TEST_F(ManagerNvidia, AProfileWithoutItClearsWhatWasWrittenAndNothingElse) {
  const std::string both = ProfileOf(1, "nvidia:\n" + std::string(kSwitch) + kDcqcn).replace(14, 1, "2");
  Held(3, CCP_CONGESTION_HCA_GENERAL_SETTINGS)[0] = 0xC0;  // somebody else's
  fabric_.host(3).answers = false;
  Start(both);
  EXPECT_TRUE(IsMarking(5));
  fabric_.log_of_sets.clear();
  Restart();  // the folder has it
  Apply(ProfileOf(2));
  EXPECT_FALSE(IsMarking(5));
  EXPECT_FALSE(Reacts(2));
  EXPECT_EQ(Profile1(5, 1, 0).max, 0U);
  EXPECT_EQ(fabric_.log_of_sets.front(), "s5 65288") << "switches stop to mark first";
  EXPECT_EQ(fabric_.host(1).agent.held.at({CCP_CA_CONGESTION_SETTING, 0})[5], 150) << "and obeys annex A10 again";
  fabric_.host(3).answers = true;
  Sweep();
  Verify();
  EXPECT_TRUE(Reacts(3)) << "it was never written to";
  const unsigned asked = Asked();
  Restart();
  Verify();
  EXPECT_EQ(Asked(), asked) << "nothing is left to clear";
  Held(5, CCP_CONGESTION_SWITCH_GENERAL_SETTINGS)[0] = 1;  // somebody else's too, from now on
  Verify();
  EXPECT_TRUE(IsMarking(5));
}

TEST_F(ManagerNvidia, DisablingClearsIt) {
  Start(Nvidia(std::string(kSwitch) + kDcqcn));
  Apply("ibcc_profile: 2\nname: off\nenable: false\nnvidia:\n" + std::string(kSwitch) + kDcqcn);
  EXPECT_FALSE(IsMarking(5));
  EXPECT_FALSE(Reacts(2));
  EXPECT_EQ(State(5), "applied");
}

TEST_F(ManagerNvidia, ATrialRunEndsAcrossKinds) {
  Start(ProfileOf(1));
  Try(Nvidia(std::string(kSwitch) + kDcqcn));
  EXPECT_TRUE(IsMarking(6));
  EXPECT_EQ(ibcc_manager_count_experiment_holders(manager_, 2), 7U);
  EndTrial();
  EXPECT_FALSE(IsMarking(6));
  EXPECT_EQ(ibcc_manager_count_experiment_holders(manager_, 2), 0U);
  EXPECT_EQ(State(0), "applied");
}

// What the base says does not fit these devices: of the trial they keep nothing.
TEST_F(ManagerNvidia, ATrialRunEndsWhereTheBaseIsWithheld) {
  fabric_.nodes()[5].agent.nvidia.capabilities = 0;
  fabric_.host(2).agent.nvidia.ver0 = false;
  fabric_.host(1).agent.nvidia.ver0 = false;
  Start(ProfileOf(1,
                  "nvidia:\n  switch:\n    aqs_time: 4\n    aqs_weight: 3\n    thresholds:\n"
                  "    - {vls: all, unit: kilobytes, profile1_min: 10, profile1_max: 400, profile1_percent: 20}\n" +
                      std::string(kDcqcn))
            .replace(14, 1, "2"));
  EXPECT_EQ(State(5), "withheld");
  EXPECT_EQ(fabric_.host(1).agent.held.at({CCP_CA_CONGESTION_SETTING, 0})[5], 150) << "annex A10's part is sent";
  Try(Nvidia(std::string(kSwitch) + kPpcc));
  EXPECT_TRUE(IsMarking(5));
  EXPECT_TRUE(IsEnabled(2, 3, 1));
  EXPECT_EQ(fabric_.host(1).agent.held.at({CCP_CA_CONGESTION_SETTING, 0})[5], 0);
  fabric_.log_of_sets.clear();
  EndTrial();
  EXPECT_EQ(fabric_.log_of_sets.front(), "s5 65288") << "switches stop to mark first";
  EXPECT_FALSE(IsMarking(5));
  EXPECT_EQ(Profile1(5, 1, 0).max, 0U);
  EXPECT_FALSE(Reacts(2));
  EXPECT_FALSE(IsEnabled(2, 3, 1));
  EXPECT_EQ(fabric_.host(1).agent.held.at({CCP_CA_CONGESTION_SETTING, 0})[5], 150) << "and obeys annex A10 again";
  EXPECT_EQ(State(5), "withheld");
  EXPECT_EQ(Withheld(5), "thresholds are in kilobytes, and it takes bytes and percent");
  EXPECT_EQ(State(2), "withheld");
  EXPECT_EQ(ibcc_manager_count_experiment_holders(manager_, 2), 0U);
  EXPECT_TRUE(IsMarking(6)) << "the base fits this one";
  const std::uint64_t sets = Sets();
  Verify();
  Restart();
  EXPECT_EQ(Sets(), sets) << "once";
}

// Neither the base nor the device's firmware says what they are to be: they are what they were.
TEST_F(ManagerNvidia, ParametersOfATrialRunEndWithIt) {
  constexpr const char* kBase =
      "  adapter: {type: ppcc, ppcc: [{algo_id: 2, major: 1, minor: 0, sls: [0], parameters: {1: 777}}]}\n";
  const std::string trial = Nvidia(
      "  adapter: {type: ppcc, ppcc: [{algo_id: 1, major: 1, minor: 0, sls: [0], parameters: {0: 9}},\n"
      "    {algo_id: 2, major: 1, minor: 0, sls: [3], parameters: {1: 888, 2: 5}}]}\n");
  Held(2, CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS, 1)[16 + 4 * 2 + 3] = 50;  // somebody has set it
  Start(Nvidia(kBase));
  const auto expect_base = [&] {
    EXPECT_EQ(Parameter(2, 0, 0), 100U);
    EXPECT_EQ(Parameter(2, 1, 1), 777U);
    EXPECT_EQ(Parameter(2, 1, 2), 50U);
    EXPECT_EQ(Parameter(3, 1, 2), 102U);
    EXPECT_EQ(State(2), "applied");
  };
  for (const bool is_killed : {false, true}) {
    SCOPED_TRACE(is_killed);
    Try(trial);
    EXPECT_EQ(Parameter(2, 0, 0), 9U);
    EXPECT_EQ(Parameter(2, 1, 1), 888U);
    EXPECT_EQ(Parameter(2, 1, 2), 5U);
    if (is_killed)
      Restart();
    else
      EndTrial();
    expect_base();
    const std::uint64_t before = fabric_.mads;
    Sweep();
    EXPECT_EQ(fabric_.mads, before);
  }
  Held(2, CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS, 1)[16 + 4 * 2 + 3] = 60;
  Verify();
  EXPECT_EQ(Parameter(2, 1, 2), 60U) << "it is not the plugin's any more";
  Apply(ProfileOf(1));
  EXPECT_EQ(Parameter(2, 1, 1), 101U);
  EXPECT_FALSE(Device(2).nvidia.written);
}

TEST_F(ManagerNvidia, SomebodyElsesWritesAreRepairedTwiceAndThenAConflict) {
  Start(Nvidia(kDcqcn));
  for (int i = 0; i < 3; ++i) {
    Held(2, CCP_CONGESTION_HCA_RP_PARAMETERS)[0x17] = 99;  // rpg_ai_rate
    fabric_.Run(manager_, [] { return false; }, 700);
    EXPECT_EQ(AiRate(2), i < 2 ? 7U : 99U) << i;
  }
  EXPECT_EQ(State(2), "withheld");
  EXPECT_EQ(Withheld(2), "somebody else has changed it 3 times after it was set; apply or verify tries again");
  EXPECT_NE(log_.text.find("conflict: somebody else has written NVIDIA's attributes of H2"), std::string::npos) << log_.text;
  EXPECT_EQ(State(3), "applied");
  Verify();
  EXPECT_EQ(AiRate(2), 7U);
  EXPECT_EQ(State(2), "applied");
}

// NVIDIA's attributes are on, and cannot be cleared: annex A10's stay cleared, whatever the profile says, until somebody clears them.
TEST_F(ManagerNvidia, ADeviceThatObeysNvidiasDoesNotObeyAnnexA10sToo) {
  const auto timer = [&] { return unsigned{fabric_.host(1).agent.held.at({CCP_CA_CONGESTION_SETTING, 0})[5]}; };
  Start(ProfileOf(1, "nvidia:\n" + std::string(kDcqcn)).replace(14, 1, "2"));
  ASSERT_TRUE(Reacts(1));
  for (int i = 0; i < 3; ++i) {
    Held(1, CCP_CONGESTION_HCA_RP_PARAMETERS)[0x17] = 99;  // rpg_ai_rate, by somebody else
    fabric_.Run(manager_, [] { return false; }, 700);
  }
  EXPECT_EQ(State(1), "withheld");
  EXPECT_EQ(timer(), 0U) << "contested";
  options_.nvidia_write = 0;
  const std::uint64_t sets = fabric_.host(1).agent.sets;
  Restart();
  Verify();
  EXPECT_EQ(Withheld(1), "the plugin has no option --nvidia-write");
  EXPECT_EQ(timer(), 0U) << "written to by a former process";
  Apply(ProfileOf(2));
  EXPECT_EQ(State(1), "withheld");
  EXPECT_EQ(timer(), 0U) << "to be cleared, and cannot be";
  EXPECT_EQ(fabric_.host(1).agent.sets, sets);
  Held(1, CCP_CONGESTION_HCA_GENERAL_SETTINGS)[0] = 0;
  Verify();
  fabric_.Run(manager_, [] { return false; }, 60);
  EXPECT_EQ(timer(), 150U) << "somebody has cleared them";
  EXPECT_EQ(State(1), "applied");
}

TEST_F(ManagerNvidia, AnnexA10sWaitUntilNvidiasAreCleared) {
  Start(ProfileOf(1, "nvidia:\n" + std::string(kDcqcn)).replace(14, 1, "2"));
  fabric_.log_of_sets.clear();
  fabric_.host(1).agent.refuses[{CCP_CONGESTION_HCA_GENERAL_SETTINGS, 0}] = IBCC_STATUS_BAD_FIELD;
  Apply(ProfileOf(2));
  const auto& sets = fabric_.log_of_sets;
  EXPECT_EQ(State(1), "refused");
  EXPECT_TRUE(std::none_of(sets.begin(), sets.end(), [](const std::string& one) { return one == "h1 22"; }));
  fabric_.host(1).agent.refuses.clear();
  Verify();
  EXPECT_EQ(State(1), "applied");
  EXPECT_LT(std::find(sets.rbegin(), sets.rend(), "h1 22"), std::find(sets.rbegin(), sets.rend(), "h1 65312"));
}

TEST_F(ManagerNvidia, ADeviceThatWasResetIsSetAgain) {
  Start(Nvidia(std::string(kSwitch) + kDcqcn));
  fabric_.nodes()[5].agent.Reset();
  fabric_.nodes()[5].was_reset = true;
  Sweep();
  fabric_.Run(manager_, [] { return false; }, 30);
  EXPECT_TRUE(IsMarking(5));
  EXPECT_EQ(State(5), "applied");
}

TEST_F(ManagerNvidia, KeysAreUsed) {
  for (auto& node : fabric_.nodes()) node.agent.cc_key = 7;
  WriteKeys("current: 0x7\n");
  Start(Nvidia(std::string(kSwitch) + kDcqcn));
  EXPECT_EQ(State(6), "applied");
  EXPECT_EQ(State(2), "applied");
}

TEST_F(ManagerNvidia, IsAskedOnRequest) {
  Start(ProfileOf(1));
  ASSERT_NE(ibcc_manager_probe_nvidia(manager_), 0U);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(Dialect(0), "a10");
  EXPECT_EQ(Dialect(1), "both");
  EXPECT_EQ(Dialect(2), "nvidia");
  EXPECT_EQ(State(1), "applied") << "by annex A10's attributes";
  EXPECT_EQ(State(2), "unsupported") << "the profile has nothing for it";
  EXPECT_EQ(fabric_.host(2).agent.sets, 0U);
  const unsigned asked = Asked();
  Restart();
  EXPECT_EQ(Asked(), asked) << "once";
}

}  // namespace
}  // namespace ibcc_test
