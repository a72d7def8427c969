// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// First contact with a fabric that somebody else has set: what devices held is kept, and is what they come back to.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "ccpolicy/reader.h"
#include "devices/as_found.h"
#include "manager/manager.h"
#include "manager_support.hpp"
#include "state_support.hpp"

namespace ibcc_test {
namespace {

constexpr unsigned kFoundHosts = 4;

class ManagerFound : public ManagerBed {
 protected:
  ManagerFound() : ManagerBed(2, 2) {
    options_.retries = 1;
    std::filesystem::remove(folder_ + "/profile.yaml");
    for (unsigned h = 0; h < kFoundHosts; ++h) {
      ccp_ca_setting setting{};
      setting.control_map = CCP_ALL_SLS;
      for (auto& sl : setting.sls)
        sl = {.ccti_timer = static_cast<std::uint16_t>(700 + h), .ccti_increase = 3, .trigger_threshold = 0, .ccti_min = 0};
      Hold(fabric_.host(h), CCP_CA_CONGESTION_SETTING, 0, setting);
      ccp_cct_block block{};
      block.ccti_limit = 127;
      for (unsigned b = 0; b < 2; ++b) {
        for (auto& entry : block.entries) entry = {.shift = 1, .multiplier = static_cast<std::uint16_t>(10 + b)};
        Hold(fabric_.host(h), CCP_CONGESTION_CONTROL_TABLE, b, block);
      }
    }
    for (auto& node : fabric_.nodes()) {
      if (!node.is_switch) continue;
      ccp_switch_setting setting{};
      setting.control_map = CCP_CONTROL_MAP_ALL;
      setting.threshold = 9;
      setting.marking_rate = 33;
      Hold(node, CCP_SWITCH_CONGESTION_SETTING, 0, setting);
      ccp_switch_port_block ports{};
      ports.ports[3] = {.valid = true, .control_type = 0, .threshold = 4, .packet_size = 0, .marking_rate = 2};
      Hold(node, CCP_SWITCH_PORT_CONGESTION_SETTING, 0, ports);
      Hold(node, CCP_SWITCH_PORT_CONGESTION_SETTING, 1, ccp_switch_port_block{});
    }
  }

