// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "link_rate.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace ccsim {
namespace link_rate_test {

TEST(LinkRate, GivesTheDataRateAfterEncoding) {
  EXPECT_DOUBLE_EQ(ParseLinkRate("1xSDR").data_gbps(), 2);
  EXPECT_DOUBLE_EQ(ParseLinkRate("4xDDR").data_gbps(), 16);
  EXPECT_DOUBLE_EQ(ParseLinkRate("4xQDR").data_gbps(), 32);
  EXPECT_DOUBLE_EQ(ParseLinkRate("4xFDR10").data_gbps(), 40);
  EXPECT_NEAR(ParseLinkRate("4xFDR").data_gbps(), 54.5454, 1e-3);
  EXPECT_DOUBLE_EQ(ParseLinkRate("4xEDR").data_gbps(), 100);
  EXPECT_DOUBLE_EQ(ParseLinkRate("2xHDR").data_gbps(), 100);
  EXPECT_DOUBLE_EQ(ParseLinkRate("4xNDR").data_gbps(), 400);
  EXPECT_DOUBLE_EQ(ParseLinkRate("12xXDR").data_gbps(), 2400);
}

TEST(LinkRate, ReadsWhatItPrints) {
  for (const char* text : {"1xSDR", "2xHDR", "4xFDR10", "8xQDR", "12xXDR"}) EXPECT_EQ(ParseLinkRate(text).ToString(), text);
}

TEST(LinkRate, NamesWhatItDoesNotKnow) {
  for (const char* text : {"3xSDR", "4xFOO", "4x", "xSDR", "SDR", "", "4xsdr", "4 xSDR", "04xSDR"}) {
    try {
      ParseLinkRate(text);
      FAIL() << text;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find("'" + std::string(text) + "'"), std::string::npos);
    }
  }
}

}  // namespace link_rate_test
}  // namespace ccsim
