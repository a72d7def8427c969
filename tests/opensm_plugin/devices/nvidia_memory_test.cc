// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "devices/nvidia_memory.h"

#include <gtest/gtest.h>
#include <jansson.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "ccpolicy/wire.h"
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
    return model;
  }
  const ibcc_nvidia_model* Find(const ibcc_nvidia_model& like) {
    return ibcc_nvidia_memory_find(memory_, &like.identity, &like.firmware);
  }
  ibcc_nvidia_noted Pass(const ibcc_nvidia_model& model, std::uint64_t job = 5) {
    return ibcc_nvidia_memory_note_pass(memory_, &model.identity, &model.firmware, job);
  }
  ibcc_nvidia_noted Fail(const ibcc_nvidia_model& model, std::uint64_t guid, std::uint8_t port = 1) {
    const ibcc_nvidia_failure failure = {
        .node_guid = guid, .port = port, .fault = IBCC_NVIDIA_RANGE, .attribute = CCP_CONGESTION_HCA_NP_PARAMETERS};
    return ibcc_nvidia_memory_note_failure(memory_, &model.identity, &model.firmware, &failure);
  }

  // A file with one model.
  static std::string Text(const std::string& model, int version) {
    return R"({"ibcc_opensm_nvidia": )" + std::to_string(version) +
           R"(, "models": [{"vendor_id": 713, "device_id": 1, "firmware": [31, 1, 4], "psid": "X", )" + model +
           R"(}], "written": []})";
  }

  const std::string path_ = MakeTemporaryFolder();
  ibcc_state_folder* folder_ = nullptr;
  ibcc_nvidia_memory* memory_ = nullptr;
  std::string said_;
};

TEST_F(NvidiaMemory, OutlivesItsProcess) {
  const ibcc_nvidia_model model = Model(0xD2F2, 1), other = Model(0xD2F2, 2);
  EXPECT_EQ(Pass(model), IBCC_NVIDIA_NOTED);
  EXPECT_EQ(Pass(model), IBCC_NVIDIA_NOTED_BEFORE);
  EXPECT_EQ(Find(model)->job, 5U);
  EXPECT_EQ(Fail(other, 0x1000, 2), IBCC_NVIDIA_NOTED);
  ASSERT_EQ(ibcc_nvidia_memory_set_written(memory_, 0x9000, 0, true), 0);
  ASSERT_EQ(ibcc_nvidia_memory_set_written(memory_, 0x1000, 2, true), 0);
  Save();
  Reopen();
  const ibcc_nvidia_model *found = Find(model), *failed = Find(other);
  ASSERT_NE(found, nullptr);
  ASSERT_NE(failed, nullptr);
  EXPECT_TRUE(found->tested);
  EXPECT_EQ(found->job, 0U) << "of a former process";
  EXPECT_EQ(found->num_failures, 0U);
  EXPECT_FALSE(failed->tested);
  EXPECT_FALSE(failed->misleads);
  const ibcc_nvidia_failure* own = ibcc_nvidia_failure_of(failed, 0x1000, 2);
  ASSERT_NE(own, nullptr);
  EXPECT_EQ(own->fault, IBCC_NVIDIA_RANGE);
  EXPECT_EQ(own->attribute, CCP_CONGESTION_HCA_NP_PARAMETERS);
  EXPECT_EQ(ibcc_nvidia_failure_of(failed, 0x1000, 1), nullptr);
  EXPECT_EQ(ibcc_nvidia_failure_of(failed, 0x1001, 2), nullptr);
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
  Pass(model);
  EXPECT_EQ(Find(Model(1, 2)), nullptr);
  EXPECT_EQ(Find(Model(2, 1)), nullptr);
  model.firmware.psid[0] = 'X';
  EXPECT_EQ(Find(model), nullptr) << "another board";
  model.firmware = {};
  Pass(model);
  EXPECT_EQ(Find(model), nullptr) << "unknown firmware is no key";
}