  template <typename Value>
  static void Hold(FakeFabric::Node& node, ccp_attribute_id attribute, std::uint32_t block, const Value& value) {
    ccp_error error{};
    Data data{};
    ASSERT_EQ(ccp_pack(attribute, &value, data.data(), &error), 0) << error.message;
    node.agent.held[{static_cast<std::uint16_t>(attribute), block}] = data;
  }
  // What each device holds of annex A10's settings: "22/0 ffff02bc03…", without the zeros at the end.
  using Held = std::vector<std::string>;
  static std::string HeldBy(const FakeFabric::Node& node) {
    std::string text;
    for (const auto& [key, data] : node.agent.held) {
      if (key.first < CCP_SWITCH_CONGESTION_SETTING || key.first > CCP_CONGESTION_CONTROL_TABLE) continue;
      std::string hex;
      char digits[3];
      for (const std::uint8_t byte : data) {
        std::snprintf(digits, sizeof(digits), "%02x", byte);
        hex += digits;
      }
      text += std::to_string(key.first) + "/" + std::to_string(key.second) + " " + hex.substr(0, hex.find_last_not_of('0') + 1) +
              "; ";
    }
    return text;
  }
  Held AllHeld() {
    Held all;
    for (const auto& node : fabric_.nodes()) all.push_back(HeldBy(node));
    return all;
  }
  void Meet() {
    Open();
    fabric_.Sweep(manager_);
    ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  }
  void Restart() {
    Close();
    Open();
    fabric_.Sweep(manager_);
    ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  }
  const ibcc_as_found* Kept() {
    const char* reason = nullptr;
    return ibcc_manager_as_found(manager_, &reason);
  }
  std::string OnDisk() {
    std::ifstream in(folder_ + "/state/as_found.json");
    return {std::istreambuf_iterator<char>(in), {}};
  }
  unsigned Timer(unsigned h) {
    const Data& data = fabric_.host(h).agent.held[{CCP_CA_CONGESTION_SETTING, 0}];
    return data[4] << 8 | data[5];
  }
};

TEST_F(ManagerFound, ReadsAllAndSetsNothing) {
  const Held before = AllHeld();
  Meet();
  EXPECT_EQ(Sets(), 0u);
  EXPECT_EQ(AllHeld(), before);
  EXPECT_TRUE(AllApplied());
  EXPECT_EQ(ibcc_manager_on_fabric(manager_), IBCC_REVISION_AS_FOUND);
  EXPECT_EQ(ibcc_manager_pending(manager_), nullptr);
  EXPECT_STREQ(ibcc_manager_job(manager_)->kind, "probe");
  EXPECT_STREQ(ibcc_manager_job(manager_)->message,
               "the devices were asked what they support and hold, which is revision 0; no profile is in force");
  const ibcc_as_found_counts counts = ibcc_as_found_count(Kept());
  EXPECT_EQ(counts.devices, fabric_.nodes().size());
  EXPECT_EQ(counts.frozen, 0u);
  // A verification reads all, and finds all as it was.
  ASSERT_NE(ibcc_manager_verify(manager_), 0u);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_TRUE(AllApplied());
  EXPECT_EQ(Sets(), 0u);
}

TEST_F(ManagerFound, ATrialRunEndsInWhatEachDeviceHeld) {
  const Held before = AllHeld();
  Meet();
  Try(ProfileOf(5));
  EXPECT_TRUE(AllApplied());
  EXPECT_EQ(Timer(2), 150u);
  EXPECT_EQ(ibcc_manager_count_experiment_holders(manager_, UINT64_MAX), fabric_.nodes().size());
  fabric_.log_of_sets.clear();
  EndTrial();
  EXPECT_EQ(AllHeld(), before);
  EXPECT_TRUE(AllApplied());
  EXPECT_EQ(ibcc_manager_count_experiment_holders(manager_, UINT64_MAX), 0u);
  EXPECT_EQ(ibcc_manager_on_fabric(manager_), IBCC_REVISION_AS_FOUND);
  EXPECT_EQ(fabric_.log_of_sets[0][0], 'h') << "switches that mark come after adapters";
  // It is a base like any other now: a device that returns gets it, and what others change is set again.
  fabric_.host(1).present = false;
  fabric_.Sweep(manager_);
  fabric_.host(1).agent.Reset();
  fabric_.host(1).present = true;
  fabric_.Sweep(manager_, {fabric_.host(1).guid});
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(AllHeld(), before);
  Hold(fabric_.host(0), CCP_CA_CONGESTION_SETTING, 0, ccp_ca_setting{});
  ASSERT_NE(ibcc_manager_verify(manager_), 0u);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(Timer(0), 700u);
}

TEST_F(ManagerFound, TheFirstApplyIsTakenBackAlsoAfterARestart) {
  const Held before = AllHeld();
  const std::string text = ProfileOf(5);
  ccp_error error{};
  Meet();
  ASSERT_EQ(ibcc_profiles_replace_base(profiles_, text.data(), text.size(), 0, &error), IBCC_PROFILES_OK);
  ASSERT_NE(ibcc_manager_converge(manager_, "apply"), 0u);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_NE(AllHeld(), before);
  Restart();
  EXPECT_TRUE(AllApplied());
  ASSERT_EQ(ibcc_profiles_rollback_base(profiles_, &error), IBCC_PROFILES_OK) << error.message;
  ASSERT_NE(ibcc_manager_converge(manager_, "restore"), 0u);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(AllHeld(), before);
  EXPECT_EQ(ibcc_profiles_rollback_base(profiles_, &error), IBCC_PROFILES_NOTHING);
  EXPECT_STREQ(error.message, "no profile is in force: there is nothing to take back");
  const std::uint64_t sets = Sets();
  Restart();
  EXPECT_EQ(AllHeld(), before);
  EXPECT_EQ(Sets(), sets) << "all is read, and nothing differs";
}

TEST_F(ManagerFound, AKillInTheFirstTrialRunChangesNothingOfThat) {
  const Held before = AllHeld();
  Meet();
  Try(ProfileOf(5));
  EXPECT_NE(AllHeld(), before);
  Restart();
  EXPECT_EQ(AllHeld(), before);
  EXPECT_TRUE(AllApplied());
  EXPECT_TRUE(ibcc_profiles_was_cut_short(profiles_));
  EXPECT_STREQ(ibcc_manager_job(manager_)->kind, "apply");
  EXPECT_EQ(ibcc_manager_job(manager_)->revision, 0u);
}

TEST_F(ManagerFound, ItIsOnTheDiskBeforeTheFirstSet) {
  std::map<std::uint64_t, std::string> disk;
  for (auto& node : fabric_.nodes())
    node.agent.clamp = [this, &disk, guid = node.guid](Key, Data&) { disk.emplace(guid, OnDisk()); };
  WriteProfile(ProfileOf(5));
  Meet();
  ASSERT_EQ(disk.size(), fabric_.nodes().size());
  for (const auto& [guid, text] : disk) {
    char place[40];
    std::snprintf(place, sizeof(place), "\"0x%016llx/%d\"", static_cast<unsigned long long>(guid), guid < 0x9000 ? 1 : 0);
    const std::size_t at = text.find(place);
    ASSERT_NE(at, std::string::npos) << place;
    EXPECT_NE(text.find("true", at), std::string::npos);
  }
  EXPECT_EQ(ibcc_as_found_count(Kept()).frozen, fabric_.nodes().size());
  // A device that is not known to the disk is not set.
  const std::uint64_t size = std::filesystem::file_size(folder_ + "/state/as_found.json");
  EXPECT_LT(size, 4000u);
}

TEST_F(ManagerFound, ADeviceThatAnswersLateIsReadBeforeItIsSet) {
  const Held before = AllHeld();
  fabric_.host(3).answers = false;
  Meet();
  EXPECT_EQ(Count(IBCC_STATE_TIMING_OUT), 1u);
  Try(ProfileOf(5), 0);
  EXPECT_EQ(Timer(3), 703u);
  fabric_.host(3).answers = true;
  fabric_.Run(manager_, [] { return false; }, 400);
  EXPECT_EQ(Timer(3), 150u);
  EndTrial();
  EXPECT_EQ(AllHeld(), before);
}

// Its LID is given to another while its last Get is on its way, which that one answers.
TEST_F(ManagerFound, WhatAnotherAnsweredInASweepIsNotKept) {
  ccp_cct_block block{};
  block.ccti_limit = 127;
  for (auto& entry : block.entries) entry = {.shift = 2, .multiplier = 99};
  Hold(fabric_.host(3), CCP_CONGESTION_CONTROL_TABLE, 1, block);
  const Data right = fabric_.host(3).agent.held.at({CCP_CONGESTION_CONTROL_TABLE, 1});
  fabric_.host(3).answers = false;
  WriteProfile(ProfileOf(5));
  Meet();
  const ibcc_device* device = ibcc_devices_find(ibcc_manager_devices(manager_), fabric_.host(3).guid, 1);
  fabric_.host(3).answers = true;
  fabric_.latency_ns = 50'000'000;
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return device->found_reading.num_items == 1; }));
  fabric_.ExchangeLids(2, 3);
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return device->found_reading.num_items == 2; }));
  ibcc_inbox_content begins{};
  begins.notices = IBCC_NOTICE_SWEEP_BEGINS;
  begins.num_sweeps_begun = ++fabric_.sweeps_begun;
  begins.sweeping = true;
  ibcc_manager_handle_inbox(manager_, &begins);
  (void)fabric_.Run(manager_, [] { return false; }, 1);
  ASSERT_NE(device->found, nullptr);
  fabric_.Sweep(manager_);
  EXPECT_EQ(device->found, nullptr);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_TRUE(AllApplied());
  const ibcc_found_item* found = ibcc_found_find(device->found, CCP_CONGESTION_CONTROL_TABLE, 1);
  ASSERT_TRUE(found != nullptr && found->payload != nullptr);
  EXPECT_EQ(Data(std::to_array(found->payload->bytes)), right) << log_.text;
}

