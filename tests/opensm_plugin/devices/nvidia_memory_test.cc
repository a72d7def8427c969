// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "devices/nvidia_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "temporary_folder.hpp"

namespace ibcc_test {
namespace {

class NvidiaMemory : public ::testing::Test {
 protected:
  NvidiaMemory() { Open(); }
  ~NvidiaMemory() override {
    Close();
    std::filesystem::remove_all(path_);
  }

  void Open() {
    ccp_error error{};
    folder_ = ibcc_state_folder_open((path_ + "/state").c_str(), &error);
    ASSERT_NE(folder_, nullptr) << error.message;
    memory_ = ibcc_nvidia_memory_open(folder_, nullptr, &error);
    said_ = error.message;
  }
  void Close() {
    ibcc_nvidia_memory_close(memory_);
    ibcc_state_folder_close(folder_);
  }
  void Reopen() {
    Close();
    Open();
    ASSERT_NE(memory_, nullptr) << said_;
  }
  void Save() {
    ccp_error error{};
    ASSERT_EQ(ibcc_nvidia_memory_save(memory_, &error), 0) << error.message;
  }
  static ibcc_nvidia_model Model(std::uint16_t device, std::uint32_t minor) {
    ibcc_nvidia_model model{};
    model.identity = {.vendor_id = 0x2C9, .device_id = device};
    model.firmware = {.major = 31, .minor = minor, .sub_minor = 4, .psid = "MT_0000000001"};
    model.state = IBCC_NVIDIA_TESTED;
    model.facts.ver1 = true;
    model.facts.capabilities = 1ULL << 40 | 6;
    model.facts.by_modifier = true;
    model.facts.num_vls = 8;
    model.facts.buffer_bytes = 3'000'000'000;
    model.facts.algorithms[1] = {.algo_id = 65535, .major = 255, .minor = 1};
    return model;
  }
  const ibcc_nvidia_model* Find(const ibcc_nvidia_model& like) {
    return ibcc_nvidia_memory_find(memory_, &like.identity, &like.firmware);
  }

