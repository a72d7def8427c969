// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "changes/base_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <iterator>
#include <string>

#include "state_support.hpp"

namespace {

using plugin_test::TempFolder;

class BaseFile : public testing::Test {
 protected:
  ~BaseFile() override {
    ibcc_keys_close(keys_);
    ibcc_state_folder_close(state_);
  }
  std::string Path() { return temp_ / "base"; }
  void HaveKeys(const std::string& text) {
    const std::string path = temp_ / "keys.yaml";
    std::ofstream(path) << text;
    chmod(path.c_str(), 0600);
    if (state_ == nullptr) state_ = ibcc_state_folder_open((temp_ / "state").c_str(), &error_);
    ibcc_keys_close(keys_);
    keys_ = ibcc_keys_open(state_, path.c_str(), nullptr, &error_);
    ASSERT_NE(keys_, nullptr) << error_.message;
  }
  void Write() {
    ASSERT_EQ(ibcc_base_file_write(Path().c_str(), keys_, json_pack("{s:i}", "number", 7), &error_), 0) << error_.message;
  }
  ibcc_base_found Read() {
    json_t* root = nullptr;
    error_.message[0] = '\0';
    const ibcc_base_found found = ibcc_base_file_read(Path().c_str(), keys_, &root, &error_);
    if (root != nullptr) {
      EXPECT_EQ(json_integer_value(json_object_get(root, "number")), 7);
    }
    EXPECT_EQ(root != nullptr, found == IBCC_BASE_READ);
    json_decref(root);
    return found;
  }
  std::string Bytes() {
    std::ifstream file(Path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void Put(const std::string& bytes) { std::ofstream(Path(), std::ios::binary) << bytes; }
  std::string Said() const { return error_.message; }

  TempFolder temp_;
  ibcc_state_folder* state_ = nullptr;
  ibcc_keys* keys_ = nullptr;
  ccp_error error_{};
};

TEST_F(BaseFile, WhatIsWrittenIsRead) {
  EXPECT_EQ(Read(), IBCC_BASE_ABSENT);
  const ibcc_base_stamp none = ibcc_base_file_stamp(Path().c_str());
  Write();
  EXPECT_EQ(Read(), IBCC_BASE_READ);
  const ibcc_base_stamp first = ibcc_base_file_stamp(Path().c_str());
  EXPECT_FALSE(ibcc_base_stamp_is_same(&none, &first));
  Write();
  const ibcc_base_stamp second = ibcc_base_file_stamp(Path().c_str());
  EXPECT_FALSE(ibcc_base_stamp_is_same(&first, &second)) << "it is another file, though its bytes are the same";
  struct stat status{};
  ASSERT_EQ(stat(Path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600U);
}

// At each place where a copy may end, and with each byte changed.
TEST_F(BaseFile, OneThatIsCutOrDamagedIsNoFile) {
  Write();
  const std::string whole = Bytes();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    Put(whole.substr(0, length));
    EXPECT_EQ(Read(), IBCC_BASE_DAMAGED) << length << " of " << whole.size() << " bytes: " << Said();
  }
  for (std::size_t at = whole.find('\n') + 1; at < whole.size(); ++at) {
    std::string other = whole;
    other[at] ^= 1;
    Put(other);
    EXPECT_EQ(Read(), IBCC_BASE_DAMAGED) << "byte " << at;
  }
  Put(whole);
  EXPECT_EQ(Read(), IBCC_BASE_READ);
}

TEST_F(BaseFile, OnlyWhoHasAKeyOfTheKeyFileIsBelieved) {
  Write();
  HaveKeys("current: 0x1234\n");
  EXPECT_EQ(Read(), IBCC_BASE_REFUSED);
  EXPECT_NE(Said().find("is not signed"), std::string::npos) << Said();
  Write();
  EXPECT_EQ(Read(), IBCC_BASE_READ);
  HaveKeys("current: 0x5678\n");
  EXPECT_EQ(Read(), IBCC_BASE_READ) << "the key of before is remembered";
  ibcc_state_folder_close(state_);
  state_ = ibcc_state_folder_open((temp_ / "another").c_str(), &error_);
  HaveKeys("current: 0x5678\n");
  EXPECT_EQ(Read(), IBCC_BASE_REFUSED);
  EXPECT_NE(Said().find("give that as previous"), std::string::npos) << Said();
  HaveKeys("current: 0x5678\nprevious: 0x1234\n");
  EXPECT_EQ(Read(), IBCC_BASE_READ);
  HaveKeys("current: 0x5678\nnext: 0x1234\n");
  EXPECT_EQ(Read(), IBCC_BASE_READ) << "the other node is in the next phase of a change";
  HaveKeys("current: 0x0\n");
  EXPECT_EQ(Read(), IBCC_BASE_READ) << "no key: nothing is signed, and nothing need be";
  Write();
  EXPECT_NE(Bytes().find("hmac-sha256 none\n"), std::string::npos);
}

TEST_F(BaseFile, OneOfANewerVersionIsLeftAsItIs) {
  Put("ibcc-base-file 2 something else\n{}\n");
  EXPECT_EQ(Read(), IBCC_BASE_REFUSED);
  EXPECT_NE(Said().find("is of version 2, but this plugin reads version 1"), std::string::npos) << Said();
}

TEST_F(BaseFile, OthersMayNotWriteIt) {
  Write();
  chmod(Path().c_str(), 0666);
  EXPECT_EQ(Read(), IBCC_BASE_REFUSED);
  EXPECT_NE(Said().find("may be written by others"), std::string::npos) << Said();
}

TEST_F(BaseFile, AFolderThatIsMissingIsSaid) {
  EXPECT_EQ(ibcc_base_file_write((temp_ / "none/base").c_str(), nullptr, json_object(), &error_), -1);
  EXPECT_NE(Said().find("the base file's folder"), std::string::npos) << Said();
}

TEST_F(BaseFile, ADamagedOneIsSetAside) {
  Put("nonsense");
  unsigned number = 0;
  EXPECT_EQ(ibcc_base_file_set_aside(Path().c_str(), &number, &error_), 0);
  EXPECT_EQ(number, 1U);
  EXPECT_EQ(Read(), IBCC_BASE_ABSENT);
}

}  // namespace