TEST_F(ManagerFound, WithoutRoomOnTheDiskNothingIsSet) {
  const Held before = AllHeld();
  Meet();
  Try(ProfileOf(5));
  EndTrial();
  Close();
  std::filesystem::remove_all(folder_ + "/state");
  Meet();
  const std::uint64_t sets = Sets();
  const std::string text = ProfileOf(7);
  ccp_error error{};
  ASSERT_EQ(ibcc_profiles_begin_experiment(profiles_, text.data(), text.size(), 0, nullptr, 0, fabric_.now_ns, &error),
            IBCC_PROFILES_OK);
  {
    const plugin_test::FullDisk full;
    ibcc_manager_converge(manager_, "apply");
    ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
    EXPECT_EQ(Sets(), sets);
    EXPECT_EQ(AllHeld(), before);
    EXPECT_NE(log_.text.find("devices are not set, as what they were found with cannot be kept: as_found.json.new"),
              std::string::npos);
    const char* reason = nullptr;
    EXPECT_NE(ibcc_manager_as_found(manager_, &reason), nullptr);
    EXPECT_NE(std::string(reason), "");
    EXPECT_EQ(Count(IBCC_STATE_APPLIED), 0u) << "and nobody is told that it is";
    EXPECT_NE(ibcc_manager_on_fabric(manager_), ibcc_profiles_wanted_number(profiles_));
    ASSERT_NE(ibcc_manager_pending(manager_), nullptr);
    EXPECT_NE(std::string(ibcc_manager_pending(manager_)).find("as_found.json.new"), std::string::npos)
        << ibcc_manager_pending(manager_);
  }
  fabric_.Run(manager_, [] { return false; }, 60);
  EXPECT_TRUE(AllApplied());
  EXPECT_NE(AllHeld(), before);
  EndTrial();
  EXPECT_EQ(AllHeld(), before);
}

