// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/big_vector.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace ccsim {
namespace big_vector_test {

TEST(BigVector, KeepsItsValuesWhileItGrowsIntoHugePages) {
  BigVector<std::uint64_t> values;
  const std::size_t count = 3 * BigAllocator<std::uint64_t>::kHugePage / sizeof(std::uint64_t);
  for (std::size_t i = 0; i < count; ++i) values.push_back(i);
  const BigVector<std::uint64_t> copy = values;
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(copy[i], i);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(copy.data()) % BigAllocator<std::uint64_t>::kHugePage, 0u);
}

}  // namespace big_vector_test
}  // namespace ccsim
