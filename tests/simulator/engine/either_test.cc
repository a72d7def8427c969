// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/either.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "units.hpp"

namespace ccsim {
namespace either_test {

template <typename T>
class EitherTest : public ::testing::Test {};
using Integers = ::testing::Types<std::uint32_t, std::uint64_t, Time>;
TYPED_TEST_SUITE(EitherTest, Integers);

TYPED_TEST(EitherTest, IsTheConditionalOperator) {
  const TypeParam values[] = {
      0, 1, 77, static_cast<TypeParam>(-1), std::numeric_limits<TypeParam>::max(), std::numeric_limits<TypeParam>::min()};
  for (const TypeParam a : values) {
    for (const TypeParam b : values) {
      EXPECT_EQ(Either(true, a, b), a);
      EXPECT_EQ(Either(false, a, b), b);
    }
  }
}

}  // namespace either_test
}  // namespace ccsim
