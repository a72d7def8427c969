// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agents/asking.hpp"

namespace ccsim::emulator {
namespace cca_timestamp_test {

using testing::Ask;
using testing::SmallSubnet;

TEST(CcaTimestamp, CountsUnitsOf1024NanosecondsAndWraps) {
  SmallSubnet s;
  const auto stamp = [&] { return Get32(Ask(s.subnet, SmallSubnet::kAtSwitch, {.attribute = CCP_TIMESTAMP}).data()); };
  s.now_ns = 1023;
  EXPECT_EQ(stamp(), 0u);
  s.now_ns = 1024;
  EXPECT_EQ(stamp(), 1u);
  s.now_ns = 1'024'000'000;
  EXPECT_EQ(stamp(), 1'000'000u);
  s.now_ns = (std::int64_t{1} << 42) + 2048;
  EXPECT_EQ(stamp(), 2u);
  EXPECT_EQ(Ask(s.subnet, SmallSubnet::kAtSwitch, {.attribute = CCP_TIMESTAMP, .modifier = 1}).status, kInvalidField);
  EXPECT_EQ(Ask(s.subnet, SmallSubnet::kAtSwitch, {.method = kSet, .attribute = CCP_TIMESTAMP}).status,
            kUnsupportedMethodAttribute);
}

}  // namespace cca_timestamp_test
}  // namespace ccsim::emulator
