// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Random sequences of everything that may happen to profiles, beside a model that keeps them in a few variables.
#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "profiles_support.hpp"

namespace {

using plugin_test::Document;
using plugin_test::FullDisk;
using plugin_test::ProfilesTest;
using plugin_test::Replace;

struct Revision {
  std::uint64_t number = 0;
  std::string name;
  std::string source;
  std::string Words() const { return std::to_string(number) + " " + name + " " + source; }
};

// What profiles.h promises, without a disk.
struct Model {
  std::uint64_t next = 1;
  std::optional<Revision> base;
  std::optional<Revision> experiment;
  std::vector<Revision> history;  // newest first
  std::string file;               // the good content that was read last

  std::string Base() const { return base ? base->Words() : "(none)"; }
  std::string Wanted() const { return experiment ? experiment->Words() : Base(); }
  bool FileIsInForce() const { return file.empty() || !base || base->source == "file" || base->name == file; }
  std::uint64_t WantedNumber() const { return experiment ? experiment->number : base ? base->number : 0; }

  void Push(const Revision& revision) {
    if (base) history.insert(history.begin(), *base);
    if (history.size() > IBCC_MAX_HISTORY) history.pop_back();
    base = revision;
  }
  bool ReadFile(const std::string& name) {
    if (name.empty() || name == file) return false;  // wrong, or known
    file = name;
    if (base && base->name == name) return false;
    Push({next++, name, "file"});
    return true;
  }
  std::string Begin(const std::string& name, std::uint64_t if_revision) {
    if (experiment && if_revision != experiment->number) return "BUSY";
    if (if_revision && if_revision != WantedNumber()) return "CONFLICT";
    if (!base) return "NOTHING";
    experiment = {next++, name, "apply"};
    return "OK";
  }
  std::string ReplaceBase(const std::string& name, std::uint64_t if_revision) {
    if (experiment) return "BUSY";
    if (if_revision && if_revision != WantedNumber()) return "CONFLICT";
    Push({next++, name, "apply"});
    return "OK";
  }
  std::string Commit() {
    if (!experiment) return "NOTHING";
    Push({experiment->number, experiment->name, "commit"});
    experiment.reset();
    return "OK";
  }
  std::string End() {
    if (!experiment) return "NOTHING";
    experiment.reset();
    return "OK";
  }
  std::string Rollback() {
    if (experiment) return "BUSY";
    if (history.empty()) return "NOTHING";
    base = {next++, history.front().name, "rollback"};
    history.erase(history.begin());
    return "OK";
  }
};

class ProfilesModelTest : public ProfilesTest {
 protected:
  void ExpectEqual() {
    ASSERT_EQ(Base(), model_.Base());
    ASSERT_EQ(Wanted(), model_.Wanted());
    std::vector<std::string> history;
    for (const Revision& revision : model_.history) history.push_back(revision.Words());
    ASSERT_EQ(History(), history);
    ASSERT_EQ(ibcc_profiles_file_is_in_force(profiles_.get()), !is_wrong_ && model_.FileIsInForce());
    ASSERT_EQ(ibcc_profiles_complaint(profiles_.get()) == nullptr, ibcc_profiles_file_is_in_force(profiles_.get()));
  }
  static std::string Fault(const std::string& outcome) { return outcome.substr(0, outcome.find(' ')); }
  std::string Name() { return "p" + std::to_string(random_() % 6); }
  // Most often none, sometimes right, sometimes wrong.
  std::uint64_t IfRevision() { return random_() % 4 ? 0 : model_.WantedNumber() + random_() % 2; }

  // A full disk stops changes but for those that it must not stop.
  void OnFullDisk() {
    const FullDisk full;
    const Model before = model_;
    if (model_.Rollback() == "OK") {
      ASSERT_EQ(Fault(Rollback()), "DISK");
    }
    model_ = before;
    if (model_.Commit() == "OK") {
      ASSERT_EQ(Fault(Commit()), "DISK");
    }
    model_ = before;
  }

  void Step() {
    switch (random_() % 12) {
      case 0:
      case 1: {
        const std::string name = Name();
        const std::uint64_t if_revision = IfRevision();
        ASSERT_EQ(Fault(Begin(name, 5, if_revision)), model_.Begin(name, if_revision));
        break;
      }
      case 2:
      case 3: {
        const std::string name = Name();
        const std::uint64_t if_revision = IfRevision();
        ASSERT_EQ(Fault(ReplaceBase(name, if_revision)), model_.ReplaceBase(name, if_revision));
        break;
      }
      case 4:
      case 5: ASSERT_EQ(Fault(Commit()), model_.Commit()); break;
      case 6: ASSERT_EQ(Fault(End()), model_.End()); break;
      case 7: ASSERT_EQ(Fault(Rollback()), model_.Rollback()); break;
      case 8: OnFullDisk(); break;
      case 9: {
        const bool cut_short = model_.experiment.has_value();
        Reopen();
        ASSERT_EQ(ibcc_profiles_was_cut_short(profiles_.get()), cut_short);
        model_.experiment.reset();
        break;
      }
      default: {  // another file, while it is watched or between two processes
        const std::string name = random_() % 4 ? Name() : "";
        const bool watched = random_() % 2;
        if (!watched) Close();
        Replace(file_, name.empty() ? "nonsense" : Document(name));
        if (watched) {
          ASSERT_EQ(ibcc_profiles_file_event(profiles_.get()), model_.ReadFile(name));
        } else {
          Open();
          model_.experiment.reset();
          model_.ReadFile(name);
        }
        is_wrong_ = name.empty();
        break;
      }
    }
    ASSERT_NO_FATAL_FAILURE(ExpectEqual());
  }

  std::mt19937 random_;
  Model model_;
  bool is_wrong_ = false;  // the profile file as it was last read
};

TEST_F(ProfilesModelTest, AgreesWhateverHappens) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    random_.seed(seed);
    model_ = {};
    is_wrong_ = seed % 2 == 0;  // it is missing
    Close();
    plugin_test::fs::remove_all(folder_);
    plugin_test::fs::remove(file_);
    if (seed % 2) {
      Replace(file_, Document("p0"));
      model_.ReadFile("p0");
    }
    Open();
    ASSERT_NO_FATAL_FAILURE(ExpectEqual());
    for (int step = 0; step < 80; ++step) {
      SCOPED_TRACE(step);
      ASSERT_NO_FATAL_FAILURE(Step());
    }
  }
}

}  // namespace
