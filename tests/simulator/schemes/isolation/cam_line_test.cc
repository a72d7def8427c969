// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cam_line_test.cc: the tables of states are those that the header's comment shows, and lead where the protocol needs.
#include "schemes/isolation/cam_line.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace ccsim {
namespace cam_line_test {

const std::vector<std::string> kStates = {"Free", "Quiet", "Announced", "Stopped"};
const std::vector<std::string> kEvents = {"Take", "ReachAllocate", "ReachStop", "FallToGo", "Change", "Empty", "Forget"};
const std::vector<std::string> kOutputStates = {"Free", "Go", "Stop"};
const std::vector<std::string> kMessages = {"None", "Allocate", "Update", "Stop", "Go", "Release", "Clear", "Cleared"};

// The rows of the two tables in the comment: words of a line, of which the first two or three count.
std::vector<std::set<std::string>> RowsOfComment() {
  std::ifstream file(std::string(IBCC_SOURCE_DIR) + "/simulator/src/schemes/isolation/cam_line.hpp");
  std::vector<std::set<std::string>> tables;
  bool in_table = false;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("//   ", 0) != 0) {
      in_table = false;
      continue;
    }
    std::istringstream words(line.substr(2));
    std::vector<std::string> row;
    for (std::string word; words >> word;) row.push_back(word);
    if (row[0] == "state") {
      tables.emplace_back();
      in_table = true;
      continue;
    }
    if (!in_table) continue;
    if (tables.size() == 1) {
      const bool has_message = row.size() > 3 && std::find(kMessages.begin(), kMessages.end(), row[3]) != kMessages.end();
      tables.back().insert(row[0] + " " + row[1] + " " + row[2] + (has_message ? " " + row[3] : ""));
      continue;
    }
    while (row[1].back() == ',') {  // several messages of one row
      tables.back().insert(row[0] + " " + row[1].substr(0, row[1].size() - 1) + " " + row[3]);
      row.erase(row.begin() + 1);
    }
    tables.back().insert(row[0] + " " + row[1] + " " + row[2]);
  }
  return tables;
}

TEST(CamLine, TablesAreThoseOfTheComment) {
  std::set<std::string> input, output;
  for (unsigned s = 0; s < kInputLineStates; ++s) {
    for (unsigned e = 0; e < kInputLineEvents; ++e) {
      const InputLineStep& step = kInputLineSteps[s][e];
      const std::string message = step.message == MessageKind::None ? "" : " " + kMessages[static_cast<unsigned>(step.message)];
      if (step.possible) input.insert(kStates[s] + " " + kEvents[e] + " " + kStates[static_cast<unsigned>(step.next)] + message);
    }
  }
  for (unsigned s = 0; s < kOutputLineStates; ++s) {
    for (unsigned m = 0; m < kMessageKinds; ++m) {
      const OutputLineStep& step = kOutputLineSteps[s][m];
      if (!step.expected || (s == 0 && m >= 6)) continue;  // Clear and Cleared are about all lines, free ones too
      output.insert(kOutputStates[s] + " " + kMessages[m] + " " + kOutputStates[static_cast<unsigned>(step.next)]);
    }
  }
  const auto rows = RowsOfComment();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0], input);
  EXPECT_EQ(rows[1], output);
}

// What an output line becomes after the message of each step is what the input line's state says, so that two neighbours agree.
TEST(CamLine, AnOutputLineFollowsItsInputLine) {
  const std::map<InputLineState, OutputLineState> mirror = {{InputLineState::Free, OutputLineState::Free},
                                                            {InputLineState::Quiet, OutputLineState::Free},
                                                            {InputLineState::Announced, OutputLineState::Go},
                                                            {InputLineState::Stopped, OutputLineState::Stop}};
  for (unsigned s = 0; s < kInputLineStates; ++s) {
    for (unsigned e = 0; e < kInputLineEvents; ++e) {
      const InputLineStep& step = kInputLineSteps[s][e];
      if (!step.possible || e == static_cast<unsigned>(InputLineEvent::Forget)) continue;
      const OutputLineState before = mirror.at(static_cast<InputLineState>(s));
      const OutputLineStep& reply = kOutputLineSteps[static_cast<unsigned>(before)][static_cast<unsigned>(step.message)];
      EXPECT_TRUE(step.message == MessageKind::None || reply.expected) << kStates[s] << " " << kEvents[e];
      EXPECT_EQ(reply.next, mirror.at(step.next)) << kStates[s] << " " << kEvents[e];
    }
  }
}

// No state is one that a line cannot leave.
TEST(CamLine, FromEachStateALineCanBecomeFree) {
  for (unsigned s = 0; s < kInputLineStates; ++s) {
    std::set<unsigned> reached = {s};
    for (unsigned round = 0; round < kInputLineStates; ++round) {
      for (const unsigned r : std::set<unsigned>(reached)) {
        for (const InputLineStep& step : kInputLineSteps[r]) {
          if (step.possible) reached.insert(static_cast<unsigned>(step.next));
        }
      }
    }
    EXPECT_EQ(reached.count(0), 1U) << kStates[s];
  }
}

}  // namespace cam_line_test
}  // namespace ccsim
