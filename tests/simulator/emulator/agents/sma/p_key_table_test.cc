// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <gtest/gtest.h>

#include "emulator/management.hpp"
#include "testing.hpp"

namespace ccsim::emulator {
namespace sma_p_key_table_test {

using namespace testing;

constexpr std::uint32_t OfPort(std::uint32_t port, std::uint32_t block = 0) { return port << 16 | block; }

TEST(SmaPKeyTable, StartsWithTheDefaultPartition) {
  const auto bed = ccsim::testing::TwoSwitch();
  Subnet subnet(bed.fabric);
  Data expected{};
  Put16(expected.data(), 0xFFFF);
  Manager manager(subnet, {2, 1});
  EXPECT_EQ(manager.Get({}, kPKeyTableId).data, expected);
  EXPECT_EQ(manager.Get({1}, kPKeyTableId).data, expected);
  EXPECT_EQ(manager.Get({}, kPKeyTableId, 1).data, Data{});
}

TEST(SmaPKeyTable, EachPortOfASwitchHasItsOwn) {
  const auto bed = ccsim::testing::TwoSwitch();
  Subnet subnet(bed.fabric);
  Manager manager(subnet, {2, 1});
  Data data{};
  for (std::size_t i = 0; i < 32; ++i) Put16(data.data() + 2 * i, static_cast<std::uint16_t>(0x8000 + i));
  EXPECT_EQ(manager.Set({1}, kPKeyTableId, OfPort(7, 1), data).data, data);
  EXPECT_EQ(manager.Get({1}, kPKeyTableId, OfPort(7, 1)).data, data);
  EXPECT_EQ(Get16(manager.Get({1}, kPKeyTableId, OfPort(7)).data.data()), 0xFFFF);
  EXPECT_EQ(manager.Get({1}, kPKeyTableId, OfPort(8, 1)).data, Data{});
  EXPECT_EQ(manager.Get({1}, kPKeyTableId, OfPort(0, 1)).data, Data{});
}

TEST(SmaPKeyTable, RefusesBlocksAndPortsThatDoNotExist) {
  const auto bed = ccsim::testing::TwoSwitch();
  Subnet subnet(bed.fabric);
  Manager manager(subnet, {2, 1});
  EXPECT_EQ(manager.Get({}, kPKeyTableId, 2).status, kInvalidField);
  EXPECT_EQ(manager.Set({1}, kPKeyTableId, OfPort(1, 2), {}).status, kInvalidField);
  EXPECT_EQ(manager.Get({1}, kPKeyTableId, OfPort(37)).status, kInvalidField);
}

}  // namespace sma_p_key_table_test
}  // namespace ccsim::emulator
