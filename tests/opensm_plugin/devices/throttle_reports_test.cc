// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "devices/throttle_reports.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "refused_memory.hpp"
#include "state_support.hpp"

namespace {

using plugin_test::Contents;
using plugin_test::FullDisk;
using plugin_test::HeardLog;
using plugin_test::Names;
using plugin_test::TempFolder;
using plugin_test::Write;

ibcc_throttle_report Report(std::uint64_t guid, unsigned port, ibcc_throttles throttles, std::int64_t at_s = 1000,
                            const std::string& by = "check") {
  ibcc_throttle_report report{};
  report.node_guid = guid;
  report.port = static_cast<std::uint8_t>(port);
  report.throttles = throttles;
  report.at_s = at_s;
  std::memcpy(report.by, by.data(), std::min(by.size(), sizeof(report.by)));
  return report;
}

class ThrottleReportsTest : public ::testing::Test {
 protected:
  struct FolderCloser {
    void operator()(ibcc_state_folder* folder) const { ibcc_state_folder_close(folder); }
  };
  struct StoreCloser {
    void operator()(ibcc_throttle_reports* store) const { ibcc_throttle_reports_close(store); }
  };

  ThrottleReportsTest() {
    ccp_error error{};
    folder_.reset(ibcc_state_folder_open(temp_.Path().c_str(), &error));
    EXPECT_NE(folder_, nullptr) << error.message;
    Reopen();
  }
  void Reopen() {
    ccp_error error{};
    store_.reset(ibcc_throttle_reports_open(folder_.get(), &log_, &error));
    ASSERT_NE(store_, nullptr) << error.message;
  }
  std::string Take(const std::vector<ibcc_throttle_report>& reports) {
    ccp_error error{};
    const auto count = static_cast<std::uint32_t>(reports.size());
    return ibcc_throttle_reports_add(store_.get(), reports.data(), count, &error) ? error.message : "";
  }
  // "throttles by at_s", or "".
  std::string Find(std::uint64_t guid, unsigned port) const {
    const ibcc_throttle_report* report = ibcc_throttle_reports_find(store_.get(), guid, static_cast<std::uint8_t>(port));
    if (!report) return "";
    return std::string(ibcc_throttles_names[report->throttles]) + " " + report->by + " " + std::to_string(report->at_s);
  }
  std::uint32_t Count() const {
    std::uint32_t count = 0;
    ibcc_throttle_reports_list(store_.get(), &count);
    return count;
  }

  TempFolder temp_;
  HeardLog log_;
  std::unique_ptr<ibcc_state_folder, FolderCloser> folder_;
  std::unique_ptr<ibcc_throttle_reports, StoreCloser> store_;
};

TEST_F(ThrottleReportsTest, AreKeptOverRestarts) {
  EXPECT_EQ(Find(1, 1), "");
  EXPECT_EQ(Take({Report(0xFFFFFFFFFFFFFFFF, 2, IBCC_THROTTLES_NO, -5, "größe"), Report(1, 1, IBCC_THROTTLES_YES)}), "");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(Find(1, 1), "yes check 1000");
    EXPECT_EQ(Find(0xFFFFFFFFFFFFFFFF, 2), "no größe -5");
    EXPECT_EQ(Find(1, 2), "");
    EXPECT_EQ(Find(0xFFFFFFFFFFFFFFFF, 1), "");
    Reopen();
  }
}

TEST_F(ThrottleReportsTest, LastReportCounts) {
  EXPECT_EQ(Take({Report(1, 1, IBCC_THROTTLES_YES), Report(1, 1, IBCC_THROTTLES_NO, 900), Report(1, 2, IBCC_THROTTLES_NO)}), "");
  EXPECT_EQ(Find(1, 1), "no check 900");  // the last, not the latest: clocks differ
  EXPECT_EQ(Take({Report(1, 1, IBCC_THROTTLES_YES, 1)}), "");
  EXPECT_EQ(Find(1, 1), "yes check 1");
  EXPECT_EQ(Take({Report(1, 1, IBCC_THROTTLES_UNKNOWN)}), "");
  EXPECT_EQ(Find(1, 1), "");
  EXPECT_EQ(Count(), 1U);
  EXPECT_EQ(Take({Report(1, 2, IBCC_THROTTLES_UNKNOWN)}), "");
  Reopen();
  EXPECT_EQ(Count(), 0U);
}

TEST_F(ThrottleReportsTest, ThatAreWrongAreRefused) {
  const std::string sentence =
      "the report on 0x0000000000000001 must have an author of 1 to 63 bytes of UTF-8, and say yes, no or unknown";
  EXPECT_EQ(Take({Report(2, 1, IBCC_THROTTLES_YES), Report(1, 1, IBCC_THROTTLES_YES, 0, "")}), sentence);
  EXPECT_EQ(Take({Report(1, 1, IBCC_THROTTLES_YES, 0, "\xFF")}), sentence);
  EXPECT_EQ(Take({Report(1, 1, IBCC_THROTTLES_YES, 0, std::string(64, 'x'))}), sentence);
  EXPECT_EQ(Take({Report(1, 1, static_cast<ibcc_throttles>(3))}), sentence);
  EXPECT_EQ(Take({}), "there are 0 reports, but there must be 1 to 65536");
  EXPECT_EQ(Count(), 0U);
  EXPECT_EQ(Names(temp_.Path()), std::vector<std::string>{"lock"});
  EXPECT_EQ(Take({Report(1, 1, IBCC_THROTTLES_YES, 0, std::string(63, 'x'))}), "");
}

