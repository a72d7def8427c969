// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "rpc/base64.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "rpc/support.hpp"

namespace ibcc_test {
namespace {

std::string Encoded(const std::string& bytes) {
  std::vector<std::uint8_t> copy(bytes.begin(), bytes.end());
  const Json json(ibcc_json_base64(copy.data(), copy.size()));
  return json_string_value(json.get());
}

TEST(Base64, HasTheVectorsOfTheRfc) {
  EXPECT_EQ(Encoded(""), "");
  EXPECT_EQ(Encoded("f"), "Zg==");
  EXPECT_EQ(Encoded("fo"), "Zm8=");
  EXPECT_EQ(Encoded("foo"), "Zm9v");
  EXPECT_EQ(Encoded("foob"), "Zm9vYg==");
  EXPECT_EQ(Encoded("fooba"), "Zm9vYmE=");
  EXPECT_EQ(Encoded("foobar"), "Zm9vYmFy");
}

TEST(Base64, UsesEveryDigit) {
  EXPECT_EQ(Encoded(std::string("\x00\x10\x83\x10\x51\x87\x20\x92\x8b\x30\xd3\x8f", 12)), "ABCDEFGHIJKLMNOP");
  EXPECT_EQ(Encoded("\xfb\xff\xbf"), "+/+/");
  EXPECT_EQ(Encoded("\xff\xff\xff"), "////");
}

}  // namespace
}  // namespace ibcc_test
