// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "devices/ppcc_names.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "ccpolicy/profile.h"
#include "temporary_folder.hpp"

namespace ibcc_test {
namespace {

class PpccNames : public ::testing::Test {
 protected:
  ~PpccNames() override {
    ibcc_ppcc_names_destroy(names_);
    std::filesystem::remove_all(folder_);
  }
  // Returns the fault of the file; "" if it has none.
  std::string Read(const std::string& text) {
    ccp_error error{};
    std::ofstream(folder_ + "/names.json") << text;
    ibcc_ppcc_names_destroy(names_);
    names_ = ibcc_ppcc_names_read((folder_ + "/names.json").c_str(), &error);
    return names_ == nullptr ? error.message : "";
  }
  std::string Resolve(const char* algorithm, const char* parameter) {
    ccp_error error{};
    ccp_ppcc_slot slot{};
    std::strncpy(slot.algorithm, algorithm, sizeof(slot.algorithm) - 1);
    slot.id = {.algo_id = 7, .major = 2, .minor = 0};
    slot.parameters.count = 2;
    std::strncpy(slot.parameters.list[0].name, parameter, sizeof(slot.parameters.list[0].name) - 1);
    slot.parameters.list[1].index = 40;
    if (ibcc_ppcc_resolve(names_, &slot, &id_, index_, &error) != 0) return error.message;
    return std::to_string(id_.algo_id) + "/" + std::to_string(id_.major) + "." + std::to_string(id_.minor) + " " +
           std::to_string(index_[0]) + " " + std::to_string(index_[1]);
  }

  const std::string folder_ = MakeTemporaryFolder();
  ibcc_ppcc_names* names_ = nullptr;
  ccp_ppcc_algorithm id_{};
  std::uint8_t index_[CCP_PPCC_PARAMETERS_MAX] = {};
};

constexpr const char* kFile =
    R"({"ibcc_ppcc_algorithms": 1, "algorithms": [{"name": "ZTR", "algo_id": 1, "major": 1, "minor": 5, "parameters": ["BW_G", "AI"]},)"
    R"({"name": "NEW", "algo_id": 7, "major": 2, "minor": 0, "parameters": ["X"]}]})";

TEST_F(PpccNames, NamesBecomeNumbers) {
  ASSERT_EQ(Read(kFile), "");
  EXPECT_EQ(Resolve("ZTR", "AI"), "1/1.5 1 40");
  EXPECT_EQ(Resolve("", "X"), "7/2.0 0 40") << "by its numbers, which the file has too";
  EXPECT_EQ(Resolve("ZTR", "X"), "the file of --ppcc-algorithms has no parameter 'X' of algorithm 1, version 1.5");
  EXPECT_EQ(Resolve("OLD", "X"), "algorithm 'OLD' is not in the file of --ppcc-algorithms, nor are there names without it");
}

// A name and the numbers that the file gives for it make two items for one slot, and one of them is asked for without end.
TEST_F(PpccNames, AnAlgorithmThatIsGivenTwiceIsRefused) {
  ASSERT_EQ(Read(kFile), "");
  ccp_ppcc_slot slots[2] = {};
  std::strcpy(slots[0].algorithm, "NEW");
  slots[1].id = {7, 2, 0};
  ccp_profile_nvidia nvidia{};
  nvidia.adapter.num_slots = 2;
  nvidia.adapter.slots = slots;
  ccp_profile profile{};
  profile.nvidia = &nvidia;
  ccp_error error{};
  EXPECT_EQ(ibcc_ppcc_check_profile(names_, &profile, &error), -1);
  EXPECT_STREQ(error.message,
               "nvidia.adapter.ppcc[0] (algorithm 'NEW') and ppcc[1] (algo_id 7, version 2.0) are the same algorithm; give "
               "it once, with all its SLs");
  slots[1].id.minor = 1;
  EXPECT_EQ(ibcc_ppcc_check_profile(names_, &profile, &error), 0);
}

// One of the two values would be sent, and nobody would know which.
TEST_F(PpccNames, AParameterThatIsGivenTwiceIsRefused) {
  ASSERT_EQ(Read(kFile), "");
  ccp_ppcc_slot slot{};
  slot.id = {1, 1, 5};
  slot.parameters.count = 2;
  slot.parameters.list[0].index = 1;
  std::strcpy(slot.parameters.list[1].name, "AI");
  ccp_error error{};
  EXPECT_EQ(ibcc_ppcc_resolve(names_, &slot, &id_, index_, &error), -1);
  EXPECT_STREQ(error.message, "parameter 1 of algorithm 1, version 1.5, is given by index and as 'AI'; give it once");
  slot.parameters.list[0].index = 0;
  EXPECT_EQ(ibcc_ppcc_resolve(names_, &slot, &id_, index_, &error), 0);
}

TEST_F(PpccNames, WithoutAFileThereAreNumbersAlone) {
  EXPECT_EQ(Resolve("ZTR", ""), "algorithm 'ZTR' is not in the file of --ppcc-algorithms, nor are there names without it");
  EXPECT_EQ(Resolve("", ""), "7/2.0 0 40");
}

TEST_F(PpccNames, AWrongFileIsRefusedWithItsFault) {
  const auto with = [](const std::string& algorithm) {
    return R"({"ibcc_ppcc_algorithms": 1, "algorithms": [)" + algorithm + "]}";
  };
  EXPECT_NE(Read("{").find("names.json, line 1: "), std::string::npos);
  EXPECT_NE(Read("{}").find("must have ibcc_ppcc_algorithms, which is 1, and algorithms, a list of at most 256"),
            std::string::npos);
  EXPECT_EQ(Read(with(R"({"name": ""})")), "the name of an algorithm is '', and must be 1 to 31 characters");
  EXPECT_EQ(Read(with(R"({"name": "A", "algo_id": 0, "major": 1, "minor": 0})")),
            "algorithm 'A' must have algo_id, 1 to 65535, and major and minor, each 0 to 255, as adapters list them");
  EXPECT_EQ(Read(with(R"({"name": "A", "algo_id": 1, "major": 1, "minor": 0, "parameters": [7]})")),
            "the name of a parameter is 'no text', and must be 1 to 31 characters");
  EXPECT_EQ(Read(with(R"({"name": "A", "algo_id": 1, "major": 1, "minor": 0, "parameters": ["X", "X"]})")),
            "algorithm 'A' has two parameters of the name 'X'");
  EXPECT_EQ(Read(with(R"({"name": "A", "algo_id": 1, "major": 1, "minor": 0},
                         {"name": "A", "algo_id": 1, "major": 1, "minor": 1})")),
            "two algorithms have the name 'A'; each version needs a name of its own");
  ccp_error error{};
  EXPECT_EQ(ibcc_ppcc_names_read("/nowhere/x.json", &error), nullptr);
  EXPECT_STREQ(error.message, "--ppcc-algorithms /nowhere/x.json: No such file or directory");
}

}  // namespace
}  // namespace ibcc_test