TEST_F(ThrottleReportsTest, AreBounded) {
  std::vector<ibcc_throttle_report> reports;
  for (std::uint32_t i = 0; i < IBCC_MAX_THROTTLE_REPORTS; ++i)
    reports.push_back(Report(i, 1, IBCC_THROTTLES_YES, i < 10 ? 5 : 10));
  EXPECT_EQ(Take(reports), "");
  EXPECT_EQ(Count(), IBCC_MAX_THROTTLE_REPORTS);
  Reopen();
  EXPECT_EQ(Count(), IBCC_MAX_THROTTLE_REPORTS);
  reports.push_back(Report(0, 1, IBCC_THROTTLES_YES));
  EXPECT_EQ(Take(reports), "there are 65537 reports, but there must be 1 to 65536");
  // Four of the oldest ten go.
  EXPECT_EQ(Take({Report(70000, 1, IBCC_THROTTLES_NO, 20), Report(70001, 1, IBCC_THROTTLES_NO, 20),
                  Report(70002, 1, IBCC_THROTTLES_NO, 20), Report(70003, 1, IBCC_THROTTLES_NO, 20)}),
            "");
  EXPECT_EQ(Count(), IBCC_MAX_THROTTLE_REPORTS);
  unsigned old = 0;
  for (std::uint64_t i = 0; i < 10; ++i) old += !Find(i, 1).empty();
  EXPECT_EQ(old, 6U);
  EXPECT_EQ(Find(70003, 1), "no check 20");
}

TEST_F(ThrottleReportsTest, OfAFileThatMakesNoSenseAreSetAside) {
  EXPECT_EQ(Take({Report(1, 1, IBCC_THROTTLES_YES)}), "");
  const std::string good = Contents(temp_ / "throttle_reports.json");
  const std::string wrong[] = {"{", "{\"ibcc_opensm_throttle_reports\": 1}", good.substr(0, good.size() - 5)};
  unsigned n = 0;
  for (const std::string& text : wrong) {
    Write(temp_ / "throttle_reports.json", text);
    Reopen();
    EXPECT_EQ(Count(), 0U);
    EXPECT_EQ(log_.errors.size(), ++n);
    EXPECT_EQ(Contents(temp_ / ("throttle_reports.json.broken-" + std::to_string(n))), text);
  }
  for (const auto& [from, to] : std::map<std::string, std::string>{{"\"yes\"", "\"maybe\""},
                                                                   {"\"port\": 1", "\"port\": 256"},
                                                                   {"\"guid\": \"0x", "\"guid\": \"g"},
                                                                   {"\"by\"", "\"bye\""}}) {
    std::string text = good;
    ASSERT_NE(text.find(from), std::string::npos) << from;
    Write(temp_ / "throttle_reports.json", text.replace(text.find(from), from.size(), to));
    Reopen();
    EXPECT_EQ(Count(), 0U);
    EXPECT_EQ(log_.errors.size(), ++n) << from;
  }
  Write(temp_ / "throttle_reports.json", "{\"ibcc_opensm_throttle_reports\": 2}");
  ccp_error error{};
  EXPECT_EQ(ibcc_throttle_reports_open(folder_.get(), &log_, &error), nullptr);
  EXPECT_NE(std::string(error.message).find("is of version 2"), std::string::npos);
}

TEST_F(ThrottleReportsTest, FullDiskAndRefusedMemoryChangeNothing) {
  EXPECT_EQ(Take({Report(1, 1, IBCC_THROTTLES_YES)}), "");
  const std::string before = Contents(temp_ / "throttle_reports.json");
  {
    const FullDisk full;
    EXPECT_NE(Take({Report(1, 1, IBCC_THROTTLES_NO)}).find("cannot be written"), std::string::npos);
  }
  const ibcc_throttle_report report = Report(1, 1, IBCC_THROTTLES_NO);
  unsigned refused = 0;
  for (unsigned nth = 1;; ++nth, ++refused) {
    ccp_error error{};
    const RefusedMemory refusal(nth);
    if (!ibcc_throttle_reports_add(store_.get(), &report, 1, &error)) break;
    ASSERT_EQ(Find(1, 1), "yes check 1000");
    ASSERT_EQ(Contents(temp_ / "throttle_reports.json"), before);
  }
  EXPECT_GT(refused, 10U);
  Reopen();
  EXPECT_EQ(Find(1, 1), "no check 1000");
  for (unsigned nth = 1;; ++nth) {
    ccp_error error{};
    const RefusedMemory refusal(nth);
    store_.reset(ibcc_throttle_reports_open(folder_.get(), &log_, &error));
    if (!refusal.Happened()) break;
    if (!store_) {
      ASSERT_STREQ(error.message, "out of memory") << nth;
    }
  }
  EXPECT_EQ(Find(1, 1), "no check 1000");
}

TEST_F(ThrottleReportsTest, AgreeWithAMap) {
  std::mt19937 random(3);
  std::map<std::pair<std::uint64_t, unsigned>, std::string> model;
  for (int round = 0; round < 60; ++round) {
    std::vector<ibcc_throttle_report> reports;
    for (unsigned i = random() % 20 + 1; i > 0; --i) {
      const std::uint64_t guid = random() % 12;
      const unsigned port = random() % 3;
      const auto throttles = static_cast<ibcc_throttles>(random() % 3);
      const auto at_s = static_cast<std::int64_t>(random() % 100);
      reports.push_back(Report(guid, port, throttles, at_s));
      if (throttles == IBCC_THROTTLES_UNKNOWN) {
        model.erase({guid, port});
      } else {
        model[{guid, port}] = std::string(ibcc_throttles_names[throttles]) + " check " + std::to_string(at_s);
      }
    }
    ASSERT_EQ(Take(reports), "");
    if (round % 7 == 0) Reopen();
    ASSERT_EQ(Count(), model.size());
    for (const auto& [place, words] : model) ASSERT_EQ(Find(place.first, place.second), words);
  }
}

}  // namespace
