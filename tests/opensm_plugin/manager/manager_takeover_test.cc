// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// One master dies, and another one takes over by the base file: two state folders, one fabric.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "changes/base_file.h"
#include "manager_nvidia_support.hpp"

namespace ibcc_test {
namespace {

const std::string kBoth = ProfileOf(7, "nvidia:\n" + std::string(kSwitch) + kDcqcn).replace(14, 1, "2");

class ManagerTakeover : public ManagerNvidia {
 protected:
  ManagerTakeover() { options_.base_file = strdup(File().c_str()); }
  std::string File() const { return folder_ + "/handover/base"; }
  void SetUp() override { std::filesystem::create_directory(folder_ + "/handover"); }

  // The node whose state folder has this name is standby, and the master that was is no more.
  void TakeOver(const std::string& state) {
    if (manager_ != nullptr) Close();
    Open(state);
    fabric_.master = false;
    fabric_.Sweep(manager_);
    fabric_.master = true;
    Sweep();
  }
  void StartAt(const std::string& state, const std::string& text) {
    WriteProfile(text);
    Open(state);
    Sweep();
  }
  std::string Base() { return ibcc_profiles_base(profiles_)->text; }
  std::string Problem() {
    const char* problem = ibcc_manager_handover(manager_).problem;
    return problem == nullptr ? "" : problem;
  }
  bool Logged(const std::string& text) const { return log_.text.find(text) != std::string::npos; }
  std::string FileText() const {
    std::ifstream file(File());
    return {std::istreambuf_iterator<char>(file), {}};
  }
  unsigned Rate(unsigned node) { return fabric_.nodes()[node].agent.held[{CCP_SWITCH_CONGESTION_SETTING, 0}][75]; }
};

TEST_F(ManagerTakeover, WithoutTheFileDevicesThatAnotherMasterHasSwitchedOnAreForeign) {
  free(options_.base_file);
  options_.base_file = nullptr;
  StartAt("a", ProfileOf(1));
  Try(kBoth);
  ASSERT_TRUE(IsMarking(6));
  TakeOver("b");
  EXPECT_TRUE(IsMarking(6)) << "nobody here knows who has done that";
  EXPECT_EQ(State(6), "foreign");
  EXPECT_EQ(State(1), "foreign");
  EXPECT_EQ(State(0), "applied") << "it has annex A10's alone";
  EXPECT_EQ(Rate(4), 1U);
  EXPECT_TRUE(Logged("are foreign, on by NVIDIA's attributes"));
  const auto sets = Sets();
  Verify();
  EXPECT_EQ(Sets(), sets) << "nothing is written there";
  EXPECT_EQ(State(6), "foreign");
}

TEST_F(ManagerTakeover, TheTrialRunOfADeadMasterEndsAndItsBaseIsInForce) {
  StartAt("a", ProfileOf(1));
  Try(kBoth);
  ASSERT_TRUE(IsMarking(6));
  ASSERT_TRUE(Reacts(2));
  WriteProfile(ProfileOf(2));  // the other node's own
  TakeOver("b");
  EXPECT_FALSE(IsMarking(6));
  EXPECT_FALSE(Reacts(2));
  EXPECT_FALSE(Reacts(1));
  EXPECT_EQ(fabric_.host(1).agent.held.at({CCP_CA_CONGESTION_SETTING, 0})[5], 150) << "one kind";
  EXPECT_EQ(Base(), ProfileOf(1)) << "the base is that of the fabric, and not the other node's own";
  EXPECT_EQ(Rate(4), 1U);
  EXPECT_EQ(State(6), "unsupported");
  EXPECT_EQ(Count(IBCC_STATE_FOREIGN), 0U);
  EXPECT_TRUE(Logged("the trial run 't' ends now")) << log_.text;
  EXPECT_EQ(ibcc_profiles_base(profiles_)->source, IBCC_SOURCE_TAKEOVER);
  EXPECT_NE(std::string(ibcc_profiles_complaint(profiles_)).find("was taken over from the former master"), std::string::npos);
}

// Whoever takes over reads what the trial run has set: it must not be taken for what devices were found with.
TEST_F(ManagerTakeover, WithoutABaseDevicesGetWhatTheyHeldBeforeTheDeadMasterSetThem) {
  std::filesystem::remove(folder_ + "/profile.yaml");
  const auto timer = [&] { return fabric_.host(0).agent.held[{CCP_CA_CONGESTION_SETTING, 0}][5]; };
  Open("a");
  Sweep();
  const auto before = timer();
  ASSERT_EQ(FileText().find("22.0:"), std::string::npos) << "nothing was set";
  Try(ProfileOf(3));
  ASSERT_EQ(timer(), 150);
  ASSERT_EQ(Rate(4), 3U);
  EXPECT_NE(FileText().find("22.0:"), std::string::npos) << FileText();
  TakeOver("b");
  EXPECT_EQ(timer(), before);
  EXPECT_EQ(Rate(4), 0U);
  EXPECT_EQ(ibcc_profiles_base(profiles_), nullptr);
  EXPECT_EQ(ibcc_manager_on_fabric(manager_), IBCC_REVISION_AS_FOUND);
  const auto sets = Sets();
  TakeOver("a");
  EXPECT_EQ(Sets(), sets) << "all is as it was";
}

TEST_F(ManagerTakeover, ParametersOfPpccBecomeWhatTheyWereBeforeTheOtherMasterSetThem) {
  StartAt("a", Nvidia("  adapter: {type: ppcc, ppcc: [{algo_id: 2, major: 1, minor: 0, sls: [0], parameters: {1: 3932}}]}\n"));
  ASSERT_EQ(Parameter(2, 1, 0), 100U) << "as at power-on";
  Try(Nvidia("  adapter: {type: ppcc, ppcc: [{algo_id: 2, major: 1, minor: 0, sls: [0], parameters: {0: 999, 1: 55}}]}\n"));
  ASSERT_EQ(Parameter(2, 1, 0), 999U);
  TakeOver("b");
  EXPECT_EQ(Parameter(2, 1, 0), 100U);
  EXPECT_EQ(Parameter(2, 1, 1), 3932U);
  EXPECT_EQ(State(2), "applied");
}

TEST_F(ManagerTakeover, TheFileIsThereBeforeTheFirstSetOfAChange) {
  StartAt("a", ProfileOf(1));
  const std::string before = FileText();
  bool was_there = false, has_sent = false;
  fabric_.on_set = [&] {
    if (!has_sent) was_there = FileText() != before && FileText().find("\"ends_s\"") != std::string::npos;
    has_sent = true;
  };
  Try(ProfileOf(9));
  EXPECT_TRUE(has_sent);
  EXPECT_TRUE(was_there);
}

TEST_F(ManagerTakeover, ATrialRunThatCannotBeNotedIsNotSentAndABaseIs) {
  StartAt("a", ProfileOf(1));
  std::filesystem::rename(folder_ + "/handover", folder_ + "/away");
  const auto sets = Sets();
  ccp_error error{};
  const std::string text = ProfileOf(9);
  ASSERT_EQ(ibcc_profiles_begin_experiment(profiles_, text.data(), text.size(), 60, nullptr, 0, fabric_.now_ns, &error),
            IBCC_PROFILES_OK);
  EXPECT_EQ(ibcc_manager_converge(manager_, "apply"), 0U);
  fabric_.RunUntilIdle(manager_);
  EXPECT_EQ(Sets(), sets);
  EXPECT_NE(std::string(ibcc_manager_pending(manager_)).find("base file"), std::string::npos);
  ASSERT_EQ(ibcc_profiles_end_experiment(profiles_, &error), IBCC_PROFILES_OK);
  ibcc_manager_converge(manager_, "restore");
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  Apply(ProfileOf(3));
  EXPECT_EQ(Rate(4), 3U);
  EXPECT_NE(Problem().find("cannot be opened"), std::string::npos) << Problem();
  std::filesystem::rename(folder_ + "/away", folder_ + "/handover");
  fabric_.Run(manager_, [] { return false; }, 15);
  EXPECT_EQ(Problem(), "");
  TakeOver("b");
  EXPECT_EQ(Rate(4), 3U);
}

// What it held is not in the file, so that the next master could not bring it back.
TEST_F(ManagerTakeover, ADeviceThatWaitsForTheFileIsNotSaidToHoldTheTrialRun) {
  fabric_.host(0).present = false;
  StartAt("a", ProfileOf(1));
  Try(ProfileOf(9));
  const std::uint64_t trial = ibcc_profiles_experiment(profiles_)->number;
  ASSERT_EQ(ibcc_manager_on_fabric(manager_), trial);
  fabric_.host(0).present = true;
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return Device(0).found_reading.num_items != 0; }, 5));
  std::filesystem::rename(folder_ + "/handover", folder_ + "/away");
  fabric_.Run(manager_, [] { return false; }, 5);
  EXPECT_EQ(State(0), "unknown");
  EXPECT_EQ(ibcc_manager_on_fabric(manager_), 0U);
  ASSERT_NE(ibcc_manager_pending(manager_), nullptr);
  EXPECT_NE(std::string(ibcc_manager_pending(manager_)).find("/handover"), std::string::npos) << ibcc_manager_pending(manager_);
  std::filesystem::rename(folder_ + "/away", folder_ + "/handover");
  fabric_.Run(manager_, [] { return false; }, 15);
  EXPECT_EQ(State(0), "applied");
  EXPECT_EQ(ibcc_manager_on_fabric(manager_), trial);
  EXPECT_EQ(ibcc_manager_pending(manager_), nullptr);
}