TEST_F(NvidiaMemory, AModelMisleadsWhenThreeOfItsDevicesHaveFailed) {
  const ibcc_nvidia_model model = Model(1, 1);
  Pass(model);
  for (int again = 0; again < 3; ++again) Fail(model, 7);
  EXPECT_EQ(Find(model)->num_failures, 1U) << "one device is one, however often it fails";
  Fail(model, 8);
  EXPECT_FALSE(Find(model)->misleads);
  EXPECT_EQ(Fail(model, 8, 2), IBCC_NVIDIA_NOTED) << "another port";
  EXPECT_TRUE(Find(model)->misleads);
  EXPECT_EQ(Fail(model, 9), IBCC_NVIDIA_NOTED_BEFORE);
  Save();
  Reopen();
  EXPECT_TRUE(Find(model)->misleads);
  EXPECT_EQ(Find(model)->num_failures, IBCC_NVIDIA_FAILURES);
  ibcc_nvidia_memory_forget_failures(memory_);
  Save();
  Reopen();
  EXPECT_FALSE(Find(model)->misleads);
  EXPECT_TRUE(Find(model)->tested) << "others have passed";
}

TEST_F(NvidiaMemory, TheOldestIsForgottenAndFailuresOnRequest) {
  for (unsigned i = 0; i < IBCC_MAX_NVIDIA_MODELS; ++i) {
    const ibcc_nvidia_model model = Model(static_cast<std::uint16_t>(i), 1);
    EXPECT_EQ(i % 2 == 0 ? Pass(model) : Fail(model, i), IBCC_NVIDIA_NOTED);
  }
  EXPECT_EQ(Pass(Model(IBCC_MAX_NVIDIA_MODELS, 1)), IBCC_NVIDIA_NOTED_FOR_OLDEST);
  EXPECT_EQ(Find(Model(0, 1)), nullptr);
  EXPECT_NE(Find(Model(1, 1)), nullptr);
  Save();
  Reopen();
  ibcc_nvidia_memory_forget_failures(memory_);
  EXPECT_EQ(Find(Model(1, 1)), nullptr) << "nothing else was known of it";
  EXPECT_NE(Find(Model(2, 1)), nullptr);
  ibcc_nvidia_memory_forget_models(memory_);
  EXPECT_EQ(Find(Model(2, 1)), nullptr);
}

// As the former release has written it: facts of a device passed for its model's.
TEST_F(NvidiaMemory, OfTheFormerReleaseTrustIsKeptAndFactsAreDropped) {
  const auto model = [](int device, const char* state, int fault) {
    return R"({"vendor_id": 713, "device_id": )" + std::to_string(device) +
           R"(, "firmware": [31, 1, 4], "psid": "MT_0000000001", "state": ")" + state +
           R"(", "refusal": 0, "ver0": true, "ver1": true, "capabilities": "0x6", "by_modifier": true, "num_vls": 8,)" +
           R"( "buffer_bytes": 3000000000, "algorithms": [[7, 1, 0], [9, 1, 0]], "fault": )" + std::to_string(fault) +
           R"(, "fault_attribute": 65314})";
  };
  Close();
  std::ofstream(path_ + "/state/nvidia.json")
      << R"({"ibcc_opensm_nvidia": 1, "models": [)" << model(1, "tested", 0) << ", " << model(2, "untrusted", 3) << ", "
      << model(3, "absent", 0)
      << R"(], "written": ["0x0000000000001000/1"], "parameters": [["0x0000000000001000/1", 7, 1, 0, {"0": 1}]]})";
  Open();
  ASSERT_NE(memory_, nullptr) << said_;
  for (int times = 0; times < 2; ++times) {
    ASSERT_NE(Find(Model(1, 1)), nullptr);
    EXPECT_TRUE(Find(Model(1, 1))->tested);
    ASSERT_NE(Find(Model(2, 1)), nullptr);
    EXPECT_TRUE(Find(Model(2, 1))->misleads);
    EXPECT_EQ(Find(Model(2, 1))->failures[0].fault, IBCC_NVIDIA_RANGE);
    EXPECT_EQ(Find(Model(2, 1))->failures[0].attribute, CCP_CONGESTION_HCA_NP_PARAMETERS);
    EXPECT_EQ(Find(Model(3, 1)), nullptr) << "its devices are asked";
    EXPECT_TRUE(ibcc_nvidia_memory_is_written(memory_, 0x1000, 1));
    EXPECT_EQ(ibcc_nvidia_memory_befores(memory_)->count, 1U);
    ASSERT_EQ(ibcc_nvidia_memory_set_written(memory_, 0x2000, 1, true), 0);
    Save();
    Reopen();
  }
  std::ifstream file(path_ + "/state/nvidia.json");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(text.find("algorithms"), std::string::npos) << text;
}

