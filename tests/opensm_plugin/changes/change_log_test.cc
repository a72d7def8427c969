// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "changes/change_log.h"
#include "base/ns.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "journal_listener.hpp"
#include "refused_memory.hpp"
#include "rpc/support.hpp"
#include "state_support.hpp"

namespace {

using ibcc_test::Json;
using ibcc_test::Show;
using plugin_test::Contents;
using plugin_test::FullDisk;
using plugin_test::HeardLog;
using plugin_test::JournalListener;
using plugin_test::Mode;
using plugin_test::TempFolder;
using plugin_test::Write;

class ChangeLog : public testing::Test {
 protected:
  ChangeLog() { Open(); }
  ~ChangeLog() override { Close(); }
  void Open(const char* journal = nullptr) {
    ccp_error error{};
    folder_ = ibcc_state_folder_open((temp_ / "state").c_str(), &error);
    ASSERT_NE(folder_, nullptr) << error.message;
    changes_ = ibcc_change_log_open(folder_, journal, &log_);
    ASSERT_NE(changes_, nullptr);
  }
  void Close() {
    ibcc_change_log_close(changes_);
    ibcc_state_folder_close(folder_);
  }
  void Reopen(const char* journal = nullptr) {
    Close();
    Open(journal);
  }
  void Add(const std::string& what, std::uint64_t revision = 1, const char* message = nullptr) {
    const ibcc_change change{
        .what = what.c_str(), .revision = revision, .profile = "p", .result = "acknowledged", .message = message};
    ibcc_change_log_add(changes_, &change, nullptr);
  }
  Json Read(std::uint64_t before = 0, std::uint32_t limit = 1000) {
    ccp_error error{};
    Json lines(ibcc_change_log_read(changes_, before, limit, &error));
    EXPECT_NE(lines, nullptr) << error.message;
    return lines;
  }
  // "1 apply, 2 commit"
  std::string Words(std::uint64_t before = 0, std::uint32_t limit = 1000) {
    std::string words;
    const Json lines = Read(before, limit);
    for (std::size_t i = 0; i < json_array_size(lines.get()); ++i) {
      const json_t* line = json_array_get(lines.get(), i);
      words += (words.empty() ? "" : ", ") + std::to_string(json_integer_value(json_object_get(line, "number"))) + " " +
               json_string_value(json_object_get(line, "what"));
    }
    return words;
  }
  plugin_test::fs::path File(const std::string& suffix = "") const { return temp_ / ("state/changes.log" + suffix); }

