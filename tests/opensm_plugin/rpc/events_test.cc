// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "rpc/events.h"

#include <gtest/gtest.h>

namespace {

TEST(RpcEvents, EachIsFoundByItsName) {
  for (int i = 0; i < IBCC_NUM_EVENTS; ++i) EXPECT_EQ(ibcc_event_find(ibcc_event_names[i]), i);
  EXPECT_EQ(ibcc_event_find("restore"), -1);
}

}  // namespace
