// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Devices of one model: what each of them answers is its own, and only trust is the model's.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "devices/nvidia_memory.h"
#include "manager_nvidia_support.hpp"
#include "rpc/method.h"
#include "rpc/server_settings.h"
#include "rpc/support.hpp"

namespace ibcc_test {
namespace {

constexpr const char* kAlgorithm1 =
    "  adapter: {type: ppcc, ppcc: [{algo_id: 1, major: 1, minor: 0, sls: [0], parameters: {0: 400, 1: 3932}}]}\n";

// All devices are of one model, and tell their firmware.
class ManagerModels : public ManagerNvidia {
 protected:
  ManagerModels() {
    for (auto& node : fabric_.nodes()) node.same_model = true;
  }

  std::vector<std::string> Sentences() {
    std::vector<std::string> told;
    const auto tell = [](void* owner, const char* sentence) {
      static_cast<std::vector<std::string>*>(owner)->emplace_back(sentence);
      return 0;
    };
    EXPECT_EQ(ibcc_manager_tell_models(manager_, tell, &told), 0);
    return told;
  }
  bool Says(const std::string& part) {
    const std::vector<std::string> told = Sentences();
    return std::any_of(told.begin(), told.end(), [&](const std::string& one) { return one.find(part) != std::string::npos; });
  }
  std::size_t Logged(const std::string& part) const {
    std::size_t times = 0;
    for (std::size_t at = log_.text.find(part); at != std::string::npos; at = log_.text.find(part, at + 1)) ++times;
    return times;
  }
  void Reboot(unsigned node) {
    fabric_.nodes()[node].agent.Reset();
    fabric_.Sweep(manager_, {fabric_.nodes()[node].guid});
    ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  }
  std::uint64_t Gets(unsigned node) { return fabric_.nodes()[node].agent.gets; }
  // The adapter runs algorithm 1 with the parameters of kAlgorithm1, and the other algorithm's are as they were.
  void ExpectAlgorithm1(unsigned node) {
    SCOPED_TRACE(node);
    const std::uint32_t slot = fabric_.nodes()[node].agent.nvidia.SlotOf(1);
    EXPECT_EQ(State(node), "applied") << Withheld(node);
    EXPECT_TRUE(IsEnabled(node, 0, slot));
    EXPECT_FALSE(IsEnabled(node, 0, 1 - slot));
    EXPECT_EQ(Parameter(node, slot, 0), 400U);
    EXPECT_EQ(Parameter(node, slot, 1), 3932U);
    EXPECT_EQ(Parameter(node, 1 - slot, 0), 100U);
    EXPECT_EQ(Parameter(node, 1 - slot, 1), 101U);
  }
};

TEST_F(ManagerModels, ASlotIsThatOfTheDevicesOwnList) {
  fabric_.host(3).agent.nvidia.order = {2, 1};
  Start(Nvidia(kAlgorithm1));
  for (const unsigned host : {1U, 2U, 3U}) ExpectAlgorithm1(host);
  Reboot(3);
  for (const unsigned host : {1U, 2U, 3U}) ExpectAlgorithm1(host);
  Restart();
  for (const unsigned host : {1U, 2U, 3U}) ExpectAlgorithm1(host);
  Apply(Nvidia("  adapter: {type: ppcc, ppcc: [{algo_id: 2, major: 1, minor: 0}]}\n"));
  for (const unsigned host : {1U, 2U, 3U}) {
    const std::uint32_t slot = fabric_.host(host).agent.nvidia.SlotOf(1);
    EXPECT_FALSE(IsEnabled(host, 0, slot));
    EXPECT_TRUE(IsEnabled(host, 0, 1 - slot));
    EXPECT_EQ(Parameter(host, slot, 0), 100U) << "as it was, in the slot of its own algorithm";
    EXPECT_EQ(Parameter(host, slot, 1), 101U);
    EXPECT_EQ(Parameter(host, 1 - slot, 0), 100U);
  }
}

TEST_F(ManagerModels, AListThatChangesWithARebootIsReadAgain) {
  Start(Nvidia(kAlgorithm1));
  fabric_.host(2).agent.nvidia.order = {2, 1};
  Reboot(2);
  ExpectAlgorithm1(2);
  // The port is back before a sweep has missed it.
  fabric_.host(2).agent.nvidia.order = {1, 2};
  fabric_.host(2).agent.Reset();
  fabric_.host(2).was_reset = true;
  Sweep();
  fabric_.Run(manager_, [] { return false; }, 30);
  ExpectAlgorithm1(2);
  EXPECT_EQ(Logged("no reset was seen"), 0U);
}

// What was in the slot of one algorithm is nothing that another holds.
TEST_F(ManagerModels, AListThatChangesWithoutARebootIsSaidAndSetAnew) {
  Start(Nvidia(kAlgorithm1));
  fabric_.host(2).agent.nvidia.order = {2, 1};
  fabric_.host(2).agent.held.clear();
  Verify();
  ExpectAlgorithm1(2);
  EXPECT_EQ(
      Logged("H2 (0x0000000000001002) answers otherwise than before, and no reset was seen: the list of PPCC algorithms has "
             "changed; it is set by what it answers now"),
      1U)
      << log_.text;
  const std::uint64_t sets = Sets();
  Verify();
  EXPECT_EQ(Sets(), sets);
}

// All that the device holds is as it was; but what stands in its slots is another algorithm now.
TEST_F(ManagerModels, AListThatChangesAloneIsFoundByAVerificationAndAfterADoubtfulReset) {
  const auto expect_algorithm_1 = [&] {
    const std::uint32_t slot = fabric_.host(2).agent.nvidia.SlotOf(1);
    EXPECT_EQ(State(2), "applied");
    EXPECT_TRUE(IsEnabled(2, 0, slot));
    EXPECT_FALSE(IsEnabled(2, 0, 1 - slot));
    EXPECT_EQ(Parameter(2, slot, 0), 400U);
  };
  Start(Nvidia(kAlgorithm1));
  fabric_.host(2).agent.nvidia.order = {2, 1};
  Verify();
  expect_algorithm_1();
  EXPECT_EQ(Device(2).drifts, 0U);
  fabric_.host(2).agent.nvidia.order = {1, 2};
  fabric_.host(2).was_reset = true;
  Sweep();
  fabric_.Run(manager_, [] { return false; }, 30);
  expect_algorithm_1();
}

// A Set has all parameters of a slot: those that the profile does not give are of the algorithm that is there now.
TEST_F(ManagerModels, ParametersThatMoveWithTheirAlgorithmAreNotMixed) {
  constexpr ccp_attribute_id kParams = CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS, kConfig = CCP_CONGESTION_HCA_ALGO_CONFIG;
  Start(
      Nvidia("  adapter: {type: ppcc, ppcc: [{algo_id: 1, major: 1, minor: 0, sls: [0], parameters: {0: 400}}, "
             "{algo_id: 2, major: 1, minor: 0, sls: [1], parameters: {0: 500}}]}\n"));
  auto others = Unpacked<ccp_congestion_hca_algo_config_params>(kParams, Held(2, kParams, 1));
  others.parameters[2] = 777;
  Held(2, kParams, 1) = Packed(kParams, others);
  const auto sets = SetsOf("h2 65317");
  fabric_.host(2).agent.nvidia.order = {2, 1};
  std::swap(Held(2, kParams, 0), Held(2, kParams, 1));
  for (std::uint32_t sl = 0; sl < 16; ++sl) std::swap(Held(2, kConfig, sl << 16), Held(2, kConfig, sl << 16 | 1));
  Verify();
  EXPECT_EQ(State(2), "applied");
  EXPECT_EQ(SetsOf("h2 65317"), sets) << "each holds what it should";
  EXPECT_EQ(Parameter(2, 0, 0), 500U);
  EXPECT_EQ(Parameter(2, 0, 2), 777U);
  EXPECT_EQ(Parameter(2, 1, 0), 400U);
  EXPECT_EQ(Parameter(2, 1, 2), 102U);
}

TEST_F(ManagerModels, FactsOfSwitchesAreTheirOwn) {
  FakeNvidia &leaf = fabric_.nodes()[5].agent.nvidia, &spine = fabric_.nodes()[6].agent.nvidia;
  leaf.vls = 8;
  leaf.buffer = 1'000'000;
  spine.vls = 2;
  spine.by_modifier = true;
  const std::string thresholds = "  switch:\n    aqs_time: 4\n    aqs_weight: 3\n    thresholds:\n    - {vls: ";
  Start(Nvidia(thresholds + "all, unit: kilobytes, profile1_max: 2000}\n"));
  for (int times = 0; times < 2; ++times) {
    EXPECT_EQ(Withheld(5), "profile1_max is 2000000 bytes, and its buffer has 1000000");
    EXPECT_EQ(State(6), "applied") << Withheld(6);
    EXPECT_EQ(Device(5).nvidia.facts.num_vls, 8);
    EXPECT_EQ(Device(6).nvidia.facts.num_vls, 2);
    EXPECT_TRUE(Device(6).nvidia.facts.by_modifier);
    EXPECT_FALSE(Device(5).nvidia.facts.by_modifier);
    Restart();
  }
  Apply(Nvidia(thresholds + "[4], unit: percent, profile1_max: 40}\n"));
  EXPECT_EQ(State(5), "applied") << Withheld(5);
  EXPECT_EQ(Withheld(6), "thresholds name VL 4, and it has VLs 0 to 1");
}

TEST_F(ManagerModels, NumbersOfVlsAreFound) {
  for (const unsigned vls : {1U, 2U, 4U, 8U, 15U}) {
    for (const bool by_modifier : {false, true}) {
      SCOPED_TRACE(vls);
      fabric_.nodes()[5].agent.nvidia.vls = vls;
      fabric_.nodes()[5].agent.nvidia.by_modifier = by_modifier;
      fabric_.nodes()[5].agent.Reset();
      Start(Nvidia(kSwitch));
      EXPECT_EQ(Device(5).nvidia.facts.num_vls, vls);
      EXPECT_EQ(State(5), "applied") << Withheld(5);
      Close();
    }
  }
  Open();
}

TEST_F(ManagerModels, ATrustedModelIsAskedForFactsAlone) {
  Start(Nvidia(std::string(kSwitch) + kAlgorithm1));
  const std::uint64_t sets = Sets();
  std::vector<std::map<std::uint16_t, unsigned>> before;
  for (auto& node : fabric_.nodes()) before.push_back(std::exchange(node.agent.gets_of, {}));
  Restart();
  EXPECT_EQ(Sets(), sets);
  auto& of_host = fabric_.host(2).agent.gets_of;
  EXPECT_EQ(before[2][CCP_CONGESTION_SWITCH_GENERAL_SETTINGS], 1U) << "tested at first";
  EXPECT_EQ(of_host[CCP_CONGESTION_SWITCH_GENERAL_SETTINGS], 0U);
  EXPECT_EQ(of_host[CCP_ENHANCED_CONGESTION_INFO], 1U);
  EXPECT_EQ(of_host[CCP_CONGESTION_HCA_RP_PARAMETERS], 0U) << "the profile has none";
  EXPECT_EQ(of_host[CCP_CONGESTION_HCA_ALGO_CONFIG], 1U + 1 + 15 + 15) << "the list, and each SL of each slot";
  auto& of_spine = fabric_.nodes()[6].agent.gets_of;
  EXPECT_EQ(of_spine[CCP_ENHANCED_CONGESTION_INFO], 1U);
  EXPECT_EQ(of_spine[CCP_CONGESTION_SWITCH_GENERAL_SETTINGS], 1U + 1) << "the buffer, and the setting";
  EXPECT_EQ(of_spine[CCP_CONGESTION_PORT_PROFILE_SETTINGS], 3U + 36) << "VLs 1, 4 and 2";
  EXPECT_EQ(of_spine[CCP_CONGESTION_SL_MAPPING_SETTINGS], 36U);
}

// As each is asked itself, it does not matter who is asked first.
TEST_F(ManagerModels, WhatAContradictoryModelGetsIsDecidedByDevice) {
  for (const unsigned window : {1U, 256U}) {
    SCOPED_TRACE(window);
    options_.max_outstanding = window;
    for (auto& node : fabric_.nodes()) node.agent.Reset();
    std::filesystem::remove(folder_ + "/state/nvidia.json");
    Start(ProfileOf(1, "nvidia:\n" + std::string(kSwitch) + kDcqcn).replace(14, 1, "2"));
    for (int times = 0; times < 2; ++times) {
      EXPECT_EQ(Dialect(0), "a10");
      EXPECT_EQ(Dialect(1), "both");
      EXPECT_EQ(Dialect(2), "nvidia");
      for (unsigned node = 0; node < 7; ++node) EXPECT_EQ(State(node), "applied") << node << ": " << Withheld(node);
      EXPECT_TRUE(Reacts(2));
      EXPECT_TRUE(Reacts(3));
      EXPECT_TRUE(Says("differ in whether NVIDIA's attributes are there, as H0 (0x0000000000001000) and H1 "));
      Restart();
    }
    Close();
  }
  Open();
}

TEST_F(ManagerModels, DevicesThatDifferAreSaidWhateverDiffers) {
  using Node = FakeFabric::Node;
  struct Case {
    const char* what;
    unsigned node;
    void (*change)(Node& node);
  };
  const std::vector<Case> cases = {
      {"the list of PPCC algorithms", 3, [](Node& node) { node.agent.nvidia.order = {2, 1}; }},
      {"the versions (DCQCN, PPCC)", 3, [](Node& node) { node.agent.nvidia.ver0 = false; }},
      {"the capabilities", 3, [](Node& node) { node.agent.nvidia.capabilities |= 0x40; }},
      {"the place of the VL in 0xFF09", 6, [](Node& node) { node.agent.nvidia.by_modifier = true; }},
      {"the number of VLs", 6, [](Node& node) { node.agent.nvidia.vls = 2; }},
      {"the size of the buffer", 6, [](Node& node) { node.agent.nvidia.buffer = 5; }},
      {"whether NVIDIA's attributes are there", 3, [](Node& node) { node.agent.nvidia.is_there = false; }},
  };
  for (const unsigned node : {0U, 4U}) fabric_.nodes()[node].present = false;  // these have none
  for (const unsigned node : {0U, 1U, 4U}) fabric_.nodes()[node].same_model = false;
  for (const Case& one : cases) {
    SCOPED_TRACE(one.what);
    const FakeFabric::Node before = fabric_.nodes()[one.node];
    one.change(fabric_.nodes()[one.node]);
    const std::size_t logged = Logged(one.what);
    Start(Nvidia(std::string(kSwitch) + kDcqcn));
    ASSERT_NE(ibcc_manager_probe_nvidia(manager_, false), 0U);
    ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
    EXPECT_TRUE(Says(std::string("devices of one model (vendor 0x0002c9, device 0xd2f2, firmware 31.0.1) differ in ") + one.what +
                     ", as "));
    EXPECT_EQ(Sentences().size(), 1U);
    EXPECT_GE(Logged(one.what), logged + 1);
    const std::size_t now = Logged(one.what);
    Sweep();
    Verify();
    EXPECT_EQ(Logged(one.what), now) << "once";
    Close();
    fabric_.nodes()[one.node] = before;
    fabric_.nodes()[one.node].agent.Reset();
  }
  Open();
}

TEST_F(ManagerModels, DevicesOfOneModelThatAgreeAreNoNews) {
  for (const unsigned node : {0U, 4U}) fabric_.nodes()[node].same_model = false;
  Start(Nvidia(std::string(kSwitch) + kDcqcn));
  EXPECT_TRUE(Sentences().empty()) << Sentences()[0];
  EXPECT_EQ(Logged("differ"), 0U);
}

// In which order they are asked makes no difference.
TEST_F(ManagerModels, ADeviceThatFailsIsUntrustedAlone) {
  for (const unsigned bad : {2U, 3U}) {
    for (const unsigned window : {1U, 256U}) {
      SCOPED_TRACE(bad);
      options_.max_outstanding = window;
      std::filesystem::remove(folder_ + "/state/nvidia.json");
      for (auto& node : fabric_.nodes()) node.agent.Reset();
      fabric_.host(bad).agent.nvidia.quirk = Quirk::Wavers;
      const std::uint64_t sets = fabric_.host(bad).agent.sets;
      Start(Nvidia(kDcqcn));
      for (int times = 0; times < 2; ++times) {
        EXPECT_EQ(Withheld(bad), "its answers cannot be trusted: CongestionHCARPParameters: two Gets have different answers");
        EXPECT_EQ(State(1), "applied") << Withheld(1);
        EXPECT_EQ(State(5 - bad), "applied") << Withheld(5 - bad);
        EXPECT_TRUE(Says("H" + std::to_string(bad) + " (0x000000000000100" + std::to_string(bad) +
                         ") of vendor 0x0002c9, device 0xd2f2, firmware 31.0.1 is only read: CongestionHCARPParameters: two Gets "
                         "have different answers; 'ibcc fabric dialects' tests it anew"));
        Restart();
      }
      EXPECT_EQ(fabric_.host(bad).agent.sets, sets);
      fabric_.host(bad).agent.nvidia.quirk = Quirk::None;
      Restart();
      EXPECT_EQ(State(bad), "withheld") << "a restart is no reason to trust it";
      Verify();
      EXPECT_EQ(State(bad), "applied") << Withheld(bad);
      EXPECT_FALSE(Says("is only read"));
      Close();
    }
  }
  Open();
}

// Its firmware is told when the others have passed already.
TEST_F(ManagerModels, ADeviceThatIsLateIsTestedToo) {
  fabric_.host(2).agent.nvidia.quirk = Quirk::Wavers;
  fabric_.host(2).tells_firmware = false;
  WriteProfile(Nvidia(kDcqcn));
  Open();
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return Device(1).nvidia.trust.tested && Device(3).nvidia.trust.tested; }));
  ASSERT_EQ(Device(2).nvidia.state, IBCC_NVIDIA_UNKNOWN);
  fabric_.host(2).tells_firmware = true;
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(Withheld(2), "its answers cannot be trusted: CongestionHCARPParameters: two Gets have different answers");
  EXPECT_EQ(State(3), "applied");
}

