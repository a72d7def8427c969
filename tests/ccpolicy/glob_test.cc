// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ccpolicy/glob.h"

#include <gtest/gtest.h>

#include <string>

namespace {

TEST(Glob, Matches) {
  const char* cases[][2] = {
      {"", ""},
      {"*", ""},
      {"*", "anything"},
      {"abc", "abc"},
      {"a*", "a"},
      {"a*c", "abbbc"},
      {"*b*", "abc"},
      {"a?c", "abc"},
      {"?", "ü"},
      {"[abc]", "b"},
      {"[a-c]x", "bx"},
      {"[!a-c]", "d"},
      {"[^a]", "b"},
      {"[]]", "]"},
      {"[a-]", "-"},
      {"[ä-ü]", "ö"},
      {"\\*", "*"},
      {"[\\]]", "]"},
      {"a[b", "a[b"},
      {"\\", "\\"},
      {"*.*.*", "a.b.c"},
      {"**a", "xa"},
      {"leaf-[0-9][0-9]*", "leaf-07 HCA-1"},
      {"*mlx5_?", "node1 mlx5_0"},
      {"[[]x", "[x"},
      {"a[", "a["},
      {"*[!x]", "xy"},
  };
  for (const auto& c : cases) EXPECT_TRUE(ccp_glob_match(c[0], c[1])) << c[0] << " on " << c[1];
}

TEST(Glob, DoesNotMatch) {
  const char* cases[][2] = {
      {"", "a"},     {"abc", "ab"}, {"ab", "abc"},  {"a?c", "ac"}, {"?", ""},     {"[abc]", "d"}, {"[!a]", "a"},
      {"[a-c]", ""}, {"*b", "abc"}, {"ABC", "abc"}, {"\\*", "x"},  {"a[b", "ab"}, {"?", "ab"},    {"[c-a]", "b"},
  };
  for (const auto& c : cases) EXPECT_FALSE(ccp_glob_match(c[0], c[1])) << c[0] << " on " << c[1];
}

TEST(Glob, BytesThatAreNotUtf8AreCharacters) {
  EXPECT_TRUE(ccp_glob_match("?", "\xFF"));
  EXPECT_TRUE(ccp_glob_match("*\xC3", "a\xC3"));
  EXPECT_TRUE(ccp_glob_match("??", "\xE2\x82"));  // the beginning of a character, cut off
}

TEST(Glob, ManyStarsTakeNoTime) {
  std::string pattern;
  for (int i = 0; i < 100; ++i) pattern += "*a";
  pattern += "*b";
  EXPECT_FALSE(ccp_glob_match(pattern.c_str(), std::string(5000, 'a').c_str()));  // with backtracking: longer than the universe
}

}  // namespace