TEST_F(ManagerFound, UntilAProfileIsInForceItFollowsWhatOthersSet) {
  Meet();
  ccp_ca_setting setting{};
  setting.control_map = 1;
  setting.sls[0].ccti_timer = 42;
  Hold(fabric_.host(2), CCP_CA_CONGESTION_SETTING, 0, setting);
  ASSERT_NE(ibcc_manager_verify(manager_), 0u);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_TRUE(AllApplied());
  EXPECT_EQ(Sets(), 0u);
  EXPECT_NE(log_.text.find("H2 hold other values than they were found with before"), std::string::npos) << log_.text;
  // A device that left and returns while nothing was set yet is left alone.
  fabric_.host(1).present = false;
  fabric_.Sweep(manager_);
  fabric_.host(1).agent.Reset();
  fabric_.host(1).present = true;
  fabric_.Sweep(manager_, {fabric_.host(1).guid});
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(Sets(), 0u);
  const Held before = AllHeld();
  Try(ProfileOf(5));
  EndTrial();
  EXPECT_EQ(HeldBy(fabric_.host(2)), before[2]);
  EXPECT_EQ(Timer(1), 0u);
}

TEST_F(ManagerFound, AControlMapWithoutAllBitsComesBackToo) {
  ccp_switch_setting setting{};
  setting.control_map = CCP_CONTROL_MAP_MARKING_RATE;
  setting.marking_rate = 8;
  Hold(fabric_.leaf(0), CCP_SWITCH_CONGESTION_SETTING, 0, setting);
  // A switch that takes the fields alone whose bits are set.
  fabric_.leaf(0).agent.clamp = [this](Key key, Data& data) {
    if (key.first != CCP_SWITCH_CONGESTION_SETTING) return;
    ccp_switch_setting now{}, asked{};
    ccp_error error{};
    ccp_unpack(CCP_SWITCH_CONGESTION_SETTING, fabric_.leaf(0).agent.held[key].data(), &now);
    ccp_unpack(CCP_SWITCH_CONGESTION_SETTING, data.data(), &asked);
    if ((asked.control_map & CCP_CONTROL_MAP_THRESHOLD) == 0) asked.threshold = now.threshold;
    if ((asked.control_map & CCP_CONTROL_MAP_MARKING_RATE) == 0) asked.marking_rate = now.marking_rate;
    ASSERT_EQ(ccp_pack(CCP_SWITCH_CONGESTION_SETTING, &asked, data.data(), &error), 0);
  };
  const Held before = AllHeld();
  Meet();
  Try(ProfileOf(5));
  EndTrial();
  EXPECT_EQ(AllHeld(), before);
  EXPECT_TRUE(AllApplied());
}

TEST_F(ManagerFound, WhatCannotBeReadIsClearedAndWhatIsNotThereIsLeft) {
  fabric_.leaf(1).agent.unsupported.insert(CCP_SWITCH_PORT_CONGESTION_SETTING);
  const Held before = AllHeld();
  Meet();
  EXPECT_TRUE(AllApplied());
  Try(ProfileOf(5));
  EndTrial();
  EXPECT_EQ(AllHeld(), before);
  EXPECT_TRUE(AllApplied());
}

TEST_F(ManagerFound, AProfileFileOfTheFirstStartIsTakenBackToo) {
  const Held before = AllHeld();
  ccp_error error{};
  WriteProfile(ProfileOf(5));
  Meet();
  EXPECT_TRUE(AllApplied());
  EXPECT_EQ(Timer(0), 150u);
  ASSERT_EQ(ibcc_profiles_rollback_base(profiles_, &error), IBCC_PROFILES_OK) << error.message;
  ASSERT_NE(ibcc_manager_converge(manager_, "restore"), 0u);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(AllHeld(), before);
  EXPECT_NE(std::string(ibcc_profiles_complaint(profiles_)).find("is not in force: revision 0"), std::string::npos);
  Restart();
  EXPECT_EQ(AllHeld(), before) << "the file has not changed since";
}

