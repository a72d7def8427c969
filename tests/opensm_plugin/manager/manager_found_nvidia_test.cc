// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Revision 0 on devices with NVIDIA's attributes: where there is no base, they end as they were found.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "devices/nvidia_items.h"
#include "manager_nvidia_support.hpp"
#include "state_support.hpp"

namespace ibcc_test {
namespace {

const std::string kMixed = Nvidia(std::string(kSwitch) + kDcqcn);

class ManagerFoundNvidia : public ManagerNvidia {
 protected:
  ManagerFoundNvidia() { std::filesystem::remove(folder_ + "/profile.yaml"); }

  // Somebody else has set the spine (6), and the adapters 2 and 3: each device otherwise.
  void Set() {
    Held(6, CCP_CONGESTION_SWITCH_GENERAL_SETTINGS)[0] = 1;
    ccp_congestion_port_profile_settings settings{};
    settings.mode = CCP_THRESHOLD_PERCENTAGE;
    settings.vl_mask = 2;
    settings.profiles[0] = {.min = 7, .percent = 30, .max = 33};
    Held(6, CCP_CONGESTION_PORT_PROFILE_SETTINGS, 1U << 16 | 2U) = Packed(CCP_CONGESTION_PORT_PROFILE_SETTINGS, settings);
    ccp_congestion_sl_mapping_settings mapping{};
    std::fill(std::begin(mapping.sl_profile), std::end(mapping.sl_profile), std::uint8_t{3});
    Held(6, CCP_CONGESTION_SL_MAPPING_SETTINGS, 3) = Packed(CCP_CONGESTION_SL_MAPPING_SETTINGS, mapping);
    Held(2, CCP_CONGESTION_HCA_GENERAL_SETTINGS)[0] = 0xC0;
    for (const unsigned host : {2U, 3U}) {
      auto rp = Unpacked<ccp_congestion_hca_rp_parameters>(CCP_CONGESTION_HCA_RP_PARAMETERS,
                                                           Held(host, CCP_CONGESTION_HCA_RP_PARAMETERS));
      rp.rpg_ai_rate = 60 + host;
      Held(host, CCP_CONGESTION_HCA_RP_PARAMETERS) = Packed(CCP_CONGESTION_HCA_RP_PARAMETERS, rp);
      const ccp_congestion_hca_algo_config_support on{.algo_en = true, .sl_bitmask = 1U << 7};
      Held(host, CCP_CONGESTION_HCA_ALGO_CONFIG, 7U << 16 | (host - 2)) = Packed(CCP_CONGESTION_HCA_ALGO_CONFIG_SUPPORT, on);
    }
  }
  // All that devices hold of NVIDIA's attributes, without what they hold at power-on, which some agents have a row of and others not.
  using All = std::map<std::pair<unsigned, Key>, Data>;
  All AllHeld() {
    All all;
    for (unsigned node = 0; node < fabric_.nodes().size(); ++node) {
      const FakeAgent& agent = fabric_.nodes()[node].agent;
      for (const auto& [key, data] : agent.held) {
        if (!ibcc_nvidia_is_attribute(key.first)) continue;
        Data canonical{};
        ibcc_canonical(key.first, key.second, data.data(), canonical.data());
        if (key.first == CCP_CONGESTION_PORT_PROFILE_SETTINGS) canonical[2] = canonical[3] = 0;
        if (key.first == CCP_CONGESTION_HCA_ALGO_CONFIG) canonical[4] = canonical[5] = 0;
        Data power_on{}, before = FakeNvidia::PowerOn(key, agent.nvidia.parameters);
        ibcc_canonical(key.first, key.second, before.data(), power_on.data());
        if (canonical != power_on) all[{node, key}] = canonical;
      }
    }
    return all;
  }
  void Meet() {
    Open();
    Sweep();
  }
  std::string OnDisk() const {
    std::ifstream in(folder_ + "/state/nvidia_found.json");
    return {std::istreambuf_iterator<char>(in), {}};
  }
  bool IsKept(unsigned node) {
    const ibcc_device& device = Device(node);
    return ibcc_nvidia_founds_kept(device.rules->founds, device.node_guid, device.port) != nullptr;
  }
};

// It has nothing of annex A10's that could be read, which is no reason to wait.
TEST_F(ManagerFoundNvidia, ATrialRunEndsOnADeviceOfNvidiasAlone) {
  Meet();
  Try(kMixed);
  ASSERT_TRUE(Reacts(2));
  EndTrial();
  EXPECT_FALSE(Reacts(2));
  EXPECT_EQ(State(2), "unsupported");
  EXPECT_FALSE(Device(2).nvidia.written);
  EXPECT_STREQ(ibcc_manager_job(manager_)->message, "all devices that support congestion control hold the wanted values");
}

TEST_F(ManagerFoundNvidia, ATrialRunEndsInWhatEachDeviceHeld) {
  Set();
  const All before = AllHeld();
  for (const std::string& trial : {kMixed, Nvidia(std::string(kSwitch) + kPpcc)}) {
    for (const bool is_killed : {false, true}) {
      SCOPED_TRACE(is_killed);
      if (manager_ == nullptr) Meet();
      Try(trial);
      EXPECT_NE(AllHeld(), before);
      EXPECT_TRUE(IsKept(6));
      EXPECT_FALSE(IsEnabled(2, 7, 0));
      if (is_killed)
        Restart();
      else
        EndTrial();
      EXPECT_EQ(AllHeld(), before);
      EXPECT_FALSE(IsKept(6)) << "it is somebody else's again";
      EXPECT_FALSE(Device(6).nvidia.written);
      EXPECT_EQ(ibcc_manager_on_fabric(manager_), IBCC_REVISION_AS_FOUND);
      const std::uint64_t sets = Sets();
      Verify();
      EXPECT_EQ(Sets(), sets);
    }
  }
  EXPECT_TRUE(IsMarking(6));
  EXPECT_EQ(AiRate(3), 63U);
}

// Somebody may change it when it is his again: what he has set by the next trial run comes back after that.
TEST_F(ManagerFoundNvidia, EachTrialRunEndsInWhatWasHeldBeforeIt) {
  Set();
  Meet();
  Try(kMixed);
  EndTrial();
  Held(3, CCP_CONGESTION_HCA_RP_PARAMETERS)[0x17] = 42;
  Try(kMixed);
  EXPECT_EQ(AiRate(3), 7U);
  EndTrial();
  EXPECT_EQ(AiRate(3), 42U);
}

// It was read when it was found to be on by others, who may have changed it since.
TEST_F(ManagerFoundNvidia, AForeignDeviceIsReadAnewBeforeItIsSet) {
  Set();
  Meet();
  fabric_.master = false;
  fabric_.Sweep(manager_);
  fabric_.master = true;
  Sweep();
  ASSERT_EQ(State(2), "foreign");
  Held(2, CCP_CONGESTION_HCA_RP_PARAMETERS)[0x17] = 42;
  Try(kMixed);
  EXPECT_EQ(AiRate(2), 7U);
  EndTrial();
  EXPECT_EQ(AiRate(2), 42U);
}

TEST_F(ManagerFoundNvidia, ABaseWithoutNvidiaClearsAndItsRollbackBringsBack) {
  Set();
  const All before = AllHeld();
  Meet();
  Apply(kMixed);
  Apply(ProfileOf(2));
  EXPECT_FALSE(IsMarking(6));
  EXPECT_FALSE(Reacts(2));
  EXPECT_TRUE(IsKept(6));
  EXPECT_FALSE(Device(6).nvidia.written);
  Restart();
  EXPECT_FALSE(IsMarking(6)) << "the base says nothing of it";
  ccp_error error{};
  for (int i = 0; i < 2; ++i) ASSERT_EQ(ibcc_profiles_rollback_base(profiles_, &error), IBCC_PROFILES_OK) << error.message;
  ASSERT_EQ(ibcc_profiles_base(profiles_), nullptr);
  ibcc_manager_converge(manager_, "restore");
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(AllHeld(), before);
}

TEST_F(ManagerFoundNvidia, ItIsOnTheDiskBeforeTheFirstSet) {
  std::map<unsigned, std::string> disk;
  for (unsigned node = 0; node < fabric_.nodes().size(); ++node)
    fabric_.nodes()[node].agent.clamp = [this, &disk, node](Key, Data&) { disk.emplace(node, OnDisk()); };
  Meet();
  EXPECT_EQ(OnDisk(), "") << "no profile had values, and nobody was asked";
  Try(kMixed);
  ASSERT_TRUE(disk.count(6) != 0 && disk.count(2) != 0);
  for (const unsigned node : {2U, 3U, 5U, 6U}) {
    char place[40];
    std::snprintf(place, sizeof(place), "\"0x%016llx/%d\"", static_cast<unsigned long long>(Device(node).node_guid),
                  Device(node).port);
    EXPECT_NE(disk[node].find(place), std::string::npos) << place << " " << disk[node];
  }
}

TEST_F(ManagerFoundNvidia, WithoutRoomOnTheDiskNothingIsSet) {
  Set();
  const All before = AllHeld();
  Meet();
  const std::uint64_t sets = Sets();
  ccp_error error{};
  ASSERT_EQ(ibcc_profiles_begin_experiment(profiles_, kMixed.data(), kMixed.size(), 0, nullptr, 0, fabric_.now_ns, &error),
            IBCC_PROFILES_OK);
  {
    const plugin_test::FullDisk full;
    ibcc_manager_converge(manager_, "apply");
    ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
    EXPECT_EQ(Sets(), sets);
    EXPECT_NE(log_.text.find("IBCC0111"), std::string::npos) << log_.text;
  }
  fabric_.Run(manager_, [] { return false; }, 60);
  EXPECT_EQ(State(6), "applied");
  EndTrial();
  EXPECT_EQ(AllHeld(), before);
}

// By the list that it has now, not by the slot that it had then.
TEST_F(ManagerFoundNvidia, AnAlgorithmIsEnabledAgainInTheSlotThatItHas) {
  Set();
  Meet();
  Try(kMixed);
  auto& agent = fabric_.host(2).agent;
  std::swap(agent.nvidia.order[0], agent.nvidia.order[1]);
  Close();
  Meet();
  EXPECT_TRUE(IsEnabled(2, 7, 1));
  EXPECT_FALSE(IsEnabled(2, 7, 0));
}

TEST_F(ManagerFoundNvidia, WhereTheVlIsInTheModifierEachVlIsReadAndComesBack) {
  fabric_.nodes()[6].agent.nvidia.by_modifier = true;
  Set();
  const All before = AllHeld();
  Meet();
  Try(kMixed);
  EXPECT_EQ(Profile1(6, 2, 1).max, 40U);
  EndTrial();
  EXPECT_EQ(AllHeld(), before);
}

// What others have switched on is read where the plugin finds it, and is cleared, not brought back, where somebody asks for that.
TEST_F(ManagerFoundNvidia, WhatIsClearedOnRequestStaysCleared) {
  Set();
  Meet();
  fabric_.master = false;
  fabric_.Sweep(manager_);
  fabric_.master = true;
  Sweep();
  ASSERT_EQ(State(6), "foreign");
  const ibcc_device& device = Device(6);
  EXPECT_NE(ibcc_nvidia_founds_find(device.rules->founds, device.node_guid, device.port), nullptr);
  std::uint32_t count = 0;
  ccp_error error{};
  ASSERT_NE(ibcc_manager_clear_foreign(manager_, 0, &count, &error), 0U) << error.message;
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_FALSE(IsMarking(6));
  EXPECT_FALSE(Reacts(2));
  Verify();
  EXPECT_FALSE(IsMarking(6));
}

// Nobody has switched devices on as far as the plugin knows, and no profile has values: somebody wants to know what they hold.
TEST_F(ManagerFoundNvidia, WhatDevicesHoldIsReadOnRequestAndAPlanComesFromThat) {
  Set();
  const All before = AllHeld();
  Meet();
  const auto row = [&](unsigned node) {
    const ibcc_device& device = Device(node);
    return ibcc_nvidia_founds_find(device.rules->founds, device.node_guid, device.port);
  };
  ASSERT_NE(ibcc_manager_probe_nvidia(manager_, false), 0U);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(row(6), nullptr) << "its values were not asked for";
  ASSERT_NE(ibcc_manager_probe_nvidia(manager_, true), 0U);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  for (const unsigned node : {1U, 2U, 3U, 5U, 6U}) EXPECT_NE(row(node), nullptr) << node;
  EXPECT_TRUE(ibcc_nvidia_found_is_on(row(6)));
  EXPECT_FALSE(IsKept(6)) << "it is somebody else's";
  EXPECT_EQ(Sets(), 0U);
  EXPECT_EQ(AllHeld(), before);
  // The RP parameters that host 3 holds, and nothing else of it, are said by the profile.
  const std::string text = Nvidia("  adapter: {type: dcqcn, notify: false, react: false, rp: {rpg_ai_rate: 63}}\n");
  ccp_error error{};
  ccp_profile* profile = ccp_profile_read(text.data(), text.size(), &error);
  ASSERT_NE(profile, nullptr) << error.message;
  std::map<std::uint64_t, unsigned> sets;
  ibcc_plan plan{};
  const auto tell = [](void* owner, const ibcc_plan_device* planned) {
    for (std::uint32_t i = 0; i < planned->num_steps; ++i)
      if (planned->steps[i].attribute == CCP_CONGESTION_HCA_RP_PARAMETERS)
        ++(*static_cast<std::map<std::uint64_t, unsigned>*>(owner))[planned->device->node_guid];
    return 0;
  };
  ASSERT_EQ(ibcc_manager_plan(manager_, IBCC_PLAN_FROM_AS_FOUND, profile, &plan, tell, &sets, &error), 0) << error.message;
  EXPECT_EQ(sets.count(fabric_.host(2).guid), 1U);
  EXPECT_EQ(sets.count(fabric_.host(3).guid), 0U);
  ccp_tables_destroy(plan.tables);
  ccp_profile_destroy(profile);
  // Values of long ago do not count: they are read anew.
  Held(3, CCP_CONGESTION_HCA_RP_PARAMETERS)[0x17] = 42;
  ASSERT_NE(ibcc_manager_probe_nvidia(manager_, true), 0U);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  bool is_anew = false;
  for (std::uint32_t i = 0; i < row(3)->num_items; ++i)
    is_anew |= row(3)->items[i].attribute == CCP_CONGESTION_HCA_RP_PARAMETERS && row(3)->items[i].payload->bytes[0x17] == 42;
  EXPECT_TRUE(is_anew);
}

// Somebody else has brought all devices to the very values of the profile, all but one parameter of one adapter.
class ManagerFoundNvidiaAlike : public ManagerFoundNvidia {
 protected:
  ManagerFoundNvidiaAlike() {
    fabric_.nodes()[6].agent.nvidia.by_modifier = true;
    SetByOthers(kMixed);
  }
  std::string Listed() const {
    std::string all;
    for (const std::string& line : fabric_.log_of_sets) all += line + "\n";
    return all;
  }
  void SetByOthers(const std::string& text) {
    Open("others");
    Sweep();
    Apply(text);
    Close();
    for (auto& node : fabric_.nodes()) node.agent.sets = 0;
    fabric_.log_of_sets.clear();
  }
};

TEST_F(ManagerFoundNvidiaAlike, WhatDevicesHoldIsNotSetAndIsOnesOwnFromThenOn) {
  const All before = AllHeld();
  Held(3, CCP_CONGESTION_HCA_RP_PARAMETERS)[0x17] = 42;
  Meet();
  Apply(kMixed);
  EXPECT_EQ(Sets(), 1U) << "the one that differs";
  EXPECT_EQ(AllHeld(), before);
  for (const unsigned node : {1U, 2U, 3U, 5U, 6U}) {
    EXPECT_TRUE(Device(node).nvidia.written) << node;
    EXPECT_TRUE(IsKept(node)) << node;
  }
  Verify();
  EXPECT_EQ(Sets(), 1U);
  Restart();
  EXPECT_EQ(Sets(), 1U);
  Apply(ProfileOf(2));
  EXPECT_FALSE(IsMarking(6));
  EXPECT_FALSE(Reacts(2));
}

// Of PPCC an algorithm is enabled for some SLs, and disabled for all others.
TEST_F(ManagerFoundNvidiaAlike, AlgorithmsThatAreEnabledAsTheProfileSaysAreNotSet) {
  const std::string text = Nvidia("  adapter: {type: ppcc, ppcc: [{algo_id: 2, major: 1, minor: 0, sls: [0, 3]}]}\n");
  SetByOthers(text);
  Held(3, CCP_CONGESTION_HCA_ALGO_CONFIG, 5U << 16 | 0U)[0] |= 0x80;
  Meet();
  Apply(text);
  EXPECT_EQ(SetsOf("h2 65316"), 0);
  EXPECT_FALSE(IsEnabled(3, 5, 0));
  for (const unsigned node : {1U, 2U, 3U}) EXPECT_TRUE(Device(node).nvidia.written) << node;
}

// What a device holds without a note would be somebody else's after a restart.
TEST_F(ManagerFoundNvidiaAlike, WithoutRoomForTheNoteTheRevisionIsNotOnTheFabric) {
  Meet();
  ccp_error error{};
  ASSERT_EQ(ibcc_profiles_begin_experiment(profiles_, kMixed.data(), kMixed.size(), 0, nullptr, 0, fabric_.now_ns, &error),
            IBCC_PROFILES_OK);
  {
    const plugin_test::FullDisk full;
    ibcc_manager_converge(manager_, "apply");
    ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
    EXPECT_EQ(Sets(), 0U);
    EXPECT_FALSE(Device(6).nvidia.written);
    EXPECT_EQ(ibcc_manager_on_fabric(manager_), 0U);
    EXPECT_NE(ibcc_manager_pending(manager_), nullptr);
  }
  fabric_.Run(manager_, [] { return false; }, 60);
  EXPECT_TRUE(Device(6).nvidia.written);
  EXPECT_EQ(Sets(), 0U);
  EXPECT_EQ(ibcc_manager_on_fabric(manager_), ibcc_profiles_wanted_number(profiles_));
}

// It is somebody else's again.
TEST_F(ManagerFoundNvidiaAlike, TheEndOfATrialRunLeavesAloneWhatWasOnBefore) {
  const All before = AllHeld();
  Meet();
  Try(kMixed);
  EXPECT_EQ(Sets(), 0U);
  EXPECT_TRUE(IsKept(6));
  EndTrial();
  EXPECT_EQ(Sets(), 0U) << Listed();
  EXPECT_EQ(AllHeld(), before);
  EXPECT_FALSE(IsKept(6));
  EXPECT_FALSE(Device(6).nvidia.written);
  EXPECT_TRUE(IsMarking(6));
}

// Neither the trial run nor its end sends what a device holds, however it ends.
TEST_F(ManagerFoundNvidiaAlike, ATrialRunOfWhatIsHeldSetsNothingFromBeginToEnd) {
  for (const bool is_killed : {false, true}) {
    for (const bool by_modifier : {true, false}) {
      for (const std::string& text : {kMixed, Nvidia(std::string(kSwitch) + kPpcc)}) {
        SCOPED_TRACE(text + (by_modifier ? "; each VL by a modifier" : "; VLs by a mask") + (is_killed ? "; killed" : ""));
        fabric_.nodes()[6].agent.nvidia.by_modifier = by_modifier;
        std::filesystem::remove_all(folder_ + "/state");
        std::filesystem::remove_all(folder_ + "/others");
        SetByOthers(text);
        const All before = AllHeld();
        Meet();
        Try(text);
        EXPECT_EQ(Sets(), 0U) << Listed();
        if (is_killed)
          Restart();
        else
          EndTrial();
        EXPECT_EQ(Sets(), 0U) << Listed();
        EXPECT_EQ(AllHeld(), before);
        EXPECT_FALSE(IsKept(6));
        Close();
      }
    }
  }
}

// It is read where a trial run ends, not where one begins.
TEST_F(ManagerFoundNvidia, WhatANewProfileAddsIsSentUnread) {
  Meet();
  Apply(kMixed);
  const unsigned gets = fabric_.host(2).agent.gets_of[CCP_CONGESTION_HCA_ALGO_CONFIG];
  Apply(Nvidia(std::string(kSwitch) + kPpcc));
  EXPECT_TRUE(IsEnabled(2, 0, 0) || IsEnabled(2, 0, 1));
  EXPECT_EQ(fabric_.host(2).agent.gets_of[CCP_CONGESTION_HCA_ALGO_CONFIG], gets);
}

class ManagerFoundNvidiaTakenOver : public ManagerFoundNvidia {
 protected:
  ManagerFoundNvidiaTakenOver() { options_.base_file = strdup((folder_ + "/base").c_str()); }
  void TakeOver() {
    Close();
    Open("b");
    fabric_.master = false;
    fabric_.Sweep(manager_);
    fabric_.master = true;
    fabric_.Sweep(manager_);
  }
};

TEST_F(ManagerFoundNvidiaTakenOver, TheNextMasterBringsBackWhatTheDeadOneHasFound) {
  Set();
  const All before = AllHeld();
  Open("a");
  Sweep();
  Try(kMixed);
  TakeOver();
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(AllHeld(), before);
}

// The file is read once: after a crash, what was in it is on the disk of this node.
TEST_F(ManagerFoundNvidiaTakenOver, ACrashJustAfterThatLosesNothingOfIt) {
  Set();
  const All before = AllHeld();
  Open("a");
  Sweep();
  Try(ProfileOf(3, "nvidia:\n" + std::string(kSwitch) + kDcqcn).replace(14, 1, "2"));
  TakeOver();
  Close();
  Open("b");
  Sweep();
  EXPECT_EQ(AllHeld(), before);
  EXPECT_EQ(fabric_.host(0).agent.held.at({CCP_CA_CONGESTION_SETTING, 0})[5], 0) << "nor of annex A10's";
}

}  // namespace
}  // namespace ibcc_test
