// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "methods/support.hpp"

namespace ibcc_test {
namespace {

using Paging = Methods;

// `as_of_s` is of the wall clock, which goes on while the fabric's stands still.
std::string WithoutTime(json_t* devices) {
  std::size_t i;
  json_t* device;
  json_array_foreach(devices, i, device) { EXPECT_EQ(json_object_del(device, "as_of_s"), 0); }
  return Show(devices);
}

TEST_F(Paging, PagesTogetherAreTheWhole) {
  BringUp();
  const std::string whole = WithoutTime(json_object_get(Call("devices").get(), "devices"));
  for (const int limit : {1, 2, 3, 6, 7, 8}) {
    const Json together(json_array());
    std::string after;
    int pages = 0;
    do {
      const Json page = Call("devices", "{'limit': " + std::to_string(limit) + after + "}");
      EXPECT_LE(json_array_size(At(page, "devices")), static_cast<std::size_t>(limit));
      json_array_extend(together.get(), json_object_get(page.get(), "devices"));
      const char* next = json_string_value(At(page, "next"));
      after = next != nullptr ? ", 'after': '" + std::string(next) + "'" : "";
      ++pages;
    } while (!after.empty() && pages < 10);
    EXPECT_EQ(WithoutTime(together.get()), whole) << limit;
    EXPECT_EQ(pages, (7 + limit - 1) / limit);
  }
}

TEST_F(Paging, WhatIsNoPageIsRefused) {
  EXPECT_EQ(Refusal("devices", "{'limit': 0}"), "-32602: limit must be a whole number from 1 to 100000");
  for (const std::string wrong : {"x", "0x1", "0x1/", "0x1/1x", "0x1/1/1"}) {
    EXPECT_EQ(Refusal("devices", "{'after': '" + wrong + "'}"),
              "-32602: after is '" + wrong + "', but must be `next` of the previous page");
  }
}

}  // namespace
}  // namespace ibcc_test
