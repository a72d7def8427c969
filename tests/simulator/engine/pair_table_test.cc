// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/pair_table.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <utility>

#include "rng.hpp"
#include "units.hpp"

namespace ccsim {
namespace pair_table_test {

struct Value : PairRecord {
  std::int64_t number = 0;
};

TEST(PairTable, HoldsWhatAMapHolds) {
  PairTable<Value> table;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Time> expected;
  Rng rng(3, 1);
  for (Time i = 1; i <= 20'000; ++i) {
    const auto flow = static_cast<std::uint32_t>(rng.Below(50));
    const auto endport = static_cast<std::uint32_t>(rng.Below(300));
    table.Make(flow, endport, [](std::uint32_t, const Value&) { return false; }).number += i;
    expected[{flow, endport}] += i;
  }
  std::size_t seen = 0;
  table.ForEach([&](std::uint32_t flow, std::uint32_t endport, const Value& value) {
    ++seen;
    EXPECT_EQ(value.number, (expected[{flow, endport}]));
  });
  EXPECT_EQ(seen, expected.size());
  for (const auto& [pair, number] : expected) {
    const Value* value = table.Find(pair.first, pair.second);
    ASSERT_NE(value, nullptr);
    EXPECT_EQ(value->number, number);
  }
  EXPECT_EQ(table.Find(50, 0), nullptr);
}

TEST(PairTable, IdleValuesGoAndOthersStayHoweverManyCome) {
  PairTable<Value> table;
  const auto is_idle = [](std::uint32_t, const Value& value) { return value.number % 1000 != 0; };
  for (std::uint32_t i = 0; i < 200'000; ++i) table.Make(i % 7, i, is_idle).number = i;
  std::size_t left = 0;
  table.ForEach([&](std::uint32_t, std::uint32_t, const Value&) { ++left; });
  EXPECT_LT(left, 2'000u);
  for (std::uint32_t i = 0; i < 200'000; i += 1000) {
    const Value* value = table.Find(i % 7, i);
    ASSERT_NE(value, nullptr) << i;
    EXPECT_EQ(value->number, i);
  }
}

}  // namespace pair_table_test
}  // namespace ccsim
