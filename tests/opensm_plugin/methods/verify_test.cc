// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "methods/support.hpp"

namespace ibcc_test {
namespace {

using Verify = Methods;

TEST_F(Verify, ReadsEverythingBackAndRepairs) {
  EXPECT_EQ(Refusal("verify"), "-32000: nothing can be verified now: no heavy sweep of this OpenSM has ended yet");
  BringUp();
  fabric_.host(1).agent.Reset();
  EXPECT_EQ(Show(Call("verify").get()), "{'job':2}");
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  const Json status = Call("status");
  EXPECT_EQ(Show(json_object_get(json_object_get(At(status, "devices"), "states"), "applied")), "7");
  EXPECT_GE(json_integer_value(json_object_get(At(status, "devices"), "drifts")), 1);
}

}  // namespace
}  // namespace ibcc_test
