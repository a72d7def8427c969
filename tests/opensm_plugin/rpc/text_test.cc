// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "rpc/text.h"

#include <gtest/gtest.h>

#include <string>

#include "rpc/support.hpp"

namespace {

using namespace std::string_literals;

std::string Text(const std::string& bytes) {
  const ibcc_test::Json json(ibcc_json_text(bytes.data(), bytes.size()));
  return {json_string_value(json.get()), json_string_length(json.get())};
}

TEST(RpcText, WhatPeopleWriteIsKept) {
  for (const std::string& text : {""s, "node1 mlx5_0"s, "é√𝄞"s, "\"\\/"s, "\xC2\xA0"s, "\xEF\xBF\xBF"s, "\xF4\x8F\xBF\xBF"s}) {
    EXPECT_EQ(Text(text), text);
  }
}

TEST(RpcText, ControlCharactersAreEscaped) {
  EXPECT_EQ(Text("a\n\x1B[2J\x7F\0b"s), "a\\x0A\\x1B[2J\\x7F\\x00b");
  EXPECT_EQ(Text("\xC2\x80\xC2\x9B"), "\\xC2\\x80\\xC2\\x9B");
}

TEST(RpcText, WhatIsNoUtf8IsEscaped) {
  EXPECT_EQ(Text("\x80"), "\\x80");
  EXPECT_EQ(Text("\xC3"), "\\xC3");                             // cut
  EXPECT_EQ(Text("\xC3x"), "\\xC3x");                           // not continued
  EXPECT_EQ(Text("\xC1\xBF"), "\\xC1\\xBF");                    // two bytes for one
  EXPECT_EQ(Text("\xE0\x80\xAF"), "\\xE0\\x80\\xAF");           // three bytes for one
  EXPECT_EQ(Text("\xED\xA0\x80"), "\\xED\\xA0\\x80");           // half of a pair
  EXPECT_EQ(Text("\xF4\x90\x80\x80"), "\\xF4\\x90\\x80\\x80");  // beyond the last
  EXPECT_EQ(Text("\xFF\xFE"), "\\xFF\\xFE");
}

TEST(RpcText, AnyTwoBytesAreJson) {
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      const char bytes[] = {static_cast<char>(a), static_cast<char>(b)};
      const ibcc_test::Json json(ibcc_json_text(bytes, 2));
      ASSERT_NE(json, nullptr) << a << " " << b;
    }
  }
}

TEST(RpcText, GuidsHaveAllTheirDigits) {
  const ibcc_test::Json json(ibcc_json_guid(0x0002C90300000001));
  EXPECT_STREQ(json_string_value(json.get()), "0x0002c90300000001");
}

}  // namespace
