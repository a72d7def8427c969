// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The table of options in docs/operate/plugin.md is the options' own.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/options.h"

namespace {

std::vector<std::string> RowsOfThePage() {
  std::ifstream page(IBCC_SOURCE_DIR "/docs/operate/plugin.md");
  std::vector<std::string> rows;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("| `--")) rows.push_back(line);
  }
  return rows;
}

std::string RowOf(const ibcc_option& option) {
  std::string name = option.name;
  std::ranges::replace(name, '_', '-');
  std::ostringstream row;
  row << "| `--" << name << (option.value ? ' ' + std::string(option.value) : "") << "` | "
      << (option.default_value ? option.default_value : "") << " | " << option.help << " |";
  return row.str();
}

TEST(OptionsPage, HasARowForEachOptionInTheirOrder) {
  uint32_t count = 0;
  const ibcc_option* options = ibcc_option_list(&count);
  std::vector<std::string> rows;
  for (uint32_t i = 0; i < count; ++i) rows.push_back(RowOf(options[i]));
  EXPECT_EQ(RowsOfThePage(), rows);
}

}  // namespace
