// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <gtest/gtest.h>

#include "emulator/management.hpp"
#include "testing.hpp"

namespace ccsim::emulator {
namespace sma_multicast_forwarding_table_test {

using namespace testing;

constexpr std::uint32_t At(std::uint32_t position, std::uint32_t block) { return position << 28 | block; }

TEST(SmaMulticastForwardingTable, KeepsBlocksOf32LidsAnd16Ports) {
  const auto bed = ccsim::testing::TwoSwitch();
  Subnet subnet(bed.fabric);
  Manager manager(subnet, {2, 1});
  Data data{};
  for (std::size_t i = 0; i < 32; ++i) Put16(data.data() + 2 * i, static_cast<std::uint16_t>(0x101 * i));
  EXPECT_EQ(manager.Set({1}, kMulticastId, At(2, 3), data).data, data);
  EXPECT_EQ(manager.Get({1}, kMulticastId, At(2, 3)).data, data);
  EXPECT_EQ(manager.Get({1}, kMulticastId, At(1, 3)).data, Data{});
  EXPECT_EQ(manager.Get({1}, kMulticastId, At(2, 2)).data, Data{});
  EXPECT_EQ(manager.Get({1}, kMulticastId, At(2, 127)).data, Data{});
}

TEST(SmaMulticastForwardingTable, RefusesWhatTheSwitchDoesNotHave) {
  const auto bed = ccsim::testing::TwoSwitch();
  Subnet subnet(bed.fabric);
  Manager manager(subnet, {2, 1});
  EXPECT_EQ(manager.Get({1}, kMulticastId, At(3, 0)).status, kInvalidField);        // ports 0 to 36 are three sixteens
  EXPECT_EQ(manager.Set({1}, kMulticastId, At(0, 128), {}).status, kInvalidField);  // 4,096 LIDs
  EXPECT_EQ(manager.Get({}, kMulticastId).status, kUnsupportedMethodAttribute);
}

}  // namespace sma_multicast_forwarding_table_test
}  // namespace ccsim::emulator
