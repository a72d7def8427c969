// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// PPCC: slots and parameters by algorithm, names from a file, and the note of what is set.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "manager_nvidia_support.hpp"
#include "rpc/support.hpp"

namespace ibcc_test {
namespace {

using ManagerPpcc = ManagerNvidia;

TEST_F(ManagerPpcc, PpccTakesSlotsAndParametersAndLeavesTheOthers) {
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
TEST_F(ManagerPpcc, ParametersThatCannotBeReadAreNotSet) {
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

// The length that the device says is of fewer parameters than the profile wants, of more than there is room for, or of no whole
// number of them.
TEST_F(ManagerPpcc, ParametersThatDoNotFitTheirLengthAreNotSet) {
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

// The file is read for the answer, and the profile in force keeps the names that it came with.
TEST_F(ManagerPpcc, ACheckAndAPlanKeepTheNamesOfTheProfileInForce) {
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
  ASSERT_EQ(ibcc_manager_plan(manager_, IBCC_PLAN_FROM_HELD, profile, &plan, nullptr, nullptr, &error), 0) << error.message;
  EXPECT_EQ(plan.cas, 3U) << "with the names of now";
  ccp_tables_destroy(plan.tables);
  ccp_profile_destroy(profile);
  ASSERT_NE(ibcc_manager_probe_nvidia(manager_, false), 0U);  // what is wanted of devices is looked up anew
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(Parameter(2, 1, 0), 100U);
  EXPECT_EQ(Parameter(2, 1, 1), 7U);
  Apply(text("B: 9"));
  EXPECT_EQ(Parameter(2, 1, 0), 9U);
  EXPECT_EQ(Parameter(2, 1, 1), 101U);
}

// The file of names was edited since: what is refused for it leaves the profile in force as it was, and its names too.
TEST_F(ManagerPpcc, ARefusedProfileLeavesTheNamesOfTheOneInForce) {
  const auto write_names = [&](const std::string& algorithms) {
    std::ofstream(folder_ + "/names.json") << R"({"ibcc_ppcc_algorithms": 1, "algorithms": [)" << algorithms << "]}";
  };
  const std::string number = R"("algo_id": 2, "major": 1, "minor": 0, )";
  options_.ppcc_algorithms = strdup((folder_ + "/names.json").c_str());
  write_names(R"({"name": "RTT", )" + number + R"("parameters": ["A", "B"]})");
  Start(Nvidia("  adapter: {type: ppcc, ppcc: [{algorithm: RTT, sls: [0], parameters: {B: 7}}]}\n"));
  EXPECT_EQ(Parameter(2, 1, 1), 7U);
  write_names(R"({"name": "RTT", )" + number + R"("parameters": ["B", "A"]}, {"name": "NEW", )" + number +
              R"("parameters": []})");
  const std::string twice = Nvidia("  adapter: {type: ppcc, ppcc: [{algorithm: RTT, sls: [0]}, {algorithm: NEW, sls: [1]}]}\n");
  ccp_error error{};
  ASSERT_EQ(ibcc_profiles_replace_base(profiles_, twice.data(), twice.size(), 0, &error), IBCC_PROFILES_OK) << error.message;
  EXPECT_EQ(ibcc_manager_converge(manager_, "apply"), 0U);
  EXPECT_NE(log_.text.find("(algorithm 'RTT') and ppcc[1] (algorithm 'NEW') are the same algorithm"), std::string::npos);
  ASSERT_NE(ibcc_manager_probe_nvidia(manager_, false), 0U);  // what is wanted of devices is looked up anew
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(Parameter(2, 1, 0), 100U);
  EXPECT_EQ(Parameter(2, 1, 1), 7U);
}

// A profile without the section would not clear a device that is not on the disk.
TEST_F(ManagerPpcc, ADeviceIsNotSetBeforeItsNoteIsOnTheDisk) {
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
  // Parameters are not set before their former values are on the disk.
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
TEST_F(ManagerPpcc, ParametersOfAllDevicesAreNotedTogether) {
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

TEST_F(ManagerPpcc, WithoutTheFileOfNotesItOnlyReads) {
  Start(ProfileOf(1));
  Close();
  std::filesystem::remove(folder_ + "/state/nvidia.json");
  std::filesystem::create_directory(folder_ + "/state/nvidia.json");
  Start(Nvidia(kDcqcn));
  EXPECT_EQ(Withheld(2), "nvidia.json in the state folder cannot be opened, so that nothing can be noted; the log says why");
  EXPECT_EQ(fabric_.host(2).agent.sets, 0U);
}

TEST_F(ManagerPpcc, ASweepThatBeginsWhileTheNoteIsWrittenIsWaitedFor) {
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

}  // namespace
}  // namespace ibcc_test