TEST_F(ManagerModels, AModelIsUntrustedAfterThreeOfItsDevicesHaveFailed) {
  fabric_.host(0).agent.nvidia = fabric_.host(1).agent.nvidia;  // four adapters, of which three fail
  fabric_.nodes()[4].same_model = false;
  for (const unsigned bad : {0U, 1U, 3U}) fabric_.host(bad).agent.nvidia.quirk = Quirk::Wavers;
  Start(Nvidia(kDcqcn));
  const char* const sentence =
      "all devices of vendor 0x0002c9, device 0xd2f2, firmware 31.0.1 are only read: tests of NVIDIA's attributes were failed "
      "by ";
  EXPECT_EQ(Logged(sentence), 1U) << log_.text;
  for (int times = 0; times < 2; ++times) {
    EXPECT_TRUE(Says(sentence));
    EXPECT_TRUE(Says(" (CongestionHCARPParameters: two Gets have different answers); after an update of the firmware "));
    for (const char* name : {"H0", "H1", "H3"}) EXPECT_TRUE(Says(name)) << "in the order in which they have failed";
    EXPECT_EQ(Sentences().size(), 1U) << "it stands for its devices";
    EXPECT_EQ(Withheld(2), "its answers cannot be trusted: CongestionHCARPParameters: two Gets have different answers");
    EXPECT_EQ(fabric_.host(2).agent.sets, 0U);
    EXPECT_TRUE(Device(2).nvidia.facts.ver1) << "what it has is its own";
    Restart();
  }
  Close();
  Start(ProfileOf(1));
  EXPECT_TRUE(Says(sentence)) << "also where nothing is asked";
  for (auto& node : fabric_.nodes()) node.agent.nvidia.quirk = Quirk::None;
  ASSERT_NE(ibcc_manager_probe_nvidia(manager_, false), 0U);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_TRUE(Sentences().empty());
  Apply(Nvidia(kDcqcn));
  EXPECT_EQ(State(2), "applied") << Withheld(2);
}

