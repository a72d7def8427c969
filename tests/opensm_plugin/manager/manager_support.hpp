// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A manager with a profile file, a state folder and perhaps a key file, on a fabric of fake agents.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "fake_fabric.hpp"
#include "keys/keys.h"
#include "manager/manager.h"
#include "temporary_folder.hpp"

namespace ibcc_test {

// `more`: of the document. The CCT has as many blocks of 64 entries.
inline std::string ProfileOf(int marking_rate, const std::string& more = "", bool enable = true, unsigned blocks = 2) {
  return std::string("ibcc_profile: 1\nname: t\nenable: ") + (enable ? "true" : "false") +
         "\nlink: {rate_gbps: 16, mtu_bytes: 2048}\n"
         "switch: {threshold: 15, marking_rate: " +
         std::to_string(marking_rate) +
         ", packet_size: 8, victim_mask: ca_ports}\n"
         "ca: {level: qp, sls: [0], ccti_timer: 150, ccti_increase: 1, ccti_min: 0, trigger_threshold: 2}\n"
         "cct: {ccti_limit: " +
         std::to_string(64 * blocks - 1) + ", curve: {kind: power, full_scale_us: 7, at_index: 53, exponent: 2}}\n" + more;
}

class ManagerBed : public ::testing::Test {
 protected:
  ManagerBed(unsigned leaves, unsigned hosts_per_leaf) : fabric_(leaves, hosts_per_leaf) {
    ccp_error error{};
    EXPECT_EQ(ibcc_options_parse(&options_, nullptr, &error), 0);
    WriteProfile(ProfileOf(1));
  }
  ~ManagerBed() override {
    Close();
    ibcc_options_destroy(&options_);
    std::filesystem::remove_all(folder_);
  }

  void WriteProfile(const std::string& text) { std::ofstream(folder_ + "/profile.yaml") << text; }
  void WriteKeys(const std::string& text) {
    std::ofstream(folder_ + "/keys.yaml") << text;
    chmod((folder_ + "/keys.yaml").c_str(), 0600);
  }
  // As OpenSM starts: with the keys, if there is a file of them.
  void Open(const std::string& state = "state") {
    ccp_error error{};
    profiles_ =
        ibcc_profiles_open((folder_ + "/" + state).c_str(), (folder_ + "/profile.yaml").c_str(), nullptr, nullptr, &error);
    ASSERT_NE(profiles_, nullptr) << error.message;
    const ibcc_manager_env env = fabric_.ManagerEnv();
    manager_ = ibcc_manager_create(&options_, &env, profiles_, &log_);
    ASSERT_NE(manager_, nullptr);
    if (!std::filesystem::exists(folder_ + "/keys.yaml")) return;
    keys_ = ibcc_keys_open(ibcc_profiles_folder(profiles_), (folder_ + "/keys.yaml").c_str(), nullptr, &error);
    ASSERT_NE(keys_, nullptr) << error.message;
    ibcc_manager_set_keys(manager_, keys_);
  }
  // As it is killed.
  void Close() {
    ibcc_manager_destroy(manager_);
    ibcc_keys_close(keys_);
    ibcc_profiles_close(profiles_);
    manager_ = nullptr;
    keys_ = nullptr;
    profiles_ = nullptr;
  }

  uint32_t Count(enum ibcc_device_state state) {
    uint32_t counts[IBCC_NUM_STATES];
    ibcc_manager_count_states(manager_, counts);
    return counts[state];
  }
  bool AllApplied() { return Count(IBCC_STATE_APPLIED) == fabric_.nodes().size(); }
  void BringUp() {
    fabric_.Sweep(manager_);
    ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
    ASSERT_TRUE(AllApplied());
  }

  // A trial run begins, and ends before its time.
  void Begin(const std::string& text, unsigned ttl_s = 60) {
    ccp_error error{};
    ASSERT_EQ(ibcc_profiles_begin_experiment(profiles_, text.data(), text.size(), ttl_s, nullptr, 0, fabric_.now_ns, &error),
              IBCC_PROFILES_OK)
        << error.message;
    ibcc_manager_converge(manager_, "apply");
  }
  void End() {
    ccp_error error{};
    ASSERT_EQ(ibcc_profiles_end_experiment(profiles_, &error), IBCC_PROFILES_OK);
    ibcc_manager_converge(manager_, "restore");
  }
  // The same, until the devices hold what they should.
  void Try(const std::string& text, unsigned ttl_s = 60) {
    Begin(text, ttl_s);
    ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  }
  void EndTrial() {
    End();
    ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  }
  std::uint64_t Sets() {
    std::uint64_t sets = 0;
    for (const auto& node : fabric_.nodes()) sets += node.agent.sets;
    return sets;
  }
  unsigned MarkingRate(FakeFabric::Node& node) { return node.agent.held[{CCP_SWITCH_CONGESTION_SETTING, 0}][75]; }

  struct Log : ::ibcc_log {
    Log() { write = Write; }
    static void Write(ibcc_log* log, ibcc_log_level, const char* line) {
      static_cast<Log*>(log)->text += std::string(line) + "\n";
    }
    std::string text;
  };

  const std::string folder_ = MakeTemporaryFolder();
  Log log_;
  ibcc_options options_{};
  FakeFabric fabric_;
  ibcc_profiles* profiles_ = nullptr;
  ibcc_keys* keys_ = nullptr;
  ibcc_manager* manager_ = nullptr;
};

// A manager of 24 hosts, open.
class OpenManagerBed : public ManagerBed {
 protected:
  OpenManagerBed() : ManagerBed(4, 6) {
    options_.retries = 2;
    options_.max_errors = 3;
    Open();
  }
  void FailedSweep() {
    fabric_.sweep_ok = false;
    fabric_.Sweep(manager_);
  }
  void GoodSweep() {
    fabric_.sweep_ok = fabric_.master = true;
    fabric_.discovering = fabric_.opensm_cc_on = false;
    fabric_.Sweep(manager_);
    ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  }
  void Wait(int seconds) {
    fabric_.Run(manager_, [] { return false; }, seconds);
  }
  std::string Pending() {
    const char* pending = ibcc_manager_pending(manager_);
    return pending == nullptr ? "" : pending;
  }
};

}  // namespace ibcc_test
