// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "rpc/object.h"

#include <gtest/gtest.h>

#include "refused_memory.hpp"
#include "rpc/support.hpp"

namespace ibcc_test {
namespace {

Json Two(json_t* first, json_t* second) {
  const ibcc_json_member members[] = {{.key = "first", .value = first}, {.key = "second", .value = second}};
  return Json(ibcc_json_object(members, 2));
}

TEST(RpcObject, HasEveryMember) {
  EXPECT_EQ(Show(Two(json_integer(7), json_null()).get()), "{'first':7,'second':null}");
  EXPECT_EQ(Show(Json(ibcc_json_object(nullptr, 0)).get()), "{}");
}

// What is left over is a leak, which the sanitizer finds.
TEST(RpcObject, IsNoneWithoutOneOfItsValuesAndKeepsNoneOfThem) {
  EXPECT_EQ(Two(nullptr, json_string("left over?")), nullptr);
  EXPECT_EQ(Two(json_string("left over?"), nullptr), nullptr);
}

TEST(RpcObject, IsNoneWithoutMemory) {
  for (unsigned nth = 1;; ++nth) {
    json_t* const value = json_string("value");
    const RefusedMemory refused(nth);
    const Json object = Two(value, json_true());
    if (!refused.Happened()) {
      EXPECT_NE(object, nullptr);
      EXPECT_GT(nth, 1u);
      break;
    }
    EXPECT_EQ(object, nullptr);
  }
}

}  // namespace
}  // namespace ibcc_test
