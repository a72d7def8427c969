// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "profiles/profiles.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "profiles_support.hpp"

namespace {

using plugin_test::Contents;
using plugin_test::Document;
using plugin_test::FullDisk;
using plugin_test::Names;
using plugin_test::ProfilesTest;
using plugin_test::Replace;
using plugin_test::Write;
using plugin_test::fs::remove;

TEST_F(ProfilesTest, BeginWithTheFile) {
  Write(file_, Document("one"));
  Open();
  EXPECT_EQ(Base(), "1 one file");
  EXPECT_EQ(ibcc_profiles_base(profiles_.get()), ibcc_profiles_wanted(profiles_.get()));
  EXPECT_EQ(ibcc_profiles_base(profiles_.get())->text, Document("one"));
  EXPECT_NEAR(static_cast<double>(ibcc_profiles_base(profiles_.get())->since_s), static_cast<double>(time(nullptr)), 60);
  EXPECT_EQ(ibcc_profiles_experiment(profiles_.get()), nullptr);
  EXPECT_EQ(ibcc_profiles_deadline_ns(profiles_.get()), INT64_MAX);
  EXPECT_EQ(ibcc_profiles_complaint(profiles_.get()), nullptr);
  EXPECT_FALSE(ibcc_profiles_was_cut_short(profiles_.get()));
  EXPECT_EQ(log_.lines, std::vector<std::string>{"base is revision 1, profile 'one', from the file"});
  Reopen();
  EXPECT_EQ(Base(), "1 one file");  // nothing has changed
  EXPECT_EQ(log_.lines.size(), 0U);
}

TEST_F(ProfilesTest, NeedNoFile) {
  file_.clear();
  Open();
  EXPECT_EQ(Base(), "(none)");
  EXPECT_EQ(ibcc_profiles_wanted(profiles_.get()), nullptr);
  EXPECT_EQ(ibcc_profiles_watch_fd(profiles_.get()), -1);
  EXPECT_FALSE(ibcc_profiles_file_event(profiles_.get()));
  EXPECT_EQ(
      Begin("try", 5),
      "NOTHING a trial run needs a base profile to return to, as what devices held before ibcc is not kept: apply one without "
      "ttl_s first");
  EXPECT_EQ(ReplaceBase("one"), "OK");
  Reopen();
  EXPECT_EQ(Base(), "1 one apply");
}

TEST_F(ProfilesTest, ExperimentStandsBeforeTheBaseUntilItEnds) {
  Write(file_, Document("one"));
  Open();
  EXPECT_EQ(Begin("try", 5, 0, 1000), "OK");
  EXPECT_EQ(Base(), "1 one file");
  EXPECT_EQ(Wanted(), "2 try apply");
  EXPECT_EQ(ibcc_profiles_deadline_ns(profiles_.get()), 5'000'001'000);
  EXPECT_EQ(Begin("other", 5), "BUSY a trial run is in force, revision 2, profile 'try': commit it or roll it back first");
  EXPECT_EQ(ReplaceBase("other").substr(0, 5), "BUSY ");
  EXPECT_EQ(Rollback().substr(0, 5), "BUSY ");
  EXPECT_EQ(End(), "OK");
  EXPECT_EQ(Wanted(), "1 one file");
  EXPECT_EQ(ibcc_profiles_deadline_ns(profiles_.get()), INT64_MAX);
  EXPECT_EQ(End(), "NOTHING there is no trial run to roll back");
  EXPECT_EQ(Begin("third", 0), "OK");
  EXPECT_EQ(Wanted(), "3 third apply");  // numbers are not used twice
  EXPECT_EQ(ibcc_profiles_deadline_ns(profiles_.get()), INT64_MAX);
}

// A profile is parsed once a change: whoever has read it hands it on, and a commit or a rollback takes it over.
TEST_F(ProfilesTest, AreNotReadAgain) {
  Write(file_, Document("one"));
  Open();
  ccp_error error{};
  const std::string text = Document("two");
  ccp_profile* read = ccp_profile_read(text.data(), text.size(), &error);
  ASSERT_EQ(ibcc_profiles_begin_experiment_of(profiles_.get(), read, text.data(), text.size(), 60, nullptr, 0, 0, &error),
            IBCC_PROFILES_OK);
  EXPECT_EQ(ibcc_profiles_experiment(profiles_.get())->profile, read);
  EXPECT_EQ(Commit(), "OK");
  EXPECT_EQ(ibcc_profiles_base(profiles_.get())->profile, read);
  const std::string next = Document("three");
  ccp_profile* third = ccp_profile_read(next.data(), next.size(), &error);
  EXPECT_EQ(ibcc_profiles_replace_base_by(profiles_.get(), third, next.data(), next.size(), 0, &error), IBCC_PROFILES_OK);
  EXPECT_EQ(ibcc_profiles_base(profiles_.get())->profile, third);
  EXPECT_EQ(Rollback(), "OK");
  EXPECT_EQ(ibcc_profiles_base(profiles_.get())->profile, read);
  EXPECT_EQ(Base().substr(2), "two rollback");
  {
    const FullDisk full;
    EXPECT_NE(Rollback(), "OK");
  }
  EXPECT_EQ(ibcc_profiles_base(profiles_.get())->profile, read) << "nothing has changed";
  EXPECT_EQ(Rollback(), "OK");
  EXPECT_EQ(Base().substr(2), "one rollback");
}

TEST_F(ProfilesTest, WhoHoldsTheExperimentPutsAnotherInItsPlace) {
  Write(file_, Document("one"));
  Open();
  EXPECT_EQ(Begin("try", 5, 1, 0, "a campaign"), "OK");
  EXPECT_EQ(Begin("other", 5, 1),
            "BUSY a trial run is in force, revision 2, profile 'try', owned by a campaign: commit it or roll it back first");
  EXPECT_EQ(Begin("next", 9, 2, 1000), "OK");
  EXPECT_EQ(Wanted(), "3 next apply");
  EXPECT_EQ(Base(), "1 one file");
  EXPECT_EQ(ibcc_profiles_deadline_ns(profiles_.get()), 9'000'001'000);
  EXPECT_STREQ(ibcc_profiles_owner(profiles_.get()), "") << "each experiment says whose it is";
  EXPECT_EQ(Begin("endless", 0, 3), "OK");
  EXPECT_EQ(ibcc_profiles_deadline_ns(profiles_.get()), INT64_MAX);
  EXPECT_EQ(Begin("too long", IBCC_MAX_TTL_S + 1, 4).substr(0, 8), "INVALID ");
  EXPECT_EQ(ReplaceBase("base", 4).substr(0, 5), "BUSY ") << "the base is not replaced beneath it";
  EXPECT_EQ(End(), "OK");
  EXPECT_EQ(Wanted(), "1 one file");
}

TEST_F(ProfilesTest, ExperimentsAreRenewedByTheirNumber) {
  Write(file_, Document("one"));
  Open();
  EXPECT_EQ(Renew(1, 5, 0), "NOTHING there is no trial run to renew: it has timed out, or somebody has ended it");
  EXPECT_EQ(Begin("try", 5, 0, 1000), "OK");
  EXPECT_EQ(Renew(2, 7, 2000), "OK");
  EXPECT_EQ(ibcc_profiles_deadline_ns(profiles_.get()), 7'000'002'000);
  EXPECT_EQ(Renew(3, 7, 3000), "CONFLICT the trial run is revision 2, not 3");
  EXPECT_EQ(Renew(2, IBCC_MAX_TTL_S + 1, 3000).substr(0, 8), "INVALID ");
  EXPECT_EQ(ibcc_profiles_deadline_ns(profiles_.get()), 7'000'002'000);
  EXPECT_EQ(Renew(2, 0, 4000), "OK");
  EXPECT_EQ(ibcc_profiles_deadline_ns(profiles_.get()), INT64_MAX);
  EXPECT_EQ(Wanted(), "2 try apply") << "it is the same experiment";
}

TEST_F(ProfilesTest, CommittedExperimentIsTheBaseOverRestarts) {
  Write(file_, Document("one"));
  Open();
  EXPECT_EQ(Commit(), "NOTHING there is no trial run to commit");
  EXPECT_EQ(Begin("try", 5), "OK");
  EXPECT_EQ(Commit(), "OK");
  EXPECT_EQ(Wanted(), "2 try commit");
  EXPECT_EQ(ibcc_profiles_deadline_ns(profiles_.get()), INT64_MAX);
  EXPECT_EQ(History(), std::vector<std::string>{"1 one file"});
  Reopen();
  EXPECT_EQ(Wanted(), "2 try commit");
  EXPECT_EQ(ibcc_profiles_base(profiles_.get())->text, Document("try"));
  EXPECT_EQ(History(), std::vector<std::string>{"1 one file"});
  EXPECT_FALSE(ibcc_profiles_was_cut_short(profiles_.get()));
}

TEST_F(ProfilesTest, AFileMayHaveTheSectionNvidia) {
  Write(file_, "ibcc_profile: 2\nname: new\nnvidia: {adapter: {type: dcqcn}}\n");
  Open();
  EXPECT_EQ(Wanted(), "1 new file");
  Reopen();
  EXPECT_EQ(Wanted(), "1 new file");
}

TEST_F(ProfilesTest, ExperimentEndsWithItsProcess) {
  Write(file_, Document("one"));
  Open();
  EXPECT_EQ(Begin("try", 5), "OK");
  Reopen();
  EXPECT_TRUE(ibcc_profiles_was_cut_short(profiles_.get()));
  EXPECT_EQ(Wanted(), "1 one file");
  EXPECT_EQ(ibcc_profiles_deadline_ns(profiles_.get()), INT64_MAX);
  Reopen();
  EXPECT_FALSE(ibcc_profiles_was_cut_short(profiles_.get()));  // told once
  EXPECT_EQ(Begin("again", 5), "OK");
  EXPECT_EQ(Wanted(), "3 again apply");
}

TEST_F(ProfilesTest, RollbackGoesBackStepByStep) {
  Write(file_, Document("one"));
  Open();
  EXPECT_EQ(Rollback(), "NOTHING there is no former base to return to");
  EXPECT_EQ(ReplaceBase("two"), "OK");
  EXPECT_EQ(ReplaceBase("three"), "OK");
  EXPECT_EQ(History(), (std::vector<std::string>{"2 two apply", "1 one file"}));
  EXPECT_EQ(Rollback(), "OK");
  EXPECT_EQ(Wanted(), "4 two rollback");
  Reopen();
  EXPECT_EQ(Wanted(), "4 two rollback");
  EXPECT_EQ(Rollback(), "OK");
  EXPECT_EQ(Wanted(), "5 one rollback");
  EXPECT_EQ(Rollback().substr(0, 8), "NOTHING ");
}

TEST_F(ProfilesTest, HistoryIsBounded) {
  file_.clear();
  Open();
  for (int i = 1; i <= 20; ++i) EXPECT_EQ(ReplaceBase("p" + std::to_string(i)), "OK");
  EXPECT_EQ(History().size(), IBCC_MAX_HISTORY);
  EXPECT_EQ(History().front(), "19 p19 apply");
  EXPECT_EQ(History().back(), "4 p4 apply");
  Reopen();
  EXPECT_EQ(History().size(), IBCC_MAX_HISTORY);
  EXPECT_EQ(History().back(), "4 p4 apply");
}

TEST_F(ProfilesTest, AnotherWasFaster) {
  Write(file_, Document("one"));
  Open();
  EXPECT_EQ(Begin("try", 5, 7), "CONFLICT if_revision is 7, but the revision in force is 1: somebody else changed it first");
  EXPECT_EQ(ReplaceBase("two", 2).substr(0, 9), "CONFLICT ");
  EXPECT_EQ(ReplaceBase("two", 1), "OK");
  EXPECT_EQ(Begin("try", 5, 2), "OK");
}

TEST_F(ProfilesTest, DocumentsThatAreWrongChangeNothing) {
  Write(file_, Document("one"));
  Open();
  ccp_error error{};
  EXPECT_EQ(ibcc_profiles_begin_experiment(profiles_.get(), "a: 1\n", 5, 5, nullptr, 0, 0, &error), IBCC_PROFILES_INVALID);
  EXPECT_EQ(error.line, 1U);
  EXPECT_NE(std::string(error.message).find("this is not a profile"), std::string::npos);
  EXPECT_EQ(Begin("try", IBCC_MAX_TTL_S + 1),
            "INVALID ttl_s is 2592001, but must be at most 2592000 seconds, or 0 for a trial run "
            "without a time limit");
  const std::string large = Document("x") + std::string(CCP_DOCUMENT_MAX_BYTES, '#');
  EXPECT_EQ(ibcc_profiles_replace_base(profiles_.get(), large.data(), large.size(), 0, nullptr), IBCC_PROFILES_INVALID);
  EXPECT_EQ(Wanted(), "1 one file");
  EXPECT_EQ(Begin("try", IBCC_MAX_TTL_S), "OK");
  EXPECT_EQ(Wanted(), "2 try apply");
}

TEST_F(ProfilesTest, DocumentsInUtf16AreKeptToo) {
  Write(file_, Document("one"));
  Open();
  std::string wide("\xFF\xFE", 2);
  for (const char c : Document("wide")) wide += {c, '\0'};
  EXPECT_EQ(ibcc_profiles_replace_base(profiles_.get(), wide.data(), wide.size(), 0, nullptr), IBCC_PROFILES_OK);
  Reopen();
  EXPECT_EQ(Wanted(), "2 wide apply");
  EXPECT_EQ(Begin("größe ✓", 5), "OK");
  EXPECT_EQ(Commit(), "OK");
  Reopen();
  EXPECT_EQ(Wanted(), "3 größe ✓ commit");
}

TEST_F(ProfilesTest, FileThatWasChangedMeanwhileWins) {
  Write(file_, Document("one"));
  Open();
  EXPECT_EQ(ReplaceBase("applied"), "OK");
  Reopen();
  EXPECT_EQ(Wanted(), "2 applied apply");
  Close();
  Write(file_, Document("edited"));
  Open();
  EXPECT_EQ(Wanted(), "3 edited file");
  EXPECT_EQ(History(), (std::vector<std::string>{"2 applied apply", "1 one file"}));
  Close();
  // What was applied, put into the file, is no change.
  EXPECT_TRUE((Open(), ReplaceBase("applied") == "OK"));
  Close();
  Write(file_, Document("applied"));
  Open();
  EXPECT_EQ(Wanted(), "4 applied apply");
  EXPECT_EQ(ReplaceBase("later"), "OK");
  Reopen();
  EXPECT_EQ(Wanted(), "5 later apply");  // and the file is known as it is now
}

TEST_F(ProfilesTest, FileThatIsWrongOrGoneLeavesTheLastGoodBase) {
  Write(file_, Document("one"));
  Open();
  Close();
  Write(file_, "nonsense: [\n");
  Open();
  EXPECT_EQ(Wanted(), "1 one file");
  const std::string complaint = ibcc_profiles_complaint(profiles_.get());
  EXPECT_EQ(complaint.find("the profile file '" + file_ + "', line 2, column 1: this is not YAML: "), 0U) << complaint;
  ASSERT_EQ(log_.errors.size(), 1U);
  EXPECT_EQ(log_.errors[0], "IBCC0106: " + complaint + "; the last good base stays in force");
  Close();
  remove(file_);
  Open();
  EXPECT_EQ(Wanted(), "1 one file");
  EXPECT_EQ(ibcc_profiles_complaint(profiles_.get()),
            "the profile file '" + file_ + "': it cannot be opened: No such file or directory");
  Close();
  Write(file_, Document("one"));
  Open();
  EXPECT_EQ(Wanted(), "1 one file");
  EXPECT_EQ(ibcc_profiles_complaint(profiles_.get()), nullptr);
}

TEST_F(ProfilesTest, FileThatIsNoneIsComplainedOf) {
  plugin_test::fs::create_directory(file_);
  Open();
  EXPECT_NE(std::string(ibcc_profiles_complaint(profiles_.get())).find("it is not a regular file"), std::string::npos);
  EXPECT_NE(log_.errors.at(0).find("; there is no base yet"), std::string::npos);
  Close();
  remove(file_);
  ASSERT_EQ(mkfifo(file_.c_str(), 0600), 0);
  Open();  // does not wait for a writer
  EXPECT_NE(std::string(ibcc_profiles_complaint(profiles_.get())).find("it is not a regular file"), std::string::npos);
  Close();
  remove(file_);
  Write(file_, Document("x") + std::string(CCP_DOCUMENT_MAX_BYTES, '#'));
  Open();
  EXPECT_NE(std::string(ibcc_profiles_complaint(profiles_.get())).find("it is larger than 1048576 bytes"), std::string::npos);
}

TEST_F(ProfilesTest, StateThatMakesNoSenseIsSetAside) {
  Write(file_, Document("one"));
  Open();
  EXPECT_EQ(ReplaceBase("applied"), "OK");
  Close();
  const std::string good = Contents(State());
  const auto without = [&good](const std::string& part, const std::string& instead) {
    std::string text = good;
    const auto at = text.find(part);
    EXPECT_NE(at, std::string::npos) << part;
    return text.replace(at, part.size(), instead);
  };
  const std::vector<std::string> broken = {good.substr(0, good.size() / 2),
                                           "",
                                           "[]",
                                           "{}",
                                           "\0",
                                           without("\"apply\"", "\"magic\""),
                                           without("\"number\": 2", "\"number\": 0"),
                                           without("ibcc_profile: 1", "ibcc_profile: x"),
                                           without("\"next_revision\": 3", "\"next_revision\": -3"),
                                           without("\"history\": [", "\"history\": [null, "),
                                           without("\"hash\": \"", "\"hash\": \"x"),
                                           without("\"base\"", "\"bass\"")};
  unsigned n = 0;
  for (const std::string& text : broken) {
    SCOPED_TRACE(text);
    Write(State(), text);
    log_.errors.clear();
    Open();
    const std::string aside = State() + ".broken-" + std::to_string(++n);
    EXPECT_EQ(Contents(aside), text);
    ASSERT_EQ(log_.errors.size(), 1U);
    EXPECT_NE(log_.errors[0].find("set aside as state.json.broken-" + std::to_string(n)), std::string::npos);
    // The profile file counts; and where the number can be made out, it goes on from there.
    EXPECT_EQ(Wanted().substr(1), " one file");
    EXPECT_EQ(Wanted()[0], text.find("\"next_revision\": 3") != std::string::npos ? '3' : '1');
    EXPECT_EQ(History().size(), 0U);
    Close();
  }
}

TEST_F(ProfilesTest, StateOfANewerVersionIsLeftAlone) {
  Write(file_, Document("one"));
  Open();
  Close();
  Write(State(), "{\"ibcc_opensm_state\": 2, \"more\": []}");
  EXPECT_NE(OpenRefusal().find("is of version 2, but this plugin reads up to version 1"), std::string::npos);
  EXPECT_EQ(Contents(State()), "{\"ibcc_opensm_state\": 2, \"more\": []}");
  EXPECT_EQ(Names(folder_), (std::vector<std::string>{"as_found.json", "changes.log", "lock", "state.json"}));
}

TEST_F(ProfilesTest, StateFolderBelongsToOne) {
  Write(file_, Document("one"));
  Open();
  EXPECT_NE(OpenRefusal().find("is in use by another OpenSM (process " + std::to_string(getpid())), std::string::npos);
}

TEST_F(ProfilesTest, FullDiskChangesNothing) {
  Write(file_, Document("one"));
  Open();
  EXPECT_EQ(ReplaceBase("two"), "OK");
  {
    const FullDisk full;
    EXPECT_EQ(Begin("try", 5).substr(0, 5), "DISK ");
    EXPECT_EQ(ReplaceBase("three").substr(0, 5), "DISK ");
    EXPECT_EQ(Rollback().substr(0, 5), "DISK ");
    EXPECT_EQ(Wanted(), "2 two apply");
    EXPECT_EQ(History(), std::vector<std::string>{"1 one file"});
  }
  EXPECT_EQ(Begin("try", 5), "OK");
  EXPECT_EQ(Wanted(), "3 try apply");
  {
    const FullDisk full;
    EXPECT_EQ(Commit().substr(0, 5), "DISK ");
    EXPECT_EQ(Wanted(), "3 try apply");
    EXPECT_NE(ibcc_profiles_deadline_ns(profiles_.get()), INT64_MAX);
    EXPECT_EQ(log_.errors.size(), 0U);
    EXPECT_EQ(End(), "OK");  // an experiment ends whatever the disk says
    EXPECT_EQ(Wanted(), "2 two apply");
    EXPECT_EQ(log_.errors.size(), 2U) << "one of them of the log of changes";
  }
  Reopen();
  EXPECT_EQ(Wanted(), "2 two apply");
  Close();
  // Nor does it keep the file from counting, which lasts by itself.
  Write(file_, Document("edited"));
  {
    const FullDisk full;
    Open();
    EXPECT_EQ(Wanted(), "4 edited file");
    EXPECT_EQ(History().size(), 2U);
  }
  EXPECT_EQ(Begin("try", 5), "OK");
  Reopen();
  EXPECT_EQ(Wanted(), "4 edited file");
  EXPECT_EQ(History().size(), 2U);
}

// Or another process would give the number to another document.
TEST_F(ProfilesTest, WhatAFullDiskDidNotTakeIsWrittenLater) {
  constexpr std::int64_t kMinuteNs = 60'000'000'000;
  Write(file_, Document("one"));
  Open();
  Close();
  Write(file_, Document("edited"));
  {
    const FullDisk full;
    Open();
    EXPECT_EQ(Wanted(), "2 edited file");
    EXPECT_NE(std::string(ibcc_profiles_complaint(profiles_.get())).find("the state folder cannot be written"),
              std::string::npos);
    ibcc_profiles_tick(profiles_.get(), kMinuteNs);
    EXPECT_GT(ibcc_profiles_next_ns(profiles_.get()), kMinuteNs);  // not at once again
  }
  ibcc_profiles_tick(profiles_.get(), 2 * kMinuteNs);
  EXPECT_EQ(ibcc_profiles_next_ns(profiles_.get()), INT64_MAX);
  EXPECT_EQ(ibcc_profiles_complaint(profiles_.get()), nullptr);
  Write(file_, Document("again"));
  Reopen();
  EXPECT_EQ(Wanted(), "3 again file");
}

}  // namespace
