// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Profiles when memory is refused, and when their process is killed.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "profiles_support.hpp"
#include "refused_memory.hpp"

namespace {

using plugin_test::Contents;
using plugin_test::Document;
using plugin_test::KillDuring;
using plugin_test::Names;
using plugin_test::ProfilesTest;
using plugin_test::TempFolder;
using plugin_test::Write;

class ProfilesFaultsTest : public ProfilesTest {
 protected:
  // A base, one former base, and an experiment if asked for.
  void Begun(bool experiment) {
    Write(file_, Document("one"));
    Open();
    ASSERT_EQ(ReplaceBase("two"), "OK");
    if (experiment) {
      ASSERT_EQ(Begin("try", 5), "OK");
    }
  }
  std::string Everything() const {
    std::string all = Base() + "; " + Wanted();
    for (const std::string& revision : History()) all += "; " + revision;
    return all;
  }
};

TEST_F(ProfilesFaultsTest, RefusedMemoryChangesNothing) {
  struct Change {
    const char* name;
    bool experiment;  // is there before
    std::function<ibcc_profiles_fault(ibcc_profiles*, ccp_error*)> make;
    const char* after;
  };
  const std::string text = Document("new");
  const Change changes[] = {
      {"begin", false,
       [&](ibcc_profiles* p, ccp_error* e) {
         return ibcc_profiles_begin_experiment(p, text.data(), text.size(), 5, nullptr, 0, 0, e);
       },
       "2 two apply; 3 new apply; 1 one file"},
      {"replace", false,
       [&](ibcc_profiles* p, ccp_error* e) { return ibcc_profiles_replace_base(p, text.data(), text.size(), 0, e); },
       "3 new apply; 3 new apply; 2 two apply; 1 one file"},
      {"commit", true, [&](ibcc_profiles* p, ccp_error* e) { return ibcc_profiles_commit_experiment(p, e); },
       "3 try commit; 3 try commit; 2 two apply; 1 one file"},
      {"rollback", false, [&](ibcc_profiles* p, ccp_error* e) { return ibcc_profiles_rollback_base(p, e); },
       "3 one rollback; 3 one rollback"},
  };
  for (const Change& change : changes) {
    SCOPED_TRACE(change.name);
    plugin_test::fs::remove_all(folder_);
    Begun(change.experiment);
    const std::string before = Everything();
    const std::string state = Contents(State());
    unsigned refused = 0;
    for (unsigned nth = 1;; ++nth) {
      ccp_error error{};
      ibcc_profiles_fault fault;
      {
        const RefusedMemory refusal(nth);
        fault = change.make(profiles_.get(), &error);
        if (!refusal.Happened()) break;
      }
      if (fault == IBCC_PROFILES_OK) break;  // where memory was refused, nobody needed it
      ++refused;
      ASSERT_EQ(fault, IBCC_PROFILES_DISK) << nth;
      ASSERT_STREQ(error.message, "out of memory") << nth;
      ASSERT_EQ(Everything(), before) << nth;
      ASSERT_EQ(Contents(State()), state) << nth;
    }
    EXPECT_GT(refused, 20U);
    EXPECT_EQ(Everything(), change.after);
    const std::string base = Base();
    const std::string base_text = ibcc_profiles_base(profiles_.get())->text;
    const std::vector<std::string> history = History();
    Reopen();  // and so it is on disk
    EXPECT_EQ(Base(), base);
    EXPECT_EQ(ibcc_profiles_base(profiles_.get())->text, base_text);
    EXPECT_EQ(History(), history);
    Close();
  }
}

TEST_F(ProfilesFaultsTest, ExperimentEndsWithoutMemory) {
  for (unsigned nth = 1; nth <= 40; ++nth) {
    plugin_test::fs::remove_all(folder_);
    Begun(true);
    {
      const RefusedMemory refusal(nth);
      ASSERT_EQ(ibcc_profiles_end_experiment(profiles_.get(), nullptr), IBCC_PROFILES_OK);
    }
    ASSERT_EQ(Wanted(), "2 two apply") << nth;
    Reopen();
    ASSERT_EQ(Wanted(), "2 two apply") << nth;
    Close();
  }
}

TEST_F(ProfilesFaultsTest, OpensWholeOrNotAtAllWhenMemoryIsRefused) {
  Begun(false);
  const std::string everything = Everything();
  Close();
  unsigned refused = 0;
  for (unsigned nth = 1;; ++nth) {
    ccp_error error{};
    bool happened = false;
    {
      const RefusedMemory refusal(nth);
      profiles_.reset(ibcc_profiles_open(folder_.c_str(), File(), nullptr, &log_, &error));
      happened = refusal.Happened();
    }
    if (profiles_) {
      ASSERT_EQ(Everything(), everything) << nth;
    } else {
      ++refused;
      ASSERT_STREQ(error.message, "out of memory") << nth;
    }
    Close();
    ASSERT_EQ(Names(folder_), (std::vector<std::string>{"as_found.json", "changes.log", "lock", "state.json"}))
        << nth;  // nothing was taken for broken
    if (!happened) break;
  }
  EXPECT_GT(refused, 50U);
}

TEST_F(ProfilesFaultsTest, FileForWhichMemoryWasRefusedIsComplainedOfAndReadAgain) {
  constexpr std::int64_t kNowNs = 1'000'000'000;
  Begun(false);
  for (unsigned nth = 1;; ++nth) {
    Write(file_, Document("edit" + std::to_string(nth)));
    const std::string before = Base();
    RefusedMemory refusal(nth);
    const bool changed = ibcc_profiles_file_event(profiles_.get());
    if (!refusal.Happened()) break;
    if (!changed) {
      ASSERT_EQ(Base(), before);
      ASSERT_NE(std::string(ibcc_profiles_complaint(profiles_.get())).find("': out of memory"), std::string::npos);
      ASSERT_LE(ibcc_profiles_next_ns(profiles_.get()), kNowNs);
      ASSERT_TRUE(ibcc_profiles_tick(profiles_.get(), kNowNs));
      ASSERT_EQ(ibcc_profiles_next_ns(profiles_.get()), INT64_MAX);
    }
  }
  EXPECT_EQ(ibcc_profiles_complaint(profiles_.get()), nullptr);
}

TEST_F(ProfilesFaultsTest, KilledAnywhereTheBaseIsOldOrNew) {
  std::mt19937 random(7);
  Write(file_, Document("file"));
  unsigned cut_short = 0;
  for (int i = 0; i < 40; ++i) {
    const std::string mark = std::to_string(i);
    KillDuring(std::chrono::microseconds(random() % 20000), [&](auto ready) {
      ccp_error error{};
      ibcc_profiles* profiles = ibcc_profiles_open(folder_.c_str(), file_.c_str(), nullptr, nullptr, &error);
      if (!profiles) _exit(2);
      ready();
      for (unsigned n = 0;; ++n) {
        // A document of many pages, so that the kill finds the write under way.
        const std::string text = Document("p" + mark + "-" + std::to_string(n)) + std::string(20'000, '#') + "\n";
        if (ibcc_profiles_begin_experiment(profiles, text.data(), text.size(), 5, nullptr, 0, 0, &error)) _exit(3);
        if (n % 3 == 0 ? ibcc_profiles_end_experiment(profiles, &error) : ibcc_profiles_commit_experiment(profiles, &error))
          _exit(4);
      }
    });
    log_.errors.clear();
    Open();
    ASSERT_EQ(log_.errors, std::vector<std::string>{});
    const ibcc_revision* base = ibcc_profiles_base(profiles_.get());
    ASSERT_NE(base, nullptr);
    ASSERT_EQ(ibcc_profiles_wanted(profiles_.get()), base);
    if (base->source == IBCC_SOURCE_COMMIT) {
      // The document that goes with the name, to its last byte.
      ASSERT_EQ(std::string(base->text), Document(base->profile->name) + std::string(20'000, '#') + "\n");
    }
    const ibcc_revision* history[IBCC_MAX_HISTORY];
    std::uint64_t number = base->number;
    for (std::uint32_t h = 0; h < ibcc_profiles_history(profiles_.get(), history); ++h) {
      ASSERT_LT(history[h]->number, number);
      number = history[h]->number;
    }
    cut_short += ibcc_profiles_was_cut_short(profiles_.get());
    Close();
  }
  EXPECT_GT(cut_short, 0U);
  for (const std::string& name : Names(folder_)) EXPECT_EQ(name.find(".broken"), std::string::npos) << name;
}

}  // namespace