TEST_F(ManagerTakeover, AFileOfThisNodeAndAnOlderOneChangeNothing) {
  StartAt("a", ProfileOf(1));
  const std::string first = FileText();
  Apply(ProfileOf(2));
  const std::string second = FileText();
  Close();
  Open("a");
  Sweep();
  EXPECT_EQ(Base(), ProfileOf(2));
  Close();
  std::ofstream(File()) << first;  // a copy of before
  Open("a");
  Sweep();
  EXPECT_EQ(Base(), ProfileOf(2));
  EXPECT_TRUE(Logged("is older than what this OpenSM knows"));
  EXPECT_NE(FileText(), first) << "it is written anew";
  TakeOver("b");
  EXPECT_EQ(Base(), ProfileOf(2));
}

TEST_F(ManagerTakeover, AFileThatIsCutIsSetAsideAndNothingOfItIsTaken) {
  StartAt("a", ProfileOf(1));
  Try(kBoth);
  Close();
  std::filesystem::resize_file(File(), FileText().size() / 2);
  WriteProfile(ProfileOf(2));
  TakeOver("b");
  EXPECT_EQ(Base(), ProfileOf(2));
  EXPECT_EQ(State(6), "foreign");
  EXPECT_TRUE(Logged("is cut or damaged"));
  EXPECT_TRUE(std::filesystem::exists(File() + ".broken-1"));
  EXPECT_EQ(Problem(), "") << "there is a new one";
}