TEST_F(ManagerFound, PlansFromWhatDevicesHold) {
  Meet();
  ccp_error error{};
  ibcc_plan plan{};
  const std::string text = ProfileOf(5);
  ccp_profile* profile = ccp_profile_read(text.data(), text.size(), &error);
  ASSERT_NE(profile, nullptr);
  std::uint64_t sets[3];
  for (const ibcc_plan_from from : {IBCC_PLAN_FROM_HELD, IBCC_PLAN_FROM_BASE, IBCC_PLAN_FROM_AS_FOUND}) {
    ASSERT_EQ(ibcc_manager_plan(manager_, from, profile, &plan, nullptr, nullptr, &error), 0) << error.message;
    EXPECT_EQ(plan.unknown, 0u);
    sets[from] = plan.sets;
    ccp_tables_destroy(plan.tables);
  }
  EXPECT_EQ(sets[0], kFoundHosts * 3 + 3 * 2) << "a setting and two blocks of each adapter; of a switch its setting and ports";
  EXPECT_EQ(sets[1], sets[0]);
  EXPECT_EQ(sets[2], sets[0]);
  Try(text);
  EXPECT_EQ(ibcc_manager_job(manager_)->sets, sets[0]);
  ASSERT_EQ(ibcc_manager_plan(manager_, IBCC_PLAN_FROM_AS_FOUND, profile, &plan, nullptr, nullptr, &error), 0);
  EXPECT_EQ(plan.sets, sets[0]) << "whatever is in force meanwhile";
  ccp_tables_destroy(plan.tables);
  ccp_profile_destroy(profile);
}

TEST_F(ManagerFound, AFolderThatHadABaseHasNoRevision0) {
  WriteProfile(ProfileOf(5));
  Meet();
  Close();
  std::filesystem::remove(folder_ + "/state/as_found.json");
  Meet();
  const char* reason = nullptr;
  EXPECT_EQ(ibcc_manager_as_found(manager_, &reason), nullptr);
  EXPECT_STREQ(reason, "the state folder has no as_found.json, and a former process may have set devices");
  EXPECT_TRUE(AllApplied());
  ccp_error error{};
  EXPECT_EQ(ibcc_profiles_rollback_base(profiles_, &error), IBCC_PROFILES_NOTHING);
  EXPECT_STREQ(error.message, "there is no former base to return to");
}

TEST_F(ManagerFound, DevicesWithBothKindsComeBackToWhatTheyHeldOfAnnexA10) {
  options_.nvidia_write = true;
  for (unsigned h = 0; h < kFoundHosts; ++h) {
    fabric_.host(h).vendor = 0x0002C9;
    fabric_.host(h).agent.nvidia.is_there = true;
  }
  const Held before = AllHeld();
  Meet();
  Try("ibcc_profile: 2\nname: n\nnvidia: {adapter: {type: dcqcn, rp: {rpg_ai_rate: 9}}}\n");
  EXPECT_EQ(Timer(1), 0u) << "they obey NVIDIA's attributes alone";
  EndTrial();
  EXPECT_EQ(AllHeld(), before);
  const auto general = fabric_.host(1).agent.held.find({CCP_CONGESTION_HCA_GENERAL_SETTINGS, 0});
  ASSERT_NE(general, fabric_.host(1).agent.held.end());
  EXPECT_EQ(general->second[0], 0) << "neither notified nor reacting";
}

// It has answered one of several Gets, and is asked for the rest a while later.
TEST_F(ManagerFound, WhatWasReadOfAPartIsReadAnewAfterASilence) {
  Open();
  fabric_.Sweep(manager_);
  const ibcc_device* device = ibcc_devices_find(ibcc_manager_devices(manager_), 0x1000, 1);
  ASSERT_NE(device, nullptr);
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return device->found_reading.num_items == 1; }, 5));
  fabric_.host(0).answers = false;
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return device->silent; }, 60));
  fabric_.host(0).agent.held[{CCP_CA_CONGESTION_SETTING, 0}][5] = 99;  // of its timer
  fabric_.host(0).answers = true;
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return device->found != nullptr; }, 400));
  const ibcc_found_item* item = ibcc_found_find(device->found, CCP_CA_CONGESTION_SETTING, 0);
  ASSERT_NE(item, nullptr);
  EXPECT_EQ(item->payload->bytes[5], 99);
}

}  // namespace
}  // namespace ibcc_test
