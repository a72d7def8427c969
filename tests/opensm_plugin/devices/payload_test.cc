// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "devices/payload.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <vector>

namespace {

using Bytes = std::array<uint8_t, CCP_ATTRIBUTE_BYTES>;

Bytes Numbered(uint32_t number) {
  Bytes bytes{};
  for (unsigned i = 0; i < 4; ++i) bytes[188 + i] = static_cast<uint8_t>(number >> (8 * i));
  return bytes;
}

TEST(Payload, EqualBytesAreOneObjectUntilTheLastHoldIsGivenBack) {
  ibcc_payload_pool* pool = ibcc_payload_pool_create();
  const ibcc_payload* a = ibcc_payload_intern(pool, Numbered(1).data());
  const ibcc_payload* b = ibcc_payload_intern(pool, Numbered(2).data());
  EXPECT_NE(a, b);
  EXPECT_EQ(ibcc_payload_intern(pool, Numbered(1).data()), a);
  EXPECT_EQ(ibcc_payload_hold(a), a);
  EXPECT_EQ(ibcc_payload_pool_count(pool), 2u);
  ibcc_payload_release(pool, a);
  ibcc_payload_release(pool, a);
  EXPECT_EQ(ibcc_payload_pool_count(pool), 2u);
  ibcc_payload_release(pool, a);
  EXPECT_EQ(ibcc_payload_pool_count(pool), 1u);
  ibcc_payload_release(pool, nullptr);
  ibcc_payload_pool_destroy(pool);  // gives b back as well
}

TEST(Payload, ManyComeAndGo) {
  ibcc_payload_pool* pool = ibcc_payload_pool_create();
  std::mt19937 random(1);
  std::map<uint32_t, std::vector<const ibcc_payload*>> held;
  for (int step = 0; step < 20000; ++step) {
    const uint32_t number = random() % 700;
    auto& holds = held[number];
    if (random() % 2 == 0) {
      const ibcc_payload* payload = ibcc_payload_intern(pool, Numbered(number).data());
      ASSERT_NE(payload, nullptr);
      if (!holds.empty()) ASSERT_EQ(payload, holds.front());
      holds.push_back(payload);
    } else if (!holds.empty()) {
      ibcc_payload_release(pool, holds.back());
      holds.pop_back();
    }
  }
  size_t distinct = 0;
  for (const auto& [number, holds] : held) distinct += !holds.empty();
  EXPECT_EQ(ibcc_payload_pool_count(pool), distinct);
  ibcc_payload_pool_destroy(pool);
}

}  // namespace
