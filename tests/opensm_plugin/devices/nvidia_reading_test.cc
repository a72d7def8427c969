// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What was read of NVIDIA's attributes, and which items of a profile the device holds by that.
#include "devices/nvidia_reading.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "devices/nvidia_items.h"
#include "devices/payload.h"

namespace plugin_test {
namespace {

using Bytes = std::array<std::uint8_t, CCP_ATTRIBUTE_BYTES>;

constexpr ccp_ppcc_algorithm kAlgorithm = {.algo_id = 2, .major = 1};

template <typename Value>
Bytes Packed(ccp_attribute_id attribute, const Value& value) {
  Bytes bytes{};
  ccp_error error{};
  EXPECT_EQ(ccp_pack(attribute, &value, bytes.data(), &error), 0) << error.message;
  return bytes;
}

Bytes Thresholds(std::uint16_t vls, unsigned percent) {
  ccp_congestion_port_profile_settings settings{};
  settings.mode = CCP_THRESHOLD_PERCENTAGE;
  settings.vl_mask = vls;
  settings.profiles[0].percent = static_cast<std::uint8_t>(percent);
  return Packed(CCP_CONGESTION_PORT_PROFILE_SETTINGS, settings);
}

Bytes Algorithm(std::uint16_t sls, bool enabled) {
  ccp_congestion_hca_algo_config config{};
  config.algo_en = enabled;
  config.sl_bitmask = sls;
  return Packed(CCP_CONGESTION_HCA_ALGO_CONFIG, config);
}

class NvidiaReading : public ::testing::Test {
 protected:
  NvidiaReading() : pool_(ibcc_payload_pool_create()) {}
  ~NvidiaReading() override {
    for (const ibcc_payload* payload : payloads_) ibcc_payload_release(pool_, payload);
    ibcc_nvidia_reading_forget(&reading_, pool_);
    ibcc_payload_pool_destroy(pool_);
  }

  const ibcc_payload* Interned(const Bytes& bytes) {
    payloads_.push_back(ibcc_payload_intern(pool_, bytes.data()));
    return payloads_.back();
  }
  ibcc_found_item Found(std::uint16_t attribute, std::uint16_t scope, const Bytes& bytes) {
    ibcc_found_item item{};
    item.attribute = attribute;
    item.scope = scope;
    item.block = 1;
    if (attribute == CCP_CONGESTION_HCA_ALGO_CONFIG) item.algorithm = kAlgorithm;
    item.seen_ns = 5;
    item.payload = Interned(bytes);
    return item;
  }
  // What the device holds of an item of block 1, by rows; NULL: nobody knows.
  const ibcc_payload* Held(std::vector<ibcc_found_item> rows, std::uint16_t attribute, std::uint16_t scope, const Bytes& wanted,
                           const ccp_ppcc_algorithm& algorithm = {}) {
    ibcc_found found{};
    found.num_items = static_cast<std::uint32_t>(rows.size());
    found.items = rows.data();
    ibcc_item item{};
    item.attribute = attribute;
    item.scope = scope;
    item.block = 1;
    item.algorithm = algorithm;
    item.wanted = Interned(wanted);
    std::int64_t seen_ns = 0;
    const ibcc_payload* held = ibcc_nvidia_held_by_found(&found, &item, &seen_ns);
    EXPECT_EQ(seen_ns, held == nullptr ? seen_ns : 5);
    return held;
  }

  ibcc_payload_pool* pool_;
  std::vector<const ibcc_payload*> payloads_;
  ibcc_nvidia_reading reading_{};
};

// An adapter with one algorithm, which says of each SL but 5 that it is disabled there.
TEST_F(NvidiaReading, AnSlThatADeviceDoesNotTellOfIsAGap) {
  for (const bool is_refused : {false, true}) {
    ibcc_nvidia_reading_forget(&reading_, pool_);
    ibcc_nvidia_facts facts{};
    facts.ver1 = true;
    facts.algorithms[0] = kAlgorithm;
    const Bytes nothing{};
    ibcc_nvidia_get get{};
    unsigned sls = 0;
    while (ibcc_nvidia_reading_next(&reading_, &facts, 0, &get)) {
      const bool is_slot = get.attribute == CCP_CONGESTION_HCA_ALGO_CONFIG;
      const std::uint16_t status = is_refused && is_slot && sls == 5 ? 0x1C : 0;
      sls += is_slot;
      get.asked_ns = 7;
      ASSERT_EQ(ibcc_nvidia_reading_take(&reading_, &facts, 0, pool_, &get, status, nothing.data()), 0);
    }
    EXPECT_TRUE(reading_.is_over);
    EXPECT_EQ(sls, 16U);
    EXPECT_EQ(reading_.has_gaps, is_refused);
    ASSERT_GT(reading_.num_items, 0U);
    EXPECT_EQ(reading_.items[0].seen_ns, 7);
  }
}

TEST_F(NvidiaReading, ThresholdsOfSeveralVlsAreHeldIfEachOfThemIsSo) {
  constexpr std::uint16_t kPort = CCP_CONGESTION_PORT_PROFILE_SETTINGS;
  const Bytes wanted = Thresholds(7, 20);
  EXPECT_NE(Held({Found(kPort, 15, Thresholds(15, 20))}, kPort, 7, wanted), nullptr);
  EXPECT_NE(Held({Found(kPort, 1, Thresholds(1, 20)), Found(kPort, 6, Thresholds(6, 20))}, kPort, 7, wanted), nullptr);
  EXPECT_EQ(Held({Found(kPort, 1, Thresholds(1, 20)), Found(kPort, 6, Thresholds(6, 21))}, kPort, 7, wanted), nullptr);
  EXPECT_EQ(Held({Found(kPort, 3, Thresholds(3, 20))}, kPort, 7, wanted), nullptr) << "VL 2 was not read";
  EXPECT_EQ(Held({}, kPort, 7, wanted), nullptr);
}

TEST_F(NvidiaReading, AnAlgorithmIsHeldIfAllItsSlsAreSo) {
  constexpr std::uint16_t kSlot = CCP_CONGESTION_HCA_ALGO_CONFIG;
  const std::vector<ibcc_found_item> rows = {Found(kSlot, 9, Algorithm(9, true))};
  EXPECT_NE(Held(rows, kSlot, 9, Algorithm(9, true), kAlgorithm), nullptr);
  EXPECT_NE(Held(rows, kSlot, 6, Algorithm(6, false), kAlgorithm), nullptr);
  EXPECT_EQ(Held(rows, kSlot, 3, Algorithm(3, true), kAlgorithm), nullptr) << "SL 1 is disabled";
  EXPECT_EQ(Held(rows, kSlot, 3, Algorithm(3, false), kAlgorithm), nullptr) << "SL 0 is enabled";
  EXPECT_EQ(Held(rows, kSlot, 9, Algorithm(9, true), {.algo_id = 3}), nullptr) << "another one is in the slot now";
}

// If an attribute has no mask, the plugin knows what the device holds, even if the profile wants something else.
TEST_F(NvidiaReading, WhatDiffersFromTheProfileIsKnown) {
  ccp_congestion_switch_general_settings general{};
  general.en = true;
  const Bytes on = Packed(CCP_CONGESTION_SWITCH_GENERAL_SETTINGS, general);
  const ibcc_found_item row = Found(CCP_CONGESTION_SWITCH_GENERAL_SETTINGS, 0, on);
  EXPECT_EQ(Held({row}, CCP_CONGESTION_SWITCH_GENERAL_SETTINGS, 0, Bytes{}), row.payload);
}

}  // namespace
}  // namespace plugin_test
