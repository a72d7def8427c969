// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// CC_Keys on a whole fabric: set, changed under loss and crashes, and found again by a successor that was given the same file.
#include <gtest/gtest.h>
#include <jansson.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "fake_fabric.hpp"
#include "keys.h"
#include "manager.h"
#include "temporary_folder.hpp"

namespace ibcc_test {
namespace {

constexpr const char* kProfile =
    "ibcc_profile: 1\nname: t\nlink: {rate_gbps: 16, mtu_bytes: 2048}\n"
    "switch: {threshold: 15, marking_rate: 1, packet_size: 8, victim_mask: ca_ports}\n"
    "ca: {level: qp, sls: [0], ccti_timer: 150, ccti_increase: 1, ccti_min: 0, trigger_threshold: 2}\n"
    "cct: {ccti_limit: 63, curve: {kind: power, full_scale_us: 7, at_index: 53, exponent: 2}}\n";

class ManagerKeys : public ::testing::Test {
 protected:
  ManagerKeys() {
    folder_ = ibcc_test::MakeTemporaryFolder();
    std::ofstream(folder_ + "/profile.yaml") << kProfile;
    ccp_error error{};
    EXPECT_EQ(ibcc_options_parse(&options_, nullptr, &error), 0);
    options_.max_errors = 1000;
  }
  ~ManagerKeys() override {
    Close();
    ibcc_options_destroy(&options_);
    std::filesystem::remove_all(folder_);
  }
  void WriteKeys(const std::string& text) {
    std::ofstream(folder_ + "/keys.yaml") << text;
    chmod((folder_ + "/keys.yaml").c_str(), 0600);
  }
  void Open(const std::string& state) {
    ccp_error error{};
    profiles_ = ibcc_profiles_open((folder_ + "/" + state).c_str(), (folder_ + "/profile.yaml").c_str(), nullptr, &error);
    ASSERT_NE(profiles_, nullptr) << error.message;
    keys_ = ibcc_keys_open(ibcc_profiles_folder(profiles_), (folder_ + "/keys.yaml").c_str(), nullptr, &error);
    ASSERT_NE(keys_, nullptr) << error.message;
    const ibcc_surroundings around = fabric_.Surroundings();
    manager_ = ibcc_manager_create(&options_, &around, profiles_, nullptr);
    ASSERT_NE(manager_, nullptr);
    ibcc_manager_set_keys(manager_, keys_);
  }
  void Close() {
    ibcc_manager_destroy(manager_);
    ibcc_keys_close(keys_);
    ibcc_profiles_close(profiles_);
    manager_ = nullptr;
    keys_ = nullptr;
    profiles_ = nullptr;
  }
  bool AllHave(std::uint64_t key) {
    return std::all_of(fabric_.nodes().begin(), fabric_.nodes().end(),
                       [&](const auto& node) { return node.agent.cc_key == key; });
  }
  bool AllApplied() {
    uint32_t counts[IBCC_NUM_STATES];
    ibcc_devices_count_states(ibcc_manager_devices(manager_), counts);
    return counts[IBCC_STATE_APPLIED] == fabric_.nodes().size();
  }
  std::uint64_t Violations() {
    std::uint64_t violations = 0;
    for (const auto& node : fabric_.nodes()) violations += node.agent.violations;
    return violations;
  }

  std::string folder_;
  ibcc_options options_{};
  FakeFabric fabric_{3, 4};
  ibcc_profiles* profiles_ = nullptr;
  ibcc_keys* keys_ = nullptr;
  ibcc_manager* manager_ = nullptr;
};

TEST_F(ManagerKeys, DevicesGetTheKeyBeforeTheirTables) {
  WriteKeys("current: 0x1111\n");
  Open("state");
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_TRUE(AllHave(0x1111));
  EXPECT_TRUE(AllApplied());
  EXPECT_EQ(Violations(), 0u);
  EXPECT_STREQ(ibcc_manager_key_text(manager_, ibcc_manager_devices(manager_)->list[0]), "current");
}

TEST_F(ManagerKeys, AChangeThatIsLostInPartAndCutShortLocksNobodyOut) {
  WriteKeys("current: 0x1111\n");
  Open("state");
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  WriteKeys("current: 0x1111\nnext: 0x2222\n");
  fabric_.loss = 0.3;
  fabric_.host(3).present = false;
  fabric_.Sweep(manager_);
  const auto changed = [&] {
    return std::count_if(fabric_.nodes().begin(), fabric_.nodes().end(), [](const auto& n) { return n.agent.cc_key == 0x2222; });
  };
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return changed() >= 5; }, 60));
  Close();  // in the middle
  Open("state");
  fabric_.Sweep(manager_);
  fabric_.RunUntilIdle(manager_, 120);
  // The one that was away comes back with the former key, when the change is over.
  WriteKeys("current: 0x2222\n");
  fabric_.host(3).present = true;
  fabric_.loss = 0;
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return AllHave(0x2222) && AllApplied(); }, 2000));
}

TEST_F(ManagerKeys, AKeyThatWasTakenAwayIsGivenAgainByTheAudit) {
  WriteKeys("current: 0x1111\n");
  Open("state");
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  fabric_.leaf(1).agent.cc_key = 0;
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return AllHave(0x1111); }, 700));
}

TEST_F(ManagerKeys, ASuccessorWithTheSameFileFindsTheKeys) {
  WriteKeys("current: 0x2222\nprevious: 0x1111\n");
  for (std::size_t i = 0; i < fabric_.nodes().size(); ++i)
    fabric_.nodes()[i].agent.cc_key = i % 3 == 0 ? 0 : i % 3 == 1 ? 0x1111 : 0x2222;
  Open("other");
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_TRUE(AllHave(0x2222));
  EXPECT_TRUE(AllApplied());
  EXPECT_EQ(Violations(), 0u) << "keys are looked for by a request that no device minds";
}

TEST_F(ManagerKeys, AForeignKeyIsShownAndTheRestGoesOn) {
  WriteKeys("current: 0x2222\n");
  fabric_.host(2).agent.cc_key = 0x9999;
  Open("state");
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  uint32_t counts[IBCC_NUM_STATES];
  ibcc_devices_count_states(ibcc_manager_devices(manager_), counts);
  EXPECT_EQ(counts[IBCC_STATE_APPLIED], fabric_.nodes().size() - 1);
  EXPECT_EQ(fabric_.host(2).agent.cc_key, 0x9999u);
  fabric_.host(2).agent.cc_key = 0;  // its lease has run out, or somebody has cleared it
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return AllHave(0x2222) && AllApplied(); }, 2000));
}

}  // namespace
}  // namespace ibcc_test