TEST_F(ManagerTakeover, AFileOfAnotherFabricIsLeftAsItIs) {
  StartAt("a", ProfileOf(1));
  Close();
  const std::string other = FileText();
  fabric_.subnet_prefix = 0xFEC0000000000000;
  WriteProfile(ProfileOf(2));
  TakeOver("b");
  EXPECT_EQ(Base(), ProfileOf(2));
  EXPECT_NE(Problem().find("is of another fabric"), std::string::npos) << Problem();
  EXPECT_EQ(FileText(), other);
  ccp_error error{};
  const std::string text = ProfileOf(9);
  ASSERT_EQ(ibcc_profiles_begin_experiment(profiles_, text.data(), text.size(), 60, nullptr, 0, fabric_.now_ns, &error),
            IBCC_PROFILES_OK);
  EXPECT_EQ(ibcc_manager_converge(manager_, "apply"), 0U) << "a trial run that the next master could not end";
}

// A part of the hosts is enough, as the standby may see no more.
TEST_F(ManagerTakeover, AFabricOfWhichAPartIsMissingIsTheSame) {
  StartAt("a", ProfileOf(1));
  Try(kBoth);
  fabric_.nodes()[5].present = false;  // with two hosts
  WriteProfile(ProfileOf(2));
  TakeOver("b");
  EXPECT_EQ(Base(), ProfileOf(1));
  EXPECT_FALSE(IsMarking(6));
  fabric_.nodes()[5].present = true;
  Sweep();
  EXPECT_FALSE(IsMarking(5)) << "who returns is cleared too";
  EXPECT_FALSE(Reacts(2));
}

