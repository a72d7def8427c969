// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The file of what devices held of NVIDIA's attributes: it reads back equal, and whatever is wrong with it is a sentence.
#include "devices/nvidia_found.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "ccpolicy/wire.h"
#include "rpc/support.hpp"
#include "state_support.hpp"

namespace plugin_test {
namespace {

class NvidiaFoundFile : public testing::Test {
 protected:
  NvidiaFoundFile() : pool_(ibcc_payload_pool_create()) {
    ccp_error error{};
    state_ = ibcc_state_folder_open(folder_.Path().c_str(), &error);
    EXPECT_NE(state_, nullptr) << error.message;
    EXPECT_EQ(Open(), "");
  }
  ~NvidiaFoundFile() override {
    ibcc_nvidia_founds_close(store_);
    EXPECT_EQ(ibcc_payload_pool_count(pool_), 0u) << "each hold was released";
    ibcc_payload_pool_destroy(pool_);
    ibcc_state_folder_close(state_);
  }
  std::string Open() {
    ccp_error error{};
    ibcc_nvidia_founds_close(store_);
    store_ = ibcc_nvidia_founds_open(state_, pool_, &log_, &error);
    return store_ != nullptr ? "" : error.message;
  }
  // An adapter with general settings, and an algorithm that is enabled for some SLs.
  void Put(std::uint64_t guid, std::uint8_t value, std::uint16_t sls = 3) {
    auto* items = static_cast<ibcc_found_item*>(std::calloc(2, sizeof(ibcc_found_item)));
    const std::uint8_t general[CCP_ATTRIBUTE_BYTES] = {0xC0, value}, config[CCP_ATTRIBUTE_BYTES] = {0x80};
    items[0] = {.attribute = CCP_CONGESTION_HCA_GENERAL_SETTINGS, .payload = ibcc_payload_intern(pool_, general)};
    items[1] = {.attribute = CCP_CONGESTION_HCA_ALGO_CONFIG,
                .scope = sls,
                .block = 1,
                .algorithm = {.algo_id = 7, .major = 1, .minor = 2},
                .payload = ibcc_payload_intern(pool_, config)};
    ASSERT_EQ(ibcc_nvidia_founds_put(store_, guid, 1, items, 2), 0);
  }
  std::string Save() {
    ccp_error error{};
    return ibcc_nvidia_founds_save(store_, &error) == 0 ? "" : error.message;
  }
  std::string Broken(const std::string& text) {
    ibcc_nvidia_founds_close(store_);
    store_ = nullptr;
    Write(folder_ / "nvidia_found.json", text);
    fs::permissions(folder_ / "nvidia_found.json", fs::perms::owner_read | fs::perms::owner_write);
    log_.lines.clear();
    EXPECT_EQ(Open(), "");
    return log_.lines.empty() ? "" : log_.lines.back();
  }

  TempFolder folder_;
  HeardLog log_;
  ibcc_payload_pool* pool_;
  ibcc_state_folder* state_ = nullptr;
  ibcc_nvidia_founds* store_ = nullptr;
};

TEST_F(NvidiaFoundFile, ReadsBackWhatWasWritten) {
  Put(0x1000, 1);
  Put(0x1001, 1, 0);
  ibcc_nvidia_founds_keep(store_, 0x1001, 1, true);
  EXPECT_FALSE(ibcc_nvidia_founds_find(store_, 0x1001, 1)->saved);
  EXPECT_EQ(Save(), "");
  EXPECT_EQ(Open(), "");
  EXPECT_EQ(ibcc_payload_pool_count(pool_), 2u) << "each value once";
  EXPECT_EQ(ibcc_nvidia_founds_kept(store_, 0x1000, 1), nullptr);
  const ibcc_found* found = ibcc_nvidia_founds_find(store_, 0x1000, 1);
  ASSERT_NE(found, nullptr);
  EXPECT_TRUE(found->saved);
  EXPECT_TRUE(ibcc_nvidia_found_is_on(found));
  ASSERT_EQ(found->num_items, 2u);
  EXPECT_EQ(found->items[1].scope, 3);
  EXPECT_EQ(found->items[1].block, 1u);
  EXPECT_EQ(found->items[1].algorithm.algo_id, 7);
  EXPECT_EQ(found->items[1].algorithm.minor, 2);
  EXPECT_EQ(found->items[0].payload->bytes[1], 1);
  ASSERT_NE(ibcc_nvidia_founds_kept(store_, 0x1001, 1), nullptr);
  EXPECT_EQ(ibcc_nvidia_founds_kept(store_, 0x1001, 1)->items[1].scope, 0);
}

TEST_F(NvidiaFoundFile, AnotherTakesTheRowsThatAreKept) {
  Put(0x1000, 1);
  Put(0x1001, 2);
  ibcc_nvidia_founds_keep(store_, 0x1001, 1, true);
  const ibcc_test::Json left(ibcc_nvidia_founds_json(store_));
  EXPECT_EQ(json_array_size(json_object_get(left.get(), "devices")), 1u);
  EXPECT_EQ(Open(), "");
  Put(0x1001, 9);
  ccp_error error{};
  const std::uint64_t changes = ibcc_nvidia_founds_changes(store_);
  ASSERT_EQ(ibcc_nvidia_founds_merge(store_, left.get(), &error), 0) << error.message;
  EXPECT_NE(ibcc_nvidia_founds_changes(store_), changes);
  ASSERT_NE(ibcc_nvidia_founds_kept(store_, 0x1001, 1), nullptr);
  EXPECT_EQ(ibcc_nvidia_founds_kept(store_, 0x1001, 1)->items[0].payload->bytes[1], 2) << "what the other has read first";
  EXPECT_EQ(ibcc_nvidia_founds_find(store_, 0x1000, 1), nullptr);
}

TEST_F(NvidiaFoundFile, WhatMakesNoSenseIsSetAside) {
  const auto with = [](const std::string& rows) {
    return R"({"ibcc_opensm_nvidia_found": 1, "payloads": ["c0"], "devices": [)" + rows + "]}";
  };
  const auto item = [&](const std::string& text) { return with(R"(["0x1000/1", 5, true, ")" + text + R"("])"); };
  EXPECT_EQ(Broken(item("65312.0.0:0")), "");
  EXPECT_NE(ibcc_nvidia_founds_kept(store_, 0x1000, 1), nullptr);
  const std::string why = "must be such as '65289.1.15:0 65316.0.3/2.1.0:1'";
  for (const char* text : {"65312.0:0", "65312.0.0:1", "1.0.0", "65312.0.70000:0", "65316.0.3/2.1:0", "65312.-1.0:0",
                           "65312.0.0:0 ", "x.0.0:0", "65312.0.0:0x"})
    EXPECT_NE(Broken(item(text)).find(why), std::string::npos) << text << ": " << log_.lines.back();
  EXPECT_NE(Broken(with(R"(["0x1000/999", 5, true, ""])")).find("a device is '0x1000/999'"), std::string::npos);
  EXPECT_NE(Broken(with(R"(["0x1000/1", 5, true])")).find("a device"), std::string::npos);
  EXPECT_NE(Broken("{").find("are cleared, and not brought back to what they held before"), std::string::npos);
  EXPECT_EQ(ibcc_nvidia_founds_find(store_, 0x1000, 1), nullptr);
}

}  // namespace
}  // namespace plugin_test
