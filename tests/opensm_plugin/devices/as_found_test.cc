// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The file of what devices were found with: it reads back equal, and whatever is wrong with it is a sentence.
#include "devices/as_found.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "ccpolicy/wire.h"
#include "devices/device_items.h"
#include "refused_memory.hpp"
#include "state_support.hpp"

namespace plugin_test {
namespace {

class AsFoundFile : public testing::Test {
 protected:
  AsFoundFile() : pool_(ibcc_payload_pool_create()) {
    ccp_error error{};
    state_ = ibcc_state_folder_open(folder_.Path().c_str(), &error);
    EXPECT_NE(state_, nullptr) << error.message;
  }
  ~AsFoundFile() override {
    ibcc_as_found_close(store_);
    EXPECT_EQ(ibcc_payload_pool_count(pool_), 0u) << "each hold was released";
    ibcc_payload_pool_destroy(pool_);
    ibcc_state_folder_close(state_);
  }
  std::string Open(bool is_first = true) {
    ccp_error error{};
    ibcc_as_found_close(store_);
    store_ = ibcc_as_found_open(state_, pool_, is_first, &log_, &error);
    return store_ != nullptr ? "" : error.message;
  }
  // A device with as many items; their values come from `seed`.
  const ibcc_found* Put(std::uint64_t guid, std::uint8_t port, unsigned items, std::uint8_t seed, bool frozen = true) {
    ibcc_found_reading reading{.is_over = true, .num_items = items, .items = nullptr};
    reading.items = static_cast<ibcc_found_item*>(std::calloc(items, sizeof(ibcc_found_item)));
    for (unsigned i = 0; i < items; ++i) {
      std::uint8_t bytes[CCP_ATTRIBUTE_BYTES] = {seed, static_cast<std::uint8_t>(i)};
      reading.items[i] = {.attribute = CCP_CONGESTION_CONTROL_TABLE, .block = i, .payload = ibcc_payload_intern(pool_, bytes)};
    }
    const ibcc_found* found = ibcc_as_found_put(store_, guid, port, &reading, frozen, nullptr, nullptr);
    ibcc_found_forget(&reading, pool_);
    return found;
  }
  std::string Save() {
    ccp_error error{};
    return ibcc_as_found_save(store_, &error) == 0 ? "" : error.message;
  }
  std::string Broken(const std::string& text) {
    ibcc_as_found_close(store_);
    store_ = nullptr;
    Write(folder_ / "as_found.json", text);
    fs::permissions(folder_ / "as_found.json", fs::perms::owner_read | fs::perms::owner_write);
    log_.lines.clear();
    EXPECT_EQ(Open(), "as_found.json in the state folder was damaged, and a former process may have set devices");
    return log_.lines.empty() ? "" : log_.lines.back();
  }