TEST_F(ManagerModels, WhoHasPassedIsUntrustedToo) {
  fabric_.host(0).agent.nvidia = fabric_.host(1).agent.nvidia;
  for (const unsigned bad : {0U, 1U, 3U}) fabric_.host(bad).agent.nvidia.quirk = Quirk::Wavers;
  fabric_.host(3).tells_firmware = false;
  WriteProfile(Nvidia(kDcqcn));
  Open();
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return Device(2).nvidia.state == IBCC_NVIDIA_TESTED; }));
  fabric_.host(3).tells_firmware = true;
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(Withheld(2), "its answers cannot be trusted: CongestionHCARPParameters: two Gets have different answers");
  EXPECT_EQ(fabric_.host(2).agent.sets, 0U);
}

TEST_F(ManagerModels, TwoThatFailAreNotTheModel) {
  for (const unsigned bad : {1U, 3U}) fabric_.host(bad).agent.nvidia.quirk = Quirk::Wavers;
  Start(Nvidia(kDcqcn));
  EXPECT_EQ(State(2), "applied") << Withheld(2);
  EXPECT_EQ(Logged(" is only read: "), 2U);
  EXPECT_EQ(Sentences().size(), 4U) << "and that H0 has other attributes, and S4";
}

// No answer counts as none, but only for a device that holds nothing.
TEST_F(ManagerModels, ADeviceThatWasWrittenToIsNotTakenForOneWithoutAfterTwoLostRequests) {
  options_.retries = 7;
  Start(Nvidia(kDcqcn));
  unsigned lost = 0;
  Close();
  Open();
  fabric_.host(2).agent.loses = [&](std::uint16_t attribute) { return attribute == CCP_ENHANCED_CONGESTION_INFO && lost++ < 4; };
  Sweep();
  EXPECT_GE(lost, 4U);
  EXPECT_EQ(Dialect(2), "nvidia");
  EXPECT_EQ(State(2), "applied");
}