TEST_F(NvidiaMemory, ADamagedFileIsSetAside) {
  for (const std::string& text : std::vector<std::string>{
           "{", "{\"ibcc_opensm_nvidia\": 1, \"models\": 3}",
           "{\"ibcc_opensm_nvidia\": 1, \"models\": [], \"written\": [\"0x1000\"]}",
           "{\"ibcc_opensm_nvidia\": 1, \"models\": [{\"vendor_id\": 1}], \"written\": []}",
           Text("\"state\": \"odd\", \"fault\": 0, \"fault_attribute\": 0", 1),
           Text("\"state\": \"untrusted\", \"fault\": 0, \"fault_attribute\": 0", 1),
           Text("\"tested\": true, \"misleads\": true, \"failures\": []", 2),
           Text("\"tested\": true, \"misleads\": false, \"failures\": [[\"0x5/300\", 1, 1]]", 2),
           Text("\"tested\": true, \"misleads\": false, \"failures\": [[\"0x5/1\", 99, 1]]", 2),
           Text("\"tested\": true, \"misleads\": false, \"failures\": [1, 2, 3, 4]", 2),
           "{\"ibcc_opensm_nvidia\": 1, \"models\": [], \"written\": [], \"parameters\": [[\"0x5\", 2, 1, 0, {}]]}",
           "{\"ibcc_opensm_nvidia\": 1, \"models\": [], \"written\": [], \"parameters\": [[\"0x5/1\", 2, 1, 0, {\"44\": 1}]]}"}) {
    Close();
    std::ofstream(path_ + "/state/nvidia.json") << text;
    Open();
    ASSERT_NE(memory_, nullptr) << said_;
    EXPECT_FALSE(std::filesystem::exists(path_ + "/state/nvidia.json")) << text;
  }
  EXPECT_TRUE(std::filesystem::exists(path_ + "/state/nvidia.json.broken-12"));
}

// Both have kept what a parameter was: this process at an earlier time than the other, which has set it last.
TEST_F(NvidiaMemory, WhatAnotherProcessHasKeptOfAParameterHolds) {
  const ccp_ppcc_algorithm algorithm{.algo_id = 2, .major = 1, .minor = 0};
  ibcc_ppcc_before own{};
  own.node_guid = 0x1000;
  own.port = 1;
  own.algorithm = algorithm;
  own.known = 6;
  own.values[1] = 100;
  own.values[2] = 7;
  ASSERT_EQ(ibcc_nvidia_memory_keep_before(memory_, &own), 1);
  json_t* written = json_array();
  json_t* parameters = json_pack("[[s, i, i, i, {s:i}]]", "0x0000000000001000/1", 2, 1, 0, "1", 55);
  ASSERT_NE(parameters, nullptr);
  ccp_error error{};
  EXPECT_EQ(ibcc_nvidia_memory_merge(memory_, written, parameters, &error), 0) << error.message;
  json_decref(written);
  json_decref(parameters);
  const ibcc_ppcc_before* kept = ibcc_ppcc_before_find(ibcc_nvidia_memory_befores(memory_), 0x1000, 1, &algorithm);
  ASSERT_NE(kept, nullptr);
  EXPECT_EQ(kept->values[1], 55U);
  EXPECT_NE(kept->known & 2U, 0U);
}

}  // namespace
}  // namespace ibcc_test