  const std::string path_ = MakeTemporaryFolder();
  ibcc_state_folder* folder_ = nullptr;
  ibcc_nvidia_memory* memory_ = nullptr;
  std::string said_;
};

TEST_F(NvidiaMemory, OutlivesItsProcess) {
  const ibcc_nvidia_model model = Model(0xD2F2, 1);
  ibcc_nvidia_memory_learn(memory_, &model);
  ASSERT_EQ(ibcc_nvidia_memory_set_written(memory_, 0x9000, 0, true), 0);
  ASSERT_EQ(ibcc_nvidia_memory_set_written(memory_, 0x1000, 2, true), 0);
  Save();
  Reopen();
  const ibcc_nvidia_model* found = Find(model);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->state, IBCC_NVIDIA_TESTED);
  EXPECT_EQ(found->facts.capabilities, model.facts.capabilities);
  EXPECT_EQ(found->facts.buffer_bytes, model.facts.buffer_bytes);
  EXPECT_EQ(found->facts.num_vls, 8);
  EXPECT_TRUE(found->facts.by_modifier);
  EXPECT_TRUE(found->facts.ver1);
  EXPECT_FALSE(found->facts.ver0);
  EXPECT_EQ(found->facts.algorithms[0].algo_id, 0);
  EXPECT_EQ(found->facts.algorithms[1].algo_id, 65535);
  EXPECT_EQ(found->facts.algorithms[1].major, 255);
  EXPECT_TRUE(ibcc_nvidia_memory_is_written(memory_, 0x9000, 0));
  EXPECT_TRUE(ibcc_nvidia_memory_is_written(memory_, 0x1000, 2));
  EXPECT_FALSE(ibcc_nvidia_memory_is_written(memory_, 0x1000, 1));
  ASSERT_EQ(ibcc_nvidia_memory_set_written(memory_, 0x9000, 0, false), 0);
  Save();
  Reopen();
  EXPECT_FALSE(ibcc_nvidia_memory_is_written(memory_, 0x9000, 0));
}

TEST_F(NvidiaMemory, TheFirstValueOfAParameterIsKeptUntilItIsForgotten) {
  const auto before = [](std::uint64_t guid, std::uint64_t known, std::uint32_t value) {
    ibcc_ppcc_before one{};
    one.node_guid = guid;
    one.port = 1;
    one.algorithm = {.algo_id = 2, .major = 1, .minor = 3};
    one.known = known;
    std::fill(std::begin(one.values), std::end(one.values), value);
    return one;
  };
  const auto find = [&](std::uint64_t guid) {
    const ccp_ppcc_algorithm algorithm = {.algo_id = 2, .major = 1, .minor = 3};
    return ibcc_ppcc_before_find(ibcc_nvidia_memory_befores(memory_), guid, 1, &algorithm);
  };
  for (const std::uint64_t guid : {7, 5, 6, 5}) {
    const ibcc_ppcc_before one = before(guid, 1ULL << 43 | 2, static_cast<std::uint32_t>(guid) + 0xFFFF0000U);
    EXPECT_EQ(ibcc_nvidia_memory_keep_before(memory_, &one), find(guid) == nullptr ? 1 : 0);
  }
  const ibcc_ppcc_before later = before(5, 6, 99);
  EXPECT_EQ(ibcc_nvidia_memory_keep_before(memory_, &later), 1);
  EXPECT_FALSE(ibcc_nvidia_memory_befores_are_saved(memory_));
  Save();
  EXPECT_TRUE(ibcc_nvidia_memory_befores_are_saved(memory_));
  Reopen();
  for (const std::uint64_t guid : {5, 6, 7}) {
    ASSERT_NE(find(guid), nullptr);
    EXPECT_EQ(find(guid)->values[43], guid + 0xFFFF0000U);
    EXPECT_EQ(find(guid)->values[1], guid + 0xFFFF0000U) << "what it was first";
  }
  EXPECT_EQ(find(5)->known, 1ULL << 43 | 6);
  EXPECT_EQ(find(5)->values[2], 99U);
  const ccp_ppcc_algorithm algorithm = later.algorithm;
  EXPECT_TRUE(ibcc_nvidia_memory_forget_before(memory_, 5, 1, &algorithm, 4));
  EXPECT_FALSE(ibcc_nvidia_memory_forget_before(memory_, 5, 1, &algorithm, 4));
  EXPECT_TRUE(ibcc_nvidia_memory_forget_before(memory_, 6, 1, &algorithm, 0));
  Save();
  Reopen();
  EXPECT_EQ(find(5)->known, 4U);
  EXPECT_EQ(find(6), nullptr);
  EXPECT_NE(find(7), nullptr);
}

TEST_F(NvidiaMemory, AModelIsAlsoItsFirmware) {
  ibcc_nvidia_model model = Model(1, 1);
  ibcc_nvidia_memory_learn(memory_, &model);
  EXPECT_EQ(Find(Model(1, 2)), nullptr);
  EXPECT_EQ(Find(Model(2, 1)), nullptr);
  model.firmware.psid[0] = 'X';
  EXPECT_EQ(Find(model), nullptr) << "another board";
  model.firmware = {};
  ibcc_nvidia_memory_learn(memory_, &model);
  EXPECT_EQ(Find(model), nullptr) << "unknown firmware is no key";
}

TEST_F(NvidiaMemory, TheOldestIsForgottenAndTheUntrustedOnRequest) {
  for (unsigned i = 0; i <= IBCC_MAX_NVIDIA_MODELS; ++i) {
    ibcc_nvidia_model model = Model(static_cast<std::uint16_t>(i), 1);
    model.state = i % 2 == 0 ? IBCC_NVIDIA_TESTED : IBCC_NVIDIA_UNTRUSTED;
    ibcc_nvidia_memory_learn(memory_, &model);
  }
  EXPECT_EQ(Find(Model(0, 1)), nullptr);
  EXPECT_NE(Find(Model(1, 1)), nullptr);
  ibcc_nvidia_memory_forget_models(memory_, true);
  EXPECT_EQ(Find(Model(1, 1)), nullptr);
  EXPECT_NE(Find(Model(2, 1)), nullptr);
  ibcc_nvidia_memory_forget_models(memory_, false);
  EXPECT_EQ(Find(Model(2, 1)), nullptr);
}

TEST_F(NvidiaMemory, ADamagedFileIsSetAside) {
  for (const std::string text :
       {"{", "{\"ibcc_opensm_nvidia\": 1, \"models\": 3}",
        "{\"ibcc_opensm_nvidia\": 1, \"models\": [], \"written\": [\"0x1000\"]}",
        "{\"ibcc_opensm_nvidia\": 1, \"models\": [{\"vendor_id\": 1}], \"written\": []}",
        "{\"ibcc_opensm_nvidia\": 1, \"models\": [], \"written\": [], \"parameters\": [[\"0x5\", 2, 1, 0, {}]]}",
        "{\"ibcc_opensm_nvidia\": 1, \"models\": [], \"written\": [], \"parameters\": [[\"0x5/1\", 2, 1, 0, {\"44\": 1}]]}"}) {
    Close();
    std::ofstream(path_ + "/state/nvidia.json") << text;
    Open();
    ASSERT_NE(memory_, nullptr) << said_;
    EXPECT_FALSE(std::filesystem::exists(path_ + "/state/nvidia.json")) << text;
  }
  EXPECT_TRUE(std::filesystem::exists(path_ + "/state/nvidia.json.broken-6"));
}

}  // namespace
}  // namespace ibcc_test