TEST_F(ManagerTakeover, WhoBecomesMasterAgainTakesOverFromTheOther) {
  StartAt("a", ProfileOf(1));
  Apply(ProfileOf(2));
  TakeOver("b");
  Apply(ProfileOf(3));
  Try(kBoth);
  TakeOver("a");
  EXPECT_EQ(Base(), ProfileOf(3));
  EXPECT_FALSE(IsMarking(6));
  EXPECT_EQ(Rate(4), 3U);
  EXPECT_EQ(ibcc_manager_handover(manager_).epoch, 3U) << "one takeover each";
}

// As after a partition: somebody else has written the file while this one was master all the time.
TEST_F(ManagerTakeover, AMasterTakesOverWhatAnotherOneHasWrittenMeanwhile) {
  StartAt("a", ProfileOf(1));
  Try(kBoth);
  json_t* root = nullptr;
  ccp_error error{};
  ASSERT_EQ(ibcc_base_file_read(File().c_str(), nullptr, &root, &error), IBCC_BASE_READ) << error.message;
  json_object_set_new(root, "number", json_integer(json_integer_value(json_object_get(root, "number")) + 3'600'000'000));
  json_object_set_new(json_object_get(root, "base"), "text", json_string(ProfileOf(5).c_str()));
  ASSERT_EQ(ibcc_base_file_write(File().c_str(), nullptr, root, &error), 0) << error.message;
  Sweep();
  EXPECT_EQ(Base(), ProfileOf(5));
  EXPECT_EQ(ibcc_profiles_experiment(profiles_), nullptr) << "the other's base is in force";
  EXPECT_FALSE(IsMarking(6));
  EXPECT_EQ(Rate(4), 5U);
}

// The other master had the same base all the time.
TEST_F(ManagerTakeover, ATrialRunEndsWhenAnotherMasterWithTheSameBaseHasWritten) {
  StartAt("a", ProfileOf(1));
  Try(kBoth);
  json_t* root = nullptr;
  ccp_error error{};
  ASSERT_EQ(ibcc_base_file_read(File().c_str(), nullptr, &root, &error), IBCC_BASE_READ) << error.message;
  json_object_set_new(root, "number", json_integer(json_integer_value(json_object_get(root, "number")) + 3'600'000'000));
  ASSERT_EQ(ibcc_base_file_write(File().c_str(), nullptr, root, &error), 0) << error.message;
  Sweep();
  EXPECT_EQ(ibcc_profiles_experiment(profiles_), nullptr) << "it has been cleared by the other one";
  EXPECT_EQ(Base(), ProfileOf(1));
  EXPECT_FALSE(IsMarking(6));
  EXPECT_EQ(Rate(4), 1U);
}

// It began before this node had looked at the file, whose writer had no base.
TEST_F(ManagerTakeover, ATrialRunOfThisNodeEndsAlsoWhereTheOtherHadNoBase) {
  std::filesystem::remove(folder_ + "/profile.yaml");
  Open("a");
  Sweep();
  Close();
  Open("b");
  Begin(ProfileOf(9));
  Sweep();
  EXPECT_EQ(ibcc_profiles_experiment(profiles_), nullptr);
  EXPECT_EQ(Rate(4), 0U);
  EXPECT_EQ(ibcc_manager_on_fabric(manager_), IBCC_REVISION_AS_FOUND);
}

TEST_F(ManagerTakeover, WithoutNvidiaWriteItReadsAndSaysAndClearsNothing) {
  StartAt("a", ProfileOf(1));
  Try(kBoth);
  options_.nvidia_write = 0;
  TakeOver("b");
  EXPECT_TRUE(IsMarking(6));
  EXPECT_EQ(State(6), "withheld");
  EXPECT_EQ(Withheld(6), "the plugin has no option --nvidia-write");
  uint32_t count = 0;
  ccp_error error{};
  EXPECT_EQ(ibcc_manager_clear_foreign(manager_, 0, &count, &error), 0U);
  EXPECT_NE(std::string(error.message).find("--nvidia-write"), std::string::npos);
}

}  // namespace
}  // namespace ibcc_test
