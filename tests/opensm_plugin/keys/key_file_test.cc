// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "keys/key_file.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "state_support.hpp"

namespace {

using plugin_test::TempFolder;
using plugin_test::Write;

ibcc_key_file ParsedFile(const std::string& text) {
  ibcc_key_file file{};
  ccp_error error{};
  EXPECT_EQ(ibcc_key_file_parse(text.c_str(), &file, &error), 0) << error.message;
  return file;
}

// "line: sentence"
std::string FileRefusal(const std::string& text) {
  ibcc_key_file file{};
  ccp_error error{};
  if (ibcc_key_file_parse(text.c_str(), &file, &error) == 0) return "(accepted)";
  return std::to_string(error.line) + ": " + error.message;
}

TEST(KeyFile, GivesKeysAndHowDevicesKeepThem) {
  const ibcc_key_file short_one = ParsedFile("current: 0x1");
  EXPECT_EQ(short_one.current, 1U);
  EXPECT_FALSE(short_one.has_next || short_one.has_previous);
  EXPECT_TRUE(short_one.protect);
  EXPECT_EQ(short_one.lease_period_s, 60U);

  const ibcc_key_file file = ParsedFile(
      "---\n# rotated on Monday\n\n  previous:0xFEdcba9876543210\t# still in the lab\r\ncurrent: 0x0\nnext:  0xffffffffffffffff\n"
      "protect: no\nlease_period_s: 65535\n");
  EXPECT_TRUE(file.has_next && file.has_previous);
  EXPECT_EQ(file.current, 0U);
  EXPECT_EQ(file.next, UINT64_MAX);
  EXPECT_EQ(file.previous, 0xFEDCBA9876543210U);
  EXPECT_FALSE(file.protect);
  EXPECT_EQ(file.lease_period_s, 65535U);
  for (const char* yes : {"yes", "true"}) EXPECT_TRUE(ParsedFile(std::string("current: 0x1\nprotect: ") + yes).protect);
}

TEST(KeyFile, ThatIsWrongIsRefusedWithoutAWordOfIt) {
  const std::string key = "0x and 1 to 16 hexadecimal digits";
  for (const char* value :
       {"", "0x", "5eCe7", "0x5eCe7g", "0x12345678901234567", "0X1", "0x1 0x5eCe7", "'0x5eCe7'", "0x5eCe7#1"}) {
    EXPECT_EQ(FileRefusal(std::string("current: ") + value), "1: current must be " + key) << value;
  }
  EXPECT_EQ(FileRefusal("current: 0x1\nnext: 0x5eCe7z"), "2: next must be " + key);
  EXPECT_EQ(FileRefusal("current: 0x1\nprevious: -"), "2: previous must be " + key);
  EXPECT_EQ(FileRefusal("current: 0x1\nprotect: maybe"), "2: protect must be yes or no");
  for (const char* value : {"", "-1", "65536", "000001", "1s"}) {
    EXPECT_EQ(FileRefusal(std::string("current: 0x1\nlease_period_s: ") + value),
              "2: lease_period_s must be a number of seconds from 0 to 65535");
  }
  for (const char* line :
       {"0x5eCe7", "0x5eCe7: current", "Current: 0x1", "current : 0x1", "currents: 0x1", ": 0x1", "- current: 0x1"}) {
    EXPECT_EQ(FileRefusal(std::string("\n") + line),
              "2: this line must begin with current:, next:, previous:, protect: or lease_period_s:");
  }
  EXPECT_EQ(FileRefusal("current: 0x1\ncurrent: 0x5eCe7"), "2: current is given twice, but must be given once");
  EXPECT_EQ(FileRefusal("next: 0x1"), "0: current is missing, the key that devices have");
  EXPECT_EQ(FileRefusal("next: 0x1\ncurrent: 0x01"), "0: next must be another key than current");
}

TEST(KeyFile, IsForItsOwnerAlone) {
  const TempFolder temp;
  const std::string path = (temp / "keys").string();
  const auto refusal = [&path] {
    ibcc_key_file file{};
    ccp_error error{};
    if (ibcc_key_file_read(path.c_str(), &file, &error) == 0) return std::string("(read)");
    EXPECT_EQ(file.current, 0U);
    return std::string(error.message);
  };
  const std::string name = "the key file '" + path + "' ";
  EXPECT_EQ(refusal(), name + "cannot be opened: No such file or directory");
  Write(path, "current: 0x1\nprotect: maybe\n");
  for (const mode_t mode : {0644, 0640, 0604, 0620, 0700, 04600}) {
    ASSERT_EQ(chmod(path.c_str(), mode), 0);
    char octal[8];
    std::snprintf(octal, sizeof(octal), "%04o", static_cast<unsigned>(mode));
    EXPECT_EQ(refusal(), name + "has mode " + octal + ", but must have 0600 or less, so that nobody else reads the keys");
  }
  ASSERT_EQ(chmod(path.c_str(), 0600), 0);
  EXPECT_EQ(refusal(), name + "is wrong: protect must be yes or no");
  Write(path, "current: 0x1\n");
  EXPECT_EQ(refusal(), "(read)");
  if (geteuid() == 0) {
    ASSERT_EQ(chown(path.c_str(), 12345, 0), 0);
    EXPECT_EQ(refusal(), name + "belongs to user 12345, but must belong to root or to the user of this process, 0");
    ASSERT_EQ(chown(path.c_str(), 0, 0), 0);
  }
  Write(path, std::string("current: 0x1\n\0next", 18));
  EXPECT_EQ(refusal(), name + "must be plain text of at most 4096 bytes");
  Write(path, "current: 0x1\n" + std::string(4083, '\n'));
  EXPECT_EQ(refusal(), "(read)");
  Write(path, "current: 0x1\n" + std::string(4084, '\n'));
  EXPECT_EQ(refusal(), name + "must be plain text of at most 4096 bytes");
  plugin_test::fs::remove(path);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(refusal(), name + "is not a regular file");
}

}  // namespace
