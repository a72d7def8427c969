// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/mad_counts.hpp"

#include <gtest/gtest.h>

namespace ccsim::emulator {
namespace mad_counts_test {

MadBytes Make(unsigned mgmt_class, unsigned method, unsigned attribute) {
  MadBytes bytes{};
  bytes[1] = static_cast<std::uint8_t>(mgmt_class);
  bytes[3] = static_cast<std::uint8_t>(method);
  bytes[16] = static_cast<std::uint8_t>(attribute >> 8);
  bytes[17] = static_cast<std::uint8_t>(attribute);
  return bytes;
}

TEST(MadCounts, CountsByClassMethodAndAttribute) {
  MadCounts counts;
  MadBytes set = Make(kCongestionControl, kSet, 0x17), get = Make(kCongestionControl, kGet, 0x17),
           smp = Make(kSmpLid, kSet, 0x17);
  counts.Note(Mad(set), 5);
  counts.Note(Mad(get), 6);
  counts.Note(Mad(set), 7);
  counts.Note(Mad(smp), 8);
  ASSERT_EQ(counts.rows().size(), 3u);
  const MadCount& first = counts.rows()[0];
  EXPECT_EQ(first.mgmt_class, kCongestionControl);
  EXPECT_EQ(first.method, kSet);
  EXPECT_EQ(first.attribute, 0x17);
  EXPECT_EQ(first.count, 2u);
  EXPECT_EQ(first.first_ns, 5);
  EXPECT_EQ(first.last_ns, 7);
  EXPECT_EQ(counts.rows()[2].mgmt_class, kSmpLid);
  counts.Clear();
  EXPECT_TRUE(counts.rows().empty());
  counts.Note(Mad(set), 9);
  EXPECT_EQ(counts.rows()[0].count, 1u);
}

TEST(MadCounts, IsBounded) {
  MadCounts counts;
  for (unsigned attribute = 0; attribute < 2 * MadCounts::kMaxRows; ++attribute) {
    MadBytes mad = Make(kCongestionControl, kGet, attribute);
    counts.Note(Mad(mad), attribute);
  }
  EXPECT_EQ(counts.rows().size(), MadCounts::kMaxRows);
}

}  // namespace mad_counts_test
}  // namespace ccsim::emulator