TEST_F(ManagerModels, AnAuditAsksADeviceAgainThatWasSilent) {
  options_.audit_interval_s = 60;
  fabric_.host(1).agent.nvidia.quirk = fabric_.host(2).agent.nvidia.quirk = Quirk::Silent;
  Start(ProfileOf(1, "nvidia:\n" + std::string(kDcqcn)).replace(14, 1, "2"));
  ASSERT_EQ(Dialect(1), "a10");
  ASSERT_EQ(Dialect(2), "none");
  fabric_.host(1).agent.nvidia.quirk = fabric_.host(2).agent.nvidia.quirk = Quirk::None;
  fabric_.Run(manager_, [] { return false; }, 130);
  EXPECT_EQ(Dialect(1), "both");
  EXPECT_EQ(Dialect(2), "nvidia");
  EXPECT_EQ(State(2), "applied");
  EXPECT_EQ(AiRate(2), 7U);
  EXPECT_EQ(AiRate(1), 7U);
}

TEST_F(ManagerModels, AnUpdateOfTheFirmwareIsAnotherModel) {
  Start(Nvidia(kDcqcn));
  const std::uint64_t before = Gets(2);
  fabric_.host(2).firmware = 9;
  Reboot(2);
  EXPECT_GT(Gets(2), before + 12) << "it is tested";
  const std::uint64_t tested = Gets(2);
  Reboot(2);
  EXPECT_LT(Gets(2), tested + 12) << "it is trusted";
  EXPECT_EQ(State(2), "applied");
}

