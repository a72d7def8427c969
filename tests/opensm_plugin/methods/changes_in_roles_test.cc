// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Each change in each role ends in one of two ways: refused with a sentence, and nothing has changed; or in force at the end of the first good
// sweep. The table of docs/inside/plugin-internals.md says which, and is compared.
#include <sys/stat.h>

#include <array>
#include <fstream>
#include <sstream>

#include "keys/keys.h"
#include "methods/support.hpp"

namespace ibcc_test {
namespace {

enum Change { kApply, kExperiment, kFile, kEndOfTime, kRollback, kCommit, kVerify, kKeys, kNumChanges };
constexpr std::array<const char*, kNumChanges> kChanges = {"apply",    "experiment", "file",   "end of time",
                                                           "rollback", "commit",     "verify", "change of CC_Keys"};
enum Role { kSweepFailed, kSweepFailedWait, kHalted, kConflict, kStandby, kDiscovering, kStarting, kSweeping, kNumRoles };
constexpr std::array<const char*, kNumRoles> kRoles = {"`sweep-failed`", "`sweep-failed`, `wait`", "`halted`",   "`conflict`",
                                                       "`standby`",      "`discovering`",          "`starting`", "in a sweep"};
constexpr int kBase = 1, kSecond = 2, kTried = 3, kWanted = 4;  // marking rates, by which profiles are told apart

class Cell : public Methods {
 public:
  Cell(Role role, Change change) : role_(role), change_(change) {}
  ~Cell() override {
    ibcc_manager_set_keys(manager_, nullptr);
    ibcc_keys_close(keys_);
  }
  void TestBody() override {}

  // "refused" or "in force"; anything else says what is wrong.
  std::string Outcome() {
    OpenKeys();
    options_.max_errors = 1;
    if (role_ == kSweepFailedWait) options_.when_sweep_failed = IBCC_WAIT;
    if (role_ != kStarting) {
      BringUp();
      // Something to roll back to.
      if (change_ == kRollback) Call("profile.apply", WithProfile(ProfileText(kSecond)));
      if (role_ != kHalted) Prepare();
      if (!fabric_.RunUntilIdle(manager_, 10)) return "the fabric was not brought up";
    }
    Enter();
    const std::string role = ibcc_manager_role_text(manager_);
    if (role_ != kSweeping && kRoles[role_] != "`" + role + "`" && role_ != kSweepFailedWait) return "the role is " + role;
    if (role_ == kStarting || role_ == kHalted) Prepare();
    const std::string before = Wanted();
    const std::string error = Do();
    if (!error.empty() && Wanted() != before) return "refused, but changed: " + Wanted();
    if (!error.empty() && error.find(' ') == std::string::npos) return "refused without a sentence: " + error;
    // What a device can take meanwhile is taken; the rest after a good sweep.
    fabric_.RunUntilIdle(manager_, 1);
    Leave();
    // Devices that did not answer are asked beside all else, while the manager is idle.
    const auto is_done = [&] { return ibcc_manager_is_idle(manager_) && Wrong(!error.empty()).empty(); };
    if (!fabric_.Run(manager_, is_done, 10) && !ibcc_manager_is_idle(manager_)) return "still busy after a good sweep";
    const std::string wrong = Wrong(!error.empty());
    return !wrong.empty() ? wrong : error.empty() ? "in force" : "refused";
  }

 private:
  void OpenKeys() {
    WriteKeys("current: 0x1\n");
    ccp_error error{};
    keys_ = ibcc_keys_open(ibcc_profiles_folder(profiles_), (folder_ + "/cc_keys").c_str(), nullptr, &error);
    ASSERT_NE(keys_, nullptr) << error.message;
    ibcc_manager_set_keys(manager_, keys_);
  }
  void WriteKeys(const char* text) {
    std::ofstream(folder_ + "/cc_keys") << text;
    chmod((folder_ + "/cc_keys").c_str(), 0600);
  }
  void Tell(unsigned notices, bool sweeping = false) {
    ibcc_inbox_content content{};
    content.notices = notices;
    content.sweeping = sweeping;
    ibcc_manager_handle_inbox(manager_, &content);
    ibcc_manager_tick(manager_);
  }

  void Enter() {
    switch (role_) {
      case kSweepFailed:
      case kSweepFailedWait:
        fabric_.sweep_ok = false;
        fabric_.Sweep(manager_);
        break;
      case kHalted:
        for (FakeFabric::Node& node : fabric_.nodes()) node.answers = false;
        (void)ibcc_manager_verify(manager_);
        (void)fabric_.Run(manager_, [&] { return ibcc_manager_role(manager_) == IBCC_ROLE_HALTED; }, 600);
        for (FakeFabric::Node& node : fabric_.nodes()) node.answers = true;
        break;
      case kConflict:
        fabric_.opensm_cc_on = true;
        fabric_.Sweep(manager_);
        break;
      case kStandby:
      case kDiscovering:
        fabric_.master = false;
        fabric_.discovering = role_ == kDiscovering;
        Tell(IBCC_NOTICE_STATE_CHANGE);
        break;
      case kSweeping: Tell(IBCC_NOTICE_SWEEP_BEGINS, true); break;
      default: break;
    }
  }
  void Leave() {
    fabric_.sweep_ok = fabric_.master = true;
    fabric_.discovering = fabric_.opensm_cc_on = false;
    fabric_.Sweep(manager_);
  }

