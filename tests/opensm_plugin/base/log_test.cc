// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/log.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace {

struct Listener : ::ibcc_log {
  Listener() { write = Write; }

  static void Write(ibcc_log* log, ibcc_log_level level, const char* line) {
    static_cast<Listener*>(log)->lines.emplace_back(level, line);
  }

  std::vector<std::pair<ibcc_log_level, std::string>> lines;
};

TEST(Log, FormatsALineAndKeepsItsLevel) {
  Listener log;
  ibcc_log(&log, IBCC_LOG_ERROR, "IBCC0001: %u of %s", 3u, "leaf-1");
  ibcc_log(&log, IBCC_LOG_DEBUG, "so");
  ASSERT_EQ(log.lines.size(), 2u);
  EXPECT_EQ(log.lines[0], std::pair(IBCC_LOG_ERROR, std::string("IBCC0001: 3 of leaf-1")));
  EXPECT_EQ(log.lines[1], std::pair(IBCC_LOG_DEBUG, std::string("so")));
}

TEST(Log, CutsALineThatIsTooLong) {
  Listener log;
  ibcc_log(&log, IBCC_LOG_INFO, "%s", std::string(5000, 'x').c_str());
  EXPECT_EQ(log.lines.at(0).second, std::string(1023, 'x'));
}

TEST(Log, NobodyForgesAnotherLine) {
  Listener log;
  ibcc_log(&log, IBCC_LOG_INFO, "node '%s'", "H1\nERR 0000: fire\x7f\t\xC3\xA4");
  EXPECT_EQ(log.lines.at(0).second, "node 'H1 ERR 0000: fire  \xC3\xA4'");
}

TEST(Log, AnErrorBeginsWithTheIdOfItsMessage) {
  EXPECT_TRUE(ibcc_has_message_id("IBCC0101: no control socket"));
  for (const char* const text :
       {"", "IBCC", "IBCC010: x", "IBCC01012: x", "IBCC0101 x", "IBCC0101:", "ibcc0101: x", " IBCC0101: x"})
    EXPECT_FALSE(ibcc_has_message_id(text)) << text;
}

TEST(Log, GoesNowhereWithoutOne) { ibcc_log(nullptr, IBCC_LOG_ERROR, "%d", 1); }

}  // namespace