  TempFolder temp_;
  HeardLog log_;
  ibcc_state_folder* folder_ = nullptr;
  ibcc_change_log* changes_ = nullptr;
};

TEST_F(ChangeLog, ALineSaysWhoDidWhatAndWhatCameOfIt) {
  const ibcc_peer peer{.pid = 4711, .uid = 1000, .in_group = true};
  const ibcc_change change{.what = "experiment", .revision = 3, .profile = "fast", .result = "acknowledged", .message = nullptr};
  ibcc_change_log_attribute(changes_, &peer, nullptr);
  ibcc_change_log_add(changes_, &change, json_pack("{s:i, s:s, s:s}", "ttl_s", 60, "owner", "campaign 7", "what", "no"));
  ibcc_change_log_attribute(changes_, nullptr, "it timed out");
  Add("end", 1);
  Json lines = Read();
  json_t* line = json_array_get(lines.get(), 0);
  const std::string at = json_string_value(json_object_get(line, "at"));
  EXPECT_EQ(at.size(), std::string("2026-01-01T00:00:00Z").size());
  json_object_del(line, "at");
  EXPECT_EQ(Show(line),
            "{'message':null,'number':1,'owner':'campaign 7','pid':4711,'profile':'fast','result':'acknowledged','revision':3,"
            "'ttl_s':60,'uid':1000,'what':'experiment','why':null}");
  line = json_array_get(lines.get(), 1);
  json_object_del(line, "at");
  EXPECT_EQ(Show(line),
            "{'message':null,'number':2,'pid':null,'profile':'p','result':'acknowledged','revision':1,'uid':null,'what':'end',"
            "'why':'it timed out'}");
  EXPECT_EQ(Mode(File()), 0600u);
}

TEST_F(ChangeLog, NumbersGoOnAfterARestart) {
  Add("apply");
  Add("commit");
  Reopen();
  Add("rollback");
  EXPECT_EQ(Words(), "1 apply, 2 commit, 3 rollback");
  EXPECT_EQ(Words(3), "1 apply, 2 commit");
  EXPECT_EQ(Words(3, 1), "2 commit");
  EXPECT_EQ(Words(1), "");
}

// A crash may leave the half of a line, and anybody who is root may write into the file.
TEST_F(ChangeLog, WhatIsNoLineIsPassedOver) {
  Add("apply");
  std::string text = Contents(File());
  Write(File(), "no line\n[1]\n{}\n\n" + text + "{\"number\": 2, \"what\": \"com");
  Reopen();
  Add("end");
  EXPECT_EQ(Words(), "1 apply, 2 end");
  EXPECT_NE(Contents(File()).find("\"com\n{\"number\":2"), std::string::npos) << "the half line has ended";
}

TEST_F(ChangeLog, TenFilesOfAMebibyteAreKept) {
  const std::string message(7000, 'm');
  const unsigned lines_a_file = IBCC_CHANGE_LOG_BYTES / 7120;
  for (unsigned i = 0; i < lines_a_file * 12; ++i) Add("apply", i + 1, message.c_str());
  EXPECT_EQ(log_.errors.size(), 0u);
  for (unsigned file = 1; file < IBCC_CHANGE_LOG_FILES; ++file) {
    EXPECT_LE(plugin_test::fs::file_size(File("." + std::to_string(file))), IBCC_CHANGE_LOG_BYTES);
    EXPECT_GT(plugin_test::fs::file_size(File("." + std::to_string(file))), IBCC_CHANGE_LOG_BYTES - 8000);
  }
  EXPECT_FALSE(plugin_test::fs::exists(File(".10")));
  std::uint64_t before = 0;
  std::uint64_t read = 0;
  for (;;) {  // each page follows the one before without a gap
    const Json page = Read(before);
    if (json_array_size(page.get()) == 0) break;
    read += json_array_size(page.get());
    const auto last = static_cast<std::uint64_t>(
        json_integer_value(json_object_get(json_array_get(page.get(), json_array_size(page.get()) - 1), "number")));
    EXPECT_EQ(last, before ? before - 1 : lines_a_file * 12);
    before = static_cast<std::uint64_t>(json_integer_value(json_object_get(json_array_get(page.get(), 0), "number")));
  }
  EXPECT_GT(read, lines_a_file * 9u);
  EXPECT_LT(read, lines_a_file * 11u);
  Reopen();
  Add("end");
  EXPECT_EQ(Words(0, 1), std::to_string(lines_a_file * 12 + 1) + " end");
}

TEST_F(ChangeLog, AFileThatCannotBeShiftedDoesNotGrow) {
  const std::string message(7000, 'm');
  plugin_test::fs::create_directory(File(".9"));
  Write(File(".8"), "");
  for (unsigned i = 0; i < IBCC_CHANGE_LOG_BYTES / 7000 + 20; ++i) Add("apply", i + 1, message.c_str());
  EXPECT_LE(plugin_test::fs::file_size(File()), IBCC_CHANGE_LOG_BYTES);
  EXPECT_EQ(log_.errors.size(), 1u);
  plugin_test::fs::remove(File(".9"));
  Add("end");
  EXPECT_EQ(Words(0, 1).substr(Words(0, 1).find(' ')), " end");
}

TEST_F(ChangeLog, LinesThatCouldNotBeWrittenAreCounted) {
  Add("apply");
  {
    const FullDisk full(plugin_test::fs::file_size(File()) + 20);
    Add("experiment");
    Add("renew");
  }
  ASSERT_EQ(log_.errors.size(), 1u) << "once, not for each line";
  EXPECT_EQ(log_.errors[0].find("IBCC0105: changes are not written to changes.log: changes.log in the state folder '"), 0u)
      << log_.errors[0];
  Add("end");
  Add("apply");
  EXPECT_EQ(Words(), "1 apply, 4 end, 5 apply");
  const Json lines = Read();
  EXPECT_EQ(Show(json_object_get(json_array_get(lines.get(), 1), "missed")), "2");
  EXPECT_EQ(json_object_get(json_array_get(lines.get(), 2), "missed"), nullptr);
}

TEST_F(ChangeLog, WhoIsRefusedInALoopDrivesNothingOut) {
  for (int i = 0; i < 1000; ++i) ibcc_change_log_refuse(changes_, "profile.apply", "no", NS_PER_S + i);
  ibcc_change_log_refuse(changes_, "profile.commit", "no more", 2 * NS_PER_S);
  ibcc_change_log_refuse(changes_, "profile.commit", "no more", 3 * NS_PER_S);
  EXPECT_EQ(Words(), "1 profile.apply, 2 profile.commit, 3 profile.commit");
  const Json lines = Read();
  EXPECT_EQ(Show(json_object_get(json_array_get(lines.get(), 0), "result")), "'refused'");
  EXPECT_EQ(Show(json_object_get(json_array_get(lines.get(), 1), "omitted")), "999");
  EXPECT_EQ(json_object_get(json_array_get(lines.get(), 2), "omitted"), nullptr);
}

TEST_F(ChangeLog, TheJournalGetsTheSame) {
  const JournalListener listener(temp_ / "journal");
  Reopen(listener.Path().c_str());
  const ibcc_peer peer{.pid = 4711, .uid = 1000, .in_group = true};
  ibcc_change_log_attribute(changes_, &peer, nullptr);
  Add("commit", 3, "a line\nbreak");
  std::string line = Contents(File());
  line.pop_back();
  const std::string heard = listener.Heard();
  const std::string message = "commit of revision 3, profile 'p', by process 4711 of user 1000: acknowledged: a line\nbreak";
  EXPECT_EQ(heard, "MESSAGE\n" + std::string(1, static_cast<char>(message.size())) + std::string(7, '\0') + message +
                       "\nPRIORITY=5\nSYSLOG_IDENTIFIER=ibcc\nIBCC_WHAT=commit\nIBCC_RESULT=acknowledged\nIBCC_REVISION=3\n"
                       "IBCC_UID=1000\nIBCC_PID=4711\nIBCC_CHANGE=" +
                       line + "\n");
  ibcc_change_log_attribute(changes_, nullptr, "it timed out");
  Add("end", 1);
  EXPECT_EQ(listener.Heard().find("MESSAGE=end of revision 1, profile 'p', because it timed out: acknowledged\n"), 0u);
}

TEST_F(ChangeLog, NoMemoryMissesLinesAndNothingElse) {
  unsigned nth = 0;
  for (bool happened = true; happened;) {
    const RefusedMemory refused(++nth);
    Add("apply", nth, "x");
    happened = refused.Happened();
    ASSERT_LT(nth, 1000u);
  }
  const Json lines = Read();
  ASSERT_GT(json_array_size(lines.get()), 0u);
  EXPECT_GE(log_.errors.size(), 1u);
  for (bool happened = true; happened;) {
    const RefusedMemory refused(++nth);
    ccp_error error{};
    const Json read(ibcc_change_log_read(changes_, 0, 10, &error));
    happened = refused.Happened();
    EXPECT_TRUE(read != nullptr || happened);
    ASSERT_LT(nth, 10000u);
  }
}

TEST(ChangeLogAbsent, IsFine) {
  const ibcc_change change{.what = "apply", .revision = 1, .profile = nullptr, .result = "acknowledged", .message = nullptr};
  ibcc_change_log_attribute(nullptr, nullptr, nullptr);
  ibcc_change_log_add(nullptr, &change, json_object());
  ibcc_change_log_refuse(nullptr, "apply", "no", 0);
  ccp_error error{};
  EXPECT_EQ(Show(Json(ibcc_change_log_read(nullptr, 0, 10, &error)).get()), "[]");
  ibcc_change_log_close(nullptr);
}

}  // namespace