  TempFolder folder_;
  HeardLog log_;
  ibcc_payload_pool* pool_;
  ibcc_state_folder* state_ = nullptr;
  ibcc_as_found* store_ = nullptr;
};

// A base file may have brought another OpenSM's row, of a time that nobody knows, since this one has read the device.
TEST_F(AsFoundFile, OnlyWhatThisProcessHasReadIsWhatTheDeviceHolds) {
  ASSERT_EQ(Open(), "");
  const ibcc_found* row = Put(0x1000, 1, 1, 7);
  for (const std::int64_t seen_ns : {0, 5}) {
    row->items[0].seen_ns = seen_ns;
    ibcc_device device{};
    device.kind = IBCC_CA;
    device.found = row;
    device.found_is_news = true;
    ASSERT_EQ(ibcc_device_set_as_found(&device, pool_, false), 0);
    ASSERT_EQ(device.num_items, 1U);
    EXPECT_EQ(device.items[0].held != nullptr, seen_ns != 0);
    EXPECT_EQ(device.items[0].seen_ns, seen_ns);
    ibcc_device_clear_items(&device, pool_);
  }
}

TEST_F(AsFoundFile, ReadsBackWhatItWrote) {
  ASSERT_EQ(Open(), "");
  Put(0x1000, 1, 3, 7);
  Put(0x9000, 0, 1, 7, false);
  Put(0x1000, 2, 2, 9);
  ASSERT_EQ(Save(), "");
  const std::string text = Contents(folder_ / "as_found.json");
  ASSERT_EQ(Open(), "");
  EXPECT_EQ(ibcc_as_found_count(store_).devices, 3u);
  EXPECT_EQ(ibcc_as_found_count(store_).frozen, 2u);
  const ibcc_found* found = ibcc_as_found_find(store_, 0x1000, 1);
  ASSERT_NE(found, nullptr);
  EXPECT_TRUE(found->frozen);
  EXPECT_TRUE(found->saved);
  ASSERT_EQ(found->num_items, 3u);
  EXPECT_EQ(found->items[2].block, 2u);
  EXPECT_EQ(found->items[2].payload->bytes[0], 7);
  EXPECT_EQ(found->items[2].payload->bytes[1], 2);
  EXPECT_FALSE(ibcc_as_found_find(store_, 0x9000, 0)->frozen);
  EXPECT_EQ(ibcc_as_found_find(store_, 0x9000, 1), nullptr);
  ibcc_as_found_freeze(store_);
  EXPECT_FALSE(ibcc_as_found_find(store_, 0x9000, 0)->saved);
  ASSERT_EQ(Save(), "");
  EXPECT_EQ(ibcc_as_found_count(store_).frozen, 3u);
  EXPECT_NE(Contents(folder_ / "as_found.json"), text);
}

TEST_F(AsFoundFile, ValuesAreKeptOnceInAFileOfThousands) {
  ASSERT_EQ(Open(), "");
  for (std::uint64_t i = 0; i < 6804; ++i) Put(0x100000 + i, 1, 4, static_cast<std::uint8_t>(i % 3));
  ASSERT_EQ(Save(), "");
  EXPECT_LT(fs::file_size(folder_ / "as_found.json"), 6804u * 120u);
  ASSERT_EQ(Open(), "");
  EXPECT_EQ(ibcc_as_found_count(store_).devices, 6804u);
  EXPECT_EQ(ibcc_payload_pool_count(pool_), 12u);
}

TEST_F(AsFoundFile, AFolderOfAFormerProcessWithoutTheFileHasNone) {
  EXPECT_EQ(Open(false), "the state folder has no as_found.json, and a former process may have set devices");
  ASSERT_EQ(Open(true), "");
  Put(0x1000, 1, 1, 1);
  ASSERT_EQ(Save(), "");
  ASSERT_EQ(Open(false), "");
}

TEST_F(AsFoundFile, WhatIsWrongIsSetAsideWithASentence) {
  EXPECT_NE(Broken(R"({"ibcc_as_found": 1, "payloads": ["0g"], "devices": []})").find("a payload is '0g'"), std::string::npos);
  EXPECT_NE(Broken(R"({"ibcc_as_found": 1, "payloads": ["012"], "devices": []})").find("a payload is '012'"), std::string::npos);
  EXPECT_NE(Broken(R"({"ibcc_as_found": 1, "payloads": [7], "devices": []})").find("a payload is 'none'"), std::string::npos);
  const auto device = [](const std::string& row) {
    return R"({"ibcc_as_found": 1, "payloads": ["01"], "devices": [)" + row + "]}";
  };
  EXPECT_NE(Broken(device(R"(["0x1000/999", 1, true, "22.0:0"])")).find("a device is '0x1000/999'"), std::string::npos);
  EXPECT_NE(Broken(device(R"(["0x1000/1", 1, true, "22.0:0"], ["0x1000/1", 1, true, ""])")).find("a device is '0x1000/1'"),
            std::string::npos);
  for (const char* items : {"22.0:1", "22:0", "22.0", "9999.0:0", "22.0:0x", "22.0:-1", "x"})
    EXPECT_NE(Broken(device(R"(["0x1000/1", 1, true, ")" + std::string(items) + "\"]")).find("items of a device are"),
              std::string::npos)
        << items;
  EXPECT_NE(Broken("{}").find("ibcc_as_found, the version, is missing"), std::string::npos);
  EXPECT_NE(Broken("{").find("damaged"), std::string::npos);
}

TEST_F(AsFoundFile, SurvivesRefusedMemory) {
  ASSERT_EQ(Open(), "");
  for (std::uint64_t i = 0; i < 5; ++i) Put(0x1000 + i, 1, 2, static_cast<std::uint8_t>(i));
  for (unsigned nth = 1;; ++nth) {
    ibcc_as_found_freeze(store_);
    const RefusedMemory refused(nth);
    ccp_error error{};
    const int failed = ibcc_as_found_save(store_, &error);
    if (!refused.Happened()) {
      ASSERT_EQ(failed, 0);
      break;
    }
    ASSERT_LT(nth, 10000u);
  }
  for (unsigned nth = 1;; ++nth) {
    bool happened = false;
    {
      const RefusedMemory refused(nth);
      Open();
      happened = refused.Happened();
    }
    if (!happened) break;
    ASSERT_LT(nth, 10000u);
  }
  EXPECT_EQ(ibcc_as_found_count(store_).devices, 5u);
}

// Which Gets follow from which answers.
TEST(Found, ReadsAsManyBlocksAsThereAre) {
  ibcc_payload_pool* pool = ibcc_payload_pool_create();
  const auto blocks = [&](unsigned cap, int limit, unsigned refused_from = 1000) {
    const ibcc_found_extent extent{.is_switch = false, .num_ports = 0, .num_blocks = static_cast<std::uint8_t>(cap)};
    ibcc_found_reading reading{};
    ibcc_found_item next{};
    unsigned count = 0;
    while (ibcc_found_next(&reading, &extent, &next)) {
      std::uint8_t data[CCP_ATTRIBUTE_BYTES] = {};
      if (next.attribute == CCP_CONGESTION_CONTROL_TABLE) {
        ++count;
        data[0] = static_cast<std::uint8_t>(limit >> 8);
        data[1] = static_cast<std::uint8_t>(limit);
      }
      EXPECT_EQ(ibcc_found_take(&reading, &extent, pool, &next, count > refused_from ? 0x1c : 0, data), 0);
    }
    EXPECT_TRUE(reading.is_over);
    ibcc_found_forget(&reading, pool);
    return count;
  };
  EXPECT_EQ(blocks(2, 127), 2u);
  EXPECT_EQ(blocks(2, 0), 2u) << "a plan knows what the device has room for";
  EXPECT_EQ(blocks(0, 0), 1u);
  EXPECT_EQ(blocks(0, 200), 4u);
  EXPECT_EQ(blocks(31, 0), 4u);
  EXPECT_EQ(blocks(31, 1000), 16u);
  EXPECT_EQ(blocks(2, 1000), 2u);
  EXPECT_EQ(blocks(0, 65535), 255u);
  EXPECT_EQ(blocks(8, 511, 2), 3u) << "behind a block that is refused is none";
  ibcc_payload_pool_destroy(pool);
}

TEST_F(AsFoundFile, AnotherNodesRowsTakeThePlaceOfOwnOnes) {
  ASSERT_EQ(Open(), "");
  Put(1, 1, 3, 10);
  Put(2, 0, 1, 20, false);
  json_t* root = ibcc_as_found_json(store_);
  ASSERT_NE(root, nullptr);
  EXPECT_EQ(json_array_size(json_object_get(root, "devices")), 1U) << "only what a profile was applied to";
  fs::remove_all(folder_ / "as_found.json");
  ASSERT_EQ(Open(), "");
  const ibcc_found* own = Put(1, 1, 2, 99);
  Put(3, 1, 1, 30);
  const auto changes = ibcc_as_found_changes(store_);
  ccp_error error{};
  ASSERT_EQ(ibcc_as_found_merge(store_, root, &error), 0) << error.message;
  EXPECT_EQ(ibcc_as_found_find(store_, 1, 1), own) << "a row stays where it is";
  EXPECT_EQ(own->num_items, 3U);
  EXPECT_EQ(own->items[0].payload->bytes[0], 10);
  EXPECT_TRUE(own->frozen);
  EXPECT_FALSE(own->saved);
  EXPECT_NE(ibcc_as_found_find(store_, 3, 1), nullptr);
  EXPECT_NE(ibcc_as_found_changes(store_), changes);
  EXPECT_EQ(Save(), "");
  ASSERT_EQ(Open(false), "");
  EXPECT_EQ(ibcc_as_found_find(store_, 1, 1)->num_items, 3U);
  json_decref(root);
}

TEST_F(AsFoundFile, RowsThatMakeNoSenseChangeNothing) {
  ASSERT_EQ(Open(), "");
  const ibcc_found* own = Put(1, 1, 2, 99);
  for (const char* const text :
       {"{}", "[]", R"({"payloads": [], "devices": [["0x1/1", 1, true, "23.0:0"]]})",
        R"({"payloads": ["00"], "devices": [["0x1/1", 1, true, "23.0:0"], ["0x2/1", 1, true, "no"]]})"}) {
    json_t* root = json_loads(text, 0, nullptr);
    ccp_error error{};
    EXPECT_EQ(ibcc_as_found_merge(store_, root, &error), -1) << text;
    EXPECT_NE(error.message[0], '\0');
    EXPECT_EQ(own->num_items, 2U) << text;
    json_decref(root);
  }
}

}  // namespace
}  // namespace plugin_test
