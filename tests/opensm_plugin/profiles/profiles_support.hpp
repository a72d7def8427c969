// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// profiles_support.hpp: profiles on disk, in the words of the tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "ccpolicy/reader.h"
#include "profiles/profiles.h"
#include "state_support.hpp"

namespace plugin_test {

// A small valid profile.
inline std::string Document(const std::string& name) {
  return "ibcc_profile: 1\nname: \"" + name + "\"\nenable: false  # as short as can be\n";
}

class ProfilesTest : public ::testing::Test {
 protected:
  struct Closer {
    void operator()(ibcc_profiles* profiles) const { ibcc_profiles_close(profiles); }
  };

  ProfilesTest() : folder_((temp_ / "state").string()), file_((temp_ / "profile.yaml").string()) {}

  const char* File() const { return file_.empty() ? nullptr : file_.c_str(); }
  std::string State() const { return folder_ + "/state.json"; }

  void Open() {
    ccp_error error{};
    profiles_.reset(ibcc_profiles_open(folder_.c_str(), File(), nullptr, &log_, &error));
    ASSERT_NE(profiles_, nullptr) << error.message;
  }
  void Close() { profiles_.reset(); }
  void Reopen() {
    Close();
    log_.lines.clear();
    log_.errors.clear();
    Open();
  }
  std::string OpenRefusal() {
    ccp_error error{};
    const std::unique_ptr<ibcc_profiles, Closer> profiles(ibcc_profiles_open(folder_.c_str(), File(), nullptr, &log_, &error));
    return profiles ? "(opened)" : error.message;
  }

  // A revision as "number name source".
  static std::string Words(const ibcc_revision* revision) {
    if (!revision) return "(none)";
    EXPECT_TRUE(revision->profile);
    return std::to_string(revision->number) + " " + revision->profile->name + " " + ibcc_source_names[revision->source];
  }
  std::string Base() const { return Words(ibcc_profiles_base(profiles_.get())); }
  std::string Wanted() const { return Words(ibcc_profiles_wanted(profiles_.get())); }
  std::vector<std::string> History() const {
    const ibcc_revision* revisions[IBCC_MAX_HISTORY];
    const std::uint32_t count = ibcc_profiles_history(profiles_.get(), revisions);
    std::vector<std::string> words;
    for (std::uint32_t i = 0; i < count; ++i) words.push_back(Words(revisions[i]));
    return words;
  }

  // "OK", or the fault and the sentence.
  static std::string Outcome(ibcc_profiles_fault fault, const ccp_error& error) {
    static const char* const names[] = {"OK", "INVALID", "BUSY", "CONFLICT", "NOTHING", "DISK"};
    return fault ? std::string(names[fault]) + " " + error.message : "OK";
  }
  std::string Begin(const std::string& name, std::uint32_t ttl_s, std::uint64_t if_revision = 0, std::int64_t now_ns = 0,
                    const char* owner = nullptr) {
    ccp_error error{};
    const std::string text = Document(name);
    return Outcome(
        ibcc_profiles_begin_experiment(profiles_.get(), text.data(), text.size(), ttl_s, owner, if_revision, now_ns, &error),
        error);
  }
  std::string Renew(std::uint64_t revision, std::uint32_t ttl_s, std::int64_t now_ns) {
    ccp_error error{};
    return Outcome(ibcc_profiles_renew_experiment(profiles_.get(), revision, ttl_s, now_ns, &error), error);
  }
  std::string ReplaceBase(const std::string& name, std::uint64_t if_revision = 0) {
    ccp_error error{};
    const std::string text = Document(name);
    return Outcome(ibcc_profiles_replace_base(profiles_.get(), text.data(), text.size(), if_revision, &error), error);
  }
  std::string Commit() {
    ccp_error error{};
    return Outcome(ibcc_profiles_commit_experiment(profiles_.get(), &error), error);
  }
  std::string End() {
    ccp_error error{};
    return Outcome(ibcc_profiles_end_experiment(profiles_.get(), &error), error);
  }
  std::string Rollback() {
    ccp_error error{};
    return Outcome(ibcc_profiles_rollback_base(profiles_.get(), &error), error);
  }

  TempFolder temp_;
  std::string folder_;
  std::string file_;  // "": no profile file
  HeardLog log_;
  std::unique_ptr<ibcc_profiles, Closer> profiles_;
};

}  // namespace plugin_test
