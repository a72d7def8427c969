// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "keys/key_ring.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "state_support.hpp"

namespace {

using plugin_test::Contents;
using plugin_test::FullDisk;
using plugin_test::Mode;
using plugin_test::TempFolder;
using plugin_test::Write;

class KeyRingTest : public ::testing::Test {
 protected:
  struct FolderCloser {
    void operator()(ibcc_state_folder* folder) const { ibcc_state_folder_close(folder); }
  };
  KeyRingTest() {
    ccp_error error{};
    folder_.reset(ibcc_state_folder_open(temp_.Path().c_str(), &error));
    EXPECT_NE(folder_, nullptr) << error.message;
  }
  ibcc_key_ring Load() {
    ibcc_key_ring ring{};
    ccp_error error{};
    EXPECT_EQ(ibcc_key_ring_load(folder_.get(), &ring, &error), 0) << error.message;
    return ring;
  }
  static std::vector<std::uint64_t> Keys(const ibcc_key_ring& ring) {
    std::vector<std::uint64_t> keys;
    for (std::uint32_t i = 0; i < ring.count; ++i) keys.push_back(ring.keys[i].key);
    return keys;
  }

  TempFolder temp_;
  std::unique_ptr<ibcc_state_folder, FolderCloser> folder_;
};

TEST_F(KeyRingTest, KeepsKeysAndTheirNumbers) {
  ibcc_key_ring ring = Load();
  EXPECT_EQ(ring.count, 0U);
  EXPECT_EQ(ibcc_key_ring_add(&ring, 0xA, nullptr, 0), 1U);
  EXPECT_EQ(ibcc_key_ring_add(&ring, UINT64_MAX, nullptr, 0), 2U);
  EXPECT_EQ(ibcc_key_ring_add(&ring, 0xA, nullptr, 0), 1U);
  EXPECT_EQ(ibcc_key_ring_add(&ring, 0, nullptr, 0), IBCC_KEY_OPEN);
  ccp_error error{};
  ASSERT_EQ(ibcc_key_ring_save(folder_.get(), &ring, &error), 0) << error.message;
  EXPECT_EQ(Mode(temp_ / "keys"), 0600U);
  ring = Load();
  EXPECT_EQ(Keys(ring), (std::vector<std::uint64_t>{UINT64_MAX, 0xA}));
  EXPECT_EQ(ibcc_key_ring_find(&ring, 0xA), 1U);
  EXPECT_EQ(ibcc_key_ring_find(&ring, 0xB), 0U);
  EXPECT_EQ(ibcc_key_ring_add(&ring, 0xB, nullptr, 0), 3U);
}

TEST_F(KeyRingTest, IsBoundedAndForgetsTheOldestThatNobodyNeeds) {
  ibcc_key_ring ring = Load();
  for (std::uint64_t key = 1; key <= IBCC_MAX_KEYS; ++key) ibcc_key_ring_add(&ring, key, nullptr, 0);
  const std::uint64_t kept[] = {1, 3};
  EXPECT_EQ(ibcc_key_ring_add(&ring, 100, kept, 2), 17U);
  EXPECT_EQ(ibcc_key_ring_add(&ring, 101, kept, 2), 18U);
  EXPECT_EQ(Keys(ring), (std::vector<std::uint64_t>{101, 100, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 3, 1}));
  ccp_error error{};
  for (ibcc_ring_key& key : ring.keys) key.key |= 0xF000000000000000;  // as long as can be
  for (ibcc_ring_key& key : ring.keys) key.number += 4000000000U;
  ring.next_number = UINT32_MAX - 1;
  ASSERT_EQ(ibcc_key_ring_save(folder_.get(), &ring, &error), 0) << error.message;
  EXPECT_EQ(Keys(Load()), Keys(ring));
}

TEST_F(KeyRingTest, ThatMakesNoSenseIsLeftWhereItIs) {
  ibcc_key_ring ring = Load();
  ibcc_key_ring_add(&ring, 0x5ECE7, nullptr, 0);
  ccp_error error{};
  ASSERT_EQ(ibcc_key_ring_save(folder_.get(), &ring, &error), 0);
  const std::string good = Contents(temp_ / "keys");
  for (const std::string& text : {std::string(), std::string("x"), "x" + good, good + "x", good + "9 0x5\n", good + "1 0x0\n",
                                  good + good, std::string("ibcc_opensm_keys 2 3\n"), good + std::string("\0", 1)}) {
    Write(temp_ / "keys", text);
    EXPECT_EQ(ibcc_key_ring_load(folder_.get(), &ring, &error), -1) << text;
    const std::string sentence = error.message;
    EXPECT_NE(sentence.find("is damaged: write the keys"), std::string::npos) << sentence;
    EXPECT_EQ(sentence.find("5ece7"), std::string::npos);
    EXPECT_EQ(Contents(temp_ / "keys"), text);
  }
  Write(temp_ / "keys", good);
  const FullDisk full;
  EXPECT_EQ(ibcc_key_ring_save(folder_.get(), &ring, &error), -1);
}

}  // namespace