TEST_F(ManagerModels, TheFormerReleasesFileIsOpenedAndItsFactsAreDropped) {
  Start(Nvidia(kAlgorithm1));
  Close();
  std::ofstream(folder_ + "/state/nvidia.json")
      << R"({"ibcc_opensm_nvidia": 1, "models": [{"vendor_id": 713, "device_id": 54002, "firmware": [31, 0, 1], "psid": "",)"
      << R"( "state": "tested", "refusal": 0, "ver0": true, "ver1": true, "capabilities": "0x16", "by_modifier": false,)"
      << R"( "num_vls": 0, "buffer_bytes": 0, "algorithms": [[2, 1, 0], [1, 1, 0]], "fault": 0, "fault_attribute": 0}],)"
      << R"( "written": ["0x0000000000001001/1", "0x0000000000001002/1", "0x0000000000001003/1"], "parameters": []})";
  Open();
  Sweep();
  for (const unsigned host : {1U, 2U, 3U}) ExpectAlgorithm1(host);
  EXPECT_EQ(log_.text.find("set aside"), std::string::npos) << log_.text;
}

TEST_F(ManagerModels, AModelTooManyIsSaid) {
  Start(ProfileOf(1));
  Close();
  std::ofstream file(folder_ + "/state/nvidia.json");
  file << R"({"ibcc_opensm_nvidia": 2, "written": [], "parameters": [], "models": [)";
  for (unsigned i = 0; i < IBCC_MAX_NVIDIA_MODELS; ++i)
    file << (i == 0 ? "" : ", ") << R"({"vendor_id": 713, "device_id": )" << i
         << R"(, "firmware": [1, 2, 3], "psid": "", "tested": true, "misleads": false, "failures": []})";
  file << "]}";
  file.close();
  fabric_.host(3).same_model = false;
  Start(Nvidia(kDcqcn));
  EXPECT_EQ(State(2), "applied");
  EXPECT_EQ(Logged("there are more than 256 models of devices with NVIDIA's attributes: the one known longest is forgotten, "),
            1U);
  Restart();
  EXPECT_EQ(State(3), "applied");
}

TEST_F(ManagerModels, StatusHasTheSentences) {
  fabric_.host(3).agent.nvidia.order = {2, 1};
  fabric_.host(1).agent.nvidia.quirk = Quirk::Wavers;
  Start(Nvidia(kDcqcn));
  const ibcc_server_settings settings{};
  ibcc_call call{};
  call.manager = manager_;
  call.settings = &settings;
  ibcc_rpc_error error{};
  const Json status(ibcc_rpc_method_find("status")->call(&call, &error));
  const std::string warnings = Show(json_object_get(status.get(), "warnings"));
  EXPECT_NE(warnings.find("H1 (0x0000000000001001) of vendor"), std::string::npos) << warnings;
  EXPECT_NE(warnings.find("differ in the list of PPCC algorithms, as H2 "), std::string::npos) << warnings;
}

}  // namespace
}  // namespace ibcc_test