  // What the change needs. An experiment is begun before, or in the role where it does not last into it.
  void Prepare() {
    if (change_ == kEndOfTime || change_ == kCommit)
      (void)Ask("profile.apply", WithProfile(ProfileText(kTried), ", 'ttl_s': 30"));
    if (change_ == kRollback && role_ == kStarting) (void)Ask("profile.apply", WithProfile(ProfileText(kSecond)));
  }
  // The sentence of a refusal; "": it was taken.
  std::string Do() {
    const ibcc_revision* wanted = ibcc_profiles_wanted(profiles_);
    const std::string revision = "{'revision': " + std::to_string(wanted->number) + "}";
    ccp_error error{};
    switch (change_) {
      case kApply: return ErrorOf("profile.apply", WithProfile(ProfileText(kWanted)));
      case kExperiment: return ErrorOf("profile.apply", WithProfile(ProfileText(kWanted), ", 'ttl_s': 600"));
      case kFile:
        std::ofstream(folder_ + "/profile.yaml") << ProfileText(kWanted);
        if (ibcc_profiles_file_event(profiles_)) (void)ibcc_manager_converge(manager_, "apply");
        return "";
      case kEndOfTime:
        if (ibcc_profiles_end_experiment(profiles_, &error) != IBCC_PROFILES_OK) return error.message;
        (void)ibcc_manager_converge(manager_, "restore");
        return "";
      case kRollback: return ErrorOf("profile.rollback", revision);
      case kCommit: return ErrorOf("profile.commit", revision);
      case kVerify: return ErrorOf("verify", "{}");
      default: WriteKeys("current: 0x1\nnext: 0x2\n"); return "";
    }
  }
  std::string ErrorOf(const std::string& method, const std::string& params) {
    const Json answer = Parse(Ask(method, params));
    const json_t* error = json_object_get(answer.get(), "error");
    return error == nullptr ? "" : json_string_value(json_object_get(error, "message"));
  }

  std::string Wanted() {
    const ibcc_revision* wanted = ibcc_profiles_wanted(profiles_);
    return std::to_string(wanted->number) + " " + wanted->text;
  }
  int Expected(bool refused) const {
    if (refused) return -1;
    switch (change_) {
      case kApply:
      case kExperiment:
      case kFile: return kWanted;
      case kCommit: return kTried;
      default: return kBase;
    }
  }
  // What is not as it should be after the good sweep; "": all is.
  std::string Wrong(bool refused) {
    const ibcc_revision* wanted = ibcc_profiles_wanted(profiles_);
    const int rate = wanted->profile->sw.marking_rate;
    if (const int expected = Expected(refused); expected >= 0 && rate != expected)
      return "marking rate " + std::to_string(rate) + " is wanted, and not " + std::to_string(expected);
    if (ibcc_manager_on_fabric(manager_) != wanted->number) return "the wanted revision is not on the fabric";
    const Json status = Call("status");
    const std::string states = Show(json_object_get(At(status, "devices"), "states"));
    if (states.find("'applied':7") == std::string::npos) return states;
    for (FakeFabric::Node& node : fabric_.nodes()) {
      if (node.is_switch && node.agent.held[{CCP_SWITCH_CONGESTION_SETTING, 0}][75] != rate)
        return "a switch holds another marking rate";
      if (const std::uint64_t key = change_ == kKeys ? 2 : 1; node.agent.cc_key != key) return "a device has another CC_Key";
    }
    return "";
  }

  Role role_;
  Change change_;
  ibcc_keys* keys_ = nullptr;
};

// Without the row of dashes, whose length is the formatter's.
std::string Table() {
  std::ostringstream table;
  table << "| role |";
  for (const char* change : kChanges) table << " " << change << " |";
  for (int role = 0; role < kNumRoles; ++role) {
    table << "\n| " << kRoles[role] << " |";
    for (int change = 0; change < kNumChanges; ++change)
      table << " " << Cell(static_cast<Role>(role), static_cast<Change>(change)).Outcome() << " |";
  }
  return table.str() + "\n";
}

TEST(ChangesInRoles, AreAsTheDocumentSays) {
  const std::string table = Table();
  std::ifstream page(IBCC_SOURCE_DIR "/docs/inside/plugin-internals.md");
  std::string document;
  for (std::string line; std::getline(page, line);)
    if (!line.starts_with("| --")) document += line + "\n";
  EXPECT_NE(document.find(table), std::string::npos) << table;
}

}  // namespace
}  // namespace ibcc_test
